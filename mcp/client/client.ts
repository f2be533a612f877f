/**
 * The client of one server.
 *
 * @module
 */

import { capabilitiesOf } from "./input_handlers.ts";
import {
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
import type { RequestOptions } from "./send_request.ts";
import { ServerEra } from "./server_era.ts";
import type { Session } from "./session.ts";
import type { Subscription, SubscriptionFilter } from "./subscription.ts";
import type { McpClientConfig } from "./config.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { type McpCapabilities, toMcpCapabilities } from "../protocol/capabilities.ts";
import type { CompleteParams, Completion } from "../protocol/completion.ts";
import type { ServerDescription } from "../protocol/initialize.ts";
import type { LogLevel } from "../protocol/logging.ts";
import type { GetPromptResult, McpPrompt } from "../protocol/prompt.ts";
import type { McpResource, McpResourceTemplate, ReadResourceResult } from "../protocol/resource.ts";
import { openSession, type ServerSource, toSource, withAuth } from "./connect.ts";
import { REVISIONS } from "../protocol/revisions.ts";
import type { CallToolResult, McpToolDescriptor } from "../protocol/tool.ts";
import { SharedOperation } from "../shared/shared_operation.ts";
import { Semaphore } from "../shared/semaphore.ts";

/**
 * A client of one server.
 *
 * @example A client and a server in one program
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
  readonly #config: McpClientConfig;
  readonly #source: ServerSource;
  #authorizedSource: ServerSource | undefined;
  #session: Session | undefined;
  #era: ServerEra | undefined;
  #connecting: SharedOperation | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Makes a client that is not connected yet.
   *
   * @throws {TypeError} when the transport, the protocol or the era is none
   * @throws {RangeError} when a limit is not one
   */
  constructor(config: McpClientConfig) {
    const { protocol = "auto", era, transport } = config;
    const { maxConcurrent = 100, maxQueued = 1000, maxListPages = 1000 } = config;
    const known = ["auto", "modern", "legacy", ...REVISIONS.map(({ version }) => version)];
    if (!known.includes(protocol)) {
      throw new TypeError(`Cannot make a client: there is no protocol "${protocol}"`);
    }
    if (era !== undefined && !Object.values(ServerEra).includes(era)) {
      throw new TypeError(`Cannot make a client: there is no era "${era}"`);
    }
    if (!(maxConcurrent >= 1 && maxQueued >= 0 && maxListPages >= 1)) {
      throw new RangeError(
        `Cannot make a client: maxConcurrent ${maxConcurrent}, maxQueued ${maxQueued} or maxListPages ${maxListPages}`,
      );
    }
    this.#era = era;
    this.#config = config;
    this.#source = toSource(transport);
  }

  /** Whether the client is connected and the server is still there. */
  get connected(): boolean {
    return this.#session !== undefined && this.#session.ended === undefined;
  }

  /** Who the server is, which version it speaks, how to use it; undefined while not connected. */
  get server(): ServerDescription | undefined {
    return this.#session?.server;
  }

  /**
   * How the server is talked to, once that has been found out: by this client or, before it has connected, by the one that
   * `era` of its configuration came from. Stays after a disconnect, and is what the next connect begins with.
   */
  get era(): ServerEra | undefined {
    return this.#era;
  }

  /** What the server offers; undefined while not connected. */
  capabilities(): McpCapabilities | undefined {
    return this.#session && toMcpCapabilities(this.#session.server.capabilities);
  }

  /**
   * Connects to the server, finding out which protocol it speaks. Does nothing when connected; calls at the same time
   * share one attempt, which goes on as long as one of them waits.
   *
   * @param options a signal that gives up
   * @throws {McpError} `connection_failed` when the server cannot be reached, goes away, does not answer in time or is
   * none, `protocol_error` when there is no common version, `auth_error` when it wants credentials, `transport_error`
   * when `disconnect()` comes first
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning Versioning}
   */
  async connect(options: Pick<RequestOptions, "signal"> = {}): Promise<void> {
    const { signal } = options;
    signal?.throwIfAborted();
    await this.#closing;
    if (this.connected) return;
    const attempt = this.#connecting ??= this.#start();
    await attempt.join(signal);
  }

  /**
   * Lists the server's tools, all pages. Empty when it offers none. What a server leaves out of a description is filled:
   * `""`, `[]`, `false`; schemas stay as they came.
   *
   * @param options signal, time-outs
   * @throws {McpError} as {@linkcode McpClient.callTool}, but not `tool_not_found`; `protocol_error` when there
   * are more than `maxListPages` pages
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools Listing tools}
   */
  async listTools(options?: RequestOptions): Promise<readonly McpToolDescriptor[]> {
    return await listTools(this.#connected(), options);
  }

  /**
   * Calls a tool. A tool that fails gives a result with `isError`: show it to the model. (With `throwOnToolError` it
   * rejects.)
   *
   * @param toolName which tool
   * @param args its arguments, by its input schema
   * @param options signal, time-outs, progress
   * @throws {McpError} `tool_not_found` when the server says so, `protocol_error` when it answers with another error or
   * not validly or the client is not connected, `transport_error` when it goes away or does not answer in time,
   * `auth_error` when it wants credentials, `serialization_error` when the arguments are not JSON, `core` when more than
   * `maxQueued` calls wait for others, or too much waits until a program reads its input
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools Calling tools}
   */
  callTool(
    toolName: string,
    args: JsonObject,
    options?: RequestOptions,
  ): Promise<CallToolResult> {
    const result = callTool(() => this.#connected(), toolName, args, options);
    return this.#config.throwOnToolError === true ? result.then(assertSuccess(toolName)) : result;
  }

  /**
   * Lists the server's resources, all pages. Empty when it offers none.
   *
   * @param options signal, time-outs
   * @throws {McpError} as {@linkcode McpClient.listTools}
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources Listing resources}
   */
  async listResources(options?: RequestOptions): Promise<readonly McpResource[]> {
    return await listResources(this.#connected(), options);
  }

  /**
   * Lists the server's templates of resources, all pages. Empty when it offers none.
   *
   * @param options signal, time-outs
   * @throws {McpError} as {@linkcode McpClient.listTools}
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates Resource templates}
   */
  async listResourceTemplates(options?: RequestOptions): Promise<readonly McpResourceTemplate[]> {
    return await listResourceTemplates(this.#connected(), options);
  }

  /**
   * Reads a resource.
   *
   * @param uri which resource
   * @param options signal, time-outs, progress
   * @throws {McpError} as {@linkcode McpClient.callTool}; an unknown resource is a `protocol_error` with `rpcCode` -32602,
   * or -32002 from older servers
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources Reading resources}
   */
  async getResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult> {
    return await readResourceAt(this.#connected(), uri, options);
  }

  /**
   * Lists the server's prompts, all pages. Empty when it offers none.
   *
   * @param options signal, time-outs
   * @throws {McpError} as {@linkcode McpClient.listTools}
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts Listing prompts}
   */
  async listPrompts(options?: RequestOptions): Promise<readonly McpPrompt[]> {
    return await listPrompts(this.#connected(), options);
  }

  /**
   * Fills in a prompt.
   *
   * @param name which prompt
   * @param args what goes into its blanks. Default: nothing
   * @param options signal, time-outs, progress
   * @throws {McpError} as {@linkcode McpClient.callTool}; an unknown prompt is a `protocol_error` with `rpcCode` -32602
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt Getting a prompt}
   */
  async getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    return await getPrompt(this.#connected(), name, args ?? {}, options);
  }

  /**
   * Completes an argument of a prompt or of a resource template that a person is typing.
   *
   * @param params what is completed, and what has been typed
   * @param options signal, time-outs
   * @throws {McpError} as {@linkcode McpClient.callTool}
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion Completion}
   */
  async complete(params: CompleteParams, options?: RequestOptions): Promise<Completion> {
    return await complete(this.#connected(), params, options);
  }

  /**
   * Says from which level on log messages are wanted; `onNotification` hears them.
   *
   * @param level the least urgent level that is wanted
   * @param options signal, time-outs
   * @throws {McpError} as {@linkcode McpClient.callTool}
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging Logging}
   */
  async setLogLevel(level: LogLevel, options?: RequestOptions): Promise<void> {
    await setLogLevel(this.#connected(), level, options);
  }

  /**
   * Asks for news of lists and resources. The stream has to be closed.
   *
   * @param filter which news
   * @param options time-outs until the server agrees, and a signal that ends the stream
   * @throws {McpError} as {@linkcode McpClient.callTool}
   * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions Subscriptions}
   *
   * @example Hear of a tool that goes
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
   *   const news = await client.listen({ toolsListChanged: true });
   *   server.removeTool("greet");
   *   for await (const { method } of news) {
   *     assertEquals(method, "notifications/tools/list_changed");
   *     await news.close();
   *   }
   * } finally {
   *   await client.disconnect();
   * }
   * ```
   */
  async listen(filter: SubscriptionFilter, options?: RequestOptions): Promise<Subscription> {
    return await this.#connected().listen(filter, options);
  }

  /**
   * Tells the server that what `listRoots` gives has changed. Does nothing where servers do not want to be told.
   *
   * @throws {McpError} `protocol_error` when the client is not connected, `transport_error` when the server is gone
   */
  async rootsChanged(): Promise<void> {
    await this.#connected().rootsChanged();
  }

  /** Disconnects; calls under way reject. The client may connect again. Does nothing when not connected. */
  disconnect(): Promise<void> {
    return this.#closing ??= this.#close().finally(() => this.#closing = undefined);
  }

  /** Disconnects. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.disconnect();
  }

  async #close(): Promise<void> {
    if (this.#connecting !== undefined) {
      await this.#connecting.cancel(McpError.transportError("client", "closed"));
    }
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  #start(): SharedOperation {
    return new SharedOperation((signal) =>
      this.#open(signal).finally(() => this.#connecting = undefined)
    );
  }

  async #open(signal: AbortSignal): Promise<void> {
    await this.#session?.close();
    const {
      clientInfo = { name: "parley", version: "0.1.0" },
      auth,
      protocol = "auto",
      handlers = {},
      capabilities = {},
      extensions = [],
      onNotification = ignore,
      onError = ignore,
      probeTimeoutMs = 5000,
      connectTimeoutMs = 60_000,
      enforceCapabilities = true,
      maxConcurrent = 100,
      maxQueued = 1000,
      maxListPages = 1000,
    } = this.#config;
    const report = guard(onError, ignore);
    let lastId = 0;
    // Kept for the next connect, with the tokens that it holds.
    const source = this.#authorizedSource ??= await withAuth(this.#source, auth);
    const { session, era } = await openSession(source, {
      clientInfo,
      protocol,
      handlers,
      capabilities: capabilitiesOf(handlers, capabilities, extensions),
      extensions,
      onNotification: guard(onNotification, report),
      onError: report,
      probeTimeoutMs,
      connectTimeoutMs,
      signal,
      enforceCapabilities,
      maxListPages,
      semaphore: new Semaphore(maxConcurrent, maxQueued),
      era: this.#era,
      nextId: () => ++lastId,
    });
    this.#session = session;
    this.#era = era;
  }

  #connected(): Session {
    if (this.#session !== undefined) return this.#session;
    throw McpError.protocolError("not connected: call connect() first");
  }
}

function assertSuccess(toolName: string): (result: CallToolResult) => CallToolResult {
  return (result) => {
    if (result.isError !== true) return result;
    throw McpError.core(`the tool "${toolName}" failed: ${textOf(result)}`, { data: result });
  };
}

function textOf({ content }: CallToolResult): string {
  return content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}

/** What a callback throws must not end what calls it. */
function guard<T>(
  callback: (value: T) => void,
  onError: (error: unknown) => void,
): (value: T) => void {
  return (value) => {
    try {
      callback(value);
    } catch (error) {
      onError(error);
    }
  };
}

function ignore(): void {}
