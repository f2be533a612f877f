/**
 * A login: a person goes to the authorization server and comes back with a code.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1 RFC 6749, section 4.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9207 RFC 9207}
 * @module
 */

import { McpError } from "../shared/error.ts";
import { randomText } from "./base64url.ts";
import type { Authorize } from "./config.ts";
import type { IssuerMetadata } from "./discovery.ts";
import { generatePkceChallenge } from "./pkce.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";

/** A login to be made. */
export interface AuthorizationCodeRequest {
  /** The authorization server; its name is known only where it was asked for. */
  readonly issuer: Omit<IssuerMetadata, "issuer"> & { readonly issuer: string | undefined };
  /** The client. */
  readonly clientId: string;
  /** Where the browser is sent in the end. */
  readonly redirectUri: string;
  /** The server that the tokens are for. */
  readonly resource: string;
  /** What they are to be good for. */
  readonly scope: string | undefined;
  /** Leads the person. */
  readonly authorize: Authorize | undefined;
  /** How long that may take, in milliseconds. */
  readonly loginTimeoutMs: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** What a login brings. */
export interface AuthorizationCode {
  /** The code, to be exchanged for tokens. */
  readonly code: string;
  /** The secret that goes with it. */
  readonly verifier: string;
}

/**
 * Lets a person log in.
 *
 * @throws {McpError} `auth_error` when nobody can be led there, the server refuses, or somebody else answers
 */
export async function runAuthorizationCodeFlow(
  login: AuthorizationCodeRequest,
): Promise<AuthorizationCode> {
  const { issuer, authorize } = login;
  if (authorize === undefined) {
    throw McpError.authError('a person has to log in: give "authorize"');
  }
  assertPkce(issuer);
  const { verifier, challenge, method } = await generatePkceChallenge();
  const state = randomText();
  const url = loginUrl(login, { state, challenge, method });
  const callback = await lead(authorize, url, login);
  return { code: readCallback(callback, { state, issuer }), verifier };
}

/** Whoever cannot check the proof cannot keep a stolen code from being used. */
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
    throw McpError.authError("the authorization server lets nobody log in");
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
    // OpenID Connect wants a person to agree to that anew.
    ...(scope?.split(" ").includes("offline_access") ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** Waits for the person, but not for ever. */
async function lead(
  authorize: Authorize,
  url: URL,
  { loginTimeoutMs, signal }: AuthorizationCodeRequest,
): Promise<URLSearchParams> {
  const stop = new AbortController();
  const late = McpError.authError(`nobody has logged in within ${loginTimeoutMs} ms`);
  const timer = setTimeout(() => stop.abort(late), loginTimeoutMs);
  const abort = (): void => stop.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", abort, { once: true });
  const over = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
  });
  try {
    const callback = await Promise.race([authorize(url, { signal: stop.signal }), over]);
    return parametersOf(callback);
  } catch (cause) {
    stop.signal.throwIfAborted();
    if (cause instanceof McpError) throw cause;
    throw McpError.authError("the login cannot be made", { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function parametersOf(callback: URL | URLSearchParams | string): URLSearchParams {
  if (callback instanceof URLSearchParams) return callback;
  if (callback instanceof URL) return callback.searchParams;
  if (URL.canParse(callback)) return new URL(callback).searchParams;
  throw McpError.authError("the login has come back without an address");
}

/** The code in what the browser brought, once it is sure who it is from. */
function readCallback(
  callback: URLSearchParams,
  { state, issuer }: {
    readonly state: string;
    readonly issuer: AuthorizationCodeRequest["issuer"];
  },
): string {
  for (const name of ["iss", "state", "code", "error"]) {
    if (callback.getAll(name).length > 1) {
      throw McpError.authError(`the login has come back with more than one "${name}"`);
    }
  }
  if (callback.get("state") !== state) {
    throw McpError.authError('the login has come back with another "state"');
  }
  assertIssuer(callback.get("iss"), issuer);
  const error = callback.get("error");
  if (error !== null) {
    const why = callback.get("error_description");
    throw McpError.authError(
      `the login is refused: ${quoteUntrusted(error)}${why ? ` (${quoteUntrusted(why)})` : ""}`,
    );
  }
  const code = callback.get("code");
  if (code === null || code === "") {
    throw McpError.authError("the login has come back without a code");
  }
  return code;
}

/** Compared as text. Nothing of another server's answer is acted on or shown. */
function assertIssuer(iss: string | null, issuer: AuthorizationCodeRequest["issuer"]): void {
  if (iss === null) {
    if (issuer.authorization_response_iss_parameter_supported !== true) return;
    throw McpError.authError("the login has come back without the name of its server");
  }
  if (issuer.issuer === undefined || iss === issuer.issuer) return;
  throw McpError.authError("the login has come back from another authorization server");
}
