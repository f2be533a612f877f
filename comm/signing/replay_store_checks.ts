/**
 * Checks that every replay store must pass.
 *
 * @module
 */

import type { ReplayBeginResult, ReplayStore } from "./replay_store.ts";

/** Limits that a check requires of a store. */
export interface ReplayStoreLimits {
  /** Maximum number of entries. */
  readonly maxEntries: number;
  /** Maximum share of `maxEntries` per sender. */
  readonly maxSharePerSender: number;
}

/** A check for a {@linkcode ReplayStore}. The check does not depend on a test runner. */
export interface ReplayStoreCheck {
  /** The behavior that the check asserts, as a sentence. */
  readonly name: string;
  /**
   * Whether the check opens the same store twice. A store that keeps its entries in one object,
   * such as `ReplayGuard`, cannot be opened twice.
   */
  readonly needsSharedStore: boolean;
  /**
   * Whether the check opens a store with limits. A store without a share per sender fails such a
   * check.
   */
  readonly needsLimits: boolean;
  /**
   * Runs the check. Rejects if the store violates the rule.
   *
   * @param open Opens a store. If `needsSharedStore` is `true`, `open` is called twice and must
   *   open the same database both times. If `needsLimits` is `true`, `open` receives limits, which
   *   the store must have. The check does not close stores. Stores may contain entries, because
   *   each check uses new ids and, if it has limits, new senders.
   */
  run(
    open: (limits?: ReplayStoreLimits) => ReplayStore | Promise<ReplayStore>,
  ): Promise<void>;
}

const ANN = "did:web:ann.example";
const BEN = "did:web:ben.example";

/** Time that a checked store must track each message, in milliseconds. */
const KEPT_MS = 60_000;
/** Difference between the clocks of the caller and of the store, in milliseconds. */
const OFFSET_MS = 3_600_000;
const CONCURRENT_CALLS = 50;

/**
 * Checks for a {@linkcode ReplayStore}. Each check is independent of the others and of the test
 * runner.
 *
 * @example Check a store
 * ```ts
 * import { SqliteReplayStore } from "@parley/comm/sqlite";
 * import { replayStoreChecks } from "@parley/comm/testing";
 *
 * await using stores = new AsyncDisposableStack();
 * const store = stores.use(new SqliteReplayStore(":memory:"));
 * for (const check of replayStoreChecks) {
 *   await check.run((limits) =>
 *     limits === undefined ? store : stores.use(new SqliteReplayStore(":memory:", limits))
 *   );
 * }
 * ```
 */
