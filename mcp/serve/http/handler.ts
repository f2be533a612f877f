/**
 * Streamable HTTP of every era, as a function from Request to Response.
 *
 * @module
 */

import type { ServerCore } from "../../server/server_core.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { assertLimits } from "../assert_limits.ts";
import { type HttpContext, HttpEndpoint, type HttpOptions } from "./endpoint.ts";
import { serveSessionless } from "./sessionless.ts";
import { HttpSessions, type SessionsOptions } from "./sessions.ts";

/** A handler for `Deno.serve`, `export default { fetch }`, Hono, Bun and workers. */
export interface HttpHandler {
  /** Answers a request. */
  (request: Request, context?: HttpContext): Promise<Response>;
  /** Answers a request where `Request` and `Response` would be dear, as on Node. */
  respond(request: HttpRequest, context?: HttpContext): Promise<HttpResponse>;
  /** Ends all sessions and streams. */
  close(): Promise<void>;
}

/** How {@linkcode mcpHandler} behaves. */
export interface McpHandlerOptions extends HttpOptions {
  /**
   * How the sessions of older clients are kept; `false` for none, where several processes that share nothing serve
   * together. Handlers can ask such clients nothing then.
   */
  readonly sessions?: SessionsOptions | false;
}

/**
 * Makes a function from Request to Response that serves Streamable HTTP: for `Deno.serve`, `export default { fetch }`,
 * Hono, Bun and workers. Which path leads to it is up to you.
 *
 * Clients of 2026-07-28 need no session; those of 2025 get one, with streams that they can come back to. By default only
 * this machine is served: name your own hosts in `allowedHosts`.
 *
 * @param server the server; it may be served elsewhere at the same time
 * @param options hosts, origins, limits
 * @throws {RangeError} when a number among the options is no limit or time
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
 *
 * @example Answer a request
 * ```ts
 * import { mcpHandler, McpServer } from "@parley/mcp/server";
 * import { assertEquals } from "@std/assert";
 *
 * const handler = mcpHandler(new McpServer({ name: "quiet", version: "1.0.0" }));
 * const response = await handler(
 *   new Request("http://localhost:8000/mcp", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({
 *       jsonrpc: "2.0",
 *       id: 1,
 *       method: "initialize",
 *       params: {
 *         protocolVersion: "2025-11-25",
 *         capabilities: {},
 *         clientInfo: { name: "by hand", version: "1.0.0" },
 *       },
 *     }),
 *   }),
 * );
 * assertEquals(response.status, 200);
 * assertEquals((await response.json()).result.serverInfo, { name: "quiet", version: "1.0.0" });
 * await handler.close();
 * ```
 */
export function mcpHandler(server: ServerCore, options: McpHandlerOptions = {}): HttpHandler {
  const { sessions, ...http } = options;
  assertLimits(http);
  assertLimits(sessions || {}, "sessions.");
  const { keepAliveMs = 15_000 } = http;
  const legacy = sessions === false
    ? serveSessionless(server, keepAliveMs)
    : new HttpSessions(server, { keepAliveMs, ...sessions });
  const endpoint = new HttpEndpoint(server, legacy, http);
  const respond = (request: HttpRequest, context: HttpContext = {}): Promise<HttpResponse> =>
    endpoint.respond(request, context);
  const handle = async (request: Request, context?: HttpContext): Promise<Response> => {
    const { body, ...init } = await respond(request, context);
    return new Response(body, init);
  };
  return Object.assign(handle, { respond, close: () => Promise.resolve(endpoint.close()) });
}
