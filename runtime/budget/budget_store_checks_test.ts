import { assertEquals, assertRejects } from "@std/assert";
import { sqliteBudgetStore } from "../sqlite.ts";
import { budgetStoreChecks } from "./budget_store_checks.ts";
import type { BudgetStore } from "./budget_store.ts";
import { memoryBudgetStore } from "./memory_budget_store.ts";

for (const check of budgetStoreChecks) {
  Deno.test(`memoryBudgetStore: ${check.name}`, async () => {
    const store = memoryBudgetStore();
    await check.run(() => store);
  });
  Deno.test(`sqliteBudgetStore: ${check.name}`, async () => {
    await using store = sqliteBudgetStore(":memory:");
    await check.run(() => store);
  });
}

/** Stores with one fault each. */
const FAULTS: Readonly<Record<string, (store: BudgetStore) => Partial<BudgetStore>>> = {
  "ignores the limit": (store) => ({
    reserve: (key, amount, { ttlMs }) => store.reserve(key, amount, { limit: Infinity, ttlMs }),
  }),
  "has one budget for all keys": (store) => ({
    reserve: (_key, amount, options) => store.reserve("one", amount, options),
    read: () => store.read("one"),
  }),
  "settles nothing": () => ({ settle: () => Promise.resolve() }),
  "settles the reserved amount": (store) => ({ settle: (id) => store.settle(id, 50) }),
  "reads no reservations": (store) => ({
    read: async (key) => ({ ...await store.read(key), reserved: 0 }),
  }),
  "reserves after another task": (store) => ({
    async reserve(key, amount, { limit, ttlMs }) {
      const { reserved, used } = await store.read(key);
      if (used + reserved + amount > limit) return undefined;
      return await store.reserve(key, amount, { limit: Infinity, ttlMs });
    },
  }),
};

for (const [fault, change] of Object.entries(FAULTS)) {
  Deno.test(`the checks find a store that ${fault}`, async () => {
    const failed: string[] = [];
    for (const { name, run } of budgetStoreChecks) {
      const store = memoryBudgetStore();
      const broken: BudgetStore = {
        reserve: (key, amount, options) => store.reserve(key, amount, options),
        settle: (id, used) => store.settle(id, used),
        read: (key) => store.read(key),
        ...change(store),
      };
      await run(() => broken).catch(() => failed.push(name));
    }
    assertEquals(failed.length > 0, true);
  });
}

Deno.test("a memory store rejects further keys, and purges old ones", async () => {
  let now = 1000;
  const store = memoryBudgetStore({ maxKeys: 2, now: () => now });
  const options = { limit: 10, ttlMs: 1 };
  await store.reserve("a", 1, options);
  now = 2000;
  const id = await store.reserve("b", 1, options);
  await assertRejects(() => store.reserve("c", 1, options), RangeError, "the store has 2 keys");
  assertEquals(await store.purge(new Date(2000)), 1);
  assertEquals(await store.read("a"), { used: 0, reserved: 0 });
  await store.reserve("c", 1, options);
  await store.settle(id ?? "", 4);
  assertEquals(await store.read("b"), { used: 4, reserved: 0 });
});

Deno.test("an SQLite store purges old keys with their reservations", async () => {
  let now = 1000;
  await using store = sqliteBudgetStore(":memory:", { now: () => now });
  const options = { limit: 10, ttlMs: 1 };
  const id = await store.reserve("a", 5, options);
  now = 2000;
  await store.reserve("b", 5, options);
  assertEquals(await store.purge(new Date(2000)), 1);
  await store.settle(id ?? "", 5);
  assertEquals(await store.read("a"), { used: 0, reserved: 0 });
  assertEquals(await store.read("b"), { used: 0, reserved: 5 });
  await assertRejects(() => store.purge("now" as never), TypeError, '"before" must be');
});

Deno.test("stores reserve and settle nothing while their clock is invalid", async () => {
  for (const invalid of [NaN, "2000", null]) {
    let time: unknown = 1000;
    const now = () => time as number;
    await using sqlite = sqliteBudgetStore(":memory:", { now });
    for (const store of [memoryBudgetStore({ now }), sqlite]) {
      const options = { limit: 10, ttlMs: 1000 };
      time = 1000;
      const id = await store.reserve("a", 5, options) ?? "";
      time = invalid;
      const text = '"now()" must be a finite number';
      await assertRejects(() => store.reserve("a", 1, options), TypeError, text);
      await assertRejects(() => store.settle(id, 2), TypeError, text);
      await assertRejects(() => store.read("a"), TypeError, text);
      time = 1000;
      assertEquals(await store.read("a"), { used: 0, reserved: 5 });
    }
  }
});
