/**
 * Which authorization server guards an MCP server, and what that one can do: two documents, each at one of several
 * places.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery Authorization server discovery}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { parseUntrustedUrl, type UrlPolicy } from "./url_policy.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";

/** What an MCP server says of itself (RFC 9728). */
export interface ResourceMetadata {
  /** Its name, which tokens are for. */
  readonly resource: string;
  /** The authorization servers that give out tokens for it; at least one. */
  readonly authorizationServers: readonly string[];
  /** The scopes that using it takes, if it says so. */
  readonly scopes?: readonly string[];
}

/** What an authorization server says of itself (RFC 8414), as far as it matters here. */
export interface IssuerMetadata {
  /** Its name. */
  readonly issuer: string;
  /** Where people log in. */
  readonly authorization_endpoint?: string | undefined;
  /** Where tokens come from. */
  readonly token_endpoint: string;
  /** Where clients register by themselves. */
  readonly registration_endpoint?: string | undefined;
  /** Where its keys are. */
  readonly jwks_uri?: string | undefined;
  /** Where it says what a token is good for. */
  readonly introspection_endpoint?: string | undefined;
  /** The ways to prove that an exchange of a code is one's own. */
  readonly code_challenge_methods_supported?: readonly string[] | undefined;
  /** The ways for clients to show who they are. */
  readonly token_endpoint_auth_methods_supported?: readonly string[] | undefined;
  /** The scopes that it knows. */
  readonly scopes_supported?: readonly string[] | undefined;
  /** Whether it says in its answers who it is. */
  readonly authorization_response_iss_parameter_supported?: boolean;
  /** Whether clients may use the address of a document as their name. */
  readonly client_id_metadata_document_supported?: boolean;
  /** Whether it says nothing of itself, and all this is only what used to be usual. */
  readonly isAssumed?: boolean;
}

/** Where an MCP server describes itself when it does not say where. */
const RESOURCE_PATH = "/.well-known/oauth-protected-resource";

/**
 * Reads what an MCP server says of itself; undefined when it says nothing, as servers up to revision 2025-03-26.
 *
 * @throws {McpError} `auth_error` when it describes another server, or names no authorization server
 */
export async function discoverResource(
  web: AuthHttpClient,
  policy: UrlPolicy,
  named: string | undefined,
): Promise<ResourceMetadata | undefined> {
  const { server } = policy;
  if (named !== undefined) {
    const url = parseUntrustedUrl(named, "the resource metadata", policy);
    const found = await web.getJson(url);
    if (found === undefined) throw McpError.authError("there is no resource metadata");
    return readResource(found, server);
  }
  const path = server.pathname.replace(/\/$/, "");
  for (const place of new Set([`${RESOURCE_PATH}${path}`, RESOURCE_PATH])) {
    const found = await web.getJson(new URL(place, server.origin));
    if (found !== undefined) return readResource(found, server);
  }
  return undefined;
}

/**
 * Reads what an authorization server says of itself; undefined when it says nothing.
 *
 * @throws {McpError} `auth_error` when it gives itself another name, or leads where it must not
 */
export async function discoverIssuer(
  web: AuthHttpClient,
  policy: UrlPolicy,
  issuer: string,
): Promise<IssuerMetadata | undefined> {
  const url = parseUntrustedUrl(issuer, "the authorization server", policy);
  for (const place of issuerPlaces(url)) {
    const found = await web.getJson(place);
    if (found !== undefined) return readIssuer(found, issuer, policy);
  }
  return undefined;
}

/** The places of revision 2025-11-25 and later, in their order. */
function issuerPlaces({ origin, pathname }: URL): URL[] {
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"]
    .map((name) => `/.well-known/${name}${path}`);
  const places = path === "" ? inserted : [...inserted, `${path}/.well-known/openid-configuration`];
  return places.map((place) => new URL(place, origin));
}

function readResource(found: JsonObject, server: URL): ResourceMetadata {
  const { resource } = found;
  if (typeof resource !== "string" || !isAbout(resource, server)) {
    throw McpError.authError(`the resource metadata is about ${quoteUntrusted(resource)}`);
  }
  const authorizationServers = textsOf(found.authorization_servers) ?? [];
  if (authorizationServers.length === 0) {
    throw McpError.authError("the resource metadata names no authorization server");
  }
  const scopes = textsOf(found.scopes_supported);
  return { resource, authorizationServers, ...(scopes === undefined ? {} : { scopes }) };
}

/** Whether a name means this server, or all servers below a path that it stands under. */
function isAbout(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, hash } = new URL(resource);
  const folder = pathname.endsWith("/") ? pathname : `${pathname}/`;
  return origin === server.origin && hash === "" && `${server.pathname}/`.startsWith(folder);
}

function readIssuer(found: JsonObject, issuer: string, policy: UrlPolicy): IssuerMetadata {
  // Compared as text: a document about another server would send credentials to the wrong one.
  if (found.issuer !== issuer) {
    throw McpError.authError(`"${issuer}" calls itself ${quoteUntrusted(found.issuer)}`);
  }
  const endpoint = (name: string): string | undefined => {
    const value = found[name];
    return typeof value === "string"
      ? parseUntrustedUrl(value, `"${name}"`, policy).href
      : undefined;
  };
  const token_endpoint = endpoint("token_endpoint");
  if (token_endpoint === undefined) throw McpError.authError(`"${issuer}" gives no tokens`);
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
