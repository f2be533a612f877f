/**
 * Streamable HTTP request handler for all protocol versions.
 *
 * @module
 */

import type { ServerCore } from "../../server/server_core.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";
import { rejectArgument } from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { assertServer } from "../assert_server.ts";
import { GUARD_RULES, withCopiedLists } from "./guard.ts";
import { type HttpContext, type HttpOptions, ServerEndpoint } from "./endpoint.ts";
import { RequestBodies } from "./request_bodies.ts";
import { serveSessionless } from "./sessionless.ts";
import { SessionForwarder } from "./session_route.ts";
import { HttpSessionStore, readSessions, type SessionsOptions } from "./session_store.ts";

/** A request handler for `Deno.serve`, `export default { fetch }`, Hono, Bun and workers. */
export interface HttpHandler {
  /** Handles a request. */
  (request: Request, context?: HttpContext): Promise<Response>;
  /** Handles a request without `Request` and `Response` objects, which are slow on Node.js. */
  respond(request: HttpRequest, context?: HttpContext): Promise<HttpResponse>;
  /**
   * Aborts all requests and ends all sessions and streams. Requests after `close()` are rejected
   * with HTTP 503.
   */
  close(): Promise<void>;
}

/** Options for {@linkcode mcpHandler}. */
export interface McpHandlerOptions extends HttpOptions {
  /**
   * Options for legacy sessions. A session exists in only one process. With several processes
   * behind a load balancer, set `route`, or set `sessions` to `false`, which disables sessions.
   * Without sessions, handlers cannot request input from legacy clients, and at most 2000 legacy
   * requests are in flight, of which a principal can use a quarter. Further requests are rejected
   * with HTTP 429.
   */
  readonly sessions?: SessionsOptions | false;
}

const readOptions = optionsReader<McpHandlerOptions>("options")({
  ...GUARD_RULES,
  keepAliveMs: withDefault(15_000, int32From(1)),
  sessions: withDefault({}, assertSessions),
});

function assertSessions(name: string, value: unknown): void {
  if (value !== false && !isRecord(value)) rejectArgument(name, "an object or false", value);
}

/**
 * Creates a request handler that serves Streamable HTTP, for `Deno.serve`,
 * `export default { fetch }`, Hono, Bun and workers. The handler ignores the URL path.
 *
 * Clients with protocol version 2026-07-28 are served without sessions. Legacy clients receive a
 * session with resumable streams. By default, only requests to loopback host names are accepted. To
 * accept requests to other host names, set `allowedHosts`.
 *
 * @param server MCP server, which may be served over other transports at the same time.
 * @param options Allowed hosts and origins, limits, and session options.
 * @throws {TypeError} If `server` is not a server, or if `allowedHosts`, `allowedOrigins` or
 * `sessions.route` is invalid.
 * @throws {RangeError} If a limit or timeout is invalid.
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http Streamable HTTP}
 *
 * @example Handle a request
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
  assertServer(server);
  const { sessions, ...read } = readOptions(options);
  const bodies = new RequestBodies(read.maxBodyBytes);
  const http = { ...withCopiedLists(read), bodies };
  const stored = sessions === false ? undefined : readSessions(sessions, http);
  const legacy = stored === undefined
    ? serveSessionless(server, http.keepAliveMs)
    : new HttpSessionStore(server, stored);
  const forwarder = stored?.route && new SessionForwarder(stored.route, bodies);
  const endpoint = new ServerEndpoint(server, legacy, http, forwarder);
  const respond = (request: HttpRequest, context: HttpContext = {}): Promise<HttpResponse> =>
    endpoint.respond(request, context);
  const handle = async (request: Request, context?: HttpContext): Promise<Response> => {
    const response = await endpoint.respond(request, context ?? {});
    return new Response(response.body, response);
  };
  return Object.assign(handle, { respond, close: () => Promise.resolve(endpoint.close()) });
}
