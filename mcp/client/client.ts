/**
 * The MCP client.
 *
 * @module
 */

import { AroundSession } from "./around_session.ts";
import { capabilitiesOf } from "./input_handlers.ts";
import {
  assertSuccess,
  callTool,
  complete,
  getPrompt,
  listPrompts,
  listResources,
  listResourceTemplates,
  listTools,
  readResourceAt,
  setLogLevel,
} from "./methods.ts";
import {
  DEFAULT_REQUEST,
  type ListenOptions,
  readListen,
  readRelay,
  readRequest,
  readSignal,
  type RelayOptions,
  type RequestOptions,
} from "./request_options.ts";
import type { ServerEra } from "./server_era.ts";
import type { Session } from "./session.ts";
import { readWantedFilter, type Subscription, type SubscriptionFilter } from "./subscription.ts";
import { watchTools } from "./watch_tools.ts";
import { type ClientSettings, type McpClientConfig, readConfig } from "./config.ts";
import { assertObject, assertString } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { McpError } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import type { JsonObject } from "../shared/json.ts";
import { reportRejection } from "@parley/internal/report-rejection";
import { type McpCapabilities, toMcpCapabilities } from "../protocol/capabilities.ts";
import type { CompleteParams, Completion } from "../protocol/completion.ts";
import type { ServerDescription } from "../protocol/initialize.ts";
import type { LogLevel } from "../protocol/logging.ts";
import type { GetPromptResult, McpPrompt } from "../protocol/prompt.ts";
import type { McpResource, McpResourceTemplate, ReadResourceResult } from "../protocol/resource.ts";
import type { Tolerance } from "../jsonrpc/deviation.ts";
import { labelOf, openSession, type ServerSource, toSource, withAuth } from "./connect.ts";
import { createTolerance } from "./tolerance.ts";
import type { CallToolResult, McpToolDescriptor } from "../protocol/tool.ts";
import { abortable } from "@parley/internal/abortable";
import { SharedOperation } from "../shared/shared_operation.ts";
import { Semaphore } from "@parley/internal/semaphore";

/**
 * A Model Context Protocol client that connects to one server at a time.
 *
 * @example Connect a client and a server in one process
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "greeter", version: "1.0.0" });
 * server.registerTool({ name: "greet", description: "Greets" }, () => "hello");
 *
 * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
 * const client = new McpClient({ transport });
 * await client.connect();
 * try {
 *   const { content } = await client.callTool("greet", {});
 *   assertEquals(content, [{ type: "text", text: "hello" }]);
 * } finally {
 *   await client.disconnect();
 * }
 * ```
 */
export class McpClient {
  readonly #settings: ClientSettings;
  readonly #onError: (error: unknown) => void;
  readonly #source: ServerSource;
  readonly #tolerance: Tolerance;
  #authorizedSource: ServerSource | undefined;
  #session: Session | undefined;
  #era: ServerEra | undefined;
  readonly #connecting = new SharedOperation();
  #closing: Promise<void> | undefined;

  /**
   * Creates a client that is not connected yet.
   *
   * @param config Server transport and client options.
   * @throws {TypeError} If an option has the wrong type, or if `transport`, `protocol` or `era` is
   * not valid.
   * @throws {RangeError} If a limit or a timeout is out of range.
   */
  constructor(config: McpClientConfig) {
    this.#settings = readConfig(config);
    const { era, transport, strict } = this.#settings;
    this.#era = era;
    const onError = this.#onError = createErrorReporter("McpClient", this.#settings.onError);
    const source = this.#source = toSource(transport);
    const serverName = (): string => this.server?.info?.name ?? labelOf(source);
    this.#tolerance = createTolerance({ strict, onError, serverName });
  }

  /** Whether the client is connected and the connection is still open. */
  get connected(): boolean {
    return this.#session !== undefined && this.#session.ended === undefined;
  }

