/**
 * Checks that every store of budgets must pass.
 *
 * @module
 */

import type { BudgetState, BudgetStore } from "./budget_store.ts";

/** A check for a {@linkcode BudgetStore}. The check does not depend on a test runner. */
export interface BudgetStoreCheck {
  /** The behavior that the check asserts, as a sentence. */
  readonly name: string;
  /**
   * Runs the check. Rejects if the store does not behave as asserted.
   *
   * @param open Opens a store. If a check opens two stores, they must share their budgets. The
   * check does not close them. Stores may contain budgets, because each check uses new keys.
   */
  run(open: () => BudgetStore | Promise<BudgetStore>): Promise<void>;
}

type Open = () => Promise<BudgetStore>;

/** Time to live of a reservation that does not expire during a check, in milliseconds. */
const LONG_MS = 600_000;
const CONCURRENT_CALLS = 50;

function check(name: string, run: (open: Open) => Promise<void>): BudgetStoreCheck {
  return { name, run: async (open) => await run(async () => await open()) };
}

function newKey(): string {
  return `check:${crypto.randomUUID()}`;
}

/**
 * Checks for a {@linkcode BudgetStore}. Each check is independent of the others and of the test
 * runner.
 *
 * @example Check a store
 * ```ts
 * import { memoryBudgetStore } from "@parley/runtime";
 * import { budgetStoreChecks } from "@parley/runtime/testing";
 *
 * const store = memoryBudgetStore();
 * for (const check of budgetStoreChecks) await check.run(() => store);
 * ```
 */
export const budgetStoreChecks: readonly BudgetStoreCheck[] = [
  check("a key that was never used has the amounts 0", async (open) => {
    await expectState(await open(), newKey(), { used: 0, reserved: 0 });
  }),
  check("amounts are reserved up to the limit", async (open) => {
    const store = await open();
    const key = newKey();
    await reserve(store, key, 60);
    await expectRefused(store, key, 41);
    await expectState(store, key, { used: 0, reserved: 60 });
    await reserve(store, key, 40);
    await expectRefused(store, key, 1);
    await reserve(store, key, 0);
    await expectState(store, key, { used: 0, reserved: 100 });
  }),
  check("an amount above the limit is not reserved for a new key", async (open) => {
    const store = await open();
    const key = newKey();
    await expectRefused(store, key, 101);
    await expectState(store, key, { used: 0, reserved: 0 });
  }),
  check("each key has its own budget", async (open) => {
    const store = await open();
    const [first, second] = [newKey(), newKey()];
    await reserve(store, first, 100);
    await reserve(store, second, 100);
    await expectRefused(store, first, 1);
  }),
  check("settling replaces a reservation with the used amount", async (open) => {
    const store = await open();
    const key = newKey();
    const id = await reserve(store, key, 80);
    await store.settle(id, 30);
    await expectState(store, key, { used: 30, reserved: 0 });
    await reserve(store, key, 70);
    await expectRefused(store, key, 1);
  }),
  check("the used amount may be 0, or exceed the reservation and the limit", async (open) => {
    const store = await open();
    const key = newKey();
    await store.settle(await reserve(store, key, 50), 0);
    await expectState(store, key, { used: 0, reserved: 0 });
    await store.settle(await reserve(store, key, 50), 250);
    await expectState(store, key, { used: 250, reserved: 0 });
    await expectRefused(store, key, 1);
  }),
  check("a reservation is settled once", async (open) => {
    const store = await open();
    const key = newKey();
    const [id, other] = [await reserve(store, key, 10), await reserve(store, key, 10)];
    await store.settle(id, 5);
    await store.settle(id, 5);
    await store.settle(crypto.randomUUID(), 5);
    await expectState(store, key, { used: 5, reserved: 10 });
    await store.settle(other, 0);
    await expectState(store, key, { used: 5, reserved: 0 });
  }),
  check("a reservation that has expired counts in full until it is settled", async (open) => {
    const store = await open();
    const key = newKey();
    const id = await store.reserve(key, 100, { limit: 100, ttlMs: 1 });
    if (id === undefined) throw new Error("reserve() must reserve an amount within the limit");
    const isExpired = async (): Promise<boolean> => (await store.read(key)).reserved === 0;
    while (!await isExpired()) await new Promise((resolve) => setTimeout(resolve, 1));
    await expectState(store, key, { used: 100, reserved: 0 });
    await expectRefused(store, key, 1);
    await store.settle(id, 40);
    await expectState(store, key, { used: 40, reserved: 0 });
  }),
  check("stores share their budgets", async (open) => {
    const [first, second] = [await open(), await open()];
    const key = newKey();
    const id = await reserve(first, key, 70);
    await expectRefused(second, key, 31);
    await second.settle(id, 20);
    await expectState(first, key, { used: 20, reserved: 0 });
  }),
  check("concurrent reservations never exceed the limit", async (open) => {
    const stores = [await open(), await open()];
    const key = newKey();
    const calls = Array.from({ length: CONCURRENT_CALLS }, (_, index) => {
      const store = stores[index % stores.length];
      return store?.reserve(key, 7, { limit: 100, ttlMs: LONG_MS });
    });
    const ids = (await Promise.all(calls)).filter((id) => id !== undefined);
    expectEqual(ids.length, 14, "the number of reservations");
    expectEqual(new Set(ids).size, 14, "the number of different ids");
    await expectState(await open(), key, { used: 0, reserved: 98 });
  }),
];

async function reserve(store: BudgetStore, key: string, amount: number): Promise<string> {
  const id = await store.reserve(key, amount, { limit: 100, ttlMs: LONG_MS });
  if (typeof id === "string") return id;
  throw new Error(`reserve() must reserve ${amount} within the limit`);
}

async function expectRefused(store: BudgetStore, key: string, amount: number): Promise<void> {
  const id = await store.reserve(key, amount, { limit: 100, ttlMs: LONG_MS });
  expectEqual(id, undefined, `the result of reserve() for ${amount} beyond the limit`);
}

async function expectState(store: BudgetStore, key: string, state: BudgetState): Promise<void> {
  const { reserved, used } = await store.read(key);
  expectEqual(used, state.used, "the used amount");
  expectEqual(reserved, state.reserved, "the reserved amount");
}

function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what} must be ${expected}, got ${actual}`);
}
