/**
 * Checks that every log of runs must pass.
 *
 * @module
 */

import { expectEqual } from "../../testing/expect.ts";
import type { RunHead } from "../run_log.ts";
import { claim, claimOf, endsFirst, finishOf, LEASE_MS } from "./log_steps.ts";
import { logCheck as check, type RunLogCheck } from "./log_check.ts";

/**
 * Checks for a {@linkcode RunLog}, which durable runs use. {@linkcode sessionStorageChecks} contain
 * them. Each check is independent of the others and of the test runner.
 *
 * @example Run the checks for the log of an engine
 * ```ts
 * import { memoryRuns } from "@parley/runtime/runs";
 * import { runLogChecks } from "@parley/runtime/testing";
 *
 * function open() {
 *   const { log, ...engine } = memoryRuns();
 *   if (log === undefined) throw new Error("The engine has no log");
 *   return { ...engine, log };
 * }
 *
 * for (const check of runLogChecks) {
 *   // With a test runner: Deno.test(check.name, () => check.run(open));
 *   await check.run(open);
 * }
 * ```
 */
export const runLogChecks: readonly RunLogCheck[] = [
  check("a new session has no run, and the first claim starts one", async ({ log }, key) => {
    expectEqual(await log.head(key), undefined, "the head of a new session");
    const turn = [{ type: "text", text: "€\u{1F600}\0" }];
    const metadata = { tenant: "€\u{1F600}\0" };
    const started = await claim(log, key, { turn, turnId: "m1", metadata });
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
      await log.head(key),
      { ...expected, changedAt, epoch, startedAt },
      "the head after the claim",
    );
  }),
  check("of concurrent claims, exactly one succeeds", async ({ log }, key) => {
    const claims = await Promise.all(Array.from({ length: 8 }, () => log.claim(key, claimOf())));
    expectEqual(claims.filter((head) => head !== undefined).length, 1, "the number of successes");
  }),
  check("of concurrent takeovers, exactly one succeeds", async ({ log }, key) => {
    const { epoch: first } = await claim(log, key, { leaseMs: 0 });
    const takeover = claimOf({ seenEpoch: first, isNew: false, leaseMs: 0 });
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => log.claim(key, takeover)),
    );
    expectEqual(claims.filter((head) => head !== undefined).length, 1, "the number of successes");
    expectEqual((await log.head(key))?.epoch, first + 1, "the epoch after the takeovers");
  }),
  check(
    "a run with a lease is not claimed, and one whose lease has expired is",
    async ({ log }, key) => {
      const { epoch: first, startedAt } = await claim(log, key);
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
      const taken = await claim(log, key, { seenEpoch: first, isNew: false });
      expectEqual([taken.epoch, taken.isLeased], [first + 1, true], "the epoch after a takeover");
      expectEqual(taken.startedAt, startedAt, "startedAt after a takeover");
    },
  ),
  check("a run that has ended is not continued", async ({ log }, key) => {
    const { epoch: seenEpoch } = await claim(log, key, { leaseMs: 0 });
    await log.finish(key, seenEpoch, finishOf());
    expectEqual(
      await log.claim(key, claimOf({ seenEpoch, isNew: false })),
      undefined,
      "a claim of a run that has ended since the caller has read it",
    );
    const { epoch } = await claim(log, key, { seenEpoch, runId: "r2" });
    expectEqual(epoch > seenEpoch, true, "whether the next run has a higher epoch");
  }),
  check(
    "a writer whose lease has expired can still write if no process has claimed the run",
    async ({ log }, key) => {
      const { epoch: first } = await claim(log, key, { leaseMs: 0 });
      expectEqual(await log.append(key, first, ["late"]), "held", "append()");
      expectEqual(await log.renew(key, first, LEASE_MS), "held", "renew()");
      expectEqual((await log.head(key))?.isLeased, true, "isLeased after the renewal");
    },
  ),
  check("entries are read in order, in pages, by epoch", async ({ log }, key) => {
    const { epoch: first } = await claim(log, key, { leaseMs: 0 });
    await log.append(key, first, ["a", { b: "€" }]);
    await log.append(key, first, []);
    await log.append(key, first, ["c"]);
    expectEqual(
      await log.read(key, first, { from: 0, limit: 2 }),
      ["a", { b: "€" }],
      "the first page",
    );
    expectEqual(await log.read(key, first, { from: 2, limit: 2 }), ["c"], "the second page");
    for (const from of [3, 4, 1_000_000]) {
      expectEqual(await log.read(key, first, { from, limit: 2 }), [], "the page after the end");
    }
    expectEqual(await log.read(key, first + 9, { from: 0, limit: 2 }), [], "an unknown epoch");
    const head = await claim(log, key, { seenEpoch: first, isNew: false });
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
  check("a run can wait, be released, and end", async ({ log }, key) => {
    const { epoch: first } = await claim(log, key);
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
    const resumed = await claim(log, key, { seenEpoch: first, isNew: false });
    expectEqual([resumed.phase, resumed.result], ["running", null], "a resumed run");
    await log.finish(key, first + 1, finishOf({ phase: "released" }));
    expectEqual((await log.head(key))?.phase, "released", "the phase of a released run");
    await claim(log, key, { seenEpoch: first + 1, isNew: false });
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
    async ({ log }, key) => {
      const { epoch: first } = await claim(log, key);
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
  check("purge() keeps the entries of runs that can be read", async ({ log }, key) => {
    const { epoch: first } = await claim(log, key);
    await log.append(key, first, ["a"]);
    await log.finish(key, first, finishOf());
    await log.purge({ keepRunsMs: LEASE_MS });
    expectEqual(await log.read(key, first, { from: 0, limit: 9 }), ["a"], "the entries");
  }),
  check("a request to stop reaches the writer", async ({ log }, key) => {
    const { epoch: first } = await claim(log, key);
    expectEqual(await log.requestStop(key, first), true, "requestStop()");
    expectEqual((await log.head(key))?.isStopping, true, "isStopping");
    expectEqual(await log.append(key, first, ["a"]), "stop", "append() after the request");
    expectEqual(await log.renew(key, first, LEASE_MS), "stop", "renew() after the request");
    await log.finish(key, first, finishOf());
    expectEqual(await log.requestStop(key, first), false, "requestStop() of an ended run");
    const next = await claim(log, key, { seenEpoch: first });
    expectEqual(next.isStopping, false, "isStopping of the next run");
  }),
  check(
    "changed() resolves immediately after a change, and when the signal aborts",
    async ({ log }, key) => {
      const before = await claim(log, key);
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
  check("list() returns runs in the order of their ids, in pages", async ({ log }, key) => {
    const [a, b, c] = [`${key}-a`, `${key}-b`, `${key}-c`];
    await claim(log, a, { leaseMs: 0 });
    await claim(log, b);
    const { epoch: first } = await claim(log, c);
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
  check(
    "a takeover of a crashed process is counted, and a resumption is not",
    async ({ log }, key) => {
      const { epoch: first } = await claim(log, key, { leaseMs: 0 });
      const taken = await claim(log, key, { seenEpoch: first, isNew: false, leaseMs: 0 });
      expectEqual(taken.takeovers, 1, "takeovers after the lease has expired");
      await log.finish(key, taken.epoch, finishOf({ phase: "released" }));
      const resumed = await claim(log, key, { seenEpoch: taken.epoch, isNew: false });
      expectEqual(resumed.takeovers, 1, "takeovers after a release");
      await log.finish(key, resumed.epoch, finishOf({ phase: "waiting" }));
      const continued = await claim(log, key, { seenEpoch: resumed.epoch, isNew: false });
      expectEqual(continued.takeovers, 1, "takeovers after a wait");
      await log.finish(key, continued.epoch, finishOf());
      const next = await claim(log, key, { seenEpoch: continued.epoch, runId: "r/1" });
      expectEqual(next.takeovers, 0, "takeovers of a new run");
    },
  ),
  check("a claim that sets the epoch replaces older claims only", async ({ log }, key) => {
    const started = await claim(log, key, { epoch: 1_000_007 });
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
    const taken = await claim(log, key, { epoch: 1_000_009, isNew: false });
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
  check("the states of earlier runs are kept, found and purged", async ({ log }, key) => {
    const idOf = (n: number) => `${key}/${n}`;
    let seenEpoch = 0;
    for (let n = 0; n < 4; n++) {
      const metadata = { n };
      const started = await claim(log, key, {
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
    expectEqual(listed.map(({ runId }) => runId).sort(), [1, 2, 3].map(idOf), "the runs");
    await log.finish(key, seenEpoch, finishOf());
    // A run that replaces the newest run has the same id.
    const again = await claim(log, key, { seenEpoch, runId: idOf(3) });
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
  check("history() pages through the runs, newest first", async ({ log }, key) => {
    const keys = [
      ...Array.from({ length: 7 }, (_, n) => `${key}%_\u{1F600}${n}`),
      `${key}%_\u{10FFFF}`,
    ];
    const run = claimOf({ keepRuns: 10 });
    await Promise.all(keys.map((one) => log.claim(one, { ...run, runId: `${one}/0` })));
    await log.claim(`${key}%A`, { ...run, runId: `${key}/other` });
    const prefix = `${key}%_`;
    const all = await log.history({ prefix, limit: 100 });
    expectEqual(all.map((head) => head.key).sort(), keys, "the sessions of the prefix");
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
];
