/**
 * The gateway's connections: one for each server, or one for each server and principal.
 *
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { McpError } from "../shared/error.ts";
import type { Caller, Upstream } from "./options.ts";
import { type ConnectionOptions, UpstreamConnection } from "./upstream_connection.ts";

/** The connections that one principal's requests use, in server order. */
interface CallerConnections {
  readonly connections: readonly UpstreamConnection[];
  /** Connections that no other principal uses. */
  readonly own: readonly UpstreamConnection[];
  /** Number of requests in flight and open subscriptions. */
  active: number;
}

/** The connections that a request or a subscription of one principal uses. */
export interface HeldConnections {
  readonly connections: readonly UpstreamConnection[];
  /** Called once, when the connections are no longer used. */
  readonly release: () => void;
}

/** Creates, shares and disconnects the connections to all servers. */
export class ConnectionPool {
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #options: ConnectionOptions;
  /** The connections that all principals share, keyed by server key. */
  readonly #shared: ReadonlyMap<string, UpstreamConnection>;
  /**
   * Connections of each principal, keyed by subject. The principal that has been idle the longest
   * comes first.
   */
  readonly #callers = new Map<string | undefined, CallerConnections>();

  /** Creates a pool without connections. Connections are opened on first use. */
  constructor(
    upstreams: ReadonlyMap<string, Upstream>,
    settings: Omit<ConnectionOptions, "owners">,
  ) {
    const options: ConnectionOptions = { ...settings, owners: new WeakMap() };
    this.#upstreams = upstreams;
    this.#options = options;
    const shared = Array.from(upstreams).filter(([, { client }]) => typeof client !== "function");
    this.#shared = new Map(
      shared.map(([key, upstream]) => [
        key,
        new UpstreamConnection(key, upstream, undefined, options),
      ]),
    );
  }

  /** Whether each principal has its own connections. */
  get isPerCaller(): boolean {
    return this.#shared.size < this.#upstreams.size;
  }

  /** The connections that all principals share. */
  get shared(): readonly UpstreamConnection[] {
    return [...this.#shared.values()];
  }

  /** All connections, whether shared or used by only one principal. */
  get all(): readonly UpstreamConnection[] {
    return [...this.shared, ...Array.from(this.#callers.values()).flatMap(({ own }) => own)];
  }

  /**
   * Returns the connections of a principal that has already sent a request, without creating
   * connections.
   */
  known(principal: Caller["principal"]): readonly UpstreamConnection[] {
    return this.#callers.get(this.#subjectOf(principal))?.connections ?? this.shared;
  }

  /** Runs a request with a principal's connections; see {@linkcode ConnectionPool.hold}. */
  async use<T>(
    principal: Caller["principal"],
    work: (connections: readonly UpstreamConnection[]) => Promise<T>,
  ): Promise<T> {
    const { connections, release } = this.hold(principal);
    try {
      return await work(connections);
    } finally {
      release();
    }
  }

  /**
   * Returns a principal's connections, which stay open until `release` is called once.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if too many principals have
   * requests in flight.
   */
  hold(principal: Caller["principal"]): HeldConnections {
    const subject = this.#subjectOf(principal);
    const caller = this.#callers.get(subject) ?? this.#create(principal);
    this.#callers.delete(subject);
    this.#callers.set(subject, caller);
    caller.active++;
    return { connections: caller.connections, release: () => void caller.active-- };
  }

  /** Disconnects all clients. */
  async close(): Promise<void> {
    await Promise.all(this.all.map((connection) => connection.close()));
    this.#callers.clear();
  }

  /**
   * All principals share one set of connections unless a server has a client for each principal.
   */
  #subjectOf(principal: Caller["principal"]): string | undefined {
    return this.isPerCaller ? principal?.subject : undefined;
  }

  #create(principal: Caller["principal"]): CallerConnections {
    this.#makeRoom();
    const connections = Array.from(
      this.#upstreams,
      ([key, upstream]) =>
        this.#shared.get(key) ?? new UpstreamConnection(key, upstream, principal, this.#options),
    );
    const own = connections.filter(({ key }) => !this.#shared.has(key));
    return { connections, own, active: 0 };
  }

  #makeRoom(): void {
    const { maxCallers, onError } = this.#options.settings;
    if (this.#callers.size < maxCallers) return;
    for (const [subject, { active, own }] of this.#callers) {
      if (active > 0) continue;
      this.#callers.delete(subject);
      for (const connection of own) connection.close().catch(onError);
      return;
    }
    throw McpError.protocolError("Too many principals have requests in flight", {
      rpcCode: RpcErrorCode.InternalError,
    });
  }
}
