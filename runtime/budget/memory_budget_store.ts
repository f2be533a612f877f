/**
 * A store of budgets in memory.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { assertCount, assertDate, assertOptionalFunction } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { BudgetState, PurgeableBudgetStore, ReserveOptions } from "./budget_store.ts";

/** Options for {@linkcode memoryBudgetStore}. */
export interface MemoryBudgetStoreOptions {
  /**
   * Maximum number of keys; a positive integer. If the store has this many keys, reservations for
   * other keys reject until keys are purged.
   *
   * @default {100_000}
   */
  readonly maxKeys?: number;
  /** Returns the current time, in milliseconds since the Unix epoch. If omitted, `Date.now`. */
  readonly now?: () => number;
}

const readMemoryBudgetStoreOptions = optionsReader<MemoryBudgetStoreOptions>("options")({
  maxKeys: withDefault(100_000, assertCount),
  now: withDefault(() => Date.now(), assertOptionalFunction),
});

interface Reserved {
  readonly amount: number;
  readonly expiresAt: number;
}

interface Entry {
  used: number;
  changedAt: number;
  readonly reserved: Map<string, Reserved>;
}

/**
 * Creates a store of budgets that is lost with the process, for tests and for programs with one
 * process.
 *
 * @param options Maximum number of keys, and the clock.
 * @throws {TypeError} If an option has the wrong type.
 * @throws {RangeError} If `maxKeys` is not a positive integer.
 *
 * @example Reserve and settle an amount
 * ```ts
 * import { memoryBudgetStore } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const store = memoryBudgetStore();
 * const options = { limit: 1000, ttlMs: 60_000 };
 * const id = await store.reserve("user:42", 800, options);
 * assertEquals(await store.reserve("user:42", 300, options), undefined);
 * await store.settle(id ?? "", 650);
 * assertEquals(await store.read("user:42"), { used: 650, reserved: 0 });
 * ```
 */
export function memoryBudgetStore(options: MemoryBudgetStoreOptions = {}): PurgeableBudgetStore {
  const { maxKeys, now } = readMemoryBudgetStoreOptions(options);
  return new MemoryBudgetStore(maxKeys, now);
}

class MemoryBudgetStore implements PurgeableBudgetStore {
  readonly #maxKeys: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  /** Entries, keyed by the id of a reservation. */
  readonly #owners = new Map<string, Entry>();
  #count = 0;

  constructor(maxKeys: number, now: () => number) {
    this.#maxKeys = maxKeys;
    this.#now = now;
  }

  // deno-lint-ignore require-await -- errors become rejections
  async reserve(
    key: string,
    amount: number,
    { limit, ttlMs }: ReserveOptions,
  ): Promise<string | undefined> {
    const changedAt = askClock(this.#now);
    const entry = this.#entries.get(key) ?? { used: 0, changedAt, reserved: new Map() };
    if (entry.used + sumOf(entry) + amount > limit) return undefined;
    this.#add(key, entry);
    const id = String(this.#count++);
    entry.reserved.set(id, { amount, expiresAt: changedAt + ttlMs });
    entry.changedAt = changedAt;
    this.#owners.set(id, entry);
    return id;
  }

  // deno-lint-ignore require-await -- errors become rejections
  async settle(id: string, used: number): Promise<void> {
    const entry = this.#owners.get(id);
    if (entry === undefined) return;
    entry.changedAt = askClock(this.#now);
    this.#owners.delete(id);
    entry.reserved.delete(id);
    entry.used += used;
  }

  // deno-lint-ignore require-await -- errors become rejections
  async read(key: string): Promise<BudgetState> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return { used: 0, reserved: 0 };
    const now = askClock(this.#now);
    const reserved = sumOf(entry, ({ expiresAt }) => expiresAt > now);
    return { used: entry.used + sumOf(entry) - reserved, reserved };
  }

  // deno-lint-ignore require-await -- errors become rejections
  async purge(before: Date): Promise<number> {
    assertDate("before", before);
    let count = 0;
    for (const [key, { changedAt, reserved }] of this.#entries) {
      if (changedAt >= before.getTime()) continue;
      for (const id of reserved.keys()) this.#owners.delete(id);
      this.#entries.delete(key);
      count++;
    }
    return count;
  }

  #add(key: string, entry: Entry): void {
    if (this.#entries.size >= this.#maxKeys && !this.#entries.has(key)) {
      throw new RangeError(
        `Cannot reserve a budget: the store has ${this.#maxKeys} keys; purge keys of the past`,
      );
    }
    this.#entries.set(key, entry);
  }
}

function sumOf({ reserved }: Entry, accepts: (one: Reserved) => boolean = () => true): number {
  let sum = 0;
  for (const one of reserved.values()) if (accepts(one)) sum += one.amount;
  return sum;
}
