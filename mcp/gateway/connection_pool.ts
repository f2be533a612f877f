/**
 * The gateway's connections: one for each server, or one for each server and principal.
 *
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { McpError } from "../shared/error.ts";
import type { ClashReporter } from "./clashes.ts";
import type { CallerServers } from "./offer.ts";
import type { Caller, Upstream } from "./options.ts";
import { Ownership } from "./ownership.ts";
import {
  type ConnectionOptions,
  type ConnectionUse,
  UpstreamConnection,
} from "./upstream_connection.ts";

/** The servers that one principal's requests use. */
interface CallerEntry {
  readonly servers: CallerServers;
  /** Connections that no other principal uses. */
  readonly own: readonly UpstreamConnection[];
  /** Number of requests in flight and open subscriptions. */
  active: number;
}

/** The servers that a request or a subscription of one principal uses. */
export interface HeldServers {
  readonly servers: CallerServers;
  /** Called once, when the connections are no longer used. */
  readonly release: () => void;
}

/** Options for a {@linkcode ConnectionPool}. */
export interface PoolOptions extends Omit<ConnectionOptions, "owners"> {
  readonly reporter: ClashReporter;
}

/** Creates, shares and disconnects the connections to all servers. */
export class ConnectionPool {
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #options: ConnectionOptions;
  readonly #reporter: ClashReporter;
  /** Owners of the items of the servers that all principals share. */
  readonly #ownership: Ownership;
  /** The connections that all principals share, keyed by server key. */
  readonly #shared: ReadonlyMap<string, UpstreamConnection>;
  /**
   * Connections of each principal, keyed by the principal and its rights. The principal that has
   * been idle the longest comes first.
   */
  readonly #callers = new Map<string | undefined, CallerEntry>();

  /** Creates a pool without connections. Connections are opened on first use. */
  constructor(upstreams: ReadonlyMap<string, Upstream>, { reporter, ...options }: PoolOptions) {
    this.#upstreams = upstreams;
    this.#options = { ...options, owners: new WeakMap() };
    this.#reporter = reporter;
    const shared = Array.from(upstreams).filter(([, { client }]) => typeof client !== "function");
    const keys = shared.map(([key]) => key);
    const ownership = this.#ownership = new Ownership({ ...options, keys, reporter });
    const loadAll = (): void => startLoads(this.shared);
    this.#shared = new Map(shared.map(([key, upstream]) => {
      const use = { principal: undefined, ownership, isShared: true, loadAll };
      return [key, new UpstreamConnection(key, upstream, use, this.#options)];
    }));
  }

  /** Whether each principal has its own connections. */
  get isPerCaller(): boolean {
    return this.#shared.size < this.#upstreams.size;
  }

  /** The connections that all principals share. */
  get shared(): readonly UpstreamConnection[] {
    return [...this.#shared.values()];
  }

  /** The servers that all principals share. */
  get sharedServers(): CallerServers {
    return { connections: this.shared, owners: this.#ownership.owners };
  }

  /** The servers of all principals that have sent a request, and the shared servers. */
  get allServers(): readonly CallerServers[] {
    return [this.sharedServers, ...Array.from(this.#callers.values(), ({ servers }) => servers)];
  }

  /** All connections, whether shared or used by only one principal. */
  get all(): readonly UpstreamConnection[] {
    return [...this.shared, ...Array.from(this.#callers.values()).flatMap(({ own }) => own)];
  }

  /**
   * Loads the stored owners of the items of the shared servers.
   *
   * @throws {McpError} With code `core` if the store fails.
   */
  async restoreOwners(): Promise<void> {
    await this.#ownership.restore();
  }

  /**
   * Returns the servers of a principal that has already sent a request, without creating
   * connections.
   */
  known(principal: Caller["principal"]): CallerServers {
    return this.#callers.get(this.#keyOf(principal))?.servers ?? this.sharedServers;
  }

  /** Runs a request with a principal's servers; see {@linkcode ConnectionPool.hold}. */
  async use<T>(
    principal: Caller["principal"],
    work: (servers: CallerServers) => Promise<T>,
  ): Promise<T> {
    const { servers, release } = this.hold(principal);
    try {
      return await work(servers);
    } finally {
      release();
    }
  }

  /**
   * Returns a principal's servers, whose connections stay open until `release` is called once.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if too many principals have
   * requests in flight.
   */
  hold(principal: Caller["principal"]): HeldServers {
    const key = this.#keyOf(principal);
    const caller = this.#callers.get(key) ?? this.#create(principal);
    this.#callers.delete(key);
    this.#callers.set(key, caller);
    caller.active++;
    return { servers: caller.servers, release: () => void caller.active-- };
  }

  /** Disconnects all clients. */
  async close(): Promise<void> {
    await Promise.all(this.all.map((connection) => connection.close()));
    this.#callers.clear();
  }

  /**
   * All principals share one set of connections unless a server has a client for each principal. A
   * client acts with the rights of the principal that it was created for.
   */
  #keyOf(principal: Caller["principal"]): string | undefined {
    if (!this.isPerCaller || principal === undefined) return undefined;
    const { subject, key } = principal;
    return key === undefined ? `subject ${subject}` : `key ${key}`;
  }

  #create(principal: Caller["principal"]): CallerEntry {
    this.#makeRoom();
    const { owners } = this.#ownership;
    if (!this.isPerCaller) return { servers: this.sharedServers, own: [], active: 0 };
    const keys = Array.from(this.#upstreams.keys()).filter((key) => !this.#shared.has(key));
    const options = { ...this.#options, keys, reporter: this.#reporter, parent: owners };
    const ownership = new Ownership(options);
    const own: UpstreamConnection[] = [];
    const loadAll = (): void => startLoads(own);
    const use: ConnectionUse = { principal, ownership, isShared: false, loadAll };
    const connections = Array.from(this.#upstreams, ([key, upstream]) => {
      const shared = this.#shared.get(key);
      if (shared !== undefined) return shared;
      const connection = new UpstreamConnection(key, upstream, use, this.#options);
      own.push(connection);
      return connection;
    });
    return { servers: { connections, owners: ownership.owners }, own, active: 0 };
  }

  #makeRoom(): void {
    const { maxCallers, onError } = this.#options.settings;
    if (this.#callers.size < maxCallers) return;
    for (const [key, { active, own }] of this.#callers) {
      if (active > 0) continue;
      this.#callers.delete(key);
      for (const connection of own) connection.close().catch(onError);
      return;
    }
    throw McpError.protocolError("Too many principals have requests in flight", {
      rpcCode: RpcErrorCode.InternalError,
    });
  }
}

/** Starts to load the items of servers. Each connection reports its own failure. */
function startLoads(connections: readonly UpstreamConnection[]): void {
  for (const connection of connections) connection.items().catch(ignore);
}

function ignore(): void {}
