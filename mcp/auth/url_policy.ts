/**
 * Which addresses credentials and questions about credentials may go to. A server on the web names most of them, and
 * must not be able to point into the network that the client happens to stand in.
 *
 * Only what is written in an address is looked at: a name that leads to a private address is out of reach here. Where
 * that matters, let requests go through a proxy that knows where they end up.
 *
 * @see {@link https://modelcontextprotocol.io/docs/2026-07-28/tutorials/security/security_best_practices#server-side-request-forgery-ssrf Server-side request forgery}
 * @module
 */

import { McpError } from "../shared/error.ts";

/** From where a host can be reached, as far as its name says: `special` are addresses for a purpose of their own. */
export type NetworkScope = "public" | "private" | "loopback" | "special";

/** Who names addresses, and whether it is trusted with private ones. */
export interface UrlPolicy {
  /** The MCP server. */
  readonly server: URL;
  /** Whether it may name any address. */
  readonly allowPrivateAddresses: boolean;
}

/** What each kind of server may name: this machine is trusted with its own network, a network with itself. */
const MAY_NAME: Readonly<Record<NetworkScope, readonly NetworkScope[]>> = {
  public: ["public"],
  private: ["public", "private"],
  loopback: ["public", "private", "loopback"],
  special: ["public"],
};

/** IPv4 networks that are not public: first address, length of the prefix, what it is. */
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
 * Checks an address that the user of this library has written down.
 *
 * @throws {McpError} `auth_error` when it is none of HTTPS, nor of plain HTTP on this machine
 */
export function parseTrustedUrl(address: string, what: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" ||
    (url?.protocol === "http:" && networkScopeOf(url.hostname) === "loopback");
  if (url === undefined || !isSafe || url.username !== "" || url.password !== "") {
    throw McpError.authError(`${what} is not a plain HTTPS address`);
  }
  return url;
}

/**
 * Checks an address that a server on the web has named.
 *
 * @throws {McpError} `auth_error` when it is none of HTTPS, or leads to where that server has no business
 */
export function parseUntrustedUrl(
  address: string,
  what: string,
  { server, allowPrivateAddresses }: UrlPolicy,
): URL {
  const url = parseTrustedUrl(address, what);
  const mayName = MAY_NAME[networkScopeOf(server.hostname)];
  if (allowPrivateAddresses || url.host === server.host) return url;
  if (mayName.includes(networkScopeOf(url.hostname))) return url;
  throw McpError.authError(`${what} leads to the private address "${url.host}"`);
}

/** From where a host can be reached. The name is one that the URL parser has brought into its canonical form. */
export function networkScopeOf(hostname: string): NetworkScope {
  const name = hostname.replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return "loopback";
  if (name.startsWith("[")) return networkScopeOfV6(name.slice(1, -1));
  const address = v4Of(name);
  if (address === undefined) return "public";
  const network = NETWORKS.find(([first, length]) =>
    (address ^ (v4Of(first) ?? 0)) >>> (32 - length) === 0
  );
  return network?.[2] ?? "public";
}

/** Of IPv6, only 2000::/3 is public, without the parts that carry an IPv4 address or are for documents. */
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
