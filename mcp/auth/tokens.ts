/**
 * OAuth token requests, and the format of stored tokens.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-5 RFC 6749, section 5}
 * @module
 */

import * as oauth from "oauth4webapi";
import { isRecord } from "@parley/internal/json";
import { McpError } from "../shared/error.ts";
import { clientAuthOf, type ClientIdentity } from "./client_authentication.ts";
import type { IssuerMetadata } from "./discovery.ts";
import { describeOAuthError } from "./oauth_error.ts";
import { parseObject } from "./parse_object.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import { Secrets } from "./redact_secrets.ts";
import { hasScopes } from "./scope.ts";
import type { AuthChallenge } from "./www_authenticate.ts";
import { type AuthHttpClient, toleratedError } from "./auth_http_client.ts";
import {
  describeInvalid,
  readTokenReply,
  type TokenReply,
  toStandardResponse,
} from "./token_reply.ts";

/** An access token and its properties. */
export interface Tokens {
  /** Issuer identifier of the authorization server. */
  readonly issuer: string;
  /** Access token. */
  readonly accessToken: string;
  /** Token type: `bearer`, or `dpop` for a DPoP-bound token. */
  readonly type: "bearer" | "dpop";
  /** Requested scopes, separated by spaces. */
  readonly scope?: string;
  /** Expiration time, in milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
  /** Refresh token. */
  readonly refreshToken?: string;
  /** Identifier of the client that the tokens were issued to. */
  readonly clientId?: string;
  /**
   * Credentials of the client, if it was registered dynamically. They are needed for a refresh, and
   * another client may have replaced the stored registration.
   */
  readonly registration?: Pick<ClientIdentity, "clientSecret" | "method">;
  /** SHA-256 thumbprint of the DPoP key that the tokens are bound to (RFC 9449, section 6.1). */
  readonly jkt?: string;
  /** Origin of the tokens: loaded from the store, refreshed or newly granted. */
  readonly origin: "kept" | "refreshed" | "granted";
}

/** A token request. */
export interface TokenRequest {
  /** Authorization server metadata. */
  readonly issuer: IssuerMetadata;
  /** Client credentials. */
  readonly identity: ClientIdentity;
  /** Grant type, such as `refresh_token`. */
  readonly grant: string;
  /** Additional request parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** HTTP client for the authorization server. */
  readonly web: Pick<AuthHttpClient, "fetch" | "signal"> & Partial<Pick<AuthHttpClient, "report">>;
  /** DPoP key handle, if tokens are sender-constrained. */
  readonly dpop?: oauth.DPoPHandle | undefined;
  /** Additional accepted token type, such as `n_a` for assertions. */
  readonly alsoType?: string;
}

/** Result of a token request: a token response or an error response. */
export type TokenResponse =
  | { readonly ok: true; readonly answer: oauth.TokenEndpointResponse }
  | RejectedTokenRequest;

/** An error response to a token request. */
export interface RejectedTokenRequest {
  readonly ok: false;
  /** OAuth error code, or an empty string if the response has no OAuth error code. */
  readonly error: string;
  /**
   * Whether the error is temporary: HTTP 408 or 429, which are about the time and the number of
   * requests, a fault of the server (5xx), or an error code that says so. Every other response
   * rejects the credentials in the request.
   */
  readonly isTemporary: boolean;
  /** HTTP status of the response. */
  readonly httpStatus: number;
  /** Issuer and reason, without secrets. */
  readonly reason: string;
  /** Error with the status and the reason. */
  readonly refusal: McpError;
}

/** Statuses and error codes of requests that may succeed later, with the same credentials. */
const TEMPORARY: readonly unknown[] = [408, 429, "slow_down", "temporarily_unavailable"];

/** Request parameters that are secret and must not appear in error messages. */
const SECRETS = [
  "code",
  "code_verifier",
  "refresh_token",
  "assertion",
  "subject_token",
  "actor_token",
];

/**
 * Maximum length of an access token and of a refresh token, in characters. HTTP servers reject
 * longer headers, and each error is searched for the tokens.
 */
const MAX_TOKEN_CHARS = 65_536;

/**
 * Sends a token request. An error response is returned as a value.
 *
 * @throws {McpError} With code `auth_error` if the request fails or the response is invalid. Errors
 * do not contain secrets.
 * @throws The signal's reason if the HTTP client's signal is aborted.
 */
