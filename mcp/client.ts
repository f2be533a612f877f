/**
 * A Model Context Protocol client, without the server: connect to any server and use what it offers.
 *
 * ```ts ignore
 * import { McpClient } from "@parley/mcp/client";
 * import { spawnServer } from "@parley/mcp/process";
 *
 * const client = new McpClient({ transport: spawnServer("my-server") });
 * await client.connect();
 * try {
 *   const tools = await client.listTools();
 *   const result = await client.callTool("add", { a: 1, b: 2 });
 * } finally {
 *   await client.disconnect();
 * }
 * ```
 *
 * @module
 */

import { openPipeSession } from "./client/detect.ts";
import type { OpenHandshake } from "./client/detect.ts";
import type { InputHandlers } from "./client/input.ts";
import {
  callTool,
  getPrompt,
  listPrompts,
  listResources,
  listResourceTemplates,
  listTools,
  readResourceAt,
} from "./client/methods.ts";
import type { RequestOptions } from "./client/request.ts";
import type { Session } from "./client/session.ts";
import { createTransport } from "./create_transport.ts";
import { McpError } from "./error.ts";
import type { JsonObject } from "./json.ts";
import {
  type Implementation,
  type McpCapabilities,
  toMcpCapabilities,
} from "./protocol/capabilities.ts";
import type { ServerDescription } from "./protocol/handshake.ts";
import type { GetPromptResult, McpPrompt } from "./protocol/prompt.ts";
import type { McpResource, McpResourceTemplate, ReadResourceResult } from "./protocol/resource.ts";
import { REVISIONS } from "./protocol/revisions.ts";
import type { CallToolResult, McpToolDescriptor } from "./protocol/tool.ts";
import type { RpcNotification } from "./rpc/message.ts";
import type { McpTransport, PipeSource, TransportConfig } from "./rpc/transport.ts";
import { bridgeTransport } from "./transport/bridge.ts";

export type { InputHandlers } from "./client/input.ts";
export type { ProgressUpdate, RequestOptions } from "./client/request.ts";
export { createTransport } from "./create_transport.ts";
export { McpError, McpErrorCode } from "./error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./error.ts";
export { createMemoryTransport } from "./transport/memory.ts";
export { StdioTransport } from "./transport/stdio.ts";

