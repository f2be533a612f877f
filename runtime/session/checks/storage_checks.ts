/**
 * Checks that every storage for sessions must pass.
 *
 * @module
 */

import { expectEqual, stepOf } from "../../testing/expect.ts";
import type { RunClaim, RunFinish, RunHead } from "../../log/run_log.ts";
import type { SessionEnd, SessionStorage, StepStore } from "../storage.ts";
import { type SessionStorageCheck, storageCheck as check } from "./storage_check.ts";

/** A long lease, which does not expire during a check. */
const LEASE_MS = 3_600_000;

function claimOf(claim: Partial<RunClaim> = {}): RunClaim {
  return {
    runId: "r/0",
    isNew: true,
    turn: "Hi",
    turnId: undefined,
    leaseMs: LEASE_MS,
    seenEpoch: 0,
    ...claim,
  };
}

function finishOf(finish: Partial<RunFinish> = {}): RunFinish {
  return { phase: "ended", entries: [], keepMs: LEASE_MS, result: null, ...finish };
}

function endOf(end: Partial<SessionEnd> = {}): SessionEnd {
  return { ...finishOf(), record: { v: 1 }, expectedLength: 0, ...end };
}

async function claim(
  { log }: SessionStorage,
  key: string,
  options: Partial<RunClaim> = {},
): Promise<RunHead> {
  const head = await log.claim(key, claimOf(options));
  if (head === undefined) throw new Error("claim() must succeed");
  return head;
}

function stepsOf({ steps }: SessionStorage): StepStore {
  if (steps === undefined) throw new Error('the storage must have "steps"');
  return steps;
}

/** Resolves with whether a wait ends before the other promise. */
async function endsFirst(wait: Promise<void>, other: Promise<unknown>): Promise<boolean> {
  return await Promise.race([wait.then(() => true), other.then(() => false)]);
}

/**
 * Checks for a {@linkcode SessionStorage}. Each check is independent of the others and of the test
 * runner.
 *
 * @example Run the checks for the storage in memory
 * ```ts
 * import { memoryStorage } from "@parley/runtime/session";
 * import { sessionStorageChecks } from "@parley/runtime/testing";
 *
 * for (const check of sessionStorageChecks) {
 *   // With a test runner: Deno.test(check.name, () => check.run(() => memoryStorage()));
 *   await check.run(() => memoryStorage());
 * }
 * ```
 */
