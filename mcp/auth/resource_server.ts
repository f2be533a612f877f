/**
 * A server behind authorization: who may use it, where tokens for it come from, and what it says to those who have none.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728 RFC 9728}
 * @module
 */

import { checkGiven } from "./address.ts";
import { parseChallenges } from "./challenge.ts";
import type { TokenVerifier, VerifiedToken } from "./verify.ts";

/** What stands behind authorization, such as what `mcpHandler` returns. */
export type GuardedHandler = (
  request: Request,
  context?: { readonly principal?: VerifiedToken },
) => Promise<Response>;

/** How a server is guarded. */
export interface ResourceServerOptions {
  /** The address of the server, as clients know it. Tokens have to be for exactly this. */
  readonly resource: string;
  /** The names of the authorization servers that give out tokens for it. */
  readonly authorizationServers: readonly string[];
  /** Says whether a token is good. */
  readonly verify: TokenVerifier;
  /** What every token has to be good for. Default: nothing in particular. */
  readonly requiredScopes?: readonly string[];
  /** What clients should ask for from the start. Default: `requiredScopes`. */
  readonly scopesSupported?: readonly string[];
  /** What the server is called, for people who log in. */
  readonly resourceName?: string;
  /** Whether tokens have to be bound to a key (DPoP). Default false. */
  readonly requireDpop?: boolean;
  /** Hears of tokens that could not be looked at. Default: nobody does. */
  readonly reportError?: (error: unknown) => void;
}

/** Where a server describes itself (RFC 9728, section 3.1). */
const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** A token, as RFC 6750 writes it. */
const CREDENTIALS = /^(bearer|dpop) +([\w.~+/-]+=*)$/i;

/** How long a token may be, in characters. */
const MAX_TOKEN_CHARS = 16_384;

/**
 * Wraps a handler, so that only requests with a good token get through to it, and says who they are from. It also answers
 * where the server describes itself, so let it have all paths below `/.well-known/`.
 *
 * @param handler what is guarded
 * @param options by whom, and for whom
 * @throws {McpError} `auth_error` when the address is none of HTTPS and leads elsewhere than to this machine
 * @throws {RangeError} when there is no authorization server
 *
 * @example A server for those who have a token
 * ```ts
 * import { mcpHandler, McpServer } from "@parley/mcp/server";
 * import { jwtVerifier, resourceServer } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const issuer = "https://login.example.com";
 * const server = new McpServer({ name: "private", version: "1.0.0" });
 * const handler = resourceServer(mcpHandler(server, { allowedHosts: ["mcp.example.com"] }), {
 *   resource: "https://mcp.example.com/mcp",
 *   authorizationServers: [issuer],
 *   verify: jwtVerifier({ issuer }),
 *   requiredScopes: ["mcp"],
 * });
 *
 * const response = await handler(new Request("https://mcp.example.com/mcp", { method: "POST" }));
 * assertEquals(response.status, 401);
 * assertEquals(
 *   response.headers.get("www-authenticate"),
 *   'Bearer scope="mcp", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"',
 * );
 * ```
 */
export function resourceServer(
  handler: GuardedHandler,
  options: ResourceServerOptions,
): (request: Request) => Promise<Response> {
  const guard = new Guard(handler, options);
  return (request) => guard.handle(request);
}

class Guard {
  readonly #handler: GuardedHandler;
  readonly #options: ResourceServerOptions;
  readonly #metadata: URL;

  constructor(handler: GuardedHandler, options: ResourceServerOptions) {
    const { origin, pathname } = checkGiven(options.resource, '"resource"');
    if (options.authorizationServers.length === 0) {
      throw new RangeError("Cannot guard a server: there is no authorization server");
    }
    this.#handler = handler;
    this.#options = options;
    this.#metadata = new URL(`${METADATA_PATH}${pathname === "/" ? "" : pathname}`, origin);
  }

  async handle(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === this.#metadata.pathname) return this.#describe(request);
    // A browser asks without credentials whether it may send some.
    if (request.method === "OPTIONS") return await this.#handler(request);
    const credentials = request.headers.get("authorization");
    if (credentials === null) return this.#refuse(401, "A token is needed");
    const principal = await this.#verify(credentials, request);
    if (principal instanceof Response) return principal;
    const { requiredScopes = [] } = this.#options;
    if (!requiredScopes.every((scope) => principal.scopes.includes(scope))) {
      return this.#refuse(403, "The token is not good for this", "insufficient_scope");
    }
    return this.#complete(await this.#handler(request, { principal }));
  }

  async #verify(credentials: string, request: Request): Promise<VerifiedToken | Response> {
    const { verify, resource, requireDpop = false, reportError } = this.#options;
    const [, scheme = "", token = ""] = credentials.length > MAX_TOKEN_CHARS
      ? []
      : CREDENTIALS.exec(credentials) ?? [];
    const kind = scheme.toLowerCase() === "dpop" ? "dpop" : "bearer";
    if (token === "" || (requireDpop && kind !== "dpop")) {
      return this.#refuse(401, "The token is not good", "invalid_token");
    }
    const { method, headers } = request;
    try {
      const seen = new Request(resource, { method, headers });
      const found = await verify({ token, scheme: kind, resource, request: seen });
      return found ?? this.#refuse(401, "The token is not good", "invalid_token");
    } catch (error) {
      reportError?.(error);
      return refusal(503, "The token cannot be looked at now", { "retry-after": "10" });
    }
  }

  /** What the server says of itself. Everybody may know, web pages too. */
  #describe({ method }: Request): Response {
    const headers = { "access-control-allow-origin": "*", "cache-control": "max-age=3600" };
    if (method !== "GET" && method !== "HEAD") {
      return refusal(405, "Method not allowed", { allow: "GET, HEAD" });
    }
    const { resource, authorizationServers, resourceName, requireDpop = false } = this.#options;
    const { requiredScopes, scopesSupported = requiredScopes } = this.#options;
    return Response.json({
      resource,
      authorization_servers: authorizationServers,
      ...(scopesSupported === undefined ? {} : { scopes_supported: scopesSupported }),
      bearer_methods_supported: ["header"],
      ...(resourceName === undefined ? {} : { resource_name: resourceName }),
      ...(requireDpop ? { dpop_bound_access_tokens_required: true } : {}),
    }, { headers });
  }

  #refuse(status: number, message: string, error?: string): Response {
    const { requiredScopes = [] } = this.#options;
    const parameters = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(requiredScopes.length === 0 ? [] : [`scope="${requiredScopes.join(" ")}"`]),
    ];
    return refusal(status, message, { "www-authenticate": this.#challenge(parameters) });
  }

  #challenge(parameters: readonly string[]): string {
    const { requireDpop = false } = this.#options;
    const where = `resource_metadata="${this.#metadata.href}"`;
    return `${requireDpop ? "DPoP" : "Bearer"} ${[...parameters, where].join(", ")}`;
  }

  /** Adds to a challenge of the handler, such as for the scopes of a tool, where to get another token. */
  #complete(response: Response): Response {
    const [challenge] = parseChallenges(response.headers.get("www-authenticate") ?? "");
    if (challenge === undefined || challenge.parameters.has("resource_metadata")) return response;
    const parameters = [...challenge.parameters].map(([name, value]) => `${name}="${value}"`);
    const completed = new Response(response.body, response);
    completed.headers.set("www-authenticate", this.#challenge(parameters));
    return completed;
  }
}

/** In a form that MCP clients read. */
function refusal(status: number, message: string, headers: Record<string, string>): Response {
  const error = { code: -32_000, message };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status, headers });
}
