/**
 * OAuth 2.1 authorization for MCP clients and servers that use HTTP.
 *
 * {@linkcode authorizedFetch} and the `auth` option of `McpClient` obtain and present access
 * tokens. {@linkcode resourceServer} protects a server with bearer tokens. This module does not
 * implement an authorization server.
 *
 * A client with the `auth` option loads this module in `connect()`:
 *
 * ```ts ignore
 * import { McpClient } from "@parley/mcp/client";
 * import { openLoopback } from "@parley/mcp/auth/loopback";
 *
 * const { redirectUri, authorize } = await openLoopback();
 * const client = new McpClient({
 *   transport: { type: "http", url: "https://mcp.example.com" },
 *   auth: { discover: true, redirectUri, authorize },
 * });
 * await client.connect(); // Opens a browser if the server requires a login.
 * ```
 *
 * @module
 */

export { authorizedFetch, type AuthorizedFetchOptions } from "./auth/authorized_fetch.ts";
export type {
  AssertionRequest,
  AuthConfig,
  AuthOptions,
  Authorize,
  ClientKey,
  DiscoveryConfig,
  GetAssertion,
  LoginContext,
  MachineGrant,
  OAuthConfig,
} from "./auth/config.ts";
export { identityAssertion, type IdentityAssertionOptions } from "./auth/identity_assertion.ts";
export { generatePkceChallenge, type PkceChallenge } from "./auth/pkce.ts";
export {
  type ProtectedHandler,
  type ResourceServer,
  resourceServer,
  type ResourceServerOptions,
} from "./auth/resource_server.ts";
export { type CredentialStore, memoryStore } from "./auth/credential_store.ts";
export { type IntrospectionOptions, introspectionVerifier } from "./auth/introspection_verifier.ts";
export { jwtVerifier, type JwtVerifierOptions } from "./auth/jwt_verifier.ts";
export { TokenExchangeFailure } from "./auth/exchange_failure.ts";
export {
  type ExchangeTarget,
  type TokenExchange,
  tokenExchange,
  type TokenExchangeOptions,
} from "./auth/token_exchange.ts";
export type { TokenSourceConfig, WantedToken } from "./auth/token_source_config.ts";
export {
  type PresentedToken,
  type RefusedToken,
  type TokenRefusal,
  TokenRefusalReason,
  type TokenVerifier,
  type VerifiedToken,
  type VerifierOptions,
} from "./auth/token_verifier.ts";
export {
  type DpopProof,
  DpopReplayCache,
  type DpopReplayCacheOptions,
  type DpopReplayStore,
} from "./auth/dpop_replay_cache.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
export type { HttpFetch, HttpInit } from "./shared/http_types.ts";
export type { HttpRequest, HttpResponse } from "./shared/http_types.ts";
