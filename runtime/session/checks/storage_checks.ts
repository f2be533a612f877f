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
    metadata: {},
    leaseMs: LEASE_MS,
    seenEpoch: 0,
    keepRuns: 10,
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
    const metadata = { tenant: "€\u{1F600}\0" };
    const started = await claim(storage, key, { turn, turnId: "m1", metadata });
    const { changedAt, epoch, startedAt, ...head } = started;
    const expected = {
      key,
      runId: "r/0",
      phase: "running",
      isLeased: true,
      isStopping: false,
      turn,
      turnId: "m1",
      metadata,
      takeovers: 0,
      first: 0,
      count: 0,
      result: null,
      isReadable: true,
    };
    expectEqual(head, expected, "the claimed run");
    expectEqual([typeof changedAt, typeof startedAt], ["number", "number"], "the types of times");
    expectEqual(
      await storage.log.head(key),
      { ...expected, changedAt, epoch, startedAt },
      "the head after the claim",
    );
  }),
  check("of concurrent claims, exactly one succeeds", async ({ log }, key) => {
    const claims = await Promise.all(Array.from({ length: 8 }, () => log.claim(key, claimOf())));
    expectEqual(claims.filter((head) => head !== undefined).length, 1, "the number of successes");
  }),
  check("of concurrent takeovers, exactly one succeeds", async (storage, key) => {
    const { epoch: first } = await claim(storage, key, { leaseMs: 0 });
    const takeover = claimOf({ seenEpoch: first, isNew: false, leaseMs: 0 });
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => storage.log.claim(key, takeover)),
    );
    expectEqual(claims.filter((head) => head !== undefined).length, 1, "the number of successes");
    expectEqual((await storage.log.head(key))?.epoch, first + 1, "the epoch after the takeovers");
  }),
  check(
    "a run with a lease is not claimed, and one whose lease has expired is",
    async (storage, key) => {
      const { log } = storage;
      const { epoch: first } = await claim(storage, key);
      expectEqual(
        await log.claim(key, claimOf({ seenEpoch: first })),
        undefined,
        "a claim of a leased run",
      );
      expectEqual(await log.renew(key, first, 0), "held", "renew() with no time");
      expectEqual((await log.head(key))?.isLeased, false, "isLeased of an expired lease");
      expectEqual(
        await log.claim(key, claimOf({ seenEpoch: 0 })),
        undefined,
        "a claim of an old state",
      );
      const taken = await claim(storage, key, { seenEpoch: first, isNew: false });
      expectEqual([taken.epoch, taken.isLeased], [first + 1, true], "the epoch after a takeover");
    },
  ),
  check("writes of an older epoch are fenced and change nothing", async (storage, key) => {
    const { log } = storage;
    const { epoch: first } = await claim(storage, key, { leaseMs: 0 });
    await claim(storage, key, { seenEpoch: first, isNew: false });
    const before = await log.head(key);
    expectEqual(await log.append(key, first, ["late"]), "fenced", "append() of an older epoch");
    expectEqual(await log.renew(key, first, LEASE_MS), "fenced", "renew() of an older epoch");
    expectEqual(await log.finish(key, first, finishOf()), false, "finish() of an older epoch");
    expectEqual(await log.requestStop(key, first), false, "requestStop() of an older epoch");
    expectEqual(
      await stepsOf(storage).put(key, first, stepOf("s")),
      "fenced",
      "put() of an older epoch",
    );
    expectEqual(
      await storage.commit?.(key, first, endOf()) ?? "fenced",
      "fenced",
      "commit() of an older epoch",
    );
    expectEqual(await log.head(key), before, "the head after fenced writes");
    expectEqual(await log.read(key, first + 1, { from: 0, limit: 9 }), [], "the entries");
    expectEqual(await storage.records.count(key), 0, "the number of records");
  }),
  check(
    "a writer whose lease has expired can still write if nobody has claimed the run",
    async (storage, key) => {
      const { log } = storage;
      const { epoch: first } = await claim(storage, key, { leaseMs: 0 });
      expectEqual(await log.append(key, first, ["late"]), "held", "append()");
      expectEqual(await log.renew(key, first, LEASE_MS), "held", "renew()");
      expectEqual((await log.head(key))?.isLeased, true, "isLeased after the renewal");
    },
  ),
  check("entries are read in order, in pages, by epoch", async (storage, key) => {
    const { log } = storage;
    const { epoch: first } = await claim(storage, key, { leaseMs: 0 });
    await log.append(key, first, ["a", { b: "€" }]);
    await log.append(key, first, []);
    await log.append(key, first, ["c"]);
    expectEqual(
      await log.read(key, first, { from: 0, limit: 2 }),
      ["a", { b: "€" }],
      "the first page",
    );
    expectEqual(await log.read(key, first, { from: 2, limit: 2 }), ["c"], "the second page");
    expectEqual(await log.read(key, first, { from: 3, limit: 2 }), [], "the page after the end");
    const head = await claim(storage, key, { seenEpoch: first, isNew: false });
    expectEqual([head.first, head.count], [3, 3], "the range of the new epoch");
    await log.append(key, first + 1, ["d"]);
    expectEqual(
      await log.read(key, first, { from: 0, limit: 9 }),
      ["a", { b: "€" }, "c"],
      "the first epoch",
    );
    expectEqual(await log.read(key, first + 1, { from: 3, limit: 9 }), ["d"], "the second epoch");
    expectEqual((await log.head(key))?.count, 4, "the count of all entries");
  }),
  check("a new run deletes the entries and steps of the earlier run", async (storage, key) => {
    const { log } = storage;
    const { epoch: first } = await claim(storage, key);
    await log.append(key, first, ["a"]);
    await stepsOf(storage).put(key, first, stepOf("s"));
    await log.finish(key, first, finishOf());
    const head = await claim(storage, key, { seenEpoch: first, runId: "r/1" });
    expectEqual([head.runId, head.first, head.count], ["r/1", 0, 0], "the new run");
    expectEqual(
      await log.read(key, first, { from: 0, limit: 9 }),
      [],
      "the entries of the earlier run",
    );
    expectEqual(await stepsOf(storage).load(key), [], "the steps of the earlier run");
  }),
  check("a run can wait, be released, and end", async (storage, key) => {
    const { log } = storage;
    const { epoch: first } = await claim(storage, key);
    const result = { pending: ["€"] };
    expectEqual(
      await log.finish(key, first, finishOf({ phase: "waiting", entries: ["w"], result })),
      true,
      "finish() with a waiting run",
    );
    const waiting = await log.head(key);
    expectEqual(
      [waiting?.phase, waiting?.isLeased, waiting?.isReadable, waiting?.count, waiting?.result],
      ["waiting", false, true, 1, result],
      "a waiting run",
    );
    expectEqual(await log.append(key, first, ["late"]), "fenced", "append() to a waiting run");
    const resumed = await claim(storage, key, { seenEpoch: first, isNew: false });
    expectEqual([resumed.phase, resumed.result], ["running", null], "a resumed run");
    await log.finish(key, first + 1, finishOf({ phase: "released" }));
    expectEqual((await log.head(key))?.phase, "released", "the phase of a released run");
    await claim(storage, key, { seenEpoch: first + 1, isNew: false });
    await log.finish(key, first + 2, finishOf({ entries: ["e"] }));
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
      const { epoch: first } = await claim(storage, key);
      await log.append(key, first, ["a"]);
      await log.finish(key, first, finishOf({ keepMs: 0 }));
      expectEqual((await log.head(key))?.isReadable, false, "isReadable");
      await log.purge({ keepRunsMs: LEASE_MS });
      expectEqual(
        await log.read(key, first, { from: 0, limit: 9 }),
        [],
        "the entries after purge()",
      );
      expectEqual((await log.head(key))?.phase, "ended", "the phase after purge()");
    },
  ),
  check("purge() keeps the entries of runs that can be read", async (storage, key) => {
    const { log } = storage;
    const { epoch: first } = await claim(storage, key);
    await log.append(key, first, ["a"]);
    await log.finish(key, first, finishOf());
    await log.purge({ keepRunsMs: LEASE_MS });
    expectEqual(await log.read(key, first, { from: 0, limit: 9 }), ["a"], "the entries");
  }),
  check("a request to stop reaches the writer", async (storage, key) => {
    const { log } = storage;
    const { epoch: first } = await claim(storage, key);
    expectEqual(await log.requestStop(key, first), true, "requestStop()");
    expectEqual((await log.head(key))?.isStopping, true, "isStopping");
    expectEqual(await log.append(key, first, ["a"]), "stop", "append() after the request");
    expectEqual(await log.renew(key, first, LEASE_MS), "stop", "renew() after the request");
    await log.finish(key, first, finishOf());
    expectEqual(await log.requestStop(key, first), false, "requestStop() of an ended run");
    const next = await claim(storage, key, { seenEpoch: first });
    expectEqual(next.isStopping, false, "isStopping of the next run");
  }),
  check("steps are stored once", async (storage, key) => {
    const steps = stepsOf(storage);
    const { epoch: first } = await claim(storage, key);
    const step = stepOf("i0/tool/0", { text: "€\u{1F600}" });
    expectEqual(await steps.put(key, first, step), "stored", "put()");
    expectEqual(
      await steps.put(key, first, stepOf("i0/tool/0", 2)),
      "present",
      "put() of a present key",
    );
    expectEqual(await steps.load(key), [step], "the steps");
    await steps.delete(key);
    expectEqual(await steps.load(key), [], "the steps after delete()");
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => steps.put(key, first, stepOf("s", n))),
    );
    expectEqual(outcomes.filter((one) => one === "stored").length, 1, "the number of stored steps");
  }),
  check("commit() adds the record, ends the run and deletes its steps", async (storage, key) => {
    if (storage.commit === undefined) return;
    const { epoch: first } = await claim(storage, key);
    await stepsOf(storage).put(key, first, stepOf("s"));
    expectEqual(
      await storage.commit(key, first, endOf({ expectedLength: 3 })),
      "conflict",
      "commit() with another length",
    );
    expectEqual((await storage.log.head(key))?.phase, "running", "the phase after a conflict");
    const end = endOf({ entries: ["last"], record: { v: 1, text: "€" } });
    expectEqual(await storage.commit(key, first, end), "stored", "commit()");
    expectEqual(await storage.records.load(key), [{ v: 1, text: "€" }], "the records");
    expectEqual(await stepsOf(storage).load(key), [], "the steps");
    const head = await storage.log.head(key);
    expectEqual([head?.phase, head?.count, head?.isReadable], ["ended", 1, true], "the ended run");
    expectEqual(
      await storage.commit(key, first, endOf({ expectedLength: 1 })),
      "fenced",
      "a second commit()",
    );
  }),
  check(
    "changed() resolves at once after a change, and when the signal aborts",
    async (storage, key) => {
      const { log } = storage;
      const before = await claim(storage, key);
      const { epoch: first } = before;
      const never = new AbortController();
      await log.append(key, first, ["a"]);
      await log.changed(before, never.signal);
      const head = await log.head(key);
      if (head === undefined) throw new Error("head() must return the run");
      const wait = log.changed(head, never.signal);
      await log.append(key, first, ["b"]);
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
    const { epoch: first } = await claim(storage, c);
    await log.finish(c, first, finishOf({ phase: "released" }));
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
  check("a takeover of a crashed process is counted, and a resumption is not", async (s, key) => {
    const { log } = s;
    const { epoch: first } = await claim(s, key, { leaseMs: 0 });
    const taken = await claim(s, key, { seenEpoch: first, isNew: false, leaseMs: 0 });
    expectEqual(taken.takeovers, 1, "takeovers after the lease has expired");
    await log.finish(key, taken.epoch, finishOf({ phase: "released" }));
    const resumed = await claim(s, key, { seenEpoch: taken.epoch, isNew: false });
    expectEqual(resumed.takeovers, 1, "takeovers after a release");
    await log.finish(key, resumed.epoch, finishOf({ phase: "waiting" }));
    const continued = await claim(s, key, { seenEpoch: resumed.epoch, isNew: false });
    expectEqual(continued.takeovers, 1, "takeovers after a wait");
    await log.finish(key, continued.epoch, finishOf());
    const next = await claim(s, key, { seenEpoch: continued.epoch, runId: "r/1" });
    expectEqual(next.takeovers, 0, "takeovers of a new run");
  }),
  check("a claim with an epoch of its own replaces older claims only", async (storage, key) => {
    const { log } = storage;
    const started = await claim(storage, key, { epoch: 1_000_007 });
    expectEqual(started.epoch, 1_000_007, "the epoch of the first claim");
    await log.append(key, 1_000_007, ["a"]);
    expectEqual(
      await log.claim(key, claimOf({ epoch: 1_000_007, isNew: false })),
      undefined,
      "a claim with the same epoch",
    );
    expectEqual(
      await log.claim(key, claimOf({ epoch: 1_000_006, isNew: false })),
      undefined,
      "a claim with an older epoch",
    );
    const taken = await claim(storage, key, { epoch: 1_000_009, isNew: false });
    expectEqual(
      [taken.epoch, taken.first, taken.count],
      [1_000_009, 1, 1],
      "a claim of a leased run with a newer epoch",
    );
    expectEqual(await log.append(key, 1_000_007, ["b"]), "fenced", "append() of the older epoch");
  }),
  check("a state that the log does not contain yet has not changed", async ({ log }, key) => {
    const head = {
      key,
      ...claimOf(),
      epoch: 0,
      phase: "released",
      takeovers: 0,
      isLeased: false,
      isStopping: false,
      first: 0,
      count: 0,
      result: null,
      isReadable: true,
      startedAt: 0,
      changedAt: 0,
    } as const;
    const stopped = new AbortController();
    const waiting = log.changed(head, stopped.signal);
    expectEqual(await endsFirst(waiting, log.head(key)), false, "changed() without a change");
    await log.claim(key, claimOf());
    await waiting;
  }),
  check("the states of earlier runs are kept, found and purged", async (storage, key) => {
    const { log } = storage;
    const idOf = (n: number) => `${key}/${n}`;
    let seenEpoch = 0;
    for (let n = 0; n < 4; n++) {
      const metadata = { n };
      const started = await claim(storage, key, {
        seenEpoch,
        runId: idOf(n),
        metadata,
        keepRuns: 2,
      });
      await log.append(key, started.epoch, ["a"]);
      if (n < 3) await log.finish(key, started.epoch, finishOf({ result: { n } }));
      seenEpoch = started.epoch;
    }
    const states = await Promise.all([0, 1, 2, 3].map((n) => log.find(idOf(n))));
    expectEqual(
      states.map((head) => head && [head.key, head.phase, head.metadata, head.result, head.count]),
      [
        undefined,
        [key, "ended", { n: 1 }, { n: 1 }, 0],
        [key, "ended", { n: 2 }, { n: 2 }, 0],
        [key, "running", { n: 3 }, null, 1],
      ],
      "the states of four runs, of which two earlier ones are kept",
    );
    expectEqual(states[2]?.isReadable, false, "isReadable of an earlier run");
    const listed = await log.history({ prefix: key, limit: 9 });
    expectEqual(new Set(listed.map(({ runId }) => runId)), new Set([1, 2, 3].map(idOf)), "runs");
    await log.finish(key, seenEpoch, finishOf());
    // A run that replaces the newest run has the same id.
    const again = await claim(storage, key, { seenEpoch, runId: idOf(3) });
    expectEqual((await log.find(idOf(3)))?.epoch, again.epoch, "the run that replaces another");
    expectEqual((await log.history({ prefix: key, limit: 9 })).length, 3, "the number of runs");
    await log.purge({ keepRunsMs: LEASE_MS });
    expectEqual((await log.find(idOf(2)))?.runId, idOf(2), "a state that is still kept");
    await log.purge({ keepRunsMs: -1 });
    expectEqual(
      (await log.history({ prefix: key, limit: 9 })).map(({ runId }) => runId),
      [idOf(3)],
      "the runs after purge()",
    );
  }),
  check("history() pages through the runs, newest first", async (storage, key) => {
    const { log } = storage;
    const keys = Array.from({ length: 7 }, (_, n) => `${key}%_\u{1F600}${n}`);
    const run = claimOf({ keepRuns: 10 });
    await Promise.all(keys.map((one) => log.claim(one, { ...run, runId: `${one}/0` })));
    await log.claim(`${key}%A`, { ...run, runId: `${key}/other` });
    const prefix = `${key}%_`;
    const all = await log.history({ prefix, limit: 100 });
    expectEqual(new Set(all.map((head) => head.key)), new Set(keys), "the sessions of the prefix");
    const paged: string[] = [];
    let page: readonly RunHead[];
    do {
      const last = all[paged.length - 1];
      page = await log.history({ prefix, limit: 2, ...last && { after: last } });
      paged.push(...page.map(({ runId }) => runId));
    } while (page.length > 0);
    expectEqual(paged, all.map(({ runId }) => runId), "the runs of all pages");
    const times = all.map(({ changedAt }) => changedAt);
    expectEqual(times, times.toSorted((one, other) => other - one), "the order of the times");
    const [newest] = await log.history({ limit: 1 });
    expectEqual(newest !== undefined, true, "the newest of all runs");
  }),
  check("a deleted session is empty, and its epochs are not used again", async (storage, key) => {
    const { log, records } = storage;
    const { epoch: first } = await claim(storage, key, { runId: `${key}/0` });
    expectEqual(await storage.delete(key, first), false, "delete() of a leased run");
    await log.append(key, first, ["a"]);
    await stepsOf(storage).put(key, first, stepOf("s"));
    await records.append(key, { n: 1 }, 0);
    await log.finish(key, first, finishOf());
    expectEqual(await storage.delete(key, first - 1), false, "delete() of another epoch");
    expectEqual(await records.count(key), 1, "the records before the deletion");
    expectEqual(await storage.delete(key, first), true, "delete()");
    expectEqual(
      [
        await log.head(key),
        await log.find(`${key}/0`),
        await records.load(key),
        await stepsOf(storage).load(key),
        await log.read(key, first, { from: 0, limit: 9 }),
      ],
      [undefined, undefined, [], [], []],
      "the deleted session",
    );
    const next = await claim(storage, key);
    expectEqual(next.epoch > first, true, "whether the epoch after the deletion is higher");
    expectEqual(await log.append(key, first, ["late"]), "fenced", "append() of the deleted run");
    await log.finish(key, next.epoch, finishOf());
    expectEqual(await log.delete(key, next.epoch), true, "delete() of the log");
    expectEqual(await storage.delete(`${key}-none`, 0), true, "delete() of a missing session");
  }),
];
