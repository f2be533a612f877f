/**
 * The network scope of a host, to prevent server-side request forgery (SSRF).
 *
 * @module
 */

import { trimEnd } from "./trim_end.ts";

/**
 * Network scope of a host, based on its name or IP address. `special` denotes an address block with
 * a special purpose (RFC 6890).
 */
export type NetworkScope = "public" | "private" | "loopback" | "special";

/** Non-public IPv4 address blocks: first address, prefix length and network scope. */
const NETWORKS: readonly (readonly [string, number, NetworkScope])[] = [
  ["0.0.0.0", 8, "special"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "special"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "special"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "special"],
  ["224.0.0.0", 3, "special"],
];

/**
 * Domains whose names exist only in private networks: domains listed in RFC 6762 (appendix G), in
 * RFC 8375 and by ICANN, the domains of Kubernetes and Consul, and the full name that some systems
 * give to the loopback interface.
 */
const PRIVATE_DOMAINS: readonly string[] = [
  "cluster",
  "consul",
  "corp",
  "home",
  "home.arpa",
  "internal",
  "intranet",
  "lan",
  "local",
  "localdomain",
  "private",
  "svc",
];

/**
 * Returns the network scope of a host name. The host name must already be normalized by the URL
 * parser.
 */
export function networkScopeOf(hostname: string): NetworkScope {
  const name = trimEnd(hostname, ".");
  if (name === "localhost" || name.endsWith(".localhost")) return "loopback";
  if (name.startsWith("[")) return networkScopeOfV6(name.slice(1, -1));
  const address = v4Of(name);
  if (address === undefined) return isPrivateName(name) ? "private" : "public";
  const network = NETWORKS.find(([first, length]) =>
    (address ^ (v4Of(first) ?? 0)) >>> (32 - length) === 0
  );
  return network?.[2] ?? "public";
}

/**
 * Returns `true` if no public DNS server can resolve the name. A name without a dot is resolved on
 * the local network.
 */
function isPrivateName(name: string): boolean {
  return !name.includes(".") || PRIVATE_DOMAINS.some((domain) => name.endsWith(`.${domain}`));
}

/**
 * Returns the network scope of an IPv6 address. Only 2000::/3 is public, except for blocks that
 * embed IPv4 addresses or are reserved for documentation.
 */
function networkScopeOfV6(address: string): NetworkScope {
  if (address === "::1") return "loopback";
  const [first = "", second = ""] = address.split(":");
  const head = parseInt(first || "0", 16);
  if ((head & 0xfe00) === 0xfc00) return "private";
  if ((head & 0xe000) !== 0x2000 || head === 0x2002) return "special";
  const isReserved = head === 0x2001 && ["", "0", "db8"].includes(second);
  return isReserved ? "special" : "public";
}

function v4Of(name: string): number | undefined {
  if (!/^\d+(?:\.\d+){3}$/.test(name)) return undefined;
  return name.split(".").reduce((sum, part) => (sum << 8) | Number(part), 0);
}
