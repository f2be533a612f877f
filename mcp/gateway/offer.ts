/**
 * The items that a caller can see, from all servers.
 *
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { IsVisible, RegisteredItem } from "../server/registry.ts";
import { McpError } from "../shared/error.ts";
import type { Item, ItemKind, Items } from "./items.ts";
import type { Caller, GatewaySettings } from "./options.ts";
import type { UpstreamConnection } from "./upstream_connection.ts";
import { quote } from "@parley/internal/format-value";

/** An item and the connection to its server. */
export interface OfferedItem {
  readonly kind: ItemKind;
  /**
   * Name of the tool or prompt at the gateway, URI of the resource, or URI template of the resource
   * template.
   */
  readonly name: string;
  readonly connection: UpstreamConnection;
  readonly item: Item;
}

/**
 * The items of one kind, keyed by name. Items whose names are offered by several servers are not
 * included.
 */
export interface Offer {
  readonly items: ReadonlyMap<string, OfferedItem>;
  /** One error for each name that several servers offer. */
  readonly clashes: readonly McpError[];
}

/** Names of the item kinds in the `visible` option and the registries of a server. */
export const REGISTERED_KINDS: Readonly<Record<ItemKind, RegisteredItem["kind"]>> = {
  tools: "tool",
  resources: "resource",
  templates: "resource template",
  prompts: "prompt",
};

/** Finds the items that callers can see. */
export class ItemFinder {
  readonly #settings: GatewaySettings;
  readonly #isVisible: IsVisible;

  /** Creates an item finder. `isVisible` is the `visible` option of the gateway's server. */
  constructor(settings: GatewaySettings, isVisible: IsVisible = () => true) {
    this.#settings = settings;
    this.#isVisible = isVisible;
  }

  /**
   * Returns the items of all servers that a caller can see. With `onUnreachable: "omit"`, the items
   * of unreachable servers are missing.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if a server is unreachable
   * and `onUnreachable` is `fail`.
   */
  async list(
    kind: ItemKind,
    connections: readonly UpstreamConnection[],
    caller: Caller,
  ): Promise<Offer> {
    const loads = await Promise.allSettled(connections.map((connection) => connection.items()));
    const failed = loads.find((load) => load.status === "rejected");
    if (failed !== undefined && this.#settings.onUnreachable === "fail") throw failed.reason;
    const items = new Map<string, OfferedItem>();
    const clashing = new Map<string, McpError>();
    for (const [index, load] of loads.entries()) {
      const connection = connections[index];
      if (load.status === "rejected" || connection === undefined) continue;
      for (const [name, item] of load.value[kind]) {
        const offered = { kind, name, connection, item };
        if (!this.canSee(offered, caller)) continue;
        const other = items.get(name);
        if (other === undefined) items.set(name, offered);
        else clashing.set(name, clash(name, [other.connection, connection]));
      }
    }
    for (const name of clashing.keys()) items.delete(name);
    return { items, clashes: [...clashing.values()] };
  }

  /**
   * Finds a tool or prompt by its name, or a resource or resource template by its URI or URI
   * template. Waits only for servers that might offer the item.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if several servers offer the
   * item, or if the item is not found and a server that might offer it is unreachable.
   */
  async find(
    kind: ItemKind,
    name: string,
    connections: readonly UpstreamConnection[],
    caller: Caller,
  ): Promise<OfferedItem | undefined> {
    const isNamed = kind === "tools" || kind === "prompts";
    const able = connections.filter(({ prefix }) => !isNamed || mayHavePrefix(name, prefix));
    return await searchAll(able, name, [this.#searchFor(kind, name, caller)]);
  }

  /**
   * Finds the resource or the resource template that a URI belongs to, like
   * {@linkcode ItemFinder.find}.
   */
  async findReadable(
    uri: string,
    connections: readonly UpstreamConnection[],
    caller: Caller,
  ): Promise<OfferedItem | undefined> {
    const byTemplate: Search = (connection, { templates }) => {
      for (const [name, item] of templates) {
        if (!item.matches(uri)) continue;
        const offered: OfferedItem = { kind: "templates", name, connection, item };
        if (this.canSee(offered, caller)) return [offered];
      }
      return [];
    };
    return await searchAll(connections, uri, [
      this.#searchFor("resources", uri, caller),
      byTemplate,
    ]);
  }

  /** Returns `true` if a caller can see an item. */
  canSee({ kind, name, connection, item }: OfferedItem, caller: Caller): boolean {
    return connection.allows(item.name, caller) &&
      this.#isVisible({ kind: REGISTERED_KINDS[kind], name }, caller.principal) === true;
  }

  #searchFor(kind: ItemKind, name: string, caller: Caller): Search {
    return (connection, items) => {
      const item = items[kind].get(name);
      if (item === undefined) return [];
      const offered = { kind, name, connection, item };
      return this.canSee(offered, caller) ? [offered] : [];
    };
  }
}

/**
 * Searches a server for an item. Returns an array that contains the item, or an empty array if the
 * item is not found.
 */
type Search = (connection: UpstreamConnection, items: Items) => readonly OfferedItem[];

/**
 * Searches the servers for an item. If the first search finds the item on a server whose items are
 * already loaded, returns the item immediately, so that an unreachable server does not delay
 * requests to other servers.
 */
async function searchAll(
  connections: readonly UpstreamConnection[],
  name: string,
  searches: readonly [first: Search, ...others: readonly Search[]],
): Promise<OfferedItem | undefined> {
  const [first] = searches;
  const known = single(
    connections.flatMap((one) => one.loaded === undefined ? [] : first(one, one.loaded)),
    name,
  );
  if (known !== undefined) return known;
  const loads = await Promise.allSettled(
    connections.map(async (one) => [one, await one.items()] as const),
  );
  for (const search of searches) {
    const found = loads.flatMap((load) => load.status === "fulfilled" ? search(...load.value) : []);
    if (found.length > 0) return single(found, name);
  }
  const failed = loads.find((load) => load.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return undefined;
}

function single(
  [first, second]: readonly OfferedItem[],
  name: string,
): OfferedItem | undefined {
  if (first === undefined || second === undefined) return first;
  throw clash(name, [first.connection, second.connection]);
}

function clash(
  name: string,
  [first, second]: readonly [UpstreamConnection, UpstreamConnection],
): McpError {
  const reason = `${quote(name, 200)} is offered by the servers ` +
    `"${first.key}" and "${second.key}"; change the prefix of one of the servers, or hide one with "allow"`;
  return McpError.protocolError(reason, { rpcCode: RpcErrorCode.InternalError });
}

/**
 * Returns `true` if a prefixed name can start with a prefix. In prefixed names, invalid characters
 * are replaced with `_`.
 */
function mayHavePrefix(name: string, prefix: string): boolean {
  return name.startsWith(prefix.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 57));
}
