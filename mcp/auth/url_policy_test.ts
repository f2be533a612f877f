import { assertEquals, assertThrows } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { parseTrustedUrl, parseUntrustedUrl } from "./url_policy.ts";

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