export const replayStoreChecks: readonly ReplayStoreCheck[] = [
  check('begin() returns true, then "reserved", and false after commit()', async (store, id) => {
    expectResult(await begin(store, ANN, id), true, "a new message");
    expectResult(await begin(store, ANN, id), "reserved", "a reserved message");
    await store.commit(ANN, id);
    expectResult(await begin(store, ANN, id), false, "a committed message");
    await store.commit(ANN, id);
    expectResult(await begin(store, ANN, id), false, "a message that was committed twice");
  }),
  check("exactly one of several concurrent calls of begin() returns true", async (store, id) => {
    const calls = Array.from({ length: CONCURRENT_CALLS }, () => begin(store, ANN, id));
    const results = await Promise.all(calls);
    const admitted = results.filter((result) => result === true).length;
    if (admitted !== 1) {
      throw new Error(`begin() must return true exactly once, but returned true ${admitted} times`);
    }
    const other = results.find((result) => result !== true && result !== "reserved");
    if (other !== undefined) expectResult(other, "reserved", "a concurrently reserved message");
  }),
  check("begin() compares senders and ids exactly", async (store, id) => {
    const long = id.repeat(100);
    const ids = [id, id.toUpperCase() + "X", id + "x", ` ${id}`, `${id} `, `${id}\u0000`];
    ids.push(`${id}\u00e9`, `${id}e\u0301`, `${long}1`, `${long}2`);
    for (const sender of [ANN, BEN]) {
      for (const one of ids) {
        expectResult(await begin(store, sender, one), true, `the new id ${JSON.stringify(one)}`);
        await store.commit(sender, one);
      }
    }
  }),
  check("abort() makes a reserved message available again", async (store, id) => {
    await begin(store, ANN, id);
    await store.abort(ANN, id);
    expectResult(await begin(store, ANN, id), true, "a message that was aborted");
    await store.commit(ANN, id);
    expectResult(await begin(store, ANN, id), false, "a message committed after an abort");
  }),
  check("abort() does not change a committed message", async (store, id) => {
    await begin(store, ANN, id);
    await store.commit(ANN, id);
    await store.abort(ANN, id);
    expectResult(await begin(store, ANN, id), false, "a committed message");
  }),
  check("abort() ignores a message that is not tracked", async (store, id) => {
    await store.abort(ANN, id);
    expectResult(await begin(store, ANN, id), true, "a new message");
  }),
  check("abort() affects only the given sender and id", async (store, id) => {
    await begin(store, ANN, id);
    await begin(store, BEN, id);
    await store.abort(BEN, id);
    expectResult(await begin(store, ANN, id), "reserved", "the message of the other sender");
  }),
  check("begin() keeps an entry for a caller whose clock is behind or ahead", async (store, id) => {
    for (const offsetMs of [-OFFSET_MS, OFFSET_MS]) {
      const nowMs = Date.now() + offsetMs;
      const keep = async (): Promise<ReplayBeginResult> =>
        await store.begin(ANN, `${id} ${offsetMs}`, nowMs + keptMsOf(store), { nowMs });
      expectResult(await keep(), true, "a new message");
      await store.commit(ANN, `${id} ${offsetMs}`);
      expectResult(await keep(), false, "a committed message");
    }
  }),
  {
    name: 'begin() returns "full" for a sender that has used its share, but not for other senders',
    needsSharedStore: false,
    needsLimits: true,
    async run(open) {
      const store = await open({ maxEntries: 1000, maxSharePerSender: 0.002 });
      const [one, other] = [newSender(), newSender()];
      for (const id of ["1", "2"]) {
        expectResult(await begin(store, one, id), true, "a message within the share");
      }
      await store.commit(one, "1");
      expectResult(await begin(store, one, "3"), "full", "a message beyond the share");
      expectResult(await begin(store, one, "1"), false, "a committed message");
      expectResult(await begin(store, other, "1"), true, "a message of another sender");
      await store.abort(one, "2");
      expectResult(await begin(store, one, "3"), true, "a message after an abort");
    },
  },
  {
    name: "begin() returns false for a message that was committed through another connection",
    needsSharedStore: true,
    needsLimits: false,
    async run(open) {
      const id = crypto.randomUUID();
      const [first, second] = [await open(), await open()];
      expectResult(await begin(first, ANN, id), true, "a new message");
      expectResult(await begin(second, ANN, id), "reserved", "a reserved message");
      await first.commit(ANN, id);
      expectResult(await begin(second, ANN, id), false, "a committed message");
    },
  },
];

function check(
  name: string,
  run: (store: ReplayStore, id: string) => Promise<void>,
): ReplayStoreCheck {
  return {
    name,
    needsSharedStore: false,
    needsLimits: false,
    run: async (open) => await run(await open(), crypto.randomUUID()),
  };
}

async function begin(store: ReplayStore, sender: string, id: string): Promise<ReplayBeginResult> {
  return await store.begin(sender, id, Date.now() + keptMsOf(store));
}

function keptMsOf({ ttlMs }: ReplayStore): number {
  return Math.min(KEPT_MS, ttlMs);
}

function newSender(): string {
  return `did:web:${crypto.randomUUID()}.example`;
}

function expectResult(actual: unknown, expected: ReplayBeginResult, message: string): void {
  if (actual === expected) return;
  throw new Error(
    `begin() must return ${JSON.stringify(expected)} for ${message}, got ${String(actual)}`,
  );
}