export async function requestTokens(request: TokenRequest): Promise<TokenResponse> {
  const { issuer, identity, grant, parameters, web, dpop, alsoType } = request;
  const server = { issuer: issuer.issuer, token_endpoint: issuer.token_endpoint };
  const client = { client_id: identity.clientId };
  const clientAuth = clientAuthOf(identity, issuer.token_endpoint_auth_methods_supported);
  const options = {
    [oauth.customFetch]: web.fetch,
    // Plain HTTP is allowed here, because the URL policy has already restricted it to loopback
    // hosts.
    [oauth.allowInsecureRequests]: true,
    ...(dpop === undefined ? {} : { DPoP: dpop }),
  };
  const recognizedTokenTypes = alsoType === undefined ? {} : { [alsoType]: () => {} };
  let reply: TokenReply | undefined;
  const send = async (): Promise<oauth.TokenEndpointResponse> => {
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      clientAuth,
      grant,
      parameters,
      options,
    );
    reply = await readTokenReply(response);
    const standard = toStandardResponse(reply);
    return await oauth.processGenericTokenEndpointResponse(server, client, standard, {
      recognizedTokenTypes,
    });
  };
  try {
    const answer = await withNonce(send, dpop);
    reportDeviations(reply, request);
    return { ok: true, answer };
  } catch (error) {
    web.signal.throwIfAborted();
    return explain(error, reply, request);
  }
}

/**
 * Repeats a request once if the authorization server requires a DPoP nonce (RFC 9449, section 8).
 * The second request contains the nonce, because the DPoP handle stores the nonce from the error
 * response.
 */
async function withNonce<T>(
  send: () => Promise<T>,
  dpop: oauth.DPoPHandle | undefined,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (dpop === undefined || !oauth.isDPoPNonceError(error)) throw error;
    return await send();
  }
}

/**
 * Converts an error from `oauth4webapi`. The original error is not kept as the cause, because it
 * contains the whole response with its tokens.
 */
function explain(
  error: unknown,
  reply: TokenReply | undefined,
  request: TokenRequest,
): RejectedTokenRequest {
  const secrets = secretsOf(request);
  for (const name of ["access_token", "refresh_token"]) {
    const token = reply?.members?.[name];
    if (typeof token === "string") secrets.add(token);
  }
  if (error instanceof McpError) throw secrets.clean(error);
  const name = quoteUntrusted(request.issuer.issuer);
  if (reply === undefined) {
    const cause = secrets.clean(error);
    throw McpError.authError(`creating the token request for ${name} failed`, { cause });
  }
  const { status, members: { error: rejection } = {}, retryAfterMs } = reply;
  if (rejection === undefined && status < 400) {
    const problem = `returned an invalid token response: ${describeInvalid(reply)}`;
    throw McpError.authError(`${name} ${problem}`, { httpStatus: status });
  }
  const reason = `${name} rejected the token request: ${describeOAuthError(reply, secrets)}`;
  return {
    ok: false,
    error: typeof rejection === "string" ? rejection : "",
    isTemporary: status >= 500 || TEMPORARY.includes(status) || TEMPORARY.includes(rejection),
    httpStatus: status,
    reason,
    refusal: McpError.authError(reason, { httpStatus: status, retryAfterMs }),
  };
}

/** Reports what in an accepted response does not follow the standard. */
function reportDeviations(reply: TokenReply | undefined, { issuer, web }: TokenRequest): void {
  if (reply === undefined) return;
  const { deviations, status: httpStatus } = reply;
  for (const what of deviations) {
    web.report?.(toleratedError({ what, method: "token", server: issuer.issuer, httpStatus }));
  }
}

/** Returns the secrets in a token request, which a server may echo. */
function secretsOf({ parameters, identity }: TokenRequest): Secrets {
  const secrets = new Secrets();
  secrets.add(...SECRETS.map((name) => parameters[name]), identity.clientSecret);
  return secrets;
}

/** Context of a token response. */
export interface TokenContext {
  /** Authorization server that sent the token response. */
  readonly target: { readonly issuer: IssuerMetadata };
  /** Client that requested the tokens. */
  readonly identity: ClientIdentity;
  /** DPoP key handle, if tokens are sender-constrained. */
  readonly dpop?: oauth.DPoPHandle | undefined;
  /** SHA-256 thumbprint of the DPoP key. */
  readonly jkt?: string | undefined;
}

