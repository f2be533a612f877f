/**
 * Selection of the authorization server for an MCP server.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 * @module
 */

import { McpError } from "../shared/error.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import type { AuthChallenge } from "./www_authenticate.ts";
import type { AuthSettings, DiscoverySettings, OAuthSettings } from "./config.ts";
import {
  discoverIssuer,
  discoverResource,
  type IssuerMetadata,
  type ResourcePolicy,
} from "./discovery.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";

/** Authorization server and resource for a token request. */
export interface AuthorizationTarget {
  /** Authorization server metadata. */
  readonly issuer: IssuerMetadata;
  /** Whether the issuer identifier is known from the metadata or the configuration. */
  readonly isNamed: boolean;
  /** Resource indicator of the MCP server (RFC 8707). */
  readonly resource: string;
  /** Scopes that clients can request, from the protected resource metadata. */
  readonly scopes?: readonly string[];
}

/**
 * Finds the authorization server for an MCP server.
 *
 * @throws {McpError} With code `auth_error` if the server lists no suitable authorization server,
 * or the metadata is missing or invalid.
 */
export async function findAuthorizationServer(
  web: AuthHttpClient,
  policy: ResourcePolicy,
  config: AuthSettings,
  demand: AuthChallenge,
): Promise<AuthorizationTarget> {
  if (config.discover === true) return await discoverTarget(web, policy, config, demand);
  const { resourceMetadata } = demand;
  // If a challenge refers to protected resource metadata, that metadata must list the configured
  // issuer.
  const found = resourceMetadata === undefined
    ? undefined
    : await discoverResource(web, policy, resourceMetadata);
  if (found !== undefined) chooseIssuer(found.authorizationServers, config);
  return {
    issuer: describeFixed(config),
    isNamed: config.issuer !== undefined,
    resource: found?.resource ?? resourceOf(policy.server),
    ...(found?.scopes === undefined ? {} : { scopes: found.scopes }),
  };
}

async function discoverTarget(
  web: AuthHttpClient,
  policy: ResourcePolicy,
  config: DiscoverySettings,
  { resourceMetadata }: AuthChallenge,
): Promise<AuthorizationTarget> {
  const found = await discoverResource(web, policy, resourceMetadata);
  if (found === undefined) {
    const target = await findLegacyServer(web, policy);
    // A server without metadata must not replace the configured issuer.
    chooseIssuer([target.issuer.issuer], config);
    return target;
  }
  const name = chooseIssuer(found.authorizationServers, config);
  const issuer = await discoverIssuer(web, policy, name);
  if (issuer === undefined) {
    throw McpError.authError(`${quoteUntrusted(name)} has no authorization server metadata`);
  }
  const { resource, scopes } = found;
  return { issuer, isNamed: true, resource, ...(scopes === undefined ? {} : { scopes }) };
}

/**
 * Returns the configured issuer, or the first listed issuer if none is configured. Throws if the
 * configured issuer is not listed.
 */
function chooseIssuer(
  names: readonly string[],
  { issuer }: { readonly issuer: string | undefined },
): string {
  const name = issuer === undefined ? names[0] : names.find((each) => each === issuer);
  if (name !== undefined) return name;
  throw McpError.authError(
    `expected authorization server "${issuer}", got ${quoteUntrusted(names[0])}`,
  );
}

/**
 * Finds the authorization server for protocol version 2025-03-26, where the MCP server is its own
 * authorization server. If no metadata is published, default endpoint paths are used.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#2-3-3-fallbacks-for-servers-without-metadata-discovery Fallbacks}
 */
async function findLegacyServer(
  web: AuthHttpClient,
  policy: ResourcePolicy,
): Promise<AuthorizationTarget> {
  const { server } = policy;
  const resource = resourceOf(server);
  const found = await discoverIssuer(web, policy, server.origin);
  if (found !== undefined) return { issuer: found, isNamed: true, resource };
  const issuer = {
    issuer: server.origin,
    authorization_endpoint: new URL("/authorize", server).href,
    token_endpoint: new URL("/token", server).href,
    registration_endpoint: new URL("/register", server).href,
    isAssumed: true,
    ...ASSUMED,
  };
  return { issuer, isNamed: false, resource };
}

/** Capabilities assumed for an authorization server that publishes no metadata. */
const ASSUMED = {
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["client_secret_basic", "none"],
} as const;

function describeFixed({ authUrl, tokenUrl, issuer }: OAuthSettings): IssuerMetadata {
  const endpoint = parseTrustedUrl(authUrl, '"authUrl"');
  return {
    issuer: issuer ?? endpoint.origin,
    authorization_endpoint: endpoint.href,
    token_endpoint: parseTrustedUrl(tokenUrl, '"tokenUrl"').href,
    ...ASSUMED,
  };
}

/**
 * Derives the resource indicator from the server URL. The resource indicator omits the URL's query,
 * because the query may contain secrets.
 */
function resourceOf({ origin, pathname }: URL): string {
  return pathname === "/" ? origin : `${origin}${pathname}`;
}
