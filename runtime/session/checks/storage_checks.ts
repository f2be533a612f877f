/**
 * Checks that every storage for sessions must pass.
 *
 * @module
 */

import { logCheck, type RunLogCheck } from "../../log/checks/log_check.ts";
import { claim, finishOf, LEASE_MS } from "../../log/checks/log_steps.ts";
import { runLogChecks } from "../../log/checks/run_log_checks.ts";
import { expectEqual, stepOf } from "../../testing/expect.ts";
import type { SessionEnd, SessionStorage, StepStore } from "../storage.ts";

const check = logCheck<SessionStorage>;

function endOf(end: Partial<SessionEnd> = {}): SessionEnd {
  return { ...finishOf(), record: { v: 1 }, expectedLength: 0, ...end };
}

function stepsOf({ steps }: SessionStorage): StepStore {
  if (steps === undefined) throw new Error('the storage must have "steps"');
  return steps;
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
export const sessionStorageChecks: readonly RunLogCheck<SessionStorage>[] = [
  ...runLogChecks,
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
  check("records from an index are loaded, if the storage can", async ({ records }, key) => {
    if (records.loadFrom === undefined) return;
    expectEqual(await records.loadFrom(key, 0), [], "the records of a new session");
    for (const n of [0, 1, 2]) await records.append(key, { n }, n);
    expectEqual(await records.loadFrom(key, 0), [{ n: 0 }, { n: 1 }, { n: 2 }], "all records");
    expectEqual(await records.loadFrom(key, 2), [{ n: 2 }], "the last record");
    expectEqual(await records.loadFrom(key, 3), [], "the records after the last one");
    await records.removeLast(key, 3);
    expectEqual(await records.loadFrom(key, 2), [], "the record that was removed");
    expectEqual(await records.loadFrom(key.toUpperCase(), 0), [], "the records of a similar id");
  }),
  check("of concurrent appends at one position, exactly one succeeds", async ({ records }, key) => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) => records.append(key, { n }, 0)),
    );
    expectEqual(results.filter((isAdded) => isAdded).length, 1, "the number of successes");
    expectEqual(await records.count(key), 1, "the number of records");
  }),
  check("writes of an older epoch are fenced and change nothing", async (storage, key) => {
    const { log } = storage;
    const { epoch: first } = await claim(storage.log, key, { leaseMs: 0 });
    await claim(storage.log, key, { seenEpoch: first, isNew: false });
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
  check("a new run deletes the entries and steps of the earlier run", async (storage, key) => {
    const { log } = storage;
    const { epoch: first } = await claim(storage.log, key);
    await log.append(key, first, ["a"]);
    await stepsOf(storage).put(key, first, stepOf("s"));
    await log.finish(key, first, finishOf());
    const head = await claim(storage.log, key, { seenEpoch: first, runId: "r/1" });
    expectEqual([head.runId, head.first, head.count], ["r/1", 0, 0], "the new run");
    expectEqual(
      await log.read(key, first, { from: 0, limit: 9 }),
      [],
      "the entries of the earlier run",
    );
    expectEqual(await stepsOf(storage).load(key), [], "the steps of the earlier run");
  }),
  check("steps are stored once", async (storage, key) => {
    const steps = stepsOf(storage);
    const { epoch: first } = await claim(storage.log, key);
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
    const { epoch: first } = await claim(storage.log, key);
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
  check("a deleted session is empty, and its epochs are not used again", async (storage, key) => {
    const { log, records } = storage;
    const { epoch: first } = await claim(storage.log, key, { runId: `${key}/0` });
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
    const next = await claim(storage.log, key);
    expectEqual(next.epoch > first, true, "whether the epoch after the deletion is higher");
    expectEqual(await log.append(key, first, ["late"]), "fenced", "append() of the deleted run");
    await log.finish(key, next.epoch, finishOf());
    expectEqual(await log.delete(key, next.epoch), true, "delete() of the log");
    expectEqual(await storage.delete(`${key}-none`, 0), true, "delete() of a missing session");
  }),
];
