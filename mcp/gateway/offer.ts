/**
 * The items that a caller can see, from all servers.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { reportRejection } from "@parley/internal/report-rejection";
import type { IsVisible } from "../server/registry.ts";
import { isUnusualUri, normalizedUri, toCompared } from "../server/uri_resemblance.ts";
import type { ClashReporter } from "./clashes.ts";
import type { Item, ItemKind, Items } from "./items.ts";
import type { Caller, GatewaySettings } from "./options.ts";
import type { OwnItems } from "./own_items.ts";
import { REGISTERED_KINDS } from "./owner_store.ts";
import type { Claim, Clash, Holder, Owners } from "./owners.ts";
import { Pauses } from "./pauses.ts";
import type { UpstreamConnection } from "./upstream_connection.ts";

/** The servers that the requests of one principal use. */
export interface CallerServers {
  /** Connections, in server order. */
  readonly connections: readonly UpstreamConnection[];
  /** Owners of the items of the servers. */
  readonly owners: Owners;
}

/** An item and the connection to its server. */
export interface OfferedItem {
  /** The claim of the item. */
  readonly claim: Claim;
  readonly connection: UpstreamConnection;
  readonly item: Item;
}

/** Dependencies of an {@linkcode ItemFinder}. */
export interface FinderOptions {
  readonly settings: Pick<GatewaySettings, "onUnreachable" | "onError">;
  /** The `visible` option of the gateway's server. If omitted, all items are visible. */
  readonly isVisible: IsVisible | undefined;
  /** The items of the gateway's own server. */
  readonly ownItems: OwnItems;
  readonly reporter: ClashReporter;
}

/**
 * Finds the items that callers can see. Each item has one owner. An item that is hidden from a
 * caller is not searched for on other servers.
 */
export class ItemFinder {
  readonly #options: FinderOptions;
  /** Number of checks whether a caller can see an item. */
  #checks = 0;

  /** Creates an item finder. */
  constructor(options: FinderOptions) {
    this.#options = options;
  }

