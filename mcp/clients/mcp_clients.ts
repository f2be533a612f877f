/**
 * Several MCP clients whose tools form one list.
 *
 * @module
 */

import { McpClient } from "../client/client.ts";
import type { McpClientConfig } from "../client/config.ts";
import { readSignal, type RequestOptions } from "../client/request_options.ts";
import type { CallToolResult, McpToolDescriptor } from "../protocol/tool.ts";
import {
  assertCount,
  assertFunction,
  assertObject,
  assertString,
} from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
import { Queue } from "../shared/bounded_queue.ts";
import { McpError } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import type { JsonObject } from "../shared/json.ts";
import { foreignName, listedTwice, ToolNames } from "./tool_names.ts";
import { prefixedName } from "@parley/internal/prefixed-name";

/** Options for {@linkcode McpClients}. */
export interface McpClientsOptions {
  /**
   * Maximum number of servers.
   *
   * @default {100}
   */
  readonly maxServers?: number;
  /**
   * Maximum total number of tools across all servers. If the servers list more than `maxTools`
   * tools, `listTools` and `watchTools` fail with code `protocol_error`.
   *
   * @default {10_000}
   */
  readonly maxTools?: number;
  /**
   * Called with one error for each server whose tools cannot be listed, with one error for each
   * tool that a server lists twice, and with errors from disconnecting. If omitted, errors are
   * printed to standard error: each error once, and at most 20 per minute. Pass `() => {}` to
   * ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

const readOptions = optionsReader<McpClientsOptions>("options")({
  maxServers: withDefault(100, assertCount),
  maxTools: withDefault(10_000, assertCount),
  onError: assertFunction,
});

/** A server that {@linkcode McpClients.connect} could not connect to. */
export interface FailedConnection {
  /** Name of the server in the configuration. */
  readonly name: string;
  /** Reason for the failure, as thrown by `McpClient.connect`. */
  readonly error: unknown;
}

/** A server and its client. */
interface ConnectedServer {
  readonly name: string;
  readonly client: McpClient;
}

/** A server and the tools that it lists. */
interface ListedServer extends ConnectedServer {
  readonly tools: readonly McpToolDescriptor[];
}

/** The server that provides a tool, and the tool's name on that server. */
interface Route {
  readonly server: string;
  readonly client: McpClient;
  readonly toolName: string;
}

/**
 * Several MCP clients whose tools form one list. Each tool name is prefixed with the server name
 * and `_`. For example, the `read` tool from the `files` server becomes `files_read`. A prefixed
 * name with at most 64 characters, all of them `A-Z a-z 0-9 _ -`, is used unchanged. A prefixed
 * name that is longer or contains other characters is truncated to 57 characters, invalid
 * characters are replaced with `_`, and `_` and 6 hexadecimal digits of a hash are appended.
 *
 * A name belongs to the server with the longest prefix that the name starts with, even while that
 * server cannot be reached, so that no server can replace a tool of another server. For example,
 * `files_work_read` never belongs to `files` if there is a server `files_work`.
 *
 * A server that cannot be reached does not affect the tools of other servers.
 *
 * @example Call the tools of two servers
 * ```ts
 * import { createMemoryTransport, McpServer, servePipe } from "@parley/mcp";
 * import { McpClients } from "@parley/mcp/clients";
 * import { assertEquals } from "@std/assert";
 *
 * const transportTo = (answer: string) => {
 *   const server = new McpServer({ name: answer, version: "1.0.0" });
 *   server.registerTool({ name: "greet", description: "Greets" }, () => answer);
 *   return createMemoryTransport((pipe) => servePipe(server, pipe));
 * };
 * await using clients = new McpClients({
 *   en: { transport: transportTo("hello") },
 *   fr: { transport: transportTo("bonjour") },
 * });
 * for (const { name, error } of await clients.connect()) console.error(name, error);
 *
 * const tools = await clients.listTools();
 * assertEquals(tools.map(({ name }) => name), ["en_greet", "fr_greet"]);
 * const { content } = await clients.callTool("fr_greet", {});
 * assertEquals(content, [{ type: "text", text: "bonjour" }]);
 * ```
 */
export class McpClients implements AsyncDisposable {
  readonly #clients: ReadonlyMap<string, McpClient>;
  readonly #names: ToolNames;
  readonly #maxTools: number;
  readonly #onError: (error: unknown) => void;
  readonly #closed = new AbortController();
  #hasStarted = false;
  #routes: ReadonlyMap<string, Route> = new Map();
  #closing: Promise<void> | undefined;

