/**
 * A Model Context Protocol server, without the client: register tools, resources and prompts, then serve them.
 *
 * ```ts ignore
 * import { McpServer, serveStdio } from "@parley/mcp/server";
 *
 * const server = new McpServer({ name: "adder", version: "1.0.0" });
 * server.registerTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
 * }, ({ a, b }: { a: number; b: number }) => `${a + b}`);
 * await serveStdio(server);
 * ```
 *
 * One server object can be served in several ways at once, and answers clients of every revision of the protocol.
 *
 * @module
 */

import type { StdioTransportOptions } from "./transport/stdio_pipe.ts";
import type { Pipe } from "./jsonrpc/contracts.ts";
import type { SessionsOptions } from "./serve/http/sessions.ts";
import type {
  HandshakeHttp,
  HttpContext,
  HttpEndpoint,
  HttpOptions,
} from "./serve/http/endpoint.ts";
import type { HttpRequest, HttpResponse } from "./serve/http/http_responses.ts";
import type { ServePipeOptions } from "./serve/pipe/messages.ts";
import { assertLimits } from "./serve/assert_limits.ts";
import type { OpenSession } from "./serve/session_contract.ts";
import type { ServerCore } from "./server/server_core.ts";

export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
export type {
  CreateMessageRequest,
  ElicitRequest,
  ElicitResult,
  InputRequest,
  InputResponse,
} from "./protocol/input_request.ts";
export type { SessionsOptions } from "./serve/http/sessions.ts";
export type { HttpSessionOptions } from "./serve/http/session.ts";
export type { ParameterHeader } from "./protocol/headers.ts";
export type { GuardOptions } from "./serve/http/guard.ts";
export type { HttpContext, HttpOptions } from "./serve/http/endpoint.ts";
export type { HttpRequest, HttpResponse } from "./serve/http/http_responses.ts";
export type { ServePipeOptions } from "./serve/pipe/messages.ts";
export type { AskPeer, Call, Emit, Principal, SignalSource } from "./server/exchange_context.ts";
export type { Change, ChangeSource } from "./server/change_notifier.ts";
export type { Completer, Completers } from "./server/completion.ts";
export type {
  InputResponses,
  MethodContext,
  ProgressOptions,
  RequestContext,
} from "./server/request_context.ts";
export type { ServerCore, ServerIdentity, ServerSelf, ToolEdge } from "./server/server_core.ts";
export type { MethodHandler } from "./server/dispatch.ts";
export type { ExtraNews, ServerExtension, TellNews } from "./server/extension.ts";
export { type CompletionOptions, McpServer } from "./server/mcp_server.ts";
export type { McpServerConfig } from "./server/server_config.ts";
export type { PromptHandler } from "./server/prompts.ts";
export type { RequestStateOptions } from "./server/request_state.ts";
export type { ResourceHandler, ResourceTemplateHandler } from "./server/resources.ts";
export type {
  OutputOf,
  SchemaValidator,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./server/schema_check.ts";
export type { ToolDefinition, ToolHandler } from "./server/tools.ts";
export type { TemplateVariables } from "./server/uri_template.ts";

/** How {@linkcode serveStdio} behaves. */
export interface ServeStdioOptions extends StdioTransportOptions, ServePipeOptions {
  /**
   * Whether the process ends with the input, although timers or sockets may still be open: a client that is gone must
   * leave no process behind. Default true for standard input, false for an injected reader.
   */
  readonly exit?: boolean;
  /**
   * Whether `console.log` and the like print to standard error meanwhile, where they harm nobody: on standard output a
   * line of a library that you use is a broken message. Default false; it concerns the whole program.
   */
  readonly redirectConsole?: boolean;
}

/**
 * Serves one client over standard input and output, until the input ends. What is under way then is finished first.
 *
 * Nothing else may write to standard output meanwhile: use standard error for logs, or `redirectConsole`.
 *
 * @param server the server; it may be served elsewhere at the same time
 * @param options limits, and injected lines
 * @throws {TypeError} when this runtime has no standard streams and none are injected
 * @throws {McpError} `core` when the client leaves more unread than `maxBufferedChars`
 * @throws {RangeError} when a number among the options is no limit or time
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 *
 * @example Serve injected lines
 * ```ts
 * import { McpServer, serveStdio } from "@parley/mcp/server";
 * import { assertEquals } from "@std/assert";
 *
 * const input = ['{"jsonrpc":"2.0","id":1,"method":"ping"}'];
 * const output: string[] = [];
 * await serveStdio(new McpServer({ name: "quiet", version: "1.0.0" }), {
 *   reader: { readLine: () => Promise.resolve(input.shift() ?? null) },
 *   writer: { writeLine: (line) => Promise.resolve(void output.push(line)) },
 * });
 * assertEquals(output, ['{"jsonrpc":"2.0","id":1,"result":{}}']);
 * ```
 */
export async function serveStdio(
  server: ServerCore,
  options: ServeStdioOptions = {},
): Promise<void> {
  assertLimits(options);
  const { serveStreams } = await import("./serve/pipe/stdio.ts");
  await serveStreams(server, { ...options, openSession: opener(options) });
}

/** A handler for `Deno.serve`, `export default { fetch }`, Hono, Bun and workers. */
export interface HttpHandler {
  /** Answers a request. */
  (request: Request, context?: HttpContext): Promise<Response>;
  /** Answers a request where `Request` and `Response` would be dear, as on Node. */
  answer(request: HttpRequest, context?: HttpContext): Promise<HttpResponse>;
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
  assertLimits(sessions || {});
  const loadHandshake = async (keepAliveMs: number): Promise<HandshakeHttp> => {
    const { serveHandshakeHttp, serveWithoutSessions } = await import("./serve/legacy_server.ts");
    if (sessions === false) return serveWithoutSessions(server, keepAliveMs);
    return serveHandshakeHttp(server, { keepAliveMs, ...sessions });
  };
  let endpoint: HttpEndpoint | undefined;
  const open = async (): Promise<HttpEndpoint> => {
    const { HttpEndpoint } = await import("./serve/http/endpoint.ts");
    return endpoint ??= new HttpEndpoint(server, loadHandshake, http);
  };
  const answer = async (request: HttpRequest, context: HttpContext = {}): Promise<HttpResponse> =>
    await (endpoint ?? await open()).answer(request, context);
  const handle = async (request: Request, context?: HttpContext): Promise<Response> => {
    const { body, ...init } = await answer(request, context);
    return new Response(body, init);
  };
  return Object.assign(handle, { answer, close: async () => await (await open()).close() });
}

/**
 * Serves one client over a pipe, such as one end of a pair in memory, until the pipe ends.
 *
 * @param server the server; it may be served elsewhere at the same time
 * @param pipe the way to the client
 * @param options limits, and a signal that ends the serving
 * @throws {RangeError} when a number among the options is no limit or time
 * @throws {McpError} `core` when the client leaves more unread than the pipe lets wait
 *
 * @example A server and its client in one program
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "greeter", version: "1.0.0" });
 * server.registerPrompt({ name: "hello", arguments: [] }, () => "Say hello");
 *
 * const client = new McpClient({
 *   transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
 * });
 * await client.connect();
 * try {
 *   assertEquals((await client.listPrompts()).map(({ name }) => name), ["hello"]);
 * } finally {
 *   await client.disconnect();
 * }
 * ```
 */
export async function servePipe(
  server: ServerCore,
  pipe: Pipe,
  options: ServePipeOptions = {},
): Promise<void> {
  assertLimits(options);
  const { serveLines } = await import("./serve/pipe/stdio.ts");
  await serveLines(server, pipe, { ...options, openSession: opener(options) });
}

/** Loads the handshake era when the first client asks for it. */
function opener(options: ServePipeOptions): OpenSession {
  return async (server, push) => {
    const { openServerSession } = await import("./serve/legacy_server.ts");
    return openServerSession(server, push, options);
  };
}
