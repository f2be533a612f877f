/**
 * Tokens: how they are asked for, what they look like, how they are kept.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-5 RFC 6749, section 5}
 * @module
 */

import * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import { isJsonObject } from "../shared/json.ts";
import { basicCredentials, clientAuthOf, type ClientIdentity } from "./client_authentication.ts";
import type { IssuerMetadata } from "./discovery.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import type { AuthHttpClient } from "./auth_http_client.ts";

/** A token and what is known of it. */
export interface Tokens {
  /** Who gave it. */
  readonly issuer: string;
  /** The token. */
  readonly accessToken: string;
  /** Whether it is good by itself, or bound to a key. */
  readonly type: "bearer" | "dpop";
  /** The scopes that were asked for, separated by spaces. */
  readonly scope?: string;
  /** When it runs out, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** What another one can be got with. */
  readonly refreshToken?: string;
  /** Where it comes from: the store, an older token, or a fresh start. */
  readonly origin: "kept" | "refreshed" | "granted";
}

/** A request for tokens. */
export interface TokenRequest {
  /** The authorization server. */
  readonly issuer: IssuerMetadata;
  /** The client. */
  readonly identity: ClientIdentity;
  /** What the tokens are asked for with, such as `refresh_token`. */
  readonly grant: string;
  /** The rest of the form. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Asks. */
  readonly web: Pick<AuthHttpClient, "fetch" | "signal">;
  /** Binds the tokens to a key. */
  readonly dpop?: oauth.DPoPHandle | undefined;
  /** A type of tokens beside those that can be used at servers, such as `n_a` for assertions. */
  readonly alsoType?: string;
}

/** What came of a request for tokens. */
export type TokenResponse =
  | { readonly ok: true; readonly answer: oauth.TokenEndpointResponse }
  | { readonly ok: false; readonly error: string; readonly refusal: McpError };

/** Members of the form that are secret, and must not come back in a message. */
const SECRETS = ["code", "code_verifier", "refresh_token", "assertion", "subject_token"];

/** Members of an answer that are looked at. Who the person is (`id_token`) does not matter here. */
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
 * Asks for tokens. A refusal is a value.
 *
 * @throws {McpError} `auth_error` when the answer is no answer
 */
export async function requestTokens(request: TokenRequest): Promise<TokenResponse> {
  const { issuer, identity, grant, parameters, web, dpop, alsoType } = request;
  const server = { issuer: issuer.issuer, token_endpoint: issuer.token_endpoint };
  const client = { client_id: identity.clientId };
  const clientAuth = clientAuthOf(identity, issuer.token_endpoint_auth_methods_supported);
  const options = {
    [oauth.customFetch]: web.fetch,
    // The address has been looked at before; plain HTTP is for this machine.
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

/** A server that wants a nonce gives it with its refusal; it has been taken note of then. */
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
  if (!isJsonObject(value)) return new Response("null", { status });
  // Some servers write null for what they do not have.
  const members = KNOWN.flatMap((name) =>
    value[name] === undefined || value[name] === null ? [] : [[name, value[name]]]
  );
  return Response.json(Object.fromEntries(members), { status });
}

/** What an error says, without what it carries: that would be the whole answer, with its tokens. */
function explain(error: unknown, request: TokenRequest): TokenResponse {
  const name = quoteUntrusted(request.issuer.issuer);
  if (error instanceof McpError) throw error;
  if (!(error instanceof oauth.ResponseBodyError)) {
    throw McpError.authError(`${name} gives no valid answer to a request for tokens`);
  }
  // Its type says a text, which nobody has looked at.
  const described: unknown = error.error_description;
  const why = typeof described === "string" ? ` (${quoteUntrusted(hide(described, request))})` : "";
  const reason = `${name} refuses a token: ${quoteUntrusted(hide(error.error, request))}${why}`;
  const refusal = McpError.authError(reason, { httpStatus: error.status });
  return { ok: false, error: error.error, refusal };
}

/** A server may repeat what it was sent: secrets must not get into logs that way. */
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
  // No word for people is that long; a signed assertion is.
  return rest.replace(/[\w+/=-]{40,}/g, "...");
}

/** What has to be known of a request to read its answer. */
export interface TokenContext {
  /** Who was asked. */
  readonly target: { readonly issuer: IssuerMetadata };
  /** What the tokens are bound to. */
  readonly dpop?: oauth.DPoPHandle | undefined;
}

/**
 * The tokens in an answer.
 *
 * @throws {McpError} `auth_error` when they are not bound to a key as they should be, or the other way round, or no header
 * can hold them
 */
export function readTokens(
  answer: oauth.TokenEndpointResponse,
  { target: { issuer }, dpop }: TokenContext,
  rest: Pick<Tokens, "scope" | "refreshToken" | "origin">,
): Tokens {
  const { access_token: accessToken, token_type, expires_in, refresh_token } = answer;
  const type = dpop === undefined ? "bearer" : "dpop";
  if (token_type !== type) {
    throw McpError.authError(`the token is of type "${token_type}" instead of "${type}"`);
  }
  if (!isSendable(accessToken)) {
    throw McpError.authError(`"${issuer.issuer}" gives no token that can be sent`);
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

/** Whether a header can hold a token. Platforms that are asked to send another tell everybody what is in it. */
function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** Reads tokens that were kept; undefined when they are none. */
export function parseTokens(text: string | undefined): Tokens | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What somebody else has written into the store is as good as nothing.
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { issuer, accessToken, type, scope, expiresAt, refreshToken } = value;
  if (typeof issuer !== "string" || typeof accessToken !== "string") return undefined;
  if (!isSendable(accessToken)) return undefined;
  if (type !== "bearer" && type !== "dpop") return undefined;
  return {
    issuer,
    accessToken,
    type,
    origin: "kept",
    ...(typeof scope === "string" ? { scope } : {}),
    ...(typeof expiresAt === "number" ? { expiresAt } : {}),
    ...(typeof refreshToken === "string" ? { refreshToken } : {}),
  };
}
