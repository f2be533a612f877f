/**
 * The gateway's method handlers, as an extension of its server.
 *
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { Method } from "../protocol/methods.ts";
import type { MethodHandler } from "../server/dispatch.ts";
import type { Principal } from "../server/exchange_context.ts";
import type { ServerExtension } from "../server/extension.ts";
import { invalidParams, readCursor, readObject, readText } from "../server/params.ts";
import { Registry } from "../server/registry.ts";
import type { MethodContext } from "../server/request_context.ts";
import type { ToolHttpInfo } from "../server/server_core.ts";
import { withConsent } from "../server/with_consent.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { TASK_NAME_KEYS, TaskMethod, TASKS_EXTENSION } from "../tasks/task.ts";
import { allPages } from "./all_pages.ts";
import type { ClashReporter } from "./clashes.ts";
import type { ConnectionPool } from "./connection_pool.ts";
import type { ItemKind } from "./items.ts";
import type { CallerServers, ItemFinder, OfferedItem } from "./offer.ts";
import type { Caller, GatewaySettings } from "./options.ts";
import { OWN_SERVER } from "./own_items.ts";
import { REGISTERED_KINDS } from "./owner_store.ts";
import type { Claim, Clash } from "./owners.ts";
import { type RelayedRequest, relayRequest } from "./relay.ts";
import { RelayedSubscriptions } from "./relayed_subscriptions.ts";
import { type RelayedTask, RelayedTasks } from "./relayed_tasks.ts";
import type { UpstreamConnection } from "./upstream_connection.ts";
import { ALL_LISTS, type ChangedList } from "./upstream_streams.ts";

/** Wraps a handler on the gateway's server. */
type WrapHandler = (next: MethodHandler) => MethodHandler;

/**
 * Shape of a list result: the member that contains the list, and the member that identifies an
 * item.
 */
interface ListShape {
  readonly kind: ItemKind;
  readonly list: string;
  readonly id: string;
}

/** Capabilities of a gateway while some of its servers have not been reached yet. */
const ALL_CAPABILITIES: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
};

const ITEM_KINDS: readonly ItemKind[] = ["tools", "resources", "templates", "prompts"];

/** The lists of one server that have changed. */
export interface ChangedLists {
  readonly lists: readonly ChangedList[];
  /** See {@linkcode UpstreamConnection.subject}. */
  readonly subject: string | null | undefined;
}

/** Dependencies of {@linkcode GatewayMethods}. */
export interface MethodsOptions {
  readonly pool: ConnectionPool;
  readonly settings: GatewaySettings;
  readonly finder: ItemFinder;
  readonly reporter: ClashReporter;
}

/** Lists the items of all servers and relays requests to these servers. */
export class GatewayMethods {
  /** Extension of the gateway's server. */
  readonly extension: ServerExtension;
  readonly #pool: ConnectionPool;
  readonly #settings: GatewaySettings;
  readonly #finder: ItemFinder;
  readonly #reporter: ClashReporter;
  readonly #tasks: RelayedTasks;

