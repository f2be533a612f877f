/**
 * OAuth 2.0 authorization code flow with PKCE.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1 RFC 6749, section 4.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9207 RFC 9207}
 * @module
 */

import { McpError } from "../shared/error.ts";
import { randomText } from "./base64url.ts";
import { type CallContext, callWithin } from "@parley/internal/call-within";
import type { Authorize } from "./config.ts";
import type { IssuerMetadata } from "./discovery.ts";
import { generatePkceChallenge } from "./pkce.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import type { Secrets } from "./redact_secrets.ts";

/** Parameters of an authorization code flow. */
export interface AuthorizationCodeRequest {
  /** Authorization server metadata. `issuer` is `undefined` if the issuer identifier is unknown. */
  readonly issuer: Omit<IssuerMetadata, "issuer"> & { readonly issuer: string | undefined };
  /** Client identifier. */
  readonly clientId: string;
  /** Redirect URI. */
  readonly redirectUri: string;
  /** Resource indicator of the MCP server (RFC 8707). */
  readonly resource: string;
  /** Requested scopes, separated by spaces. */
  readonly scope: string | undefined;
  /** Callback that opens the authorization URL in a browser. */
  readonly authorize: Authorize | undefined;
  /** Timeout for the login, in milliseconds. */
  readonly loginTimeoutMs: number;
  /** Secrets of the client, to which the secrets of the flow are added. */
  readonly secrets: Secrets;
  /** Signal that aborts the authorization code flow. */
  readonly signal: AbortSignal;
}

/** Result of an authorization code flow. */
export interface AuthorizationCode {
  /** Authorization code. */
  readonly code: string;
  /** PKCE code verifier for the token request. */
  readonly verifier: string;
}

/**
 * Runs the authorization code flow up to the authorization response.
 *
 * @throws {McpError} With code `auth_error` if no `authorize` callback is set, the authorization
 * server does not support PKCE, the login fails or times out, or the authorization response is
 * invalid.
 * @throws The signal's reason if the signal is aborted.
 */
export async function runAuthorizationCodeFlow(
  login: AuthorizationCodeRequest,
): Promise<AuthorizationCode> {
  const { issuer, authorize, secrets } = login;
  if (authorize === undefined) {
    throw McpError.authError('user login required; set the "authorize" option');
  }
  assertPkce(issuer);
  const { verifier, challenge, method } = await generatePkceChallenge();
  const state = randomText();
  secrets.add(verifier, state);
  const url = loginUrl(login, { state, challenge, method });
  const callback = await lead(authorize, url, login);
  secrets.add(...callback.getAll("code"));
  return { code: readCallback(callback, { state, issuer, secrets }), verifier };
}

/**
 * Throws if the authorization server does not support PKCE with S256. Without PKCE, an attacker
 * could redeem a stolen authorization code.
 */
function assertPkce(
  { code_challenge_methods_supported: methods }: AuthorizationCodeRequest["issuer"],
): void {
  if (methods?.includes("S256") === true) return;
  throw McpError.authError("the authorization server does not support PKCE with S256");
}

function loginUrl(
  { issuer, clientId, redirectUri, resource, scope }: AuthorizationCodeRequest,
  { state, challenge, method }: Readonly<Record<"state" | "challenge" | "method", string>>,
): URL {
  if (issuer.authorization_endpoint === undefined) {
    throw McpError.authError("the authorization server has no authorization endpoint");
  }
  const url = new URL(issuer.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: method,
    state,
    resource,
    ...(scope === undefined ? {} : { scope }),
    // OpenID Connect Core, section 11: `offline_access` requires consent.
    ...(scope?.split(" ").includes("offline_access") ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** Calls `authorize` with a timeout and returns the redirect parameters. */
async function lead(
  authorize: Authorize,
  url: URL,
  { loginTimeoutMs: timeoutMs, signal }: AuthorizationCodeRequest,
): Promise<URLSearchParams> {
  const late = (): McpError => McpError.authError(`login timed out after ${timeoutMs} ms`);
  try {
    const call = ({ signal }: CallContext): ReturnType<Authorize> => authorize(url, { signal });
    return parametersOf(await callWithin(call, { signal, timeoutMs, late }));
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof McpError) throw cause;
    throw McpError.authError("login failed", { cause });
  }
}

function parametersOf(callback: URL | URLSearchParams | string): URLSearchParams {
  if (callback instanceof URLSearchParams) return callback;
  if (callback instanceof URL) return callback.searchParams;
  if (URL.canParse(callback)) return new URL(callback).searchParams;
  throw McpError.authError('"authorize" returned an invalid URL');
}

/** Validates the authorization response and returns the authorization code. */
function readCallback(
  callback: URLSearchParams,
  { state, issuer, secrets }:
    & Pick<AuthorizationCodeRequest, "issuer" | "secrets">
    & { readonly state: string },
): string {
  for (const name of ["iss", "state", "code"]) {
    if (callback.getAll(name).length > 1) {
      throw McpError.authError(`authorization response has more than one "${name}"`);
    }
  }
  if (callback.get("state") !== state) {
    throw McpError.authError('"state" in the authorization response does not match the request');
  }
  assertIssuer(callback.get("iss"), issuer);
  const error = callback.get("error");
  if (error !== null) {
    const quote = (text: string): string => quoteUntrusted(secrets.hide(text));
    const why = callback.get("error_description");
    throw McpError.authError(
      `login failed with ${quote(error)}${why ? ` (${quote(why)})` : ""}`,
    );
  }
  const code = callback.get("code");
  if (code === null || code === "") {
    throw McpError.authError('authorization response has no "code"');
  }
  return code;
}

/**
 * Validates the `iss` parameter by simple string comparison (RFC 9207, section 2.4). If a different
 * server sent the response, none of the response parameters are used, not even in error messages.
 */
function assertIssuer(iss: string | null, issuer: AuthorizationCodeRequest["issuer"]): void {
  if (iss === null) {
    if (issuer.authorization_response_iss_parameter_supported !== true) return;
    throw McpError.authError('authorization response has no "iss"');
  }
  if (issuer.issuer === undefined || iss === issuer.issuer) return;
  throw McpError.authError('"iss" in the authorization response does not match the issuer');
}
