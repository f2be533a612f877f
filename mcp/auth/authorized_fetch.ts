/**
 * A `fetch` wrapper that adds OAuth access tokens to requests to an MCP server.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 * @module
 */

import * as oauth from "oauth4webapi";
import { abortable } from "@parley/internal/abortable";
import type { HttpFetch, HttpInit } from "../shared/http_types.ts";
import { discardBody } from "./auth_http_client.ts";
import { hideInErrorBody } from "./error_body.ts";
import { hideInRpcErrors } from "./rpc_error_body.ts";
import { TokenManager } from "./token_manager.ts";
import { type AuthChallenge, readAuthChallenge, wantsNonce } from "./www_authenticate.ts";
import { assertFunction, assertObject, assertString } from "@parley/internal/assert-argument";
import { optionsReader, required, type Settings } from "@parley/internal/options";
import { type AuthConfig, type AuthOptions, readAuth } from "./config.ts";
import type { Secrets } from "./redact_secrets.ts";
import { hasScopes } from "./scope.ts";
import { TokenSource } from "./token_source.ts";
import type { Tokens } from "./tokens.ts";

/** Options for {@linkcode authorizedFetch}. */
export interface AuthorizedFetchOptions {
  /** URL of the MCP server. Access tokens are sent only to the origin of the server URL. */
  readonly resource: string;
  /**
   * Function that sends all requests, including those to authorization servers; by default, the
   * built-in `fetch`.
   */
  readonly fetch?: HttpFetch;
}

/**
 * Wraps `fetch` so that requests to a server carry an access token. `McpClient` uses this function
 * for its `auth` option. Call `authorizedFetch()` directly to send other requests to the same
 * server or to implement a custom transport.
 *
 * The wrapped `fetch` returns a 401 or 403 response if no new token can satisfy the response's
 * challenge. Tokens and other secrets of the client are removed from the text of error responses
 * and from JSON-RPC errors in successful responses.
 *
 * @param config Authorization settings.
 * @param options Server URL, and the `fetch` function to wrap.
 * @returns A `fetch` function, which rejects with an {@linkcode McpError} with code `auth_error` if
 * no access token can be obtained.
 * @throws {TypeError} If a required setting is missing or has the wrong type.
 * @throws {RangeError} If a limit is not a positive number.
 * @throws {McpError} With code `auth_error` if the server URL is neither an HTTPS URL nor a
 * loopback HTTP URL.
 *
 * @example Call a server that requires a token
 * ```ts
 * import { authorizedFetch } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const fetch = authorizedFetch({
 *   clientId: "my-client",
 *   redirectUri: "http://127.0.0.1:8910/callback",
 *   authUrl: "https://login.example.com/authorize",
 *   tokenUrl: "https://login.example.com/token",
 *   authorize: (url) => {
 *     const state = url.searchParams.get("state");
 *     return Promise.resolve(`http://127.0.0.1:8910/callback?code=c1&state=${state}`);
 *   },
 * }, {
 *   resource: "https://mcp.example.com/mcp",
 *   // Acts as both the authorization server and the MCP server.
 *   fetch: (url, { headers }) => {
 *     const token = new Headers(headers).get("authorization");
 *     if (url === "https://login.example.com/token") {
 *       return Promise.resolve(Response.json({ access_token: "t1", token_type: "bearer" }));
 *     }
 *     return Promise.resolve(new Response(token, { status: token === "Bearer t1" ? 200 : 401 }));
 *   },
 * });
 * const response = await fetch("https://mcp.example.com/mcp", { method: "POST" });
 * assertEquals(await response.text(), "Bearer t1");
 * ```
 */
export function authorizedFetch(
  config: AuthConfig,
  options: AuthorizedFetchOptions,
): HttpFetch {
  return createAuthorizedFetch(config, "config", readOptions(options));
}

const readOptions = optionsReader<AuthorizedFetchOptions>("options")({
  resource: required(assertString),
  fetch: assertFunction,
});

/**
 * Same as {@linkcode authorizedFetch}, with options that the caller has read.
 *
 * @param config Authorization settings.
 * @param at The authorization settings, as the caller spells them.
 * @param options URL of the MCP server, a custom `fetch` function, and a default for `onError`.
 */
export function createAuthorizedFetch(
  config: AuthConfig,
  at: string,
  { resource, fetch = globalThis.fetch, onError }:
    & Settings<AuthorizedFetchOptions, never>
    & Pick<AuthOptions, "onError">,
): HttpFetch {
  assertObject(at, config);
  if ("token" in config) {
    const source = new TokenSource(config, at, resource);
    return sendTo(resource, { fetch, secrets: source }, (sending) => sendFrom(source, sending));
  }
  const read = readAuth(config, at);
  const settings = { ...read, onError: read.onError ?? onError };
  const authorizer = new TokenManager(settings, resource, fetch);
  const { maxAttempts } = settings;
  return sendTo(
    resource,
    { fetch, secrets: authorizer },
    (sending) => send({ ...sending, authorizer, maxAttempts }),
  );
}

/**
 * Returns a function that sends the requests to the server's origin with `send`, and removes
 * secrets from their errors.
 */