  /** Creates the gateway's method handlers. */
  constructor({ pool, settings, finder, reporter }: MethodsOptions) {
    this.#pool = pool;
    this.#settings = settings;
    this.#finder = finder;
    this.#reporter = reporter;
    const tasks = this.#tasks = new RelayedTasks(settings);
    const subscriptions = new RelayedSubscriptions({ pool, finder, tasks, settings });
    this.extension = {
      id: TASKS_EXTENSION,
      nameKeys: TASK_NAME_KEYS,
      capabilities: () => this.#capabilities(),
      isOffered: () =>
        this.#known()?.some(({ extensions }) => extensions?.[TASKS_EXTENSION] !== undefined) ??
          true,
      toolHttpInfo: (name, principal) => this.#toolHttpInfo(name, principal),
      listen: (...args) => subscriptions.open(...args),
      methods: {
        [TaskMethod.Get]: this.#taskHandler(TaskMethod.Get),
        [TaskMethod.Update]: this.#taskHandler(TaskMethod.Update),
        [TaskMethod.Cancel]: this.#taskHandler(TaskMethod.Cancel),
      },
      wrap: {
        [Method.ListTools]: this.#wrapList({ kind: "tools", list: "tools", id: "name" }),
        [Method.ListResources]: this.#wrapList({
          kind: "resources",
          list: "resources",
          id: "uri",
        }),
        [Method.ListResourceTemplates]: this.#wrapList({
          kind: "templates",
          list: "resourceTemplates",
          id: "uriTemplate",
        }),
        [Method.ListPrompts]: this.#wrapList({ kind: "prompts", list: "prompts", id: "name" }),
        [Method.CallTool]: this.#wrapNamed("tools", Method.CallTool),
        [Method.GetPrompt]: this.#wrapNamed("prompts", Method.GetPrompt),
        [Method.ReadResource]: this.#wrapRead,
        [Method.Complete]: this.#wrapComplete,
      },
    };
  }

  /**
   * Requests all lists again. Returns the lists that have changed.
   *
   * @throws {McpError} With code `protocol_error` if a server is unreachable and `onUnreachable` is
   * `fail`.
   */
  async refresh(): Promise<readonly ChangedLists[]> {
    const { all, shared } = this.#pool;
    const before = all.map(describeItems);
    for (const connection of all) connection.retry();
    await Promise.allSettled(all.map((connection) => connection.items()));
    if (this.#settings.onUnreachable === "fail") {
      await Promise.all(shared.map((connection) => connection.items()));
    }
    return all.map((connection, index) => {
      const after = describeItems(connection);
      const lists = ALL_LISTS.filter((list) => before[index]?.[list] !== after[list]);
      return { lists, subject: connection.subject };
    });
  }

  /** Returns the listed items that are omitted because a different server owns them. */
  clashes(): readonly Clash[] {
    return this.#pool.allServers.flatMap(({ connections, owners }) => [
      ...owners.clashes,
      ...ITEM_KINDS.flatMap((kind) => this.#finder.clashes(kind, connections, owners)),
    ]);
  }

  /**
   * Returns the capabilities of all servers, or `undefined` if the capabilities of a server are not
   * known.
   */
  #known(): readonly ServerCapabilities[] | undefined {
    const { shared, isPerCaller } = this.#pool;
    const known = shared.flatMap(({ capabilities }) => capabilities ?? []);
    return isPerCaller || known.length < shared.length ? undefined : known;
  }

  #capabilities(): ServerCapabilities {
    const known = this.#known();
    if (known === undefined) return ALL_CAPABILITIES;
    const { resources, ...others } = ALL_CAPABILITIES;
    const declared = Object.entries(others).filter(([name]) =>
      known.some((capabilities) => name in capabilities)
    );
    const canSubscribe = known.some((capabilities) => capabilities.resources?.subscribe === true);
    return {
      ...Object.fromEntries(declared),
      ...(known.some((capabilities) => capabilities.resources !== undefined) &&
        { resources: canSubscribe ? resources : { listChanged: true } }),
    };
  }

  #toolHttpInfo(name: string, principal: Principal | undefined): ToolHttpInfo | undefined {
    const caller = { principal, signal: new AbortController().signal };
    const item = this.#finder.findLoaded("tools", name, this.#pool.known(principal), caller);
    return item && { parameterHeaders: item.parameterHeaders, scopes: [] };
  }

  #wrapList({ kind, list, id }: ListShape): WrapHandler {
    return (next) => (params, context) =>
      this.#pool.use(context.principal, async (servers) => {
        const items = await this.#finder.list(kind, servers, callerOf(context));
        const all = new Registry<JsonObject>(REGISTERED_KINDS[kind], ignore);
        const { pageSize, maxItems, onError } = this.#settings;
        for (const own of await allPages(next, context, { list, maxItems, onError })) {
          const name = String(own[id]);
          // A resource template can list a resource on two pages.
          if (!all.has(name)) all.add(name, own);
        }
        for (const [name, { claim: { server }, item }] of items) {
          if (!all.has(name)) all.add(name, item.descriptor);
          else {
            const own = { owner: OWN_SERVER, ownerKind: kind, ownerName: name };
            this.#reporter.report([{ kind, name, server, ...own }]);
          }
        }
        const { entries, ...rest } = all.page(readCursor(params), pageSize, context.principal);
        return { [list]: entries, ...rest };
      });
  }

  #wrapNamed(kind: "tools" | "prompts", method: string): WrapHandler {
    return (next) => (params, context) =>
      this.#pool.use(context.principal, async (servers) => {
        const name = readText(params, "name");
        return await withConsent(context, () =>
          this.#relayFound(
            () => this.#finder.find(kind, name, servers, callerOf(context)),
            ({ item }) => ({ method, params: { ...params, name: item.name }, context }),
            () => next(params, context),
          ));
      });
  }

  readonly #wrapRead: WrapHandler = (next) => (params, context) =>
    this.#pool.use(context.principal, async (servers) => {
      const uri = readText(params, "uri");
      const caller = callerOf(context);
      const request = { method: Method.ReadResource, params, context };
      const readOwn = async (): Promise<JsonObject> => {
        const findOnly = (): UpstreamConnection | undefined =>
          this.#finder.findOnlyReader(uri, servers, caller);
        const only = findOnly();
        if (only === undefined) return await next(params, context);
        try {
          return await next(params, context);
        } catch (error) {
          if (!isInvalidParams(error)) throw error;
          return await this.#relay(only, request, async () => {
            await only.items();
            return findOnly() === only ? undefined : noLongerOffered(only);
          });
        }
      };
      return await withConsent(context, () =>
        this.#relayFound(
          () => this.#finder.findReadable(uri, servers, caller),
          () => request,
          readOwn,
        ));
    });

  readonly #wrapComplete: WrapHandler = (next) => (params, context) =>
    this.#pool.use(context.principal, async (servers) => {
      const ref = readObject(params, "ref");
      const find = (): Promise<OfferedItem | undefined> =>
        this.#findReferenced(ref, servers, callerOf(context));
      const { connection } = await find().catch(ignore) ?? {};
      if (connection !== undefined && connection.capabilities?.completions === undefined) {
        return { completion: { values: [], total: 0, hasMore: false } };
      }
      return await this.#relayFound(
        find,
        ({ item }) => {
          const own = ref.type === "ref/prompt" ? { ...ref, name: item.name } : ref;
          return { method: Method.Complete, params: { ...params, ref: own }, context };
        },
        () => next(params, context),
      );
    });

  /** Finds the prompt, resource template or resource that a completion request refers to. */
  async #findReferenced(
    { type, name, uri }: JsonObject,
    servers: CallerServers,
    caller: Caller,
  ): Promise<OfferedItem | undefined> {
    if (type === "ref/prompt" && typeof name === "string") {
      return await this.#finder.find("prompts", name, servers, caller);
    }
    if (type !== "ref/resource" || typeof uri !== "string") return undefined;
    return await this.#finder.find("templates", uri, servers, caller) ??
      await this.#finder.find("resources", uri, servers, caller);
  }

  #taskHandler(method: string): MethodHandler {
    return (params, context) =>
      this.#pool.use(context.principal, async (servers) => {
        const task = this.#tasks.find(params, context.principal);
        const findConnection = (): UpstreamConnection =>
          this.#connectionOf(task, servers, callerOf(context));
        const connection = findConnection();
        const own = { ...withoutMeta(params), taskId: task.taskId };
        const check = (): Promise<undefined> =>
          Promise.resolve().then(findConnection).then(() => undefined);
        const request = { method, params: own, context, check };
        const result = await relayRequest(connection, request, this.#settings);
        return "taskId" in result ? { ...result, taskId: task.id } : result;
      });
  }

  /**
   * Returns the connection to a task's server.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the caller can no longer
   * see the item whose call started the task.
   */
  #connectionOf(
    { claim }: RelayedTask,
    servers: CallerServers,
    caller: Caller,
  ): UpstreamConnection {
    const connection = servers.connections.find(({ key }) => key === claim.server);
    if (connection === undefined || !this.#finder.canSee(claim, servers, caller)) {
      throw invalidParams("Unknown task");
    }
    return connection;
  }

  /**
   * Relays a request to the server that offers the requested item. If no server offers the item,
   * runs the gateway's own handler. If the gateway's own server does not offer the item either,
   * throws the error that interrupted the search, if any.
   */
  async #relayFound(
    find: () => Promise<OfferedItem | undefined>,
    toRequest: (found: OfferedItem) => RelayedCall,
    runOwn: () => Promise<JsonObject> | JsonObject,
  ): Promise<JsonObject> {
    let failure: unknown;
    const found = await find().catch((error) => void (failure = error));
    if (found) {
      const call = toRequest(found);
      const { connection, claim, item } = found;
      return await this.#relay(connection, call, async () => {
        const now = await find();
        if (now?.connection !== connection || now.item.name !== item.name) {
          return noLongerOffered(connection);
        }
        if (claim.kind === "tools") call.context.assertToolHeaders(now.item.parameterHeaders);
        return undefined;
      }, claim);
    }
    try {
      return await runOwn();
    } catch (error) {
      throw failure !== undefined && isInvalidParams(error) ? failure : error;
    }
  }

  async #relay(
    connection: UpstreamConnection,
    { method, params, context }: RelayedCall,
    check: RelayedRequest["check"],
    claim?: Claim,
  ): Promise<JsonObject> {
    const { inputResponses: _responses, requestState: _state, ...own } = withoutMeta(params);
    const request = { method, params: own, context, check };
    const result = await relayRequest(connection, request, this.#settings);
    if (result.resultType !== "task" || claim === undefined) return result;
    return this.#tasks.add(claim, result, context.principal);
  }
}

/** A request, and the context of the caller's request. */
interface RelayedCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly context: MethodContext;
}

function noLongerOffered({ key }: UpstreamConnection): McpError {
  return invalidParams(`The server "${key}" no longer offers the item`);
}

function callerOf({ principal, signal }: MethodContext): Caller {
  return { principal, signal };
}

function withoutMeta({ _meta, ...params }: JsonObject): JsonObject {
  return params;
}

/** Returns the descriptions of a server's items as JSON, keyed by list. */
function describeItems({ loaded }: UpstreamConnection): Readonly<Record<ChangedList, string>> {
  const describe = (...kinds: ItemKind[]): string =>
    JSON.stringify(
      kinds.map((kind) => Array.from(loaded?.[kind].values() ?? [], (item) => item.descriptor)),
    );
  return {
    tools: describe("tools"),
    resources: describe("resources", "templates"),
    prompts: describe("prompts"),
  };
}

function isInvalidParams(error: unknown): boolean {
  return error instanceof McpError && error.rpcCode === RpcErrorCode.InvalidParams;
}

function ignore(): void {}
