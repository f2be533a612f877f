/**
 * The ways to new tokens: a person's login, the client's own name, an assertion, an older token.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-1.3 RFC 6749, section 1.3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.1 RFC 7523, section 2.1}
 * @module
 */

import type * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import { runAuthorizationCodeFlow } from "./authorization_code.ts";
import type { ClientIdentity } from "./client_authentication.ts";
import type { AuthConfig, MachineGrant } from "./config.ts";
import { DEFAULTS } from "./config.ts";
import { joinScopes } from "./scope.ts";
import type { AuthorizationTarget } from "./find_authorization_server.ts";
import { requestTokens, type TokenRequest, type TokenResponse } from "./tokens.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";

/** What every way starts from. */
export interface GrantContext {
  /** What is asked for. */
  readonly target: AuthorizationTarget;
  /** Who asks. */
  readonly identity: ClientIdentity;
  /** How. */
  readonly config: AuthConfig;
  /** What the tokens are to be good for. */
  readonly scope: string | undefined;
  /** Asks. */
  readonly web: AuthHttpClient;
  /** Binds the tokens to a key. */
  readonly dpop?: oauth.DPoPHandle | undefined;
}

/** The grant of RFC 7523. */
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** How tokens are got without a person, if that is so. */
export function machineGrantOf(config: AuthConfig): MachineGrant | undefined {
  return config.discover === true ? config.grant : undefined;
}

/**
 * Gets tokens from the beginning.
 *
 * @throws {McpError} `auth_error` when the person, the source of assertions or a server does not play along
 */
export async function grantTokens(context: GrantContext): Promise<TokenResponse> {
  const grant = machineGrantOf(context.config);
  switch (grant?.type) {
    case undefined:
      return await grantByLogin(context);
    case "client_credentials":
      return await requestTokens(formOf(context, grant.type, scopeOf(context)));
    case "jwt_bearer": {
      const { target: { issuer, resource }, scope, web } = context;
      const assertion = await grant.assertion({
        issuer: issuer.issuer,
        resource,
        fetch: web.fetch,
        signal: web.signal,
        ...(scope === undefined ? {} : { scope }),
      });
      return await requestTokens(formOf(context, JWT_BEARER, { assertion, ...scopeOf(context) }));
    }
    default:
      throw new TypeError(
        `Cannot authorize: there is no grant "${Reflect.get(grant ?? {}, "type")}"`,
      );
  }
}

/** Gets new tokens for an older one. */
export async function refreshTokens(
  context: GrantContext,
  refreshToken: string,
): Promise<TokenResponse> {
  return await requestTokens(formOf(context, "refresh_token", { refresh_token: refreshToken }));
}

async function grantByLogin(context: GrantContext): Promise<TokenResponse> {
  const { target: { issuer, isNamed, resource }, identity, config, scope, web } = context;
  const { redirectUri, authorize, loginTimeoutMs = DEFAULTS.loginTimeoutMs } = config;
  if (redirectUri === undefined) {
    throw McpError.authError('a person has to log in: give "redirectUri"');
  }
  const { code, verifier } = await runAuthorizationCodeFlow({
    issuer: isNamed ? issuer : { ...issuer, issuer: undefined },
    clientId: identity.clientId,
    redirectUri,
    resource,
    scope,
    authorize,
    loginTimeoutMs,
    signal: web.signal,
  });
  return await requestTokens(formOf(context, "authorization_code", {
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  }));
}

/** The scopes to ask for; being able to come back later is up to people, who are asked for it where that is known. */
export function wantedScope(
  { issuer, scopes }: AuthorizationTarget,
  config: AuthConfig,
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
