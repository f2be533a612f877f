/**
 * OAuth grants: authorization code, client credentials, JWT bearer and refresh token.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-1.3 RFC 6749, section 1.3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.1 RFC 7523, section 2.1}
 * @module
 */

import type * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import { runAuthorizationCodeFlow } from "./authorization_code.ts";
import type { ClientIdentity } from "./client_authentication.ts";
import { type CallContext, callWithin } from "@parley/internal/call-within";
import type { AuthSettings, GetAssertion, MachineGrant } from "./config.ts";
import type { Secrets } from "./redact_secrets.ts";
import { joinScopes } from "./scope.ts";
import type { AuthorizationTarget } from "./find_authorization_server.ts";
import { requestTokens, type TokenRequest, type TokenResponse } from "./tokens.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";

/** Inputs for a token request. */
export interface GrantContext {
  /** Authorization server and resource. */
  readonly target: AuthorizationTarget;
  /** Client credentials. */
  readonly identity: ClientIdentity;
  /** Authorization settings. */
  readonly config: AuthSettings;
  /** Requested scopes, separated by spaces. */
  readonly scope: string | undefined;
  /** HTTP client for the authorization server. */
  readonly web: AuthHttpClient;
  /** Secrets of the client, to which the secrets of the grant are added. */
  readonly secrets: Secrets;
  /** DPoP key handle, if tokens are sender-constrained. */
  readonly dpop?: oauth.DPoPHandle | undefined;
  /** SHA-256 thumbprint of the DPoP key. */
  readonly jkt?: string | undefined;
}

/** Grant type for JWT bearer assertions (RFC 7523, section 2.1). */
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/**
 * Returns the configured grant without user interaction, or `undefined` for the authorization code
 * flow.
 */
export function machineGrantOf(config: AuthSettings): MachineGrant | undefined {
  return config.discover === true ? config.grant : undefined;
}

/**
 * Requests tokens with the configured grant.
 *
 * @throws {McpError} With code `auth_error` if the login fails or the token response is invalid.
 * @throws {TypeError} If the type of the configured grant is unknown.
 */
export async function grantTokens(context: GrantContext): Promise<TokenResponse> {
  const grant = machineGrantOf(context.config);
  switch (grant?.type) {
    case undefined:
      return await grantByLogin(context);
    case "client_credentials":
      return await requestTokens(formOf(context, grant.type, scopeOf(context)));
    case "jwt_bearer": {
      const assertion = await requestAssertion(context, grant.assertion);
      return await requestTokens(formOf(context, JWT_BEARER, { assertion, ...scopeOf(context) }));
    }
    default:
      return grant satisfies never;
  }
}

/** Calls the function that returns the assertion for a JWT bearer grant. */
async function requestAssertion(
  { target: { issuer, resource }, scope, web, config, secrets }: GrantContext,
  getAssertion: GetAssertion,
): Promise<string> {
  const timeoutMs = config.loginTimeoutMs;
  const call = ({ signal }: CallContext): Promise<string> | string =>
    getAssertion({
      issuer: issuer.issuer,
      resource,
      fetch: web.fetch,
      signal,
      ...(scope === undefined ? {} : { scope }),
    });
  const late = (): McpError =>
    McpError.authError(`waiting for "assertion" timed out after ${timeoutMs} ms`);
  const assertion: unknown = await callWithin(call, { signal: web.signal, timeoutMs, late });
  if (typeof assertion !== "string" || assertion === "") {
    throw McpError.authError('"assertion" must return a non-empty string');
  }
  secrets.add(assertion);
  return assertion;
}

/**
 * Requests tokens with a refresh token. The request continues if all callers abort, because most
 * authorization servers accept a refresh token only once.
 */
export async function refreshTokens(
  context: GrantContext,
  refreshToken: string,
): Promise<TokenResponse> {
  const once = { ...context, web: context.web.uninterrupted };
  return await requestTokens(formOf(once, "refresh_token", { refresh_token: refreshToken }));
}

async function grantByLogin(context: GrantContext): Promise<TokenResponse> {
  const { target: { issuer, isNamed, resource }, identity, config, scope, web, secrets } = context;
  const { redirectUri, authorize, loginTimeoutMs } = config;
  if (redirectUri === undefined) {
    throw McpError.authError('user login required; set the "redirectUri" option');
  }
  const { code, verifier } = await runAuthorizationCodeFlow({
    issuer: isNamed ? issuer : { ...issuer, issuer: undefined },
    clientId: identity.clientId,
    redirectUri,
    resource,
    scope,
    authorize,
    loginTimeoutMs,
    secrets,
    signal: web.signal,
  });
  // The user has logged in, so the request continues if all callers abort.
  const once = { ...context, web: web.uninterrupted };
  return await requestTokens(formOf(once, "authorization_code", {
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  }));
}

/**
 * Computes the scopes to request. Adds `offline_access` if the authorization server supports it and
 * the user can consent.
 */
export function wantedScope(
  { issuer, scopes }: AuthorizationTarget,
  config: AuthSettings,
  { demanded, before }: {
    readonly demanded: string | undefined;
    readonly before: string | undefined;
  },
): string | undefined {
  const needed = demanded ?? (config.scope === undefined ? scopes?.join(" ") : undefined);
  const scope = joinScopes(before, config.scope, needed);
  const canStay = machineGrantOf(config) === undefined && scope !== undefined &&
    issuer.scopes_supported?.includes("offline_access") === true;
  return canStay ? joinScopes(scope, "offline_access") : scope;
}

function scopeOf({ scope }: GrantContext): Readonly<Record<string, string>> {
  return scope === undefined ? {} : { scope };
}

function formOf(
  { target: { issuer, resource }, identity, web, dpop }: GrantContext,
  grant: string,
  parameters: Readonly<Record<string, string>>,
): TokenRequest {
  return { issuer, identity, grant, web, dpop, parameters: { ...parameters, resource } };
}