  /**
   * Description of the server: identity, protocol version, capabilities and instructions, or
   * `undefined` before `connect()` and after `disconnect()`.
   */
  get server(): ServerDescription | undefined {
    return this.#session?.server;
  }

  /**
   * The server's detected era. Before the first connection, `era` is the value of the `era` option,
   * or `undefined` if the option is not set. `disconnect()` does not reset the detected era, and
   * the next `connect()` tries that era first.
   */
  get era(): ServerEra | undefined {
    return this.#era;
  }

  /**
   * Returns the server's declared capabilities, or `undefined` before `connect()` and after
   * `disconnect()`.
   */
  capabilities(): McpCapabilities | undefined {
    return this.#session && toMcpCapabilities(this.#session.server.capabilities);
  }

  /**
   * Connects to the server and negotiates the protocol version. If the client is already connected,
   * `connect()` does nothing. Concurrent calls share one connection attempt, which is aborted when
   * the signals of all callers have aborted.
   *
   * @param options Signal that aborts the call to `connect()`.
   * @throws {McpError} With code `connection_failed` if the server is unreachable, closes the
   * connection, does not respond in time or is not an MCP server.
   * @throws {McpError} With code `protocol_error` if the client and the server have no protocol
   * version in common.
   * @throws {McpError} With code `auth_error` if the server requires authorization.
   * @throws {TypeError} If a setting in `auth` is missing or has the wrong type.
   * @throws {McpError} With code `transport_error` if `disconnect()` is called before the
   * connection is established.
   * @throws The signal's reason if the signal is aborted.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning Versioning}
   */
  async connect(options: Pick<RequestOptions, "signal"> = {}): Promise<void> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    if (this.#closing !== undefined) await abortable(this.#closing, signal);
    if (this.connected) return;
    await this.#connecting.join((aborted) => this.#open(aborted), signal);
  }

