/**
 * OAuth 2.0 protected resource: protects an MCP server with access tokens.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728 RFC 9728}
 * @module
 */

import {
  assertFunction,
  assertOptionalBoolean,
  assertPositiveNumber,
  assertString,
  assertStrings,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { McpError } from "../shared/error.ts";
import type { HttpRequest, HttpResponse } from "../shared/http_types.ts";
import { callWithin } from "@parley/internal/call-within";
import { PresentedTokens } from "./presented_tokens.ts";
import { Secrets } from "./redact_secrets.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import { parseChallenges } from "./www_authenticate.ts";
import {
  assertVerifiedToken,
  isRefused,
  type PresentedToken,
  type TokenVerifier,
  type VerifiedToken,
} from "./token_verifier.ts";

/** Result of a successful authorization. */
interface AuthorizedRequest {
  readonly principal?: VerifiedToken;
}

/** A request handler to protect, such as the return value of `mcpHandler()`. */
export interface ProtectedHandler {
  /** Handles a request. */
  (request: Request, context?: { readonly principal?: VerifiedToken }): Promise<Response>;
  /** Handles a request without `Request` and `Response` objects, which are slow on Node.js. */
  readonly respond?: (
    request: HttpRequest,
    context?: { readonly principal?: VerifiedToken },
  ) => Promise<HttpResponse>;
}

/** A protected request handler. */
export interface ResourceServer {
  /** Handles a request. */
  (request: Request): Promise<Response>;
  /**
   * Handles a request without `Request` and `Response` objects, which are slow on Node.js. If the
   * protected handler has no `respond()` method, neither does the resource server.
   */
  readonly respond?: (request: HttpRequest) => Promise<HttpResponse>;
}

/** Options for {@linkcode resourceServer}. */
export interface ResourceServerOptions {
  /**
   * Public URL of the server, which is also its resource identifier. The audience of access tokens
   * must exactly match `resource`.
   */
  readonly resource: string;
  /** Issuer identifiers of the authorization servers that issue access tokens for the server. */
  readonly authorizationServers: readonly string[];
  /** Verifies access tokens. */
  readonly verify: TokenVerifier;
  /** Scopes that every access token must have. If omitted, no scope is required. */
  readonly requiredScopes?: readonly string[];
  /** Scopes to list in the metadata, which clients request first; by default, `requiredScopes`. */
  readonly scopesSupported?: readonly string[];
  /** Server name to display to users. */
  readonly resourceName?: string;
  /**
   * Whether access tokens must be DPoP-bound (RFC 9449).
   *
   * @default {false}
   */
  readonly requireDpop?: boolean;
  /**
   * Timeout for `verify`, in milliseconds. A request whose token is not verified in time receives
   * HTTP 503.
   *
   * @default {30_000}
   */
  readonly verifyTimeoutMs?: number;
  /**
   * Called with errors thrown by `verify`, which clients receive as HTTP 503. The errors do not
   * contain the access token. If omitted, errors are printed to standard error: each error once,
   * and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options of a resource server after reading. */
interface ResourceServerSettings
  extends
    Omit<Settings<ResourceServerOptions, "requireDpop" | "verifyTimeoutMs">, "requiredScopes"> {
  readonly requiredScopes: readonly string[];
}

const readSettings = optionsReader<ResourceServerOptions>("options", {
  audience: "resource",
  scopes: "requiredScopes",
})({
  resource: required(assertString),
  authorizationServers: required(assertServers),
  verify: required(assertVerify),
  requiredScopes: assertStrings,
  scopesSupported: assertStrings,
  resourceName: assertString,
  requireDpop: withDefault(false, assertOptionalBoolean),
  verifyTimeoutMs: withDefault(30_000, assertPositiveNumber),
  onError: assertFunction,
});

function readOptions(options: ResourceServerOptions): ResourceServerSettings {
  const settings = readSettings(options);
  const requiredScopes = [...settings.requiredScopes ?? []];
  const { authorizationServers, scopesSupported = settings.requiredScopes } = settings;
  return {
    ...settings,
    requiredScopes,
    authorizationServers: [...authorizationServers],
    scopesSupported: scopesSupported && [...scopesSupported],
  };
}

function assertServers(name: string, value: unknown): void {
  assertStrings(name, value);
  if (!Array.isArray(value) || value.length > 0) return;
  throw new RangeError(
    `"${name}" must have at least one entry, got []; ` +
      "for API keys, pass the principal as the second argument to the handler instead",
  );
}

function assertVerify(name: string, value: unknown): void {
  if (typeof value === "function") return;
  rejectArgument(name, "a function such as the return value of jwtVerifier()", value);
}

/** Well-known path of protected resource metadata (RFC 9728, section 3.1). */
const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Credentials with a bearer or DPoP token (RFC 6750, section 2.1; RFC 9449, section 7.1). */
const CREDENTIALS = /^(bearer|dpop) +([\w.~+/-]+=*)$/i;

/** Maximum length of the credentials, in characters. */
const MAX_TOKEN_CHARS = 16_384;

/** Descriptions of the error `invalid_token` (RFC 6750, section 3). */
const INVALID = "The access token is invalid";
const EXPIRED = "The access token expired";

/**
 * Protects an MCP server with access tokens. Requests with a valid token are passed to the handler
 * together with the verified token; other requests receive an error response with a challenge. The
 * returned handler also serves the protected resource metadata, so route all paths under
 * `/.well-known/` to the returned handler.
 *
 * @param handler Handler to protect.
 * @param options Resource identifier, authorization servers and token verifier.
 * @throws {McpError} With code `auth_error` if `resource` is neither an HTTPS URL nor a loopback
 * HTTP URL.
 * @throws {RangeError} If `authorizationServers` is empty or `verifyTimeoutMs` is not positive.
 * @throws {TypeError} If `handler`, `verify` or `onError` is not a function, or a list is not an
 * array of strings.
 *
 * @example Protect a server with JWT access tokens
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
  if (typeof handler !== "function") {
    throw new TypeError(
      `"handler" must be a function such as the return value of mcpHandler(), got ${
        formatValue(handler)
      }`,
    );
  }
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

/**
 * Methods that a `Request` cannot have (Fetch Standard, forbidden method), as `verify` needs it.
 */
const FORBIDDEN_METHODS = ["CONNECT", "TRACE", "TRACK"];

class Guard {
  readonly #options: ResourceServerSettings;
  readonly #metadata: URL;
  readonly #report: (error: unknown) => void;
  readonly #tokens = new PresentedTokens();

  constructor(options: ResourceServerOptions) {
    const settings = readOptions(options);
    const { origin, pathname } = parseTrustedUrl(settings.resource, '"resource"');
    this.#report = createErrorReporter("resourceServer", settings.onError);
    this.#options = settings;
    this.#metadata = new URL(`${METADATA_PATH}${pathname === "/" ? "" : pathname}`, origin);
  }

  /**
   * Authorizes a request. Returns the verified token, or a response if the request is not passed to
   * the handler.
   */
  async admit(request: HttpRequest): Promise<AuthorizedRequest | HttpResponse> {
    if (new URL(request.url).pathname === this.#metadata.pathname) return this.#describe(request);
    if (FORBIDDEN_METHODS.includes(request.method)) {
      return refusal(501, "Method not implemented", {});
    }
    // Browsers send CORS preflight requests without credentials.
    if (request.method === "OPTIONS") return {};
    const credentials = request.headers.get("authorization");
    if (credentials === null) return this.#refuse(401, "Authorization required");
    return await this.#verify(credentials, request);
  }

  /**
   * Adds `resource_metadata` to a challenge from the handler, such as a challenge for a tool's
   * scopes. Returns `undefined` if the header has no challenge or its first challenge already has
   * `resource_metadata`.
   */
  complete(header: string | null | undefined): string | undefined {
    const [challenge] = parseChallenges(header ?? "");
    if (challenge === undefined || challenge.parameters.has("resource_metadata")) return undefined;
    return this.#challenge([...challenge.parameters].map(([name, value]) => `${name}="${value}"`));
  }

  async #verify(
    credentials: string,
    request: HttpRequest,
  ): Promise<AuthorizedRequest | HttpResponse> {
    const { requiredScopes, requireDpop } = this.#options;
    const [, scheme = "", token = ""] = credentials.length > MAX_TOKEN_CHARS
      ? []
      : CREDENTIALS.exec(credentials) ?? [];
    const kind = scheme.toLowerCase() === "dpop" ? "dpop" : "bearer";
    if (token === "" || (requireDpop && kind !== "dpop")) return this.#rejectToken(INVALID);
    try {
      const found = await this.#callVerify(token, kind, request);
      if (found === undefined) return this.#rejectToken(INVALID);
      if (isRefused(found)) {
        return this.#rejectToken(found.refused.reason === "expired" ? EXPIRED : INVALID);
      }
      assertVerifiedToken(found);
      if (requiredScopes.every((scope) => found.scopes.includes(scope))) {
        return { principal: this.#tokens.hold(found, token) };
      }
      const needed = `scope="${requiredScopes.join(" ")}"`;
      return this.#refuse(403, `Insufficient scope: requires ${needed}`, "insufficient_scope");
    } catch (error) {
      const secrets = new Secrets();
      secrets.add(token);
      // If the client has disconnected, the verification was aborted, which is not an error.
      if (!request.signal.aborted) this.#report(secrets.clean(error));
      return refusal(503, "Token verification is temporarily unavailable", { "retry-after": "10" });
    }
  }

  /** Calls `verify`, and stops waiting if the client disconnects or the time limit is exceeded. */
  async #callVerify(
    token: string,
    scheme: PresentedToken["scheme"],
    { method, headers, signal }: HttpRequest,
  ): ReturnType<TokenVerifier> {
    const { verify, resource, verifyTimeoutMs: timeoutMs } = this.#options;
    let request: Request | undefined;
    const call = (): ReturnType<TokenVerifier> =>
      verify({
        token,
        scheme,
        resource,
        // The `Request` is created on first access, because creating a `Request` on Node.js takes
        // longer than the rest of the verification.
        get request() {
          return request ??= new Request(resource, { method, headers: [...headers] });
        },
      });
    const late = (): McpError =>
      McpError.authError(`"verify" timed out after ${timeoutMs} ms ("verifyTimeoutMs")`);
    return await callWithin(call, { signal, timeoutMs, late });
  }

  /**
   * Returns the protected resource metadata. CORS is unrestricted because the metadata is public.
   */
  #describe({ method }: HttpRequest): HttpResponse {
    const headers = { "access-control-allow-origin": "*", "cache-control": "max-age=3600" };
    if (method !== "GET" && method !== "HEAD") {
      return refusal(405, "Method not allowed", { allow: "GET, HEAD" });
    }
    const { resource, authorizationServers, resourceName, requireDpop, scopesSupported } =
      this.#options;
    return json(200, {
      resource,
      authorization_servers: authorizationServers,
      ...(scopesSupported === undefined ? {} : { scopes_supported: scopesSupported }),
      bearer_methods_supported: ["header"],
      ...(resourceName === undefined ? {} : { resource_name: resourceName }),
      ...(requireDpop ? { dpop_bound_access_tokens_required: true } : {}),
    }, headers);
  }

  /**
   * Rejects a token. An unidentified client must not learn which issuer, audience or key is
   * expected, so the response states only whether the token has expired.
   */
  #rejectToken(description: typeof INVALID | typeof EXPIRED): HttpResponse {
    return this.#refuse(401, description, "invalid_token", description);
  }

  #refuse(status: number, message: string, error?: string, description?: string): HttpResponse {
    const { requiredScopes } = this.#options;
    const parameters = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(description === undefined ? [] : [`error_description="${description}"`]),
      ...(requiredScopes.length === 0 ? [] : [`scope="${requiredScopes.join(" ")}"`]),
    ];
    return refusal(status, message, { [CHALLENGE]: this.#challenge(parameters) });
  }

  #challenge(parameters: readonly string[]): string {
    const { requireDpop } = this.#options;
    const where = `resource_metadata="${this.#metadata.href}"`;
    return `${requireDpop ? "DPoP" : "Bearer"} ${[...parameters, where].join(", ")}`;
  }
}

/** Creates an error response with a JSON-RPC error object, which MCP clients can read. */
function refusal(status: number, message: string, headers: Record<string, string>): HttpResponse {
  return json(status, { jsonrpc: "2.0", id: null, error: { code: -32_000, message } }, headers);
}

function json(status: number, value: object, headers: Record<string, string>): HttpResponse {
  const body = JSON.stringify(value);
  return { status, headers: { "content-type": "application/json", ...headers }, body };
}
