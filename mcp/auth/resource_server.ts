/**
 * A server behind authorization: who may use it, where tokens for it come from, and what it says to those who have none.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728 RFC 9728}
 * @module
 */

import type { HttpRequest, HttpResponse } from "../shared/http_types.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import { parseChallenges } from "./www_authenticate.ts";
import type { TokenVerifier, VerifiedToken } from "./token_verifiers.ts";

/** What is known of a request that has got through. */
interface AuthorizedRequest {
  readonly principal?: VerifiedToken;
}

/** What stands behind authorization, such as what `mcpHandler` returns. */
export interface ProtectedHandler {
  /** Answers a request. */
  (request: Request, context?: { readonly principal?: VerifiedToken }): Promise<Response>;
  /** Answers a request where `Request` and `Response` would be dear, as on Node. */
  readonly respond?: (
    request: HttpRequest,
    context?: { readonly principal?: VerifiedToken },
  ) => Promise<HttpResponse>;
}

/** A handler behind authorization. */
export interface ResourceServer {
  /** Answers a request. */
  (request: Request): Promise<Response>;
  /** Answers a request where `Request` and `Response` would be dear; there if what is guarded can do that. */
  readonly respond?: (request: HttpRequest) => Promise<HttpResponse>;
}

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
  readonly onError?: (error: unknown) => void;
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
  handler: ProtectedHandler,
  options: ResourceServerOptions,
): ResourceServer {
  const guard = new Guard(options);
  const handle = async (request: Request): Promise<Response> => {
    const admitted = await guard.admit(request);
    if ("status" in admitted) return new Response(admitted.body, admitted);
    const response = await handler(request, admitted);
    const challenge = guard.complete(response.headers.get(CHALLENGE));
    if (challenge === undefined) return response;
    const completed = new Response(response.body, response);
    completed.headers.set(CHALLENGE, challenge);
    return completed;
  };
  const { respond } = handler;
  if (respond === undefined) return handle;
  return Object.assign(handle, {
    respond: async (request: HttpRequest): Promise<HttpResponse> => {
      const admitted = await guard.admit(request);
      if ("status" in admitted) return admitted;
      const response = await respond(request, admitted);
      const challenge = guard.complete(response.headers[CHALLENGE]);
      if (challenge === undefined) return response;
      return { ...response, headers: { ...response.headers, [CHALLENGE]: challenge } };
    },
  });
}

const CHALLENGE = "www-authenticate";

class Guard {
  readonly #options: ResourceServerOptions;
  readonly #metadata: URL;

  constructor(options: ResourceServerOptions) {
    const { origin, pathname } = parseTrustedUrl(options.resource, '"resource"');
    if (options.authorizationServers.length === 0) {
      throw new RangeError("Cannot guard a server: there is no authorization server");
    }
    this.#options = options;
    this.#metadata = new URL(`${METADATA_PATH}${pathname === "/" ? "" : pathname}`, origin);
  }

  /** Lets a request through, or answers it. */
  async admit(request: HttpRequest): Promise<AuthorizedRequest | HttpResponse> {
    if (new URL(request.url).pathname === this.#metadata.pathname) return this.#describe(request);
    // A browser asks without credentials whether it may send some.
    if (request.method === "OPTIONS") return {};
    const credentials = request.headers.get("authorization");
    if (credentials === null) return this.#refuse(401, "A token is needed");
    return await this.#verify(credentials, request);
  }

  /** Adds to a challenge of the handler, such as for the scopes of a tool, where to get another token. */
  complete(header: string | null | undefined): string | undefined {
    const [challenge] = parseChallenges(header ?? "");
    if (challenge === undefined || challenge.parameters.has("resource_metadata")) return undefined;
    return this.#challenge([...challenge.parameters].map(([name, value]) => `${name}="${value}"`));
  }

  async #verify(
    credentials: string,
    { method, headers }: HttpRequest,
  ): Promise<AuthorizedRequest | HttpResponse> {
    const { verify, resource, requiredScopes = [], requireDpop = false, onError } = this.#options;
    const [, scheme = "", token = ""] = credentials.length > MAX_TOKEN_CHARS
      ? []
      : CREDENTIALS.exec(credentials) ?? [];
    const kind = scheme.toLowerCase() === "dpop" ? "dpop" : "bearer";
    if (token === "" || (requireDpop && kind !== "dpop")) {
      return this.#refuse(401, "The token is not good", "invalid_token");
    }
    let request: Request | undefined;
    try {
      const principal = await verify({
        token,
        scheme: kind,
        resource,
        // Not before somebody looks at it: on Node it takes longer than all the rest.
        get request() {
          return request ??= new Request(resource, { method, headers: [...headers] });
        },
      });
      if (principal === undefined) {
        return this.#refuse(401, "The token is not good", "invalid_token");
      }
      if (requiredScopes.every((scope) => principal.scopes.includes(scope))) return { principal };
      return this.#refuse(403, "The token is not good for this", "insufficient_scope");
    } catch (error) {
      onError?.(error);
      return refusal(503, "The token cannot be looked at now", { "retry-after": "10" });
    }
  }

  /** What the server says of itself. Everybody may know, web pages too. */
  #describe({ method }: HttpRequest): HttpResponse {
    const headers = { "access-control-allow-origin": "*", "cache-control": "max-age=3600" };
    if (method !== "GET" && method !== "HEAD") {
      return refusal(405, "Method not allowed", { allow: "GET, HEAD" });
    }
    const { resource, authorizationServers, resourceName, requireDpop = false } = this.#options;
    const { requiredScopes, scopesSupported = requiredScopes } = this.#options;
    return json(200, {
      resource,
      authorization_servers: authorizationServers,
      ...(scopesSupported === undefined ? {} : { scopes_supported: scopesSupported }),
      bearer_methods_supported: ["header"],
      ...(resourceName === undefined ? {} : { resource_name: resourceName }),
      ...(requireDpop ? { dpop_bound_access_tokens_required: true } : {}),
    }, headers);
  }

  #refuse(status: number, message: string, error?: string): HttpResponse {
    const { requiredScopes = [] } = this.#options;
    const parameters = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(requiredScopes.length === 0 ? [] : [`scope="${requiredScopes.join(" ")}"`]),
    ];
    return refusal(status, message, { [CHALLENGE]: this.#challenge(parameters) });
  }

  #challenge(parameters: readonly string[]): string {
    const { requireDpop = false } = this.#options;
    const where = `resource_metadata="${this.#metadata.href}"`;
    return `${requireDpop ? "DPoP" : "Bearer"} ${[...parameters, where].join(", ")}`;
  }
}

/** In a form that MCP clients read. */
function refusal(status: number, message: string, headers: Record<string, string>): HttpResponse {
  return json(status, { jsonrpc: "2.0", id: null, error: { code: -32_000, message } }, headers);
}

function json(status: number, value: object, headers: Record<string, string>): HttpResponse {
  const body = JSON.stringify(value);
  return { status, headers: { "content-type": "application/json", ...headers }, body };
}