function sendTo(
  resource: string,
  { fetch, secrets }: {
    readonly fetch: HttpFetch;
    readonly secrets: Pick<Secrets, "hide" | "hideKnown" | "clean">;
  },
  send: (sending: Sending) => Promise<Response>,
): HttpFetch {
  const { origin } = new URL(resource);
  return async (url, init) => {
    const sending = { url, init, fetch };
    if (new URL(url).origin !== origin) return await fetchOrAbort(sending, init);
    try {
      const response = await send(sending);
      return response.ok
        ? hideInRpcErrors(response, (text) => secrets.hideKnown(text))
        : hideInErrorBody(response, (text) => secrets.hide(text));
    } catch (error) {
      // The reason of an abort belongs to the caller, who can compare it.
      const { signal } = init;
      throw signal?.aborted && error === signal.reason ? error : secrets.clean(error);
    }
  };
}

interface Sending {
  readonly url: string;
  readonly init: HttpInit;
  readonly fetch: HttpFetch;
}

/**
 * Sends a request and repeats it with other tokens of the source, as long as the server responds
 * with a challenge and the source returns another token.
 */
async function sendFrom(source: TokenSource, sending: Sending): Promise<Response> {
  const { init } = sending;
  const signal = init.signal ?? undefined;
  let token = await source.token(signal);
  for (let attempt = 0;; attempt++) {
    const response = await sendWithBearer(token, sending);
    const demand = readAuthChallenge(response);
    if (demand === undefined || attempt === source.maxAttempts || isFinal(init)) return response;
    try {
      const next = await source.renew(token, demand, signal);
      if (next === token) return response;
      token = next;
    } catch (error) {
      discardBody(response);
      throw error;
    }
    discardBody(response);
  }
}

/** A request with the tokens of a manager. */
interface ManagedSending extends Sending {
  readonly authorizer: TokenManager;
  readonly maxAttempts: number;
}

/**
 * Sends a request and repeats it with new tokens at most `maxAttempts` times, as long as the server
 * responds with a challenge that new tokens can satisfy.
 */
async function send(sending: ManagedSending): Promise<Response> {
  const { init, authorizer, maxAttempts } = sending;
  let tokens = await authorizer.tokens(init.signal ?? undefined);
  if (tokens !== undefined) {
    await authorizer.renewEarly(tokens, init);
    tokens = await authorizer.tokens(init.signal ?? undefined);
  }
  const first = tokens;
  let isNew = false;
  for (let attempt = 0;; attempt++) {
    const response = await sendWith(tokens, sending);
    const demand = readAuthChallenge(response);
    if (demand === undefined || attempt === maxAttempts) return response;
    if (!canSatisfyChallenge(demand, tokens, first) || isFinal(init)) return response;
    discardBody(response);
    const isAfresh = isNew && tokens?.origin === "refreshed";
    isNew = await authorizer.renew(tokens, { ...demand, isAfresh }, init);
    tokens = await authorizer.tokens(init.signal ?? undefined);
  }
}

/**
 * Returns `true` if new tokens can satisfy the challenge. Returns `false` if the server rejected
 * newly granted tokens or did not grant the requested scopes, because a further login would have
 * the same result.
 */
function canSatisfyChallenge(
  { kind, scope }: AuthChallenge,
  tokens: Tokens | undefined,
  first: Tokens | undefined,
): boolean {
  if (tokens === undefined) return true;
  if (kind === "scope") return !hasScopes(tokens.scope, scope);
  return tokens === first || tokens.origin !== "granted";
}

/**
 * Returns `true` if the request must not be repeated: a stream body can be read only once, and a
 * DELETE request, which ends a session, must not trigger a login.
 */
function isFinal({ body, method }: HttpInit): boolean {
  return body instanceof ReadableStream || method === "DELETE";
}

async function sendWith(tokens: Tokens | undefined, sending: ManagedSending): Promise<Response> {
  const { init } = sending;
  switch (tokens?.type) {
    case undefined:
      return await fetchOrAbort(sending, init);
    case "bearer":
      return await sendWithBearer(tokens.accessToken, sending);
    case "dpop": {
      const response = await sendBound(tokens.accessToken, sending);
      if (!wantsNonce(response) || init.body instanceof ReadableStream) return response;
      discardBody(response);
      return await sendBound(tokens.accessToken, sending);
    }
  }
}

async function sendWithBearer(token: string, sending: Sending): Promise<Response> {
  const headers = new Headers(sending.init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return await fetchOrAbort(sending, { ...sending.init, headers });
}

/**
 * Sends a request. Rejects if the signal aborts, even if the `fetch` function ignores the signal.
 */
async function fetchOrAbort({ url, fetch }: Sending, init: HttpInit): Promise<Response> {
  const { signal } = init;
  signal?.throwIfAborted();
  const sending = fetch(url, init);
  try {
    return await abortable(sending, signal ?? undefined);
  } catch (error) {
    if (signal?.aborted) sending.then(discardBody, () => {});
    throw error;
  }
}

/** Sends a request with a DPoP-bound access token and a DPoP proof (RFC 9449, section 7.1). */
async function sendBound(token: string, sending: ManagedSending): Promise<Response> {
  const { url, init, authorizer } = sending;
  const given = new Headers(init.headers);
  given.delete("authorization");
  const method = init.method ?? "GET";
  const dpop = await authorizer.dpop();
  try {
    return await oauth.protectedResourceRequest(token, method, new URL(url), given, null, {
      ...(dpop === undefined ? {} : { DPoP: dpop }),
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (_url, { headers }) => fetchOrAbort(sending, { ...init, headers }),
    });
  } catch (error) {
    // If the response has a challenge, `oauth4webapi` throws an error that contains the response.
    // The caller reads the challenge in the response.
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
    throw error;
  }
}