  /**
   * Creates clients that are not connected yet.
   *
   * @param configs Client configurations, keyed by server name, such as the result of
   * `readMcpConfig`.
   * @param options Limits and error handler.
   * @throws {TypeError} If a configuration is not valid. The error message contains the name of the
   * server with that configuration.
   * @throws {TypeError} If two server names are equal after conversion, such as `a.b` and `a_b`.
   * @throws {RangeError} If there are more than `maxServers` configurations, or a limit is not a
   * positive integer.
   */
  constructor(
    configs: Readonly<Record<string, McpClientConfig>>,
    options: McpClientsOptions = {},
  ) {
    assertObject("configs", configs);
    const { maxServers, maxTools, onError } = readOptions(options);
    const entries = Object.entries(configs);
    if (entries.length > maxServers) {
      throw new RangeError(
        `"configs" must have at most ${maxServers} servers ("maxServers"), got ${entries.length}`,
      );
    }
    this.#onError = createErrorReporter("McpClients", onError);
    this.#maxTools = maxTools;
    this.#names = new ToolNames(entries.map(([name]) => name));
    this.#clients = new Map(entries.map(([name, config]) => [name, createClient(name, config)]));
  }

  /**
   * Connects to all servers at the same time. Servers that are already connected stay connected, so
   * a second call retries only the failed servers.
   *
   * @param options Signal that aborts the call. Servers that are already connected stay connected.
   * @returns The servers that could not be connected to, in configuration order.
   * @throws {McpError} With code `protocol_error` after `close()`.
   * @throws The signal's reason if the signal is aborted.
   */
  async connect(
    options: Pick<RequestOptions, "signal"> = {},
  ): Promise<readonly FailedConnection[]> {
    const signal = readSignal(options);
    this.#assertNotClosed();
    this.#hasStarted = true;
    const attempts = Array.from(this.#clients, async ([name, client]) => {
      try {
        await client.connect(defined({ signal }));
        return [];
      } catch (error) {
        return [{ name, error }];
      }
    });
    const failed = await Promise.all(attempts);
    signal?.throwIfAborted();
    return failed.flat();
  }

  /**
   * Returns the client for a server, or `undefined` if no server has this name or `connect()` has
   * not connected to it.
   *
   * @param name Name of the server in the configuration.
   */
  get(name: string): McpClient | undefined {
    const client = this.#clients.get(name);
    return client?.server === undefined ? undefined : client;
  }

