/**
 * `fetch` with credentials: what a server wants to see is got when it says so, and shown to nobody else.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 * @module
 */

import * as oauth from "oauth4webapi";
import type { HttpFetch, HttpInit } from "../shared/http_types.ts";
import { TokenManager } from "./token_manager.ts";
import { type AuthChallenge, readAuthChallenge, wantsNonce } from "./www_authenticate.ts";
import { type AuthConfig, checkConfig, DEFAULTS } from "./config.ts";
import { hasScopes } from "./scope.ts";
import type { Tokens } from "./tokens.ts";

/** What credentials are for. */
export interface AuthorizedFetchOptions {
  /** The address of the MCP server. Only its origin gets to see tokens. */
  readonly resource: string;
  /** Makes the requests, those to authorization servers too. Default: the built-in `fetch`. */
  readonly fetch?: HttpFetch;
}

/**
 * Wraps `fetch` so that requests to a server carry tokens. `McpClient` does this by itself with its `auth`; use this for
 * other requests to the same server, or for a transport of your own.
 *
 * A call fails with the server's own refusal when no new tokens would help.
 *
 * @param config how credentials are got
 * @param options what they are for
 * @returns what to call instead of `fetch`; it rejects with an `McpError` (`auth_error`) when there are no tokens to be had
 * @throws {TypeError} when something in the configuration is missing or of the wrong shape
 * @throws {RangeError} when a limit is not above 0
 * @throws {McpError} `auth_error` when the server is reached over plain HTTP and is not this machine
 *
 * @example A server that wants a token
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
 *   // A world in one function: the authorization server, and the server that asks for its tokens.
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
  checkConfig(config);
  const { resource, fetch = globalThis.fetch } = options;
  const authorizer = new TokenManager(config, resource, fetch);
  const { origin } = new URL(resource);
  const { maxAttempts = DEFAULTS.maxAttempts } = config;
  return async (url, init) => {
    if (new URL(url).origin !== origin) return await fetch(url, init);
    return await send({ url, init, fetch, authorizer, maxAttempts });
  };
}

interface Sending {
  readonly url: string;
  readonly init: HttpInit;
  readonly fetch: HttpFetch;
  readonly authorizer: TokenManager;
  readonly maxAttempts: number;
}

/** Sends a request until it is let through, or nothing more can be done. */
async function send(sending: Sending): Promise<Response> {
  const { init, authorizer, maxAttempts } = sending;
  let tokens = await authorizer.tokens();
  const early = tokens && authorizer.earlyChallenge(tokens);
  if (early !== undefined) tokens = await renew(tokens, early, sending);
  const first = tokens;
  for (let attempt = 0;; attempt++) {
    const response = await sendWith(tokens, sending);
    const demand = readAuthChallenge(response);
    if (demand === undefined || attempt === maxAttempts) return response;
    if (!canSatisfyChallenge(demand, tokens, first) || isFinal(init)) return response;
    await response.body?.cancel();
    const isAfresh = tokens !== first;
    tokens = await renew(tokens, { ...demand, isAfresh }, sending);
  }
}

async function renew(
  tokens: Tokens | undefined,
  demand: AuthChallenge,
  { authorizer, init }: Sending,
): Promise<Tokens | undefined> {
  await authorizer.renew(tokens, demand, init);
  return await authorizer.tokens();
}

/**
 * Whether other tokens would help. Those that were just granted will not be better the next time, and scopes that were
 * asked for and not granted will not be either: people are not to be bothered in vain.
 */
function canSatisfyChallenge(
  { kind, scope }: AuthChallenge,
  tokens: Tokens | undefined,
  first: Tokens | undefined,
): boolean {
  if (tokens === undefined) return true;
  if (kind === "scope") return !hasScopes(tokens.scope, scope);
  return tokens === first || tokens.origin === "refreshed";
}

/** A stream can be read once only; and nobody is to log in for the end of a session, which ends by itself. */
function isFinal({ body, method }: HttpInit): boolean {
  return body instanceof ReadableStream || method === "DELETE";
}

async function sendWith(tokens: Tokens | undefined, sending: Sending): Promise<Response> {
  const { url, init, fetch } = sending;
  switch (tokens?.type) {
    case undefined:
      return await fetch(url, init);
    case "bearer": {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${tokens.accessToken}`);
      return await fetch(url, { ...init, headers });
    }
    case "dpop": {
      const response = await sendBound(tokens.accessToken, sending);
      if (!wantsNonce(response) || init.body instanceof ReadableStream) return response;
      await response.body?.cancel();
      return await sendBound(tokens.accessToken, sending);
    }
  }
}

/** With a token that is bound to a key, and a proof that the key is ours. */
async function sendBound(
  token: string,
  { url, init, fetch, authorizer }: Sending,
): Promise<Response> {
  const given = new Headers(init.headers);
  given.delete("authorization");
  const method = init.method ?? "GET";
  const dpop = await authorizer.dpop();
  try {
    return await oauth.protectedResourceRequest(token, method, new URL(url), given, null, {
      ...(dpop === undefined ? {} : { DPoP: dpop }),
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (_url, { headers }) => fetch(url, { ...init, headers }),
    });
  } catch (error) {
    // What the server wants is read from its response.
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
    throw error;
  }
}