  /**
   * Lists all of the server's tools, across all pages. Returns an empty list if the server does not
   * declare the `tools` capability. A missing description becomes `""`, and a missing input schema
   * becomes `{ type: "object" }`. The remaining members of each tool are returned unchanged.
   *
   * @param options Abort signal and timeouts for the request.
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.callTool}
   * except `tool_not_found`.
   * @throws {McpError} With code `protocol_error` if the list exceeds `maxListPages`,
   * `maxListItems` or `maxListChars`.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools Listing tools}
   */
  async listTools(options?: RequestOptions): Promise<readonly McpToolDescriptor[]> {
    return await listTools(this.#connected(), readRequest(options));
  }

  /**
   * Yields the list of tools, and the new list after each change that the server reports. All
   * changes that the server reports while a list is being requested result in a single new list.
   * The iteration ends after the first list if the server does not report changes, ends after
   * `disconnect()`, and throws if the connection is lost.
   *
   * @param options Abort signal that ends the iteration with an error.
   * @throws {McpError} If a request fails, with the same codes as {@linkcode McpClient.listTools}.
   * @throws The signal's reason if the signal is aborted.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools#list-changed-notification Changed tools}
   *
   * @example Watch a server's tools
   * ```ts
   * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
   * import { assertEquals } from "@std/assert";
   *
   * const server = new McpServer({ name: "greeter", version: "1.0.0" });
   * server.registerTool({ name: "greet", description: "Greets" }, () => "hello");
   * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
   * await using client = new McpClient({ transport });
   * await client.connect();
   * for await (const tools of client.watchTools()) {
   *   if (tools.length === 0) break;
   *   assertEquals(tools.map(({ name }) => name), ["greet"]);
   *   server.removeTool("greet");
   * }
   * ```
   */
  async *watchTools(
    options: Pick<RequestOptions, "signal"> = {},
  ): AsyncGenerator<readonly McpToolDescriptor[], void> {
    const signal = readSignal(options);
    const session = this.#connected();
    try {
      yield* watchTools(session, { ...DEFAULT_REQUEST, signal });
    } catch (error) {
      // A call to `disconnect()` does not count as a lost connection.
      if (this.#session === session || signal?.aborted === true) throw error;
    }
  }

  /**
   * Calls a tool. If the tool fails, resolves with a result that has `isError` set, so the error
   * can be sent to the model. With the `throwOnToolError` option, rejects if the tool fails.
   *
   * @param toolName Name of the tool.
   * @param args Arguments that match the tool's input schema, which may be omitted if the tool
   * takes no arguments.
   * @param options Abort signal, timeouts and progress callback for the request.
   * @throws {McpError} With code `tool_not_found` if the server reports the tool as unknown.
   * @throws {McpError} With code `protocol_error` if the server returns an error that does not
   * report an unknown tool, or an invalid result, or if the client is not connected.
   * @throws {McpError} With code `transport_error` if the connection ends. If the server had
   * accepted the call, its outcome is unknown, and the call is not repeated.
   * @throws {McpError} With code `timeout` if the response does not arrive in time; the client
   * notifies the server that the call is cancelled.
   * @throws {McpError} With code `auth_error` if the server requires authorization.
   * @throws {McpError} With code `serialization_error` if the arguments cannot be serialized as
   * JSON.
   * @throws {McpError} With code `core` if more than `maxQueued` calls are queued, or if the send
   * buffer for a server process is full.
   * @throws {TypeError} If the name is not a string, the arguments are not an object, or an option
   * has the wrong type.
   * @throws {RangeError} If a timeout is not a positive number.
   * @throws The signal's reason if the signal is aborted.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools Calling tools}
   */
  callTool(
    toolName: string,
    args?: JsonObject,
    options?: RequestOptions,
  ): Promise<CallToolResult> {
    const result = callTool(() => this.#connected(), toolName, args, options);
    return this.#settings.throwOnToolError ? result.then(assertSuccess(toolName)) : result;
  }

  /**
   * Lists all of the server's resources, across all pages. Returns an empty list if the server does
   * not declare the `resources` capability.
   *
   * @param options Abort signal and timeouts for the request.
   * @throws {McpError} If the request fails, with the same codes as
   * {@linkcode McpClient.listTools}.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources Listing resources}
   */
  async listResources(options?: RequestOptions): Promise<readonly McpResource[]> {
    return await listResources(this.#connected(), readRequest(options));
  }

  /**
   * Lists all of the server's resource templates, across all pages. Returns an empty list if the
   * server does not declare the `resources` capability.
   *
   * @param options Abort signal and timeouts for the request.
   * @throws {McpError} If the request fails, with the same codes as
   * {@linkcode McpClient.listTools}.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates Resource templates}
   */
  async listResourceTemplates(options?: RequestOptions): Promise<readonly McpResourceTemplate[]> {
    return await listResourceTemplates(this.#connected(), readRequest(options));
  }

  /**
   * Reads a resource.
   *
   * @param uri URI of the resource.
   * @param options Abort signal, timeouts and progress callback for the request.
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.callTool}.
   * For an unknown resource, the code is `protocol_error` and `rpcCode` is -32602, or -32002 from
   * legacy servers.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources Reading resources}
   */
  async getResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult> {
    assertString("uri", uri);
    return await readResourceAt(this.#connected(), uri, readRequest(options));
  }

  /**
   * Lists all of the server's prompts, across all pages. Returns an empty list if the server does
   * not declare the `prompts` capability.
   *
   * @param options Abort signal and timeouts for the request.
   * @throws {McpError} If the request fails, with the same codes as
   * {@linkcode McpClient.listTools}.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts Listing prompts}
   */
  async listPrompts(options?: RequestOptions): Promise<readonly McpPrompt[]> {
    return await listPrompts(this.#connected(), readRequest(options));
  }

  /**
   * Gets a prompt, with the arguments filled in by the server.
   *
   * @param name Name of the prompt.
   * @param args Prompt arguments. If omitted, no arguments are sent.
   * @param options Abort signal, timeouts and progress callback for the request.
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.callTool}.
   * For an unknown prompt, the code is `protocol_error` and `rpcCode` is -32602.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt Getting a prompt}
   */
  async getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    assertString("name", name);
    if (args !== undefined) assertObject("args", args);
    return await getPrompt(this.#connected(), name, args ?? {}, readRequest(options));
  }

  /**
   * Requests completions for an argument of a prompt or resource template, for example while a user
   * types it.
   *
   * @param params Prompt or resource template, and the argument with its current value.
   * @param options Abort signal and timeouts for the request.
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.callTool}.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion Completion}
   */
  async complete(params: CompleteParams, options?: RequestOptions): Promise<Completion> {
    assertObject("params", params);
    return await complete(this.#connected(), params, readRequest(options));
  }

  /**
   * Sends a request with any method, such as an extension method, and returns its result unchanged.
   * If the server requests input before it responds, the client's handlers handle the input
   * requests, as for {@linkcode McpClient.callTool}.
   *
   * @param method JSON-RPC method, such as `com.example/search`.
   * @param params Parameters of the request; by default, an empty object.
   * @param options Abort signal, timeouts, progress callback, `_meta` members and handlers for the
   * request.
   * @returns Result of the request, without `resultType`.
   * @throws {TypeError} If `method` is not a string, or `params` is not an object.
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.callTool}
   * except `tool_not_found`.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/index#requests Requests}
   *
   * @example Send a request by method name
   * ```ts
   * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
   * import { assertEquals } from "@std/assert";
   *
   * const server = new McpServer({ name: "greeter", version: "1.0.0" });
   * server.registerTool({ name: "greet", description: "Greets" }, () => "hello");
   * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
   * await using client = new McpClient({ transport });
   * await client.connect();
   * const { content } = await client.request("tools/call", { name: "greet" });
   * assertEquals(content, [{ type: "text", text: "hello" }]);
   * ```
   */
  async request(
    method: string,
    params?: JsonObject,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    assertString("method", method);
    if (params !== undefined) assertObject("params", params);
    return await this.#connected().request(method, params ?? {}, readRequest(options));
  }

  /**
   * Sends a request on behalf of another client, for programs that relay requests between clients
   * and servers. A modern server's result is returned unchanged, including its `resultType`: the
   * other client handles the input requests in a result of type `input_required`. The input
   * requests from a legacy server are passed to `handlers`.
   *
   * @param method JSON-RPC method, such as `tools/call`.
   * @param params Parameters of the request.
   * @param options Client on whose behalf the request is sent, and the request options.
   * @returns Result of the request.
   * @throws {TypeError} If `method` is not a string, `params` or `options` is not an object, the
   * client's capabilities are not an object, or `onNotification` is not a function.
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.request}.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr Multi round-trip requests}
   *
   * @example Read the type of a result
   * ```ts
   * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
   * import { assertEquals } from "@std/assert";
   *
   * const server = new McpServer({ name: "greeter", version: "1.0.0" });
   * server.registerTool({ name: "greet", description: "Greets" }, (_args, { ask }) =>
   *   ask("roots", { method: "roots/list" }));
   * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
   * await using client = new McpClient({ transport });
   * await client.connect();
   * const { resultType } = await client.relay("tools/call", { name: "greet" }, {
   *   client: { capabilities: { roots: {} } },
   * });
   * assertEquals(resultType, "input_required");
   * ```
   */
  async relay(method: string, params: JsonObject, options: RelayOptions): Promise<JsonObject> {
    assertString("method", method);
    assertObject("params", params);
    const settings = readRelay(options);
    const { onNotification } = settings;
    return await this.#connected().request(method, params, {
      ...settings,
      ...(onNotification && { onNotification: guard(onNotification, this.#onError) }),
    });
  }

  /**
   * Sets the minimum level of the log messages that the server sends. Log messages are passed to
   * `onNotification`.
   *
   * @param level Minimum level of log messages.
   * @param options Abort signal and timeouts for the request.
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.callTool}.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging Logging}
   */
  async setLogLevel(level: LogLevel, options?: RequestOptions): Promise<void> {
    await setLogLevel(this.#connected(), level, readRequest(options));
  }

  /**
   * Opens a subscription stream for changes to lists and resources. The caller must close the
   * stream when the subscription is no longer needed.
   *
   * @param filter List and resource changes to subscribe to.
   * @param options Timeouts for the server's acknowledgment, a signal that ends the subscription
   * stream, and the client on whose behalf the stream is opened.
   * @throws {McpError} If the request fails, with the same codes as {@linkcode McpClient.callTool}.
   * @see
   * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
   *
   * @example Receive a notification when a tool is removed
   * ```ts
   * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
   * import { assertEquals } from "@std/assert";
   *
   * const server = new McpServer({ name: "greeter", version: "1.0.0" });
   * server.registerTool({ name: "greet", description: "Greets" }, () => "hello");
   * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
   * const client = new McpClient({ transport });
   * await client.connect();
   * try {
   *   const subscription = await client.listen({ toolsListChanged: true });
   *   server.removeTool("greet");
   *   for await (const { method } of subscription) {
   *     assertEquals(method, "notifications/tools/list_changed");
   *     await subscription.close();
   *   }
   * } finally {
   *   await client.disconnect();
   * }
   * ```
   */
  async listen(filter: SubscriptionFilter, options?: ListenOptions): Promise<Subscription> {
    const wanted = defined(readWantedFilter(filter));
    return await this.#connected().listen(wanted, readListen(options));
  }

  /**
   * Notifies the server that the result of the `listRoots` handler has changed. In the modern era,
   * sends nothing, because servers request the roots when they need them.
   *
   * @throws {McpError} With code `protocol_error` if the client is not connected.
   * @throws {McpError} With code `transport_error` if the connection has ended.
   */
  async rootsChanged(): Promise<void> {
    await this.#connected().rootsChanged();
  }

  /**
   * Disconnects from the server. Calls in progress reject. After disconnecting, the client can
   * connect again. If the client is not connected, `disconnect()` does nothing.
   */
  disconnect(): Promise<void> {
    return this.#closing ??= this.#close().finally(() => this.#closing = undefined);
  }

  /** Disconnects from the server. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.disconnect();
  }

  async #close(): Promise<void> {
    if (this.#connecting.isRunning) {
      await this.#connecting.cancel(McpError.transportError("client", "closed"));
    }
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  async #open(signal: AbortSignal): Promise<void> {
    await this.#session?.close();
    const { auth, around, maxConcurrent, maxQueued, ...settings } = this.#settings;
    const { handlers, capabilities, extensions, onNotification } = settings;
    const onError = this.#onError;
    let lastId = 0;
    // Later calls to `connect()` reuse the authorized server source, because it holds the access
    // tokens.
    const source = this.#authorizedSource ??= await withAuth(this.#source, auth, onError);
    const { session, era } = await openSession(source, {
      ...settings,
      capabilities: capabilitiesOf(handlers, capabilities, extensions),
      onNotification: guard(onNotification, onError),
      onError,
      tolerance: this.#tolerance,
      signal,
      semaphore: new Semaphore(maxConcurrent, maxQueued),
      era: this.#era,
      nextId: () => ++lastId,
    });
    const transport = "endpoint" in source ? "http" : "pipe";
    this.#session = around === undefined ? session : new AroundSession(session, around, transport);
    this.#era = era;
  }

  #connected(): Session {
    if (this.#session !== undefined) return this.#session;
    throw McpError.protocolError("the client is not connected; call connect() first");
  }
}

/** Returns a callback that reports exceptions and rejected promises instead of propagating them. */
function guard<T>(
  callback: (value: T) => unknown,
  onError: (error: unknown) => void,
): (value: T) => void {
  return (value) => {
    try {
      const result = callback(value);
      reportRejection(result, onError);
    } catch (error) {
      onError(error);
    }
  };
}
