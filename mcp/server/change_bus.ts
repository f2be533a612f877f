/**
 * Broadcasts changes among the server processes that serve the same clients.
 *
 * @module
 */

import { callWithin } from "@parley/internal/call-within";
import { resolveWithin } from "@parley/internal/timers";
import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { isRecord } from "@parley/internal/json";
import type { Principal } from "./exchange_context.ts";
import type { IsVisible, RegisteredItem } from "./registry.ts";

/** A change to a list. */
export interface ListChange {
  /** List that has changed. */
  readonly kind: "tools" | "prompts" | "resources";
  /**
   * Subject of the only principal whose list has changed, or `null` if the list has changed only
   * for unauthenticated clients. If omitted, the list may have changed for all clients.
   */
  readonly subject?: string | null;
  /**
   * Items that were registered, replaced or removed, if the server has a `visible` option. A change
   * bus does not carry the items. If omitted, any item may have changed.
   */
  readonly items?: readonly RegisteredItem[];
}

/**
 * A change to a list (`tools`, `prompts` or `resources`), or an update to one resource
 * (`resource`).
 */
export type Change = ListChange | { readonly kind: "resource"; readonly uri: string };

/** Returns `true` if a change to a list concerns the clients of a principal. */
export function concerns(
  { subject, items }: ListChange,
  principal: Principal | undefined,
  isVisible: IsVisible | undefined,
): boolean {
  if (subject !== undefined && subject !== (principal?.subject ?? null)) return false;
  return items === undefined || isVisible === undefined ||
    items.some((item) => isVisible(item, principal) === true);
}

/** Returns a change without the members that a bus does not carry. */
export function toPublic(change: Change): Change {
  if (change.kind === "resource") return change;
  const { items: _items, ...published } = change;
  return published;
}

/** A change, and the identifier of the server object that announces it, as JSON values. */
export interface ChangeAnnouncement {
  /**
   * Identifier of the server object that announces the change. Each server object has a random
   * identifier.
   */
  readonly origin: string;
  /** Change to a list, or update to a resource. */
  readonly change: Change;
}

/**
 * A bus that carries changes between server processes, so that clients of one process receive
 * notifications about changes in another process.
 *
 * `changeBusChecks` from `@parley/mcp/testing` checks the rules that a bus must follow.
 *
 * @example Announce a change from a program without a server
 * ```ts
 * import { McpServer, memoryChangeBus } from "@parley/mcp/server";
 * import { assertEquals } from "@std/assert";
 *
 * const changeBus = memoryChangeBus();
 * const server = new McpServer({ name: "files", version: "1.0.0", changeBus });
 * const changes: unknown[] = [];
 * server.changes.listen((change) => changes.push(change));
 * await server.changes.ready();
 *
 * await changeBus.publish({ origin: "importer", change: { kind: "resource", uri: "file:///a.txt" } });
 * assertEquals(changes, [{ kind: "resource", uri: "file:///a.txt" }]);
 * await server.close();
 * ```
 */
export interface ChangeBus {
  /**
   * Announces a change to all subscribers in all processes, including the subscribers of this bus.
   */
  publish(announcement: ChangeAnnouncement): Promise<void>;
  /**
   * Calls a function for each announcement. Once the subscription is active, resolves to a function
   * that ends the subscription. Calling the returned function again has no effect. Announcements
   * from one bus are delivered in order.
   */
  subscribe(
    onAnnouncement: (announcement: ChangeAnnouncement) => void,
  ): Promise<() => Promise<void>>;
}

/**
 * Creates a bus for the servers of one process.
 *
 * @example Connect two servers
 * ```ts
 * import { McpServer, memoryChangeBus } from "@parley/mcp/server";
 * import { assertEquals } from "@std/assert";
 *
 * const changeBus = memoryChangeBus();
 * const one = new McpServer({ name: "files", version: "1.0.0", changeBus });
 * const two = new McpServer({ name: "files", version: "1.0.0", changeBus });
 * const changes: unknown[] = [];
 * two.changes.listen((change) => changes.push(change));
 * await two.changes.ready();
 *
 * one.resourceUpdated("file:///a.txt");
 * assertEquals(changes, [{ kind: "resource", uri: "file:///a.txt" }]);
 * await one.close();
 * await two.close();
 * ```
 */
export function memoryChangeBus(): ChangeBus {
  const subscribers = new Set<{ readonly call: (announcement: ChangeAnnouncement) => void }>();
  return {
    publish: (announcement) =>
      new Promise((resolve) => {
        for (const { call } of subscribers) call(announcement);
        resolve();
      }),
    subscribe: (call) => {
      const subscriber = { call };
      subscribers.add(subscriber);
      return Promise.resolve(() => Promise.resolve(void subscribers.delete(subscriber)));
    },
  };
}

/**
 * Reads an announcement that a bus has delivered.
 *
 * @throws {TypeError} If the value is not an announcement.
 */
export function readAnnouncement(value: unknown): ChangeAnnouncement {
  if (isRecord(value) && typeof value.origin === "string" && isRecord(value.change)) {
    const { origin, change: { kind, uri, subject } } = value;
    if (kind === "tools" || kind === "prompts" || kind === "resources") {
      if (subject === undefined) return { origin, change: { kind } };
      if (subject === null || typeof subject === "string") {
        return { origin, change: { kind, subject } };
      }
    }
    if (kind === "resource" && typeof uri === "string") return { origin, change: { kind, uri } };
  }
  throw new TypeError(`Cannot read a change announcement: got ${formatValue(value)}`);
}

