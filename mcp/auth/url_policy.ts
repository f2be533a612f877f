/**
 * URL policy for authorization requests, to prevent server-side request forgery (SSRF). A public
 * server must not refer the client to URLs in the client's private network.
 *
 * Only the URL is checked: host names that resolve to a private IP address are not detected. To
 * block host names that resolve to a private IP address, send the requests through a proxy that
 * checks the resolved address.
 *
 * @see
 * {@link https://modelcontextprotocol.io/docs/2026-07-28/tutorials/security/security_best_practices#server-side-request-forgery-ssrf Server-side request forgery}
 * @module
 */

import { type NetworkScope, networkScopeOf } from "@parley/internal/network-scope";
import { McpError } from "../shared/error.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";

/** Policy for URLs that a server provides. */
export interface UrlPolicy {
  /** URL of the MCP server. */
  readonly server: URL;
  /** Whether the server can provide any URL, including private-network URLs. */
  readonly allowPrivateAddresses: boolean;
}

/**
 * For each network scope of a server, the network scopes allowed in URLs that the server provides.
 */
const MAY_NAME: Readonly<Record<NetworkScope, readonly NetworkScope[]>> = {
  public: ["public"],
  private: ["public", "private"],
  loopback: ["public", "private", "loopback"],
  special: ["public"],
};

/**
 * Parses a URL from the configuration.
 *
 * @throws {McpError} With code `auth_error` if the URL is neither an HTTPS URL nor a loopback HTTP
 * URL, or contains credentials.
 */
export function parseTrustedUrl(address: string, what: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" ||
    (url?.protocol === "http:" && networkScopeOf(url.hostname) === "loopback");
  if (url === undefined || !isSafe || url.username !== "" || url.password !== "") {
    // A URL with credentials is not quoted, because errors must not contain secrets.
    const value = `${address}`.includes("@") ? "a URL with credentials" : quoteUntrusted(address);
    throw McpError.authError(
      `${what} must be an HTTPS or loopback HTTP URL without credentials, got ${value}`,
    );
  }
  return url;
}

/**
 * Parses a URL that a server provides.
 *
 * @throws {McpError} With code `auth_error` if {@linkcode parseTrustedUrl} rejects the URL or the
 * policy does not allow its host.
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
  throw McpError.authError(`${what} points to the non-public host "${url.host}"`);
}
