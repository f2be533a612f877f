/**
 * Discovery of protected resource metadata (RFC 9728) and authorization server metadata (RFC 8414).
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery Authorization server discovery}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { parseUntrustedUrl, type UrlPolicy } from "./url_policy.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";

/** Protected resource metadata of an MCP server (RFC 9728). */
export interface ResourceMetadata {
  /** Resource identifier, which is the audience of access tokens. */
  readonly resource: string;
  /** Issuer identifiers of the authorization servers; never empty. */
  readonly authorizationServers: readonly string[];
  /** Scopes that clients can request for access to the server. */
  readonly scopes?: readonly string[];
}

/** The members of authorization server metadata (RFC 8414) that clients and token verifiers use. */
export interface IssuerMetadata {
  /** Issuer identifier. */
  readonly issuer: string;
  /** URL of the authorization endpoint. */
  readonly authorization_endpoint?: string | undefined;
  /** URL of the token endpoint. */
  readonly token_endpoint: string;
  /** URL of the dynamic client registration endpoint. */
  readonly registration_endpoint?: string | undefined;
  /** URL of the JSON Web Key Set that contains the signing keys. */
  readonly jwks_uri?: string | undefined;
  /** URL of the introspection endpoint. */
  readonly introspection_endpoint?: string | undefined;
  /** Supported PKCE challenge methods. */
  readonly code_challenge_methods_supported?: readonly string[] | undefined;
  /** Supported client authentication methods. */
  readonly token_endpoint_auth_methods_supported?: readonly string[] | undefined;
  /** Supported scopes. */
  readonly scopes_supported?: readonly string[] | undefined;
  /** Whether authorization responses contain the `iss` parameter (RFC 9207). */
  readonly authorization_response_iss_parameter_supported?: boolean;
  /** Whether the URL of a client ID metadata document is accepted as the client identifier. */
  readonly client_id_metadata_document_supported?: boolean;
  /**
   * Whether the endpoints are the default endpoints in protocol version 2025-03-26, which apply if
   * the server does not publish metadata.
   */
  readonly isAssumed?: boolean;
}

/** Well-known path of protected resource metadata (RFC 9728, section 3). */
const RESOURCE_PATH = "/.well-known/oauth-protected-resource";

/** Resource identifiers that metadata may contain. */
export interface ResourcePolicy extends UrlPolicy {
  /** Resource identifiers that are accepted besides the server URL. */
  readonly acceptedResources?: readonly string[] | undefined;
}

/**
 * Fetches the protected resource metadata of an MCP server. Returns `undefined` if the server does
 * not publish metadata, which protocol versions up to 2025-03-26 do not require.
 *
 * The metadata must contain the resource identifier that its URL was derived from (RFC 9728,
 * section 3.3): the server URL, or the origin if the metadata was found at the root of the origin.
 * Otherwise, a server could obtain access tokens for other servers.
 *
 * @throws {McpError} With code `auth_error` if the metadata is for a different server or lists no
 * authorization server, if there is no metadata at the URL from the challenge, or if the server is
 * temporarily unavailable.
 */
export async function discoverResource(
  web: AuthHttpClient,
  policy: ResourcePolicy,
  named: string | undefined,
): Promise<ResourceMetadata | undefined> {
  const { server } = policy;
  if (named !== undefined) {
    const url = parseUntrustedUrl(named, "the resource metadata URL", policy);
    const found = await web.findJson([url]);
    if (found === undefined) {
      throw McpError.authError(`${quoteUntrusted(named)} has no resource metadata`);
    }
    return readResource(found.json, policy, [server]);
  }
  const path = server.pathname.replace(/\/$/, "");
  const root = new URL(RESOURCE_PATH, server.origin);
  const own = path === "" ? [] : [new URL(`${RESOURCE_PATH}${path}`, server.origin)];
  const found = await web.findJson([...own, root]);
  if (found === undefined) return undefined;
  const expected = found.place === root ? [server, new URL(server.origin)] : [server];
  return readResource(found.json, policy, expected);
}

/**
 * Fetches the metadata of an authorization server. Returns `undefined` if the server does not
 * publish metadata.
 *
 * @throws {McpError} With code `auth_error` if the issuer identifier does not match, an endpoint
 * URL is not allowed, or the server is temporarily unavailable.
 */
