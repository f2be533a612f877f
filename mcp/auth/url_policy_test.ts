import { assert, assertEquals, assertThrows } from "@std/assert";
import { McpError } from "../shared/error.ts";
import {
  type NetworkScope,
  networkScopeOf,
  parseTrustedUrl,
  parseUntrustedUrl,
} from "./url_policy.ts";

const REACHES: readonly (readonly [string, NetworkScope])[] = [
  ["https://example.com", "public"],
  ["https://8.8.8.8", "public"],
  ["https://[2606:4700::1111]", "public"],
  ["https://localhost", "loopback"],
  ["https://localhost.", "loopback"],
  ["https://app.localhost", "loopback"],
  ["https://127.0.0.1", "loopback"],
  ["https://127.1.2.3", "loopback"],
  ["https://[::1]", "loopback"],
  // The URL parser normalizes other notations of an IPv4 address, such as a decimal number.
  ["https://2130706433", "loopback"],
  ["https://0x7f.1", "loopback"],
  ["https://0177.0.0.1", "loopback"],
  ["https://10.0.0.1", "private"],
  ["https://172.16.0.1", "private"],
  ["https://172.31.255.255", "private"],
  ["https://172.32.0.1", "public"],
  ["https://192.168.1.1", "private"],
  ["https://100.64.0.1", "private"],
  ["https://100.128.0.1", "public"],
  ["https://[fd00::1]", "private"],
  ["https://[fc00::1]", "private"],
  ["https://169.254.169.254", "special"],
  ["https://0.0.0.0", "special"],
  ["https://224.0.0.1", "special"],
  ["https://255.255.255.255", "special"],
  ["https://198.18.0.1", "special"],
  ["https://[fe80::1]", "special"],
  ["https://[::]", "special"],
  ["https://[::ffff:127.0.0.1]", "special"],
  ["https://[::ffff:8.8.8.8]", "special"],
  ["https://[64:ff9b::a00:1]", "special"],
  ["https://[2002:a00:1::]", "special"],
  ["https://[2001::1]", "special"],
  ["https://[2001:db8::1]", "special"],
  ["https://[2001:4860::8888]", "public"],
  ["https://metadata.google.internal", "private"],
  ["https://metadata.google.internal.", "private"],
  ["https://METADATA.GOOGLE.INTERNAL", "private"],
  ["https://printer.local", "private"],
  ["https://redis.default.svc", "private"],
  ["https://redis.default.svc.cluster.local", "private"],
  ["https://redis.default.svc.cluster.local..", "private"],
  ["https://vault.service.consul", "private"],
  ["https://router.home.arpa", "private"],
  ["https://wiki.corp", "private"],
  ["https://nas.lan", "private"],
  ["https://intranet/", "private"],
  ["https://ip6-localhost", "private"],
  ["https://localhost.localdomain", "private"],
  ["https://localhost..", "loopback"],
  ["https://127.0.0.1.", "loopback"],
  ["https://internal.example", "public"],
  ["https://local.example.com.", "public"],
  ["https://notinternal", "private"],
  ["https://home.arpa.example", "public"],
];

for (const [address, reach] of REACHES) {
  Deno.test(`networkScopeOf() returns ${reach} for ${address}`, () => {
    assertEquals(networkScopeOf(new URL(address).hostname), reach);
  });
}

Deno.test("parseTrustedUrl() accepts HTTPS URLs and loopback HTTP URLs", () => {
  for (
    const good of [
      "https://example.com/x",
      "http://localhost:1",
      "http://127.0.0.1",
      "http://[::1]:8",
    ]
  ) {
    assertEquals(parseTrustedUrl(good, "it").href, new URL(good).href);
  }
  for (
    const bad of [
      "http://example.com",
      "http://10.0.0.1",
      "ftp://localhost",
      "javascript:alert(1)",
      "https://user:password@example.com",
      "example.com",
      "",
    ]
  ) {
    assertThrows(
      () => parseTrustedUrl(bad, "the URL"),
      McpError,
      "the URL must be an HTTPS or loopback HTTP URL without credentials",
    );
  }
});

/**
 * Test cases: an MCP server's URL, a URL that the server provides, and whether the policy allows
 * the provided URL.
 */
const NAMED: readonly (readonly [string, string, boolean])[] = [
  ["https://mcp.example", "https://login.example", true],
  ["https://mcp.example", "https://127.0.0.1", false],
  ["https://mcp.example", "http://localhost:6379", false],
  ["https://mcp.example", "https://192.168.1.1", false],
  ["https://mcp.example", "https://169.254.169.254", false],
  ["https://192.168.1.5", "https://192.168.1.6", true],
  ["https://192.168.1.5", "http://localhost", false],
  ["https://192.168.1.5", "https://169.254.169.254", false],
  ["http://localhost:3000", "http://127.0.0.1:4000", true],
  ["http://localhost:3000", "https://10.0.0.1", true],
  ["http://localhost:3000", "https://169.254.169.254", false],
  ["https://mcp.example", "https://metadata.google.internal", false],
  ["https://mcp.example", "https://intranet", false],
  ["https://mcp.internal", "https://login.internal", true],
  ["http://localhost:3000", "https://login.internal", true],
];

for (const [server, address, isFine] of NAMED) {
  Deno.test(`parseUntrustedUrl() ${isFine ? "accepts" : "rejects"} ${address} from ${server}`, () => {
    const policy = { server: new URL(server), allowPrivateAddresses: false };
    if (isFine) parseUntrustedUrl(address, "it", policy);
    else assertThrows(() => parseUntrustedUrl(address, "it", policy), McpError, "non-public host");
    parseUntrustedUrl(address, "it", { ...policy, allowPrivateAddresses: true });
  });
}

Deno.test("networkScopeOf() takes linear time", () => {
  const startedAt = performance.now();
  assertEquals(networkScopeOf(`a${".".repeat(200_000)}b`), "public");
  assertEquals(networkScopeOf(`localhost${".".repeat(200_000)}`), "loopback");
  assert(performance.now() - startedAt < 1000);
});
