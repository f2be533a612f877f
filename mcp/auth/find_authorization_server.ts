/**
 * Who guards an MCP server: the authorization server that tokens have to come from, and what they have to be for.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 * @module
 */

import { McpError } from "../shared/error.ts";
import { parseTrustedUrl, type UrlPolicy } from "./url_policy.ts";
import type { AuthChallenge } from "./www_authenticate.ts";
import type { AuthConfig, DiscoveryConfig, OAuthConfig } from "./config.ts";
import { discoverIssuer, discoverResource, type IssuerMetadata } from "./discovery.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";

/** What tokens are asked for. */
export interface AuthorizationTarget {
  /** The authorization server. */
  readonly issuer: IssuerMetadata;
  /** Whether its name is known for sure, so that answers can be checked against it. */
  readonly isNamed: boolean;
  /** The name of the MCP server. */
  readonly resource: string;
  /** The scopes that using it takes, if it says so. */
  readonly scopes?: readonly string[];
}

/**
 * Finds out who guards a server.
 *
 * @throws {McpError} `auth_error` when nobody does, or it is not who it should be
 */
export async function findAuthorizationServer(
  web: AuthHttpClient,
  policy: UrlPolicy,
  config: AuthConfig,
  demand: AuthChallenge,
): Promise<AuthorizationTarget> {
  if (config.discover === true) return await discoverTarget(web, policy, config, demand);
  const { resourceMetadata } = demand;
  // Where the server describes itself, its word is checked against what is configured.
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
  policy: UrlPolicy,
  config: DiscoveryConfig,
  { resourceMetadata }: AuthChallenge,
): Promise<AuthorizationTarget> {
  const found = await discoverResource(web, policy, resourceMetadata);
  if (found === undefined) return await findLegacyServer(web, policy);
  const name = chooseIssuer(found.authorizationServers, config);
  const issuer = await discoverIssuer(web, policy, name);
  if (issuer === undefined) {
    throw McpError.authError(`${quoteUntrusted(name)} does not describe itself`);
  }
  const { resource, scopes } = found;
  return { issuer, isNamed: true, resource, ...(scopes === undefined ? {} : { scopes }) };
}

/** Of several servers, the one that knows the client; else the first. */
function chooseIssuer(
  names: readonly string[],
  { issuer }: Pick<OAuthConfig, "issuer">,
): string {
  const name = issuer === undefined ? names[0] : names.find((each) => each === issuer);
  if (name !== undefined) return name;
  throw McpError.authError(
    `the server is not guarded by "${issuer}", but by ${quoteUntrusted(names[0])}`,
  );
}

/**
 * Revision 2025-03-26: the server guards itself, at known paths where it does not say otherwise.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#2-3-3-fallbacks-for-servers-without-metadata-discovery Fallbacks}
 */
async function findLegacyServer(
  web: AuthHttpClient,
  policy: UrlPolicy,
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

/** What is taken for granted of a server that says nothing of itself. */
const ASSUMED = {
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["client_secret_basic", "none"],
} as const;

function describeFixed({ authUrl, tokenUrl, issuer }: OAuthConfig): IssuerMetadata {
  const endpoint = parseTrustedUrl(authUrl, '"authUrl"');
  return {
    issuer: issuer ?? endpoint.origin,
    authorization_endpoint: endpoint.href,
    token_endpoint: parseTrustedUrl(tokenUrl, '"tokenUrl"').href,
    ...ASSUMED,
  };
}

/** The name of a server that does not give one: its address, without what may be secret in it. */
function resourceOf({ origin, pathname }: URL): string {
  return pathname === "/" ? origin : `${origin}${pathname}`;
}
