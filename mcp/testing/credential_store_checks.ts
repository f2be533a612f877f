/**
 * Checks that every credential store must pass.
 *
 * @module
 */

import type { CredentialStore } from "../auth/credential_store.ts";
import { type Check, check, expectEqual } from "./check.ts";

/** A key as clients use it: a word and a URL. */
function newKey(): string {
  return `tokens https://mcp.example/${crypto.randomUUID()}?a=1&b="%20'`;
}

/** Acquires the lock of a key. Throws if the store has no locks. */
async function acquire(
  store: CredentialStore,
  key: string,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  if (store.lock === undefined) throw new Error("the store has no function lock");
  return await store.lock(key, signal);
}

/** Resolves to `"waiting"` if the promise has not settled after several tasks of the event loop. */
async function stateOf(promise: Promise<unknown>): Promise<"settled" | "waiting"> {
  const settled = promise.then(() => "settled" as const, () => "settled" as const);
  const later = new Promise<"waiting">((resolve) => setTimeout(() => resolve("waiting"), 100));
  return await Promise.race([settled, later]);
}

/**
 * Checks for implementations of {@linkcode CredentialStore} that have the function `lock`. Each
 * check is independent of all other checks and of the test runner. The function passed to `run`
 * must return stores with the same values if it is called twice, for example two stores of one
 * file.
 *
 * @example Check the in-memory store
 * ```ts
 * import { memoryStore } from "@parley/mcp/auth";
 * import { credentialStoreChecks } from "@parley/mcp/testing";
 *
 * for (const check of credentialStoreChecks) {
 *   const store = memoryStore();
 *   // With a test runner: Deno.test(check.name, () => check.run(() => store));
 *   await check.run(() => store);
 * }
 * ```
 */
export const credentialStoreChecks: readonly Check<CredentialStore>[] = [
  check("load() returns the value that any store has saved last", async (open) => {
    const [one, two] = [await open(), await open()];
    const [key, other] = [newKey(), newKey()];
    expectEqual(await one.load(key), undefined, "the value of a new key");
    await one.save(key, "first");
    await two.save(other, "other");
    expectEqual(await two.load(key), "first", "the value in the other store");
    await two.save(key, "second");
    expectEqual(await one.load(key), "second", "the value after the second save");
    expectEqual(await one.load(other), "other", "the value of the other key");
  }),
  check("save() deletes a key if the value is undefined", async (open) => {
    const store = await open();
    const key = newKey();
    await store.save(key, undefined);
    await store.save(key, "value");
    await store.save(key, undefined);
    expectEqual(await store.load(key), undefined, "the value of the deleted key");
  }),
  check("save() and load() do not change a value", async (open) => {
    const store = await open();
    const values = ["", " ", "\u0000\n\u2028\u{1f600} \"'\\", "x".repeat(16_384), "undefined"];
    for (const value of values) {
      const key = newKey();
      await store.save(key, value);
      expectEqual(await store.load(key), value, "the value");
    }
    for (const key of ["__proto__", "constructor", "toString"]) {
      expectEqual(await store.load(key), undefined, `the value of ${key}`);
    }
  }),
  check("save() does not lose the values of concurrent calls", async (open) => {
    const stores = [await open(), await open()];
    const saved = Array.from({ length: 10 }, () => newKey());
    await Promise.all(saved.map((key, index) => stores[index % 2]?.save(key, key)));
    for (const key of saved) expectEqual(await stores[0]?.load(key), key, "the value");
  }),
  check("lock() waits until the lock of the same key is released", async (open) => {
    const [one, two] = [await open(), await open()];
    const { signal } = new AbortController();
    const key = newKey();
    const held = await acquire(one, key, signal);
    const other = await acquire(two, newKey(), signal);
    await other[Symbol.asyncDispose]();
    const waiting = acquire(two, key, signal);
    expectEqual(await stateOf(waiting), "waiting", "the state of the second call");
    // A value can be saved while the lock is held.
    await one.save(key, "value");
    await held[Symbol.asyncDispose]();
    await (await waiting)[Symbol.asyncDispose]();
    expectEqual(await two.load(key), "value", "the value that the holder has saved");
  }),
  check("lock() gives a lock to one holder at a time", async (open) => {
    const stores = [await open(), await open(), await open()];
    const { signal } = new AbortController();
    const key = newKey();
    let holders = 0;
    let most = 0;
    await Promise.all(stores.flatMap((store) =>
      Array.from({ length: 4 }, async () => {
        const lock = await acquire(store, key, signal);
        most = Math.max(most, ++holders);
        await store.save(key, `${Number(await store.load(key) ?? 0) + 1}`);
        holders--;
        await lock[Symbol.asyncDispose]();
      })
    ));
    expectEqual(most, 1, "the number of holders");
    expectEqual(await stores[0]?.load(key), "12", "the number of sections");
  }),
  check("lock() rejects if the signal aborts, and does not hold the lock then", async (open) => {
    const store = await open();
    const key = newKey();
    const { signal } = new AbortController();
    const held = await acquire(store, key, signal);
    const stop = new AbortController();
    const waiting = acquire(store, key, stop.signal).then(() => "acquired", (error) => error);
    const reason = new Error("no longer needed");
    stop.abort(reason);
    expectEqual(await waiting === reason, true, "whether the reason of the signal was thrown");
    const aborted = acquire(store, key, stop.signal).then(() => "acquired", (error) => error);
    expectEqual(await aborted === reason, true, "whether an aborted signal was respected");
    await held[Symbol.asyncDispose]();
    await (await acquire(store, key, signal))[Symbol.asyncDispose]();
  }),
  check("a lock can be released twice, and then belongs to its next holder", async (open) => {
    const store = await open();
    const key = newKey();
    const { signal } = new AbortController();
    const first = await acquire(store, key, signal);
    await first[Symbol.asyncDispose]();
    const second = await acquire(store, key, signal);
    await first[Symbol.asyncDispose]();
    const waiting = acquire(store, key, signal);
    expectEqual(await stateOf(waiting), "waiting", "the state of the third call");
    await second[Symbol.asyncDispose]();
    await (await waiting)[Symbol.asyncDispose]();
  }),
];