export async function discoverIssuer(
  web: AuthHttpClient,
  policy: UrlPolicy,
  issuer: string,
): Promise<IssuerMetadata | undefined> {
  const url = parseUntrustedUrl(issuer, "the issuer identifier", policy);
  const found = await web.findJson(issuerPlaces(url));
  return found && readIssuer(found.json, issuer, policy);
}

/** Returns an issuer's metadata URLs, in the order defined by the MCP specification. */
function issuerPlaces({ origin, pathname }: URL): URL[] {
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"]
    .map((name) => `/.well-known/${name}${path}`);
  const places = path === "" ? inserted : [...inserted, `${path}/.well-known/openid-configuration`];
  return places.map((place) => new URL(place, origin));
}

function readResource(
  found: JsonObject,
  { server, acceptedResources = [] }: ResourcePolicy,
  expected: readonly URL[],
): ResourceMetadata {
  const { resource } = found;
  const accepted = [...expected, ...acceptedResources.map((each) => new URL(each))];
  if (typeof resource !== "string" || !accepted.some((each) => isIdentifier(resource, each))) {
    const name = quoteUntrusted(resource);
    throw McpError.authError(
      isWider(resource, server)
        ? `the metadata names ${name}, which also covers other servers of this host; ` +
          'set "acceptedResources" to accept it'
        : `resource metadata is for another server: ${name}`,
    );
  }
  const authorizationServers = textsOf(found.authorization_servers) ?? [];
  if (authorizationServers.length === 0) {
    throw McpError.authError("resource metadata lists no authorization server");
  }
  const scopes = textsOf(found.scopes_supported);
  return { resource, authorizationServers, ...(scopes === undefined ? {} : { scopes }) };
}

/**
 * Returns `true` if a resource identifier is the given URL. One trailing slash of the path is
 * ignored, because servers and users write the same URL with and without it. The query of the
 * server URL may be missing, because clients do not disclose it.
 */
function isIdentifier(resource: string, url: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const given = new URL(resource);
  const hasSameQuery = given.search === "" || given.search === url.search;
  return hasSameQuery && formatIdentity(given) === formatIdentity(url);
}

/** Formats the parts of a URL that identify a resource. */
function formatIdentity(url: URL): string {
  const { protocol, username, password, host, pathname, hash } = url;
  const path = pathname.replace(/\/$/, "");
  return JSON.stringify([protocol, username, password, host, path, hash]);
}

/** Returns `true` if a resource identifier is a parent path of the server URL. */
function isWider(resource: unknown, server: URL): boolean {
  if (typeof resource !== "string" || !URL.canParse(resource)) return false;
  const { origin, pathname, search, hash } = new URL(resource);
  const folder = pathname.endsWith("/") ? pathname : `${pathname}/`;
  return origin === server.origin && search === "" && hash === "" &&
    `${server.pathname}/`.startsWith(folder);
}

function readIssuer(found: JsonObject, issuer: string, policy: UrlPolicy): IssuerMetadata {
  // The issuer identifiers are compared as simple strings (RFC 8414, section 3.3). If metadata from
  // a different issuer were accepted, credentials would be sent to the wrong server.
  if (found.issuer !== issuer) {
    throw McpError.authError(
      `expected issuer "${issuer}" in the metadata, got ${quoteUntrusted(found.issuer)}`,
    );
  }
  const endpoint = (name: string): string | undefined => {
    const value = found[name];
    return typeof value === "string"
      ? parseUntrustedUrl(value, `"${name}"`, policy).href
      : undefined;
  };
  const token_endpoint = endpoint("token_endpoint");
  if (token_endpoint === undefined) throw McpError.authError(`"${issuer}" has no token endpoint`);
  return {
    issuer,
    token_endpoint,
    authorization_endpoint: endpoint("authorization_endpoint"),
    registration_endpoint: endpoint("registration_endpoint"),
    jwks_uri: endpoint("jwks_uri"),
    introspection_endpoint: endpoint("introspection_endpoint"),
    code_challenge_methods_supported: textsOf(found.code_challenge_methods_supported),
    token_endpoint_auth_methods_supported: textsOf(found.token_endpoint_auth_methods_supported),
    scopes_supported: textsOf(found.scopes_supported),
    authorization_response_iss_parameter_supported:
      found.authorization_response_iss_parameter_supported === true,
    client_id_metadata_document_supported: found.client_id_metadata_document_supported === true,
  };
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((each) => typeof each === "string");
}