/** How a client is set up. */
export interface McpClientConfig {
  /** What leads to the server: a description, a transport of your own, or what `spawnServer` returns. */
  readonly transport: TransportConfig | McpTransport | PipeSource;
  /** The software, as it calls itself to servers. Default `{ name: "parley", version: "0.1.0" }`. */
  readonly info?: Implementation;
  /**
   * Which protocol to speak: `auto` finds out what the server speaks, newest first; `modern` and `legacy` are one era
   * only; a version such as `2025-06-18` is that one. Default `auto`.
   */
  readonly protocol?: string;
  /** Answers what servers ask. What has no handler is not offered to them. */
  readonly handlers?: InputHandlers;
  /** Hears of notifications that belong to no request, such as changed lists. */
  readonly notified?: (notification: RpcNotification) => void;
  /** How long to wait for the answer to the first question before the older era is tried too. Default 5000. */
  readonly probeTimeoutMs?: number;
  /** How long connecting may take altogether: a server may have to be downloaded first. Default 60 000. */
  readonly connectTimeoutMs?: number;
}

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
  readonly #source: PipeSource;
  #session: Session | undefined;
  #connecting: { readonly done: Promise<void>; readonly abort: AbortController } | undefined;

  /**
   * Makes a client that is not connected yet.
   *
   * @throws {TypeError} when the transport or the protocol is none
   */
  constructor(config: McpClientConfig) {
    const { protocol = "auto", transport } = config;
    const known = ["auto", "modern", "legacy", ...REVISIONS.map(({ version }) => version)];
    if (!known.includes(protocol)) {
      throw new TypeError(`Cannot make a client: there is no protocol "${protocol}"`);
    }
    this.#config = config;
    this.#source = toPipeSource(transport);
  }

  /** Whether the client is connected and the server is still there. */
  get connected(): boolean {
    return this.#session !== undefined && this.#session.ended === undefined;
  }

  /** Who the server is, which version it speaks, how to use it; undefined while not connected. */
  get server(): ServerDescription | undefined {
    return this.#session?.server;
  }

  /** What the server offers; undefined while not connected. */
  capabilities(): McpCapabilities | undefined {
    return this.#session && toMcpCapabilities(this.#session.server.capabilities);
  }

  /**
   * Connects to the server, finding out which protocol it speaks. Does nothing when connected; calls at the same time
   * share one attempt.
   *
   * @param options a signal that gives up
   * @throws {McpError} `connection_failed` when the server cannot be reached, `transport_error` when it goes away or does
   * not answer in time, `protocol_error` when there is no common version
   */
  async connect(options: Pick<RequestOptions, "signal"> = {}): Promise<void> {
    options.signal?.throwIfAborted();
    if (this.connected) return;
    this.#connecting ??= this.#start();
    const { done, abort } = this.#connecting;
    const give = (): void => abort.abort(options.signal?.reason);
    options.signal?.addEventListener("abort", give, { once: true });
    try {
      await done;
    } finally {
      options.signal?.removeEventListener("abort", give);
    }
  }

  /**
   * Lists the server's tools, all pages. Empty when it offers none.
   *
   * @throws {McpError} as {@linkcode McpClient.callTool}, but not `tool_not_found`
   */
  async listTools(options?: RequestOptions): Promise<readonly McpToolDescriptor[]> {
    return await listTools(this.#connected(), options);
  }

  /**
   * Calls a tool. A tool that fails gives a result with `isError`.
   *
   * @param toolName which tool
   * @param args its arguments
   * @param options signal, time-out, progress
   * @throws {McpError} `tool_not_found` when the server says so, `protocol_error` when it answers with another error or
   * not validly or the client is not connected, `transport_error` when it goes away or does not answer in time
   */
  async callTool(
    toolName: string,
    args: JsonObject,
    options?: RequestOptions,
  ): Promise<CallToolResult> {
    return await callTool(this.#connected(), toolName, args, options);
  }

  /** Lists the server's resources, all pages. Empty when it offers none. */
  async listResources(options?: RequestOptions): Promise<readonly McpResource[]> {
    return await listResources(this.#connected(), options);
  }

  /** Lists the server's templates of resources, all pages. Empty when it offers none. */
  async listResourceTemplates(options?: RequestOptions): Promise<readonly McpResourceTemplate[]> {
    return await listResourceTemplates(this.#connected(), options);
  }

  /**
   * Reads a resource.
   *
   * @param uri which resource
   */
  async getResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult> {
    return await readResourceAt(this.#connected(), uri, options);
  }

  /** Lists the server's prompts, all pages. Empty when it offers none. */
  async listPrompts(options?: RequestOptions): Promise<readonly McpPrompt[]> {
    return await listPrompts(this.#connected(), options);
  }

  /**
   * Fills in a prompt.
   *
   * @param name which prompt
   * @param args what goes into its blanks. Default: nothing
   */
  async getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    return await getPrompt(this.#connected(), name, args ?? {}, options);
  }

  /** Disconnects; calls under way reject. The client may connect again. Does nothing when not connected. */
  async disconnect(): Promise<void> {
    this.#connecting?.abort.abort(McpError.transportError(this.#source.label, "closed"));
    // Who is connecting is told.
    await this.#connecting?.done.catch(() => {});
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /** Disconnects. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.disconnect();
  }

  #start(): { readonly done: Promise<void>; readonly abort: AbortController } {
    const abort = new AbortController();
    const done = this.#open(abort.signal).finally(() => this.#connecting = undefined);
    return { done, abort };
  }

  async #open(signal: AbortSignal): Promise<void> {
    await this.#session?.close();
    const {
      info = { name: "parley", version: "0.1.0" },
      protocol = "auto",
      handlers = {},
      notified = ignore,
      probeTimeoutMs = 5000,
      connectTimeoutMs = 60_000,
    } = this.#config;
    let lastId = 0;
    this.#session = await openPipeSession(this.#source, {
      info,
      protocol,
      handlers,
      notified,
      probeTimeoutMs,
      connectTimeoutMs,
      signal,
      nextId: () => ++lastId,
      openHandshake,
    });
  }

  #connected(): Session {
    if (this.#session !== undefined) return this.#session;
    throw McpError.protocolError("not connected: call connect() first");
  }
}

function toPipeSource(transport: McpClientConfig["transport"]): PipeSource {
  if ("openPipe" in transport) return transport;
  if ("type" in transport) return toPipeSource(createTransport(transport));
  return bridgeTransport(transport);
}

/** Loads the handshake era when the first server needs it. */
const openHandshake: OpenHandshake = async function (connection, options) {
  const { openClientSession } = await import("./legacy/client_session.ts");
  return await openClientSession(connection, options);
};

function ignore(): void {}
