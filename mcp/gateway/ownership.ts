/**
 * Claims the items of servers, in the order of the servers while they are loaded for the first
 * time.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { sleep } from "@parley/internal/timers";
import type { ClashReporter } from "./clashes.ts";
import type { Items } from "./items.ts";
import type { GatewaySettings } from "./options.ts";
import { loadClaims, saveClaims } from "./owner_store.ts";
import { Pauses } from "./pauses.ts";
import { type Clash, Owners } from "./owners.ts";

/** Options for {@linkcode Ownership}. */
export interface OwnershipOptions {
  /** Keys of the servers, in the order in which their items are claimed. */
  readonly keys: readonly string[];
  readonly settings: Pick<GatewaySettings, "maxItems" | "listTimeoutMs" | "owners">;
  /** Signal that is aborted when the gateway closes or the servers are no longer used. */
  readonly closing: AbortSignal;
  readonly reporter: ClashReporter;
  /** Owners whose claims precede. If omitted, the claims are stored in `settings.owners`. */
  readonly parent?: Owners;
}

/** The owners of the items of several servers. */
export class Ownership {
  /** The claims of the servers. */
  readonly owners: Owners;
  readonly #options: OwnershipOptions;
  /** The first load of each server, in order, until it succeeds, fails or times out. */
  readonly #firstLoads: ReadonlyMap<string, PromiseWithResolvers<void>>;
  readonly #waiting: Set<string>;
  readonly #started = new AbortController();
  #hasBegun = false;
  /** Whether claims have not been stored yet. */
  #isUnsaved = false;
  /** The update in progress. */
  #last: Promise<unknown> = Promise.resolve();

  /** Creates owners without claims. */
  constructor(options: OwnershipOptions) {
    const { keys, settings: { maxItems }, parent } = options;
    this.#options = options;
    // A server can rename all its items once without losing a claim.
    this.owners = new Owners(2 * maxItems, parent);
    this.#firstLoads = new Map(keys.map((key) => [key, Promise.withResolvers<void>()]));
    this.#waiting = new Set(keys);
  }

  /** Items that servers list and must not offer. */
  get clashes(): readonly Clash[] {
    return this.owners.clashes;
  }

  /**
   * Loads the stored claims. Claims of servers that are no longer configured are discarded.
   *
   * @throws {McpError} With code `core` if the store fails.
   */
  async restore(): Promise<void> {
    const { keys, settings: { owners: store }, parent } = this.#options;
    if (store === undefined || parent !== undefined) return;
    const claims = await loadClaims(store, this.#limits);
    this.owners.restore(claims.filter(({ server }) => keys.includes(server)));
  }

  /**
   * Starts the first load of all servers. Later calls have no effect.
   *
   * @param loadAll Starts the loads.
   */
  begin(loadAll: () => void): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { settings: { listTimeoutMs }, closing } = this.#options;
    const signal = AbortSignal.any([closing, this.#started.signal]);
    const settleAll = (): void => [...this.#waiting].forEach((key) => this.settle(key));
    sleep(listTimeoutMs, signal).then(settleAll, settleAll);
    loadAll();
  }

  /** Ends the first load of a server, so that later servers can claim their items. */
  settle(key: string): void {
    this.#firstLoads.get(key)?.resolve();
    this.#waiting.delete(key);
    if (this.#waiting.size === 0) this.#started.abort();
  }

  /**
   * Claims the items that a server lists. Returns the items that the server offers. Waits for the
   * first load of the servers that precede.
   *
   * @throws {McpError} With code `core` if the store fails, because the owner of an item that is
   * not stored could change after a restart.
   */
  async apply(key: string, items: Items): Promise<Items> {
    const { keys, closing } = this.#options;
    const earlier = keys.slice(0, keys.indexOf(key));
    const turns = Promise.all(earlier.map((one) => this.#firstLoads.get(one)?.promise));
    await abortable(turns, closing);
    const update = this.#last.then(() => this.#update(key, items));
    this.#last = update.catch(ignore);
    return await update;
  }

  async #update(key: string, items: Items): Promise<Items> {
    const { settings: { owners: store }, reporter, parent, closing } = this.#options;
    const update = this.owners.updating(key, items);
    const pauses = new Pauses(() => this.owners.steps);
    let step = update.next();
    for (; step.done !== true; step = update.next()) {
      if (pauses.isDue()) await pauses.pause(closing);
    }
    const { offered, clashes, hasNewClaims } = step.value;
    reporter.report(clashes);
    if (store !== undefined && parent === undefined && (hasNewClaims || this.#isUnsaved)) {
      this.#isUnsaved = true;
      await saveClaims(store, this.owners.claims, this.#limits);
      this.#isUnsaved = false;
    }
    return offered;
  }

  get #limits(): { readonly timeoutMs: number; readonly closing: AbortSignal } {
    const { settings: { listTimeoutMs: timeoutMs }, closing } = this.#options;
    return { timeoutMs, closing };
  }
}

function ignore(): void {}