/** Options for {@linkcode BusConnection}. */
export interface BusConnectionOptions {
  /** Maximum number of changes waiting to be published. */
  readonly maxUnpublishedChanges: number;
  /** Maximum time that {@linkcode BusConnection.close} waits for the bus, in milliseconds. */
  readonly closeTimeoutMs: number;
  /** Called with the changes that other server objects announce. */
  readonly onChange: (change: Change) => void;
  /** Called with errors from the bus. */
  readonly onError: (error: unknown) => void;
}

/**
 * Maximum time to wait for the bus to publish a change or to subscribe, in milliseconds. A call
 * that never ends would otherwise keep all later changes from being published.
 */
const CALL_TIMEOUT_MS = 30_000;

/**
 * The connection of one server object to a bus. The connection ignores the server's own
 * announcements.
 */
export class BusConnection {
  readonly #bus: ChangeBus;
  readonly #options: BusConnectionOptions;
  readonly #origin = crypto.randomUUID();
  /**
   * Changes waiting to be published, keyed by their JSON, so that a repeated change is published
   * only once.
   */
  readonly #waiting = new Map<string, Change>();
  #publishing: Promise<void> | undefined;
  #subscription: Promise<() => Promise<void>> | undefined;
  readonly #ended = new AbortController();
  #isClosed = false;

  /**
   * Creates a connection. The connection subscribes on the first call to
   * {@linkcode BusConnection.ready}.
   */
  constructor(bus: ChangeBus, options: BusConnectionOptions) {
    this.#bus = bus;
    this.#options = options;
  }

  /** Publishes a change in the background. */
  publish(change: Change): void {
    if (this.#isClosed) return;
    const { maxUnpublishedChanges, onError } = this.#options;
    const key = JSON.stringify(change);
    if (!this.#waiting.has(key) && this.#waiting.size >= maxUnpublishedChanges) {
      return onError(
        new Error(
          `Cannot publish change: more than "maxUnpublishedChanges" (${maxUnpublishedChanges}) changes are waiting`,
        ),
      );
    }
    this.#waiting.set(key, change);
    this.#publishing ??= this.#publishAll();
  }

  /**
   * Resolves once changes from other processes are being received. Bus errors are reported, and the
   * next call to `ready()` tries to subscribe again.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if the bus rejects the
   * subscription.
   */
  async ready(): Promise<void> {
    if (this.#isClosed) return;
    this.#subscription ??= this.#subscribe();
    const current = this.#subscription;
    try {
      await current;
    } catch (cause) {
      if (this.#subscription === current) {
        this.#subscription = undefined;
        if (!this.#isClosed) {
          this.#options.onError(new Error("Cannot subscribe to the change bus", { cause }));
        }
      }
      throw McpError.protocolError("The server cannot reach its change bus", {
        rpcCode: RpcErrorCode.InternalError,
        cause,
      });
    }
  }

  /**
   * Publishes the waiting changes, and ends the subscription. If the bus does not do so in time,
   * reports an error and stops waiting.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { closeTimeoutMs, onError } = this.#options;
    const closing = Promise.all([this.#publishing, this.#unsubscribe()]).then(() => true);
    const isDone = await resolveWithin(closing, closeTimeoutMs) === true;
    this.#ended.abort();
    if (isDone) return;
    // No caller receives a later rejection.
    closing.catch(onError);
    onError(
      new Error(
        `Cannot disconnect from the change bus: it did not respond in ${closeTimeoutMs} ms ("closeTimeoutMs")`,
      ),
    );
  }

  async #subscribe(): Promise<() => Promise<void>> {
    const subscribe = async (): Promise<() => Promise<void>> =>
      await this.#bus.subscribe((announcement) => this.#receive(announcement));
    const subscribing = subscribe();
    try {
      return await this.#call("subscribe", () => subscribing);
    } catch (error) {
      // A subscription that opens later is not used.
      subscribing.then((unsubscribe) => unsubscribe()).catch(() => {});
      throw error;
    }
  }

  /** Calls the bus. Stops waiting after 30 seconds, and when the connection has ended. */
  #call<T>(name: string, call: () => Promise<T>): Promise<T> {
    const late = (): Error => new Error(`"${name}" timed out after ${CALL_TIMEOUT_MS} ms`);
    return callWithin(call, { signal: this.#ended.signal, timeoutMs: CALL_TIMEOUT_MS, late });
  }

  async #unsubscribe(): Promise<void> {
    const unsubscribe = await this.#subscription?.catch(() => undefined);
    await unsubscribe?.();
  }

  async #publishAll(): Promise<void> {
    for (const [key, change] of this.#waiting) {
      this.#waiting.delete(key);
      try {
        await this.#call("publish", () => this.#bus.publish({ origin: this.#origin, change }));
      } catch (cause) {
        if (this.#ended.signal.aborted) break;
        this.#options.onError(new Error("Cannot publish change to the change bus", { cause }));
      }
    }
    this.#publishing = undefined;
  }

  #receive(value: unknown): void {
    if (this.#isClosed) return;
    try {
      const { origin, change } = readAnnouncement(value);
      if (origin !== this.#origin) this.#options.onChange(change);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