  /** Returns the pauses of a loop over items or URIs of servers. */
  pausesFor({ owners }: CallerServers): Pauses {
    return new Pauses(() => owners.steps + this.#checks);
  }

  /**
   * Returns the items of all servers that a caller can see, keyed by name. With
   * `onUnreachable: "omit"`, the items of unreachable servers are missing.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if a server is unreachable
   * and `onUnreachable` is `fail`.
   * @throws The signal's reason if the caller's signal is aborted.
   */
  async list(
    kind: ItemKind,
    servers: CallerServers,
    caller: Caller,
  ): Promise<ReadonlyMap<string, OfferedItem>> {
    const { settings: { onUnreachable }, reporter } = this.#options;
    const loads = await loadAll(servers.connections, caller);
    const failed = failureIn(loads);
    if (failed !== undefined && onUnreachable === "fail") throw failed.reason;
    const items = new Map<string, OfferedItem>();
    const pauses = this.pausesFor(servers);
    for (const load of loads) {
      if (load.status === "rejected") continue;
      const [connection, loaded] = load.value;
      const { key: server } = connection;
      for (const [name, item] of loaded[kind]) {
        if (pauses.isDue()) await pauses.pause(caller.signal);
        const claim = { kind, name, server, ownName: item.name };
        const holder = this.#clashOf(claim, servers.owners);
        if (holder !== undefined) reporter.report([{ kind, name, server, ...holder }]);
        else if (this.canSee(claim, servers, caller)) items.set(name, { claim, connection, item });
      }
    }
    return items;
  }

  /**
   * Returns the loaded items of servers that are omitted because the gateway's own server or a
   * server of the caller owns them.
   */
  clashes(
    kind: ItemKind,
    connections: readonly UpstreamConnection[],
    owners: Owners,
  ): readonly Clash[] {
    return connections.flatMap(({ key: server, loaded }) =>
      Array.from(loaded?.[kind].keys() ?? []).flatMap((name) => {
        const holder = this.#clashOf({ kind, name, server }, owners);
        return holder === undefined ? [] : { kind, name, server, ...holder };
      })
    );
  }

  /**
   * Finds a tool or prompt by its name, or a resource or resource template by its URI or URI
   * template. Waits only for the owner, or, if the item has no owner, for the servers that might
   * offer the item.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if the owner is unreachable,
   * or if the item has no owner and a server that might offer it is unreachable.
   * @throws The signal's reason if the caller's signal is aborted.
   */
  async find(
    kind: ItemKind,
    name: string,
    servers: CallerServers,
    caller: Caller,
  ): Promise<OfferedItem | undefined> {
    if (this.#options.ownItems.clash(kind, name) !== undefined) return undefined;
    const { connections, owners } = servers;
    const isNamed = kind === "tools" || kind === "prompts";
    const able = connections.filter(({ namePrefix }) => !isNamed || name.startsWith(namePrefix));
    const toClaims = (): readonly Claim[] => [owners.get(kind, name) ?? []].flat();
    const { claims, loads } = await searchAll(able, toClaims, caller);
    return await this.#findOffered(claims, servers, caller) ??
      await assertReachable(able, caller, loads);
  }

  /**
   * Finds the resource or the resource template that a URI belongs to, like
   * {@linkcode ItemFinder.find}.
   */
  async findReadable(
    uri: string,
    servers: CallerServers,
    caller: Caller,
  ): Promise<OfferedItem | undefined> {
    if (this.#options.ownItems.clash("resources", uri) !== undefined) return undefined;
    const toClaims = (): readonly Claim[] => servers.owners.readers(uri);
    const { connections } = servers;
    const { claims, loads } = await searchAll(connections, toClaims, caller);
    const found = this.canRead(uri, servers, caller)
      ? await this.#findOffered(claims, servers, caller)
      : undefined;
    return found ?? await assertReachable(connections, caller, loads);
  }

  /** Returns a loaded item that a principal can see, without waiting for a server. */
  findLoaded(
    kind: ItemKind,
    name: string,
    servers: CallerServers,
    caller: Caller,
  ): Item | undefined {
    const { connections, owners } = servers;
    const claim = owners.get(kind, name);
    if (claim === undefined || this.#clashOf(claim, owners) !== undefined) return undefined;
    const item = connections.find(({ key }) => key === claim.server)?.loaded?.[kind].get(name);
    if (item === undefined) return undefined;
    return this.canSee({ ...claim, ownName: item.name }, servers, caller) ? item : undefined;
  }

  /**
   * Returns the server that might provide an unlisted resource. Returns `undefined` unless exactly
   * one server might provide the resource. A URI that a server might treat as the URI of a hidden
   * item is hidden.
   */
  findOnlyReader(
    uri: string,
    servers: CallerServers,
    caller: Caller,
  ): UpstreamConnection | undefined {
    const { connections, owners } = servers;
    const [only, ...others] = connections.filter(({ mayHaveResources }) => mayHaveResources);
    // Before the lists are loaded, it is not known which URIs are hidden.
    if (only?.loaded === undefined || others.length > 0) return undefined;
    if (this.#options.ownItems.clash("resources", uri) !== undefined) return undefined;
    if (owners.readers(uri).some(({ server }) => server !== only.key)) return undefined;
    if (!this.canRead(uri, servers, caller)) return undefined;
    if (unlistedClaims(uri, only).some((claim) => !this.canSee(claim, servers, caller))) {
      return undefined;
    }
    for (const claim of owners.templatesBefore(toCompared(uri))) {
      if (!this.canSee(claim, servers, caller)) return undefined;
    }
    return only;
  }

  /**
   * Returns `true` unless the resource with a URI, or a resource template that covers the URI, is
   * hidden from a caller. URIs that a server may treat as equal count as the same URI. A URI that
   * is not listed is also hidden if a server that ignores parts of it, such as its query, may read
   * a hidden item, or if servers may interpret it in different ways and anything is hidden from the
   * caller. If the resources of a server are not listed, its URIs are hidden one by one.
   */
  canRead(uri: string, servers: CallerServers, caller: Caller): boolean {
    const { owners } = servers;
    const exact = owners.get("resources", uri);
    if (exact !== undefined && !this.#isAllowed(exact, servers, caller)) return false;
    if (exact === undefined && !this.#canReadUnlisted(uri, servers, caller)) return false;
    if (exact !== undefined || !isUnusualUri(uri)) {
      const same = exact === undefined ? owners.readFor(toCompared(uri)) : owners.resembling(uri);
      for (const claim of same) if (!this.#isAllowed(claim, servers, caller)) return false;
      return true;
    }
    for (const kind of ["resources", "templates"] as const) {
      for (const claim of owners.all(kind)) {
        if (!this.#isAllowed(claim, servers, caller)) return false;
      }
    }
    return true;
  }

  /** Returns `true` if a caller can see an item. */
  canSee(claim: Claim, servers: CallerServers, caller: Caller): boolean {
    if (!this.#isAllowed(claim, servers, caller)) return false;
    return claim.kind !== "resources" || this.canRead(claim.name, servers, caller);
  }

  /**
   * Returns `true` unless a URI that is not listed is hidden from a caller, for a server whose
   * resources the gateway does not list. It is not known whether servers interpret an unusual URI
   * as the URI of a hidden resource.
   */
  #canReadUnlisted(uri: string, servers: CallerServers, caller: Caller): boolean {
    const { connections, owners } = servers;
    const unlisted = connections.filter(({ listsResources }) => !listsResources);
    if (unlisted.length === 0) return true;
    const keys = new Set(owners.readers(uri).map(({ server }) => server));
    return unlisted.filter(({ key }) => keys.has(key)).every((connection) => {
      const mayHide = this.#options.isVisible !== undefined || connection.hasAllow;
      if (mayHide && isUnusualUri(uri)) return false;
      return unlistedClaims(uri, connection).every((one) => this.#isAllowed(one, servers, caller));
    });
  }

  #isAllowed(
    { kind, name, server, ownName }: Claim,
    { connections }: CallerServers,
    caller: Caller,
  ): boolean {
    const { isVisible, settings: { onError } } = this.#options;
    this.#checks++;
    const connection = connections.find(({ key }) => key === server);
    if (connection === undefined || !connection.allows(ownName, caller)) return false;
    if (isVisible === undefined) return true;
    const visible: unknown = isVisible({ kind: REGISTERED_KINDS[kind], name }, caller.principal);
    // A JavaScript caller may return a promise, which must not count as `true`.
    reportRejection(visible, onError);
    return visible === true;
  }

  /** Returns the first item that its server still offers. */
  async #findOffered(
    claims: readonly Claim[],
    servers: CallerServers,
    caller: Caller,
  ): Promise<OfferedItem | undefined> {
    const { connections, owners } = servers;
    for (const claim of claims) {
      const connection = connections.find(({ key }) => key === claim.server);
      if (connection === undefined || !this.canSee(claim, servers, caller)) continue;
      const items = connection.loaded ?? await abortable(connection.items(), caller.signal);
      const item = items[claim.kind].get(claim.name);
      if (item === undefined || this.#clashOf(claim, owners) !== undefined) continue;
      // The server may have renamed the item since it claimed the name at the gateway.
      const current = { ...claim, ownName: item.name };
      if (this.#isAllowed(current, servers, caller)) return { claim: current, connection, item };
    }
    return undefined;
  }

  /** Returns the item that precedes an item that its server has claimed. */
  #clashOf(
    { kind, name, server }: Pick<Claim, "kind" | "name" | "server">,
    owners: Owners,
  ): Holder | undefined {
    return this.#options.ownItems.clash(kind, name) ?? owners.clash(kind, name, server);
  }
}

/**
 * Returns a claim of a URI that is not listed, and one of its normalized form, because `allow` and
 * `visible` may compare the beginning of a URI.
 */
function unlistedClaims(uri: string, { key }: UpstreamConnection): readonly Claim[] {
  return Array.from(
    new Set([uri, normalizedUri(uri)]),
    (name) => ({ kind: "resources", name, server: key, ownName: name }),
  );
}

/** Outcomes of the loads of servers, in the order of the servers. */
type Loads = readonly PromiseSettledResult<readonly [UpstreamConnection, Items]>[];

/**
 * Returns the claims of an item. If there are none, loads the items of the servers, so that a
 * server that is unreachable does not delay requests to other servers.
 */
async function searchAll(
  connections: readonly UpstreamConnection[],
  toClaims: () => readonly Claim[],
  caller: Caller,
): Promise<{ readonly claims: readonly Claim[]; readonly loads: Loads }> {
  const known = toClaims();
  if (known.length > 0) return { claims: known, loads: [] };
  const loads = await loadAll(connections, caller);
  return { claims: toClaims(), loads };
}

/**
 * Throws if a server is unreachable, in the search or since then, because it might offer an item
 * that the caller cannot see or that is not listed. An item that is hidden from the caller has the
 * same result as an unknown item.
 */
async function assertReachable(
  connections: readonly UpstreamConnection[],
  caller: Caller,
  loads: Loads,
): Promise<undefined> {
  const failed = failureIn(loads) ?? failureIn(await loadAll(connections, caller));
  if (failed !== undefined) throw failed.reason;
}

function failureIn(loads: Loads): PromiseRejectedResult | undefined {
  return loads.find((load) => load.status === "rejected");
}

function loadAll(
  connections: readonly UpstreamConnection[],
  { signal }: Caller,
): Promise<Loads> {
  const loads = connections.map(async (one) => [one, await one.items()] as const);
  return abortable(Promise.allSettled(loads), signal);
}