/**
 * Reads the tokens from a token response.
 *
 * @throws {McpError} With code `auth_error` if the token type is not the requested type, or the
 * access token contains characters that are invalid in an HTTP header.
 */
export function readTokens(
  answer: oauth.TokenEndpointResponse,
  { target: { issuer }, identity, dpop, jkt }: TokenContext,
  rest: Pick<Tokens, "scope" | "refreshToken" | "origin">,
): Tokens {
  const { access_token: accessToken, token_type, expires_in, refresh_token } = answer;
  const type = dpop === undefined ? "bearer" : "dpop";
  if (token_type !== type) {
    throw McpError.authError(
      `expected token type "${type}", got ${quoteUntrusted(token_type)}`,
    );
  }
  if (!isSendable(accessToken)) {
    throw McpError.authError(
      `access token from "${issuer.issuer}" contains characters that are not allowed in an HTTP header`,
    );
  }
  if (Math.max(accessToken.length, refresh_token?.length ?? 0) > MAX_TOKEN_CHARS) {
    throw McpError.authError(
      `a token from "${issuer.issuer}" has more than ${MAX_TOKEN_CHARS} characters`,
    );
  }
  return {
    ...rest,
    issuer: issuer.issuer,
    clientId: identity.clientId,
    ...(identity.isRegistered === true ? { registration: readRegistration({ ...identity }) } : {}),
    accessToken,
    type,
    ...(expires_in === undefined ? {} : { expiresAt: Date.now() + expires_in * 1000 }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(jkt === undefined ? {} : { jkt }),
  };
}

/**
 * Returns `true` if a token is valid in an HTTP header. Some runtimes include an invalid header
 * value in the error message, which would expose the token.
 */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

function readRegistration(
  { clientSecret, method }: Readonly<Record<string, unknown>>,
): Pick<ClientIdentity, "clientSecret" | "method"> {
  return {
    ...(typeof clientSecret === "string" ? { clientSecret } : {}),
    ...(typeof method === "string" ? { method } : {}),
  };
}

/** Returns `true` if tokens may satisfy a challenge. */
export function maySatisfy(
  tokens: Tokens | undefined,
  { kind, scope }: Pick<AuthChallenge, "kind" | "scope">,
): boolean {
  return tokens !== undefined && (kind === "token" || hasScopes(tokens.scope, scope));
}

/** Client that loads stored tokens. */
export interface TokenOwner {
  /** Identifier of the client, if it is configured. */
  readonly clientId?: string | undefined;
  /** Thumbprint of the client's DPoP key, or `undefined` if the client uses bearer tokens. */
  readonly jkt?: string | undefined;
}

/**
 * Parses stored tokens. Returns `undefined` if the stored value is missing or invalid, or if the
 * client cannot use the tokens, because they were issued to another client, or are bound to another
 * DPoP key or to none.
 */
export function parseTokens(
  text: string | undefined,
  { clientId, jkt }: TokenOwner = {},
): Tokens | undefined {
  const value = text === undefined ? undefined : parseObject(text);
  if (value === undefined) return undefined;
  const { issuer, accessToken, type, scope, refreshToken, expiresAt, clientId: owner } = value;
  if (typeof issuer !== "string" || typeof accessToken !== "string") return undefined;
  if (!isSendable(accessToken)) return undefined;
  const expected = jkt === undefined ? "bearer" : "dpop";
  if (type !== expected || value.jkt !== jkt) return undefined;
  if (clientId !== undefined && owner !== undefined && owner !== clientId) return undefined;
  return {
    issuer,
    accessToken,
    type: expected,
    origin: "kept",
    ...(typeof owner === "string" ? { clientId: owner } : {}),
    ...(isRecord(value.registration) ? { registration: readRegistration(value.registration) } : {}),
    ...(typeof scope === "string" ? { scope } : {}),
    ...(typeof refreshToken === "string" && refreshToken !== "" ? { refreshToken } : {}),
    ...(typeof expiresAt === "number" ? { expiresAt } : {}),
    ...(jkt === undefined ? {} : { jkt }),
  };
}