export const sessionStorageChecks: readonly SessionStorageCheck[] = [
  check("records are counted, loaded in order and removed from the end", async (storage, key) => {
    const { records } = storage;
    expectEqual(await records.load(key), [], "the records of a new session");
    expectEqual(await records.count(key), 0, "the count of a new session");
    expectEqual(await records.append(key, { n: "a€\u{1F600}" }, 0), true, "the first append()");
    expectEqual(await records.append(key, { n: 1 }, 0), false, "append() at a taken position");
    expectEqual(await records.append(key, { n: 2 }, 5), false, "append() after a gap");
    expectEqual(await records.append(key, { n: 1 }, 1), true, "the second append()");
    expectEqual(await records.count(key), 2, "the count of two records");
    expectEqual(await records.load(key), [{ n: "a€\u{1F600}" }, { n: 1 }], "the records");
    expectEqual(await records.removeLast(key, 1), false, "removeLast() with another length");
    expectEqual(await records.removeLast(key, 2), true, "removeLast()");
    expectEqual(await records.load(key), [{ n: "a€\u{1F600}" }], "the records that are left");
    expectEqual(await records.load(key.toUpperCase()), [], "the records of a similar id");
  }),
  check("of concurrent appends at one position, exactly one succeeds", async ({ records }, key) => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) => records.append(key, { n }, 0)),
    );
    expectEqual(results.filter((isAdded) => isAdded).length, 1, "the number of successes");
    expectEqual(await records.count(key), 1, "the number of records");
  }),
  check("a new session has no run, and the first claim starts one", async (storage, key) => {
    expectEqual(await storage.log.head(key), undefined, "the head of a new session");
    const turn = [{ type: "text", text: "€\u{1F600}\0" }];
    const { changedAt, startedAt, ...head } = await claim(storage, key, { turn, turnId: "m1" });
    const expected = {
      key,
      runId: "r/0",
      epoch: 1,
      phase: "running",
      isLeased: true,
      isStopping: false,
      turn,
      turnId: "m1",
      first: 0,
      count: 0,
      result: null,
      isReadable: true,
    };
    expectEqual(head, expected, "the claimed run");
    expectEqual([typeof changedAt, typeof startedAt], ["number", "number"], "the types of times");
    expectEqual(
      await storage.log.head(key),
      { ...expected, changedAt, startedAt },
      "the head after the claim",
    );
  }),
  check("of concurrent claims, exactly one succeeds", async ({ log }, key) => {
    const claims = await Promise.all(Array.from({ length: 8 }, () => log.claim(key, claimOf())));
    expectEqual(claims.filter((head) => head !== undefined).length, 1, "the number of successes");
  }),
  check("of concurrent takeovers, exactly one succeeds", async (storage, key) => {
    await claim(storage, key, { leaseMs: 0 });
    const takeover = claimOf({ seenEpoch: 1, isNew: false, leaseMs: 0 });
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => storage.log.claim(key, takeover)),
    );
    expectEqual(claims.filter((head) => head !== undefined).length, 1, "the number of successes");
    expectEqual((await storage.log.head(key))?.epoch, 2, "the epoch after the takeovers");
  }),
  check(
    "a run with a lease is not claimed, and one whose lease has expired is",
    async (storage, key) => {
      const { log } = storage;
      await claim(storage, key);
      expectEqual(
        await log.claim(key, claimOf({ seenEpoch: 1 })),
        undefined,
        "a claim of a leased run",
      );
      expectEqual(await log.renew(key, 1, 0), "held", "renew() with no time");
      expectEqual((await log.head(key))?.isLeased, false, "isLeased of an expired lease");
      expectEqual(
        await log.claim(key, claimOf({ seenEpoch: 0 })),
        undefined,
        "a claim of an old state",
      );
      const taken = await claim(storage, key, { seenEpoch: 1, isNew: false });
      expectEqual([taken.epoch, taken.isLeased], [2, true], "the epoch after a takeover");
    },
  ),
  check("writes of an older epoch are fenced and change nothing", async (storage, key) => {
    const { log } = storage;
    await claim(storage, key, { leaseMs: 0 });
    await claim(storage, key, { seenEpoch: 1, isNew: false });
    const before = await log.head(key);
    expectEqual(await log.append(key, 1, ["late"]), "fenced", "append() of an older epoch");
    expectEqual(await log.renew(key, 1, LEASE_MS), "fenced", "renew() of an older epoch");
    expectEqual(await log.finish(key, 1, finishOf()), false, "finish() of an older epoch");
    expectEqual(await log.requestStop(key, 1), false, "requestStop() of an older epoch");
    expectEqual(
      await stepsOf(storage).put(key, 1, stepOf("s")),
      "fenced",
      "put() of an older epoch",
    );
    expectEqual(
      await storage.commit?.(key, 1, endOf()) ?? "fenced",
      "fenced",
      "commit() of an older epoch",
    );
    expectEqual(await log.head(key), before, "the head after fenced writes");
    expectEqual(await log.read(key, 2, { from: 0, limit: 9 }), [], "the entries");
    expectEqual(await storage.records.count(key), 0, "the number of records");
  }),
  check(
    "a writer whose lease has expired can still write if nobody has claimed the run",
    async (storage, key) => {
      const { log } = storage;
      await claim(storage, key, { leaseMs: 0 });
      expectEqual(await log.append(key, 1, ["late"]), "held", "append()");
      expectEqual(await log.renew(key, 1, LEASE_MS), "held", "renew()");
      expectEqual((await log.head(key))?.isLeased, true, "isLeased after the renewal");
    },
  ),
  check("entries are read in order, in pages, by epoch", async (storage, key) => {
    const { log } = storage;
    await claim(storage, key, { leaseMs: 0 });
    await log.append(key, 1, ["a", { b: "€" }]);
    await log.append(key, 1, []);
    await log.append(key, 1, ["c"]);
    expectEqual(await log.read(key, 1, { from: 0, limit: 2 }), ["a", { b: "€" }], "the first page");
    expectEqual(await log.read(key, 1, { from: 2, limit: 2 }), ["c"], "the second page");
    expectEqual(await log.read(key, 1, { from: 3, limit: 2 }), [], "the page after the end");
    const head = await claim(storage, key, { seenEpoch: 1, isNew: false });
    expectEqual([head.first, head.count], [3, 3], "the range of the new epoch");
    await log.append(key, 2, ["d"]);
    expectEqual(await log.read(key, 1, { from: 0, limit: 9 }), ["a", { b: "€" }, "c"], "epoch 1");
    expectEqual(await log.read(key, 2, { from: 3, limit: 9 }), ["d"], "epoch 2");
    expectEqual((await log.head(key))?.count, 4, "the count of all entries");
  }),
  check("a new run deletes the entries and steps of the earlier run", async (storage, key) => {
    const { log } = storage;
    await claim(storage, key);
    await log.append(key, 1, ["a"]);
    await stepsOf(storage).put(key, 1, stepOf("s"));
    await log.finish(key, 1, finishOf());
    const head = await claim(storage, key, { seenEpoch: 1, runId: "r/1" });
    expectEqual([head.runId, head.first, head.count], ["r/1", 0, 0], "the new run");
    expectEqual(
      await log.read(key, 1, { from: 0, limit: 9 }),
      [],
      "the entries of the earlier run",
    );
    expectEqual(await stepsOf(storage).load(key), [], "the steps of the earlier run");
  }),
  check("a run can wait, be released, and end", async (storage, key) => {
    const { log } = storage;
    await claim(storage, key);
    const result = { pending: ["€"] };
    expectEqual(
      await log.finish(key, 1, finishOf({ phase: "waiting", entries: ["w"], result })),
      true,
      "finish() with a waiting run",
    );
    const waiting = await log.head(key);
    expectEqual(
      [waiting?.phase, waiting?.isLeased, waiting?.isReadable, waiting?.count, waiting?.result],
      ["waiting", false, true, 1, result],
      "a waiting run",
    );
    expectEqual(await log.append(key, 1, ["late"]), "fenced", "append() to a waiting run");
    const resumed = await claim(storage, key, { seenEpoch: 1, isNew: false });
    expectEqual([resumed.phase, resumed.result], ["running", null], "a resumed run");
    await log.finish(key, 2, finishOf({ phase: "released" }));
    expectEqual((await log.head(key))?.phase, "released", "the phase of a released run");
    await claim(storage, key, { seenEpoch: 2, isNew: false });
    await log.finish(key, 3, finishOf({ entries: ["e"] }));
    const ended = await log.head(key);
    expectEqual(
      [ended?.phase, ended?.isReadable, ended?.count],
      ["ended", true, 2],
      "an ended run",
    );
  }),
  check(
    "an ended run that is not kept cannot be read, and its entries are purged",
    async (storage, key) => {
      const { log } = storage;
      await claim(storage, key);
      await log.append(key, 1, ["a"]);
      await log.finish(key, 1, finishOf({ keepMs: 0 }));
      expectEqual((await log.head(key))?.isReadable, false, "isReadable");
      await log.purge();
      expectEqual(await log.read(key, 1, { from: 0, limit: 9 }), [], "the entries after purge()");
      expectEqual((await log.head(key))?.phase, "ended", "the phase after purge()");
    },
  ),
  check("purge() keeps the entries of runs that can be read", async (storage, key) => {
    const { log } = storage;
    await claim(storage, key);
    await log.append(key, 1, ["a"]);
    await log.finish(key, 1, finishOf());
    await log.purge();
    expectEqual(await log.read(key, 1, { from: 0, limit: 9 }), ["a"], "the entries");
  }),
  check("a request to stop reaches the writer", async (storage, key) => {
    const { log } = storage;
    await claim(storage, key);
    expectEqual(await log.requestStop(key, 1), true, "requestStop()");
    expectEqual((await log.head(key))?.isStopping, true, "isStopping");
    expectEqual(await log.append(key, 1, ["a"]), "stop", "append() after the request");
    expectEqual(await log.renew(key, 1, LEASE_MS), "stop", "renew() after the request");
    await log.finish(key, 1, finishOf());
    expectEqual(await log.requestStop(key, 1), false, "requestStop() of an ended run");
    const next = await claim(storage, key, { seenEpoch: 1 });
    expectEqual(next.isStopping, false, "isStopping of the next run");
  }),
  check("steps are stored once", async (storage, key) => {
    const steps = stepsOf(storage);
    await claim(storage, key);
    const step = stepOf("i0/tool/0", { text: "€\u{1F600}" });
    expectEqual(await steps.put(key, 1, step), "stored", "put()");
    expectEqual(
      await steps.put(key, 1, stepOf("i0/tool/0", 2)),
      "present",
      "put() of a present key",
    );
    expectEqual(await steps.load(key), [step], "the steps");
    await steps.delete(key);
    expectEqual(await steps.load(key), [], "the steps after delete()");
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => steps.put(key, 1, stepOf("s", n))),
    );
    expectEqual(outcomes.filter((one) => one === "stored").length, 1, "the number of stored steps");
  }),
  check("commit() adds the record, ends the run and deletes its steps", async (storage, key) => {
    if (storage.commit === undefined) return;
    await claim(storage, key);
    await stepsOf(storage).put(key, 1, stepOf("s"));
    expectEqual(
      await storage.commit(key, 1, endOf({ expectedLength: 3 })),
      "conflict",
      "commit() with another length",
    );
    expectEqual((await storage.log.head(key))?.phase, "running", "the phase after a conflict");
    const end = endOf({ entries: ["last"], record: { v: 1, text: "€" } });
    expectEqual(await storage.commit(key, 1, end), "stored", "commit()");
    expectEqual(await storage.records.load(key), [{ v: 1, text: "€" }], "the records");
    expectEqual(await stepsOf(storage).load(key), [], "the steps");
    const head = await storage.log.head(key);
    expectEqual([head?.phase, head?.count, head?.isReadable], ["ended", 1, true], "the ended run");
    expectEqual(
      await storage.commit(key, 1, endOf({ expectedLength: 1 })),
      "fenced",
      "a second commit()",
    );
  }),
  check(
    "changed() resolves at once after a change, and when the signal aborts",
    async (storage, key) => {
      const { log } = storage;
      const before = await claim(storage, key);
      const never = new AbortController();
      await log.append(key, 1, ["a"]);
      await log.changed(before, never.signal);
      const head = await log.head(key);
      if (head === undefined) throw new Error("head() must return the run");
      const wait = log.changed(head, never.signal);
      await log.append(key, 1, ["b"]);
      await wait;
      const stopped = new AbortController();
      const latest = await log.head(key);
      const waiting = log.changed(latest ?? head, stopped.signal);
      stopped.abort();
      expectEqual(
        await endsFirst(waiting, new Promise(() => {})),
        true,
        "the end of an aborted wait",
      );
    },
  ),
  check("list() returns runs in the order of their ids, in pages", async (storage, key) => {
    const { log } = storage;
    const [a, b, c] = [`${key}-a`, `${key}-b`, `${key}-c`];
    await claim(storage, a, { leaseMs: 0 });
    await claim(storage, b);
    await claim(storage, c);
    await log.finish(c, 1, finishOf({ phase: "released" }));
    const keysOf = (heads: readonly RunHead[]) => heads.map((head) => head.key);
    const all = await log.list({ after: key, limit: 3 });
    expectEqual(keysOf(all), [a, b, c], "all runs");
    expectEqual(keysOf(await log.list({ after: a, limit: 1 })), [b], "the second page");
    const open = await log.list({ after: key, isInterrupted: true, limit: 2 });
    expectEqual(keysOf(open), [a, c], "interrupted runs");
    const running = await log.list({
      after: key,
      phase: "running",
      isInterrupted: false,
      limit: 1,
    });
    expectEqual(keysOf(running), [b], "running runs");
  }),
];