  /**
   * Lists the tools from all connected servers, in configuration order, with prefixed names. A
   * server whose tools cannot be listed is reported to `onError` and omitted. If a server lists two
   * tools with the same name, the second one is reported and omitted, and so is a tool whose name
   * belongs to another server.
   *
   * @param options Abort signal and timeouts for the request to each server.
   * @throws {McpError} With code `protocol_error` if there are more than `maxTools` tools, before
   * `connect()` and after `close()`.
   * @throws {TypeError} If an option has the wrong type.
   * @throws {RangeError} If a timeout is not a positive number.
   * @throws The signal's reason if the signal is aborted.
   */
  async listTools(options?: RequestOptions): Promise<readonly McpToolDescriptor[]> {
    const lists = this.#connected().map(async ({ name, client }) => {
      return { name, client, tools: await this.#list(name, client, options) };
    });
    return await this.#combine(await Promise.all(lists));
  }

  /**
   * Calls a tool on one of the servers. If the last list of tools does not contain the name, the
   * tools are listed again.
   *
   * @param name Prefixed name of the tool.
   * @param args Arguments that match the tool's input schema.
   * @param options Abort signal, timeouts, progress callback and `_meta` members for the request.
   * @throws {McpError} With code `tool_not_found` if no connected server lists a tool with this
   * name.
   * @throws {McpError} If the call fails, with the same codes as `McpClient.callTool`.
   * @throws {McpError} If the tools cannot be listed, with the same codes as
   * {@linkcode McpClients.listTools}.
   * @throws {TypeError} If the name is not a string, the arguments are not an object, or an option
   * has the wrong type.
   * @throws The signal's reason if the signal is aborted.
   */
  async callTool(
    name: string,
    args: JsonObject,
    options: RequestOptions = {},
  ): Promise<CallToolResult> {
    assertString("name", name);
    assertObject("options", options);
    this.#connected();
    if (!this.#routes.has(name)) {
      const { signal } = options;
      await this.listTools(signal === undefined ? {} : { signal });
    }
    const route = this.#routes.get(name);
    if (route === undefined) throw McpError.toolNotFound(name);
    return await route.client.callTool(route.toolName, args, options);
  }

  /**
   * Yields the tools from the servers that are connected at the time of the call, and the new list
   * after each change. A server whose connection is lost is reported to `onError`, and later lists
   * do not contain that server's tools. The iteration ends after `close()`, and after the first
   * list if no server reports changes.
   *
   * @param options Abort signal that ends the iteration with an error.
   * @throws {McpError} With code `protocol_error` if there are more than `maxTools` tools, before
   * `connect()` and after `close()`.
   * @throws The signal's reason if the signal is aborted.
   */
  async *watchTools(
    options: Pick<RequestOptions, "signal"> = {},
  ): AsyncGenerator<readonly McpToolDescriptor[], void> {
    const caller = readSignal(options);
    const clients = this.#connected();
    const stop = new AbortController();
    const signals = [stop.signal, this.#closed.signal];
    const signal = AbortSignal.any(caller ? [...signals, caller] : signals);
    const changes = new Queue<true>({ capacity: 1 });
    const lists = new Map<string, readonly McpToolDescriptor[]>();
    const set = (name: string, tools: readonly McpToolDescriptor[]): void => {
      lists.set(name, tools);
      if (lists.size === clients.length) changes.tryPush(true);
    };
    if (clients.length === 0) changes.tryPush(true);
    const watches = clients.map(async ({ name, client }) => {
      try {
        for await (const tools of client.watchTools({ signal })) set(name, tools);
        if (client.server === undefined) set(name, []);
      } catch (error) {
        if (signal.aborted) return;
        this.#onError(listingFailed(name, error));
        set(name, []);
      }
    });
    const ended = Promise.all(watches).then(() => changes.end());
    try {
      for await (const _change of changes) {
        yield await this.#combine(
          clients.map((server) => ({ ...server, tools: lists.get(server.name) ?? [] })),
        );
      }
      caller?.throwIfAborted();
    } finally {
      stop.abort();
      await ended;
    }
  }

  /**
   * Disconnects from all servers. Calls in progress reject. Later calls to `close()` have no
   * effect.
   */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** Disconnects from all servers. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#closed.abort();
    const clients = [...this.#clients.values()];
    await Promise.all(clients.map((client) => client.disconnect().catch(this.#onError)));
  }

  async #list(
    name: string,
    client: McpClient,
    options: RequestOptions | undefined,
  ): Promise<readonly McpToolDescriptor[]> {
    try {
      return await client.listTools(options);
    } catch (error) {
      options?.signal?.throwIfAborted();
      this.#assertNotClosed();
      // Errors other than `McpError` are caused by the caller, for example by an invalid timeout.
      if (!(error instanceof McpError)) throw error;
      this.#onError(listingFailed(name, error));
      return [];
    }
  }

  /**
   * Returns the tools from all servers with prefixed names, and records which server each tool
   * belongs to.
   */
  async #combine(lists: readonly ListedServer[]): Promise<readonly McpToolDescriptor[]> {
    const count = lists.reduce((sum, { tools }) => sum + tools.length, 0);
    if (count > this.#maxTools) {
      throw McpError.protocolError(
        `the servers list ${count} tools, more than ${this.#maxTools} ("maxTools")`,
      );
    }
    const routes = new Map<string, Route>();
    const combined: McpToolDescriptor[] = [];
    for (const { name: server, client, tools } of lists) {
      for (const tool of tools) {
        const name = await prefixedName(`${server}_`, tool.name);
        const owner = this.#names.ownerOf(name) ?? server;
        if (owner !== server) this.#onError(foreignName(server, name, owner));
        else if (routes.has(name)) this.#onError(listedTwice(server, name));
        else {
          routes.set(name, { server, client, toolName: tool.name });
          combined.push({ ...tool, name });
        }
      }
    }
    this.#routes = routes;
    return combined;
  }

  /** Returns the connected clients, in configuration order. */
  #connected(): readonly ConnectedServer[] {
    this.#assertNotClosed();
    if (!this.#hasStarted) {
      throw McpError.protocolError("the clients are not connected; call connect() first");
    }
    return Array.from(this.#clients, ([name, client]) => ({ name, client }))
      .filter(({ client }) => client.server !== undefined);
  }

  #assertNotClosed(): void {
    if (this.#closing === undefined) return;
    throw McpError.protocolError("the clients are closed");
  }
}

function createClient(name: string, config: McpClientConfig): McpClient {
  try {
    return new McpClient(config);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const text = `Cannot create the client for server "${name}": ${reason}`;
    throw cause instanceof RangeError
      ? new RangeError(text, { cause })
      : new TypeError(text, { cause });
  }
}

function listingFailed(server: string, cause: unknown): McpError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return McpError.core(`the tools of server "${server}" cannot be listed: ${reason}`, { cause });
}
