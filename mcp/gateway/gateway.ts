/**
 * The gateway: one MCP server in front of several other MCP servers.
 *
 * @module
 */

import { McpServer } from "../server/mcp_server.ts";
import type { ServerRegistration } from "../server/registration.ts";
import { McpError } from "../shared/error.ts";
import { sleep } from "@parley/internal/timers";
import { ClashReporter, type GatewayClash } from "./clashes.ts";
import { ConnectionPool } from "./connection_pool.ts";
import { GatewayMethods } from "./gateway_methods.ts";
import { ItemFinder } from "./offer.ts";
import { type GatewayOptions, type GatewaySettings, readOptions } from "./options.ts";
import { OwnItems } from "./own_items.ts";
import type { OnListsChanged } from "./upstream_connection.ts";
import type { ChangedList } from "./upstream_streams.ts";

/** A gateway, as returned by {@linkcode mcpGateway}. */
export interface Gateway extends AsyncDisposable {
  /**
   * The server that the gateway's clients connect to. The gateway also offers the items registered
   * on `server`.
   */
  readonly server: McpServer;
  /**
   * Requests the lists of all servers again, and notifies the gateway's clients of lists that have
   * changed. Returns the result of {@linkcode Gateway.clashes}.
   *
   * @throws {McpError} With code `protocol_error` if a server is unreachable and `onUnreachable` is
   * `fail`.
   */
  refresh(): Promise<readonly GatewayClash[]>;
  /**
   * Returns the items that the servers list and the gateway omits, because a different server owns
   * the item or an item that overlaps with it. Each clash is also reported to `onError` once.
   */
  clashes(): readonly GatewayClash[];
  /**
   * Closes the server and disconnects the clients of all servers behind it. Later calls to
   * `close()` have no effect.
   */
  close(): Promise<void>;
}

/**
 * Creates a server in front of several servers, and connects to the servers that have one client
 * for all callers. The gateway's lists contain the items of all servers, and the names of tools and
 * prompts start with their server's key. Both the gateway's clients and the servers can use any
 * protocol version.
 *
 * The gateway relays calls, progress, log messages, cancellation, `_meta`, completion, list
 * changes, resource subscriptions, input requests and tasks. Access tokens and scopes of callers
 * are never relayed: a server sees only what its client sends.
 *
 * Each tool, prompt, resource and resource template belongs to the first server that lists it, in
 * the order of `upstreams` when the gateway starts. The item still belongs to the server while the
 * server is down. The same item of another server is omitted and reported to `onError`.
 *
 * Input requests from a modern server reach all callers that support them. Input requests from a
 * legacy server reach a legacy caller with a session if the caller's request is the only one in
 * flight on the server's connection; otherwise, the server receives an error. Tasks are relayed
 * from modern servers to modern callers.
 *
 * @param options Servers, and options for the gateway and its server.
 * @throws {TypeError} If an option has the wrong type.
 * @throws {RangeError} If a limit or a duration is out of range.
 * @throws {McpError} With code `protocol_error` if a server is unreachable and `onUnreachable` is
 * `fail`.
 * @throws {McpError} With code `core` if `owners` fails to load.
 *
 * @example Offer the tools of two servers
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { mcpGateway } from "@parley/mcp/gateway";
 * import { assertEquals } from "@std/assert";
 *
 * function connectTo(server: McpServer): McpClient {
 *   return new McpClient({ transport: createMemoryTransport((pipe) => servePipe(server, pipe)) });
 * }
 *
 * const mail = new McpServer({ name: "mail", version: "1.0.0" });
 * mail.registerTool({ name: "search", description: "Searches mail" }, () => "1 message");
 * const files = new McpServer({ name: "files", version: "1.0.0" });
 * files.registerTool({ name: "search", description: "Searches files" }, () => "2 files");
 *
 * await using gateway = await mcpGateway({
 *   name: "all",
 *   version: "1.0.0",
 *   upstreams: { mail: { client: connectTo(mail) }, files: { client: connectTo(files) } },
 * });
 *
 * await using client = connectTo(gateway.server);
 * await client.connect();
 * const tools = await client.listTools();
 * assertEquals(tools.map(({ name }) => name), ["mail_search", "files_search"]);
 * const { content } = await client.callTool("files_search", {});
 * assertEquals(content, [{ type: "text", text: "2 files" }]);
 * ```
 */
export async function mcpGateway(options: GatewayOptions): Promise<Gateway> {
  const { upstreams, settings, config } = readOptions(options);
  const closing = new AbortController();
  const notifier = new ChangeDebouncer(settings, closing.signal);
  const onChange: OnListsChanged = (lists, subject) => notifier.add(lists, subject);
  const reporter = new ClashReporter([...upstreams.keys()], settings.onError);
  const ownItems = new OwnItems();
  const finder = new ItemFinder({ settings, isVisible: config.visible, ownItems, reporter });
  const { signal } = closing;
  const pool = new ConnectionPool(upstreams, { settings, closing: signal, onChange, reporter });
  const methods = new GatewayMethods({ pool, settings, finder, reporter });
  let closed: Promise<void> | undefined;
  const { extensions = [] } = config;
  const server = new McpServer({
    ...config,
    extensions: [...extensions, {
      ...methods.extension,
      attach: (attached) => {
        notifier.start(attached);
        ownItems.attach(attached);
      },
      close: () => {
        closing.abort(McpError.transportError("gateway", "closed"));
        return closed ??= pool.close();
      },
    }],
  });
  const close = (): Promise<void> => server.close();
  try {
    await pool.restoreOwners();
    await methods.refresh();
  } catch (error) {
    await close();
    throw error;
  }
  const clashes = (): readonly GatewayClash[] => reporter.describe(methods.clashes());
  const refresh = async (): Promise<readonly GatewayClash[]> => {
    for (const { lists, subject } of await methods.refresh()) onChange(lists, subject);
    return clashes();
  };
  return { server, refresh, clashes, close, [Symbol.asyncDispose]: close };
}

/** Collects list changes for a short time, and then notifies the server's clients. */
class ChangeDebouncer {
  /** The changed lists, keyed by the subject of the principal whose lists have changed. */
  readonly #changed = new Map<string | null | undefined, Set<ChangedList>>();
  readonly #debounceMs: number;
  readonly #closing: AbortSignal;
  #server: ServerRegistration | undefined;
  #isWaiting = false;

  constructor({ debounceMs }: GatewaySettings, closing: AbortSignal) {
    this.#debounceMs = debounceMs;
    this.#closing = closing;
  }

  start(server: ServerRegistration): void {
    this.#server = server;
  }

  readonly add: OnListsChanged = (lists, subject) => {
    if (lists.length === 0) return;
    const changed = this.#changed.get(subject) ?? new Set();
    this.#changed.set(subject, changed);
    for (const list of lists) changed.add(list);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    // The wait ends early only if the gateway closes, when no clients remain to be notified.
    sleep(this.#debounceMs, this.#closing).then(() => this.#announce(), ignore);
  };

  #announce(): void {
    this.#isWaiting = false;
    const all = [...this.#changed];
    this.#changed.clear();
    for (const [subject, lists] of all) {
      for (const list of lists) this.#server?.listChanged(list, subject);
    }
  }
}

function ignore(): void {}
