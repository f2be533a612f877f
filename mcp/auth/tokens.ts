/**
 * OAuth token requests, and the format of stored tokens.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-5 RFC 6749, section 5}
 * @module
 */

import * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import { isRecord } from "@parley/internal/json";
import { basicCredentials, clientAuthOf, type ClientIdentity } from "./client_authentication.ts";
import type { IssuerMetadata } from "./discovery.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";

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
  readonly web: Pick<AuthHttpClient, "fetch" | "signal">;
  /** DPoP key handle, if tokens are sender-constrained. */
  readonly dpop?: oauth.DPoPHandle | undefined;
  /** Additional accepted token type, such as `n_a` for assertions. */
  readonly alsoType?: string;
}

/** Result of a token request: a token response or an OAuth error. */
export type TokenResponse =
  | { readonly ok: true; readonly answer: oauth.TokenEndpointResponse }
  | { readonly ok: false; readonly error: string; readonly refusal: McpError };

/** Request parameters that are secret and must not appear in error messages. */
const SECRETS = ["code", "code_verifier", "refresh_token", "assertion", "subject_token"];

/**
 * Members of a token response that the client reads. The client ignores the ID token, because it
 * does not need the user's identity.
 */
const KNOWN = [
  "access_token",
  "token_type",
  "expires_in",
  "refresh_token",
  "scope",
  "error",
  "error_description",
];

/**
 * Sends a token request. An OAuth error response is returned as a value.
 *
 * @throws {McpError} With code `auth_error` if the request fails or the response is invalid.
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
  const send = async (): Promise<oauth.TokenEndpointResponse> => {
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      clientAuth,
      grant,
      parameters,
      options,
    );
    const known = await onlyKnown(response);
    return await oauth.processGenericTokenEndpointResponse(server, client, known, {
      recognizedTokenTypes,
    });
  };
  try {
    return { ok: true, answer: await withNonce(send, dpop) };
  } catch (error) {
    web.signal.throwIfAborted();
    return explain(error, request);
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

async function onlyKnown(response: Response): Promise<Response> {
  const value: unknown = await response.json().catch(() => undefined);
  const { status } = response;
  if (!isRecord(value)) return new Response("null", { status });
  // Members with the value `null` are dropped, because some servers send `null` for absent members.
  const members = KNOWN.flatMap((name) =>
    value[name] === undefined || value[name] === null ? [] : [[name, value[name]]]
  );
  return Response.json(Object.fromEntries(members), { status });
}

/**
 * Converts an error from `oauth4webapi`. The original error is not kept as the cause, because it
 * contains the whole response with its tokens.
 */
function explain(error: unknown, request: TokenRequest): TokenResponse {
  const name = quoteUntrusted(request.issuer.issuer);
  if (error instanceof McpError) throw error;
  if (!(error instanceof oauth.ResponseBodyError)) {
    throw McpError.authError(`${name} returned an invalid token response`);
  }
  // `oauth4webapi` declares `error_description` as a string but does not validate its type.
  const described: unknown = error.error_description;
  const why = typeof described === "string" ? ` (${quoteUntrusted(hide(described, request))})` : "";
  const reason = `${name} rejected the token request: ${
    quoteUntrusted(hide(error.error, request))
  }${why}`;
  const refusal = McpError.authError(reason, { httpStatus: error.status });
  return { ok: false, error: error.error, refusal };
}

/** Removes secrets from an error message, because a server may echo the request. */
function hide(
  text: string,
  { parameters, identity: { clientId, clientSecret } }: TokenRequest,
): string {
  const secrets = SECRETS.map((name) => parameters[name] ?? "");
  if (clientSecret !== undefined) {
    secrets.push(clientSecret, basicCredentials(clientId, clientSecret));
  }
  const rest = secrets.reduce(
    (rest, secret) => secret === "" ? rest : rest.replaceAll(secret, "..."),
    text,
  );
  // Sequences of 40 or more characters are removed, because signed assertions are that long and
  // ordinary words are not.
  return rest.replace(/[\w+/=-]{40,}/g, "...");
}

/** Context of a token response. */
export interface TokenContext {
  /** Authorization server that sent the token response. */
  readonly target: { readonly issuer: IssuerMetadata };
  /** DPoP key handle, if tokens are sender-constrained. */
  readonly dpop?: oauth.DPoPHandle | undefined;
}

/**
 * Reads the tokens from a token response.
 *
 * @throws {McpError} With code `auth_error` if the token type is not the requested type, or the
 * access token contains characters that are invalid in an HTTP header.
 */
export function readTokens(
  answer: oauth.TokenEndpointResponse,
  { target: { issuer }, dpop }: TokenContext,
  rest: Pick<Tokens, "scope" | "refreshToken" | "origin">,
): Tokens {
  const { access_token: accessToken, token_type, expires_in, refresh_token } = answer;
  const type = dpop === undefined ? "bearer" : "dpop";
  if (token_type !== type) {
    throw McpError.authError(`expected token type "${type}", got "${token_type}"`);
  }
  if (!isSendable(accessToken)) {
    throw McpError.authError(
      `access token from "${issuer.issuer}" contains characters that are not allowed in an HTTP header`,
    );
  }
  return {
    ...rest,
    issuer: issuer.issuer,
    accessToken,
    type,
    ...(expires_in === undefined ? {} : { expiresAt: Date.now() + expires_in * 1000 }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
  };
}

/**
 * Returns `true` if a token is valid in an HTTP header. Some runtimes include an invalid header
 * value in the error message, which would expose the token.
 */
function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** Parses stored tokens. Returns `undefined` if the stored value is missing or invalid. */
export function parseTokens(text: string | undefined): Tokens | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Stored tokens that cannot be parsed are treated as absent.
  }
  if (!isRecord(value)) return undefined;
  // The expiration time is not read, because an early renewal requires a challenge that this client
  // has received.
  const { issuer, accessToken, type, scope, refreshToken } = value;
  if (typeof issuer !== "string" || typeof accessToken !== "string") return undefined;
  if (!isSendable(accessToken)) return undefined;
  if (type !== "bearer" && type !== "dpop") return undefined;
  return {
    issuer,
    accessToken,
    type,
    origin: "kept",
    ...(typeof scope === "string" ? { scope } : {}),
    ...(typeof refreshToken === "string" ? { refreshToken } : {}),
  };
}
