/**
 * Checks that every journal for durable runs must pass.
 *
 * @module
 */

import type { JsonValue } from "../../shared/json.ts";
import type { RunWait } from "../run_record.ts";
import {
  createRun,
  type EngineCheck,
  getRun,
  journalCheck as check,
  openRun,
  RESULT,
  sleepUntil,
  waitFor,
} from "./engine_check.ts";
import { listChecks } from "./lists.ts";
import { signalChecks } from "./signals.ts";
import { expectEqual, newId, stepOf } from "../../testing/expect.ts";

/**
 * Checks for the {@linkcode RunJournal} of an engine. Each check is independent of the others and
 * of the test runner.
 *
 * @example Run the checks for the in-memory engine
 * ```ts
 * import { memoryRuns } from "@parley/runtime/runs";
 * import { runJournalChecks } from "@parley/runtime/testing";
 *
 * for (const check of runJournalChecks) {
 *   // With a test runner: Deno.test(check.name, () => check.run(memoryRuns));
 *   await check.run(() => memoryRuns());
 * }
 * ```
 */
export const runJournalChecks: readonly EngineCheck[] = [
  check("create() adds a queued run with epoch 0", async (journal) => {
    const runId = newId("run");
    const due = "2030-01-02T03:04:05.000Z";
    const run = { runId, agent: "clerk", version: "1.2", input: ["Hi", { a: null }], due };
    expectEqual(await journal.create(run), true, "the result of create()");
    const { createdAt, updatedAt, ...stored } = await getRun(journal, runId);
    expectEqual(stored, { ...run, status: "queued", epoch: 0, waitingFor: [] }, "the stored run");
    const isTime = !Number.isNaN(Date.parse(createdAt)) && createdAt === updatedAt;
    expectEqual(isTime, true, "whether the times of a new run are valid and equal");
  }),
  check("create() does not change a run with the same id", async (journal) => {
    const runId = await createRun(journal);
    const again = { runId, agent: "spy", version: "2", input: "Bye" };
    expectEqual(await journal.create(again), false, "the result of the second create()");
    expectEqual((await getRun(journal, runId)).input, "Hi", "the stored input");
  }),
  check(
    "create() stores the metadata of a run, which no change of the run affects",
    async (journal) => {
      const runId = newId("run");
      const metadata = { user: "ann", roles: ["a", { deep: null }], "": 'é\u{1F600}\u0000"' };
      const run = { runId, agent: "clerk", version: "1", input: "Hi", metadata };
      await journal.create(run);
      await journal.create({ ...run, metadata: { user: "eve" } });
      const opened = await openRun(journal, runId);
      expectEqual(opened.run.metadata, metadata, "the metadata of the open run");
      await journal.signal(runId, "a", 1);
      const end = { status: "waiting", waitingFor: [waitFor("b")] } as const;
      await journal.close(runId, opened.run.epoch, end);
      await journal.signal(runId, "b", 1);
      expectEqual((await getRun(journal, runId)).metadata, metadata, "the metadata after a signal");
      await journal.cancel(runId);
      const [listed] = await journal.list({ prefix: runId });
      expectEqual(listed?.metadata, metadata, "the metadata in the list");
      const without = await getRun(journal, await createRun(journal));
      expectEqual("metadata" in without, false, "whether a run without metadata has the member");
    },
  ),
  check(
    "create() adds a run once if several callers create it at the same time",
    async (journal) => {
      const runId = newId("run");
      const run = { runId, agent: "clerk", version: "1", input: "Hi" };
      const results = await Promise.all([1, 2, 3, 4].map(() => journal.create(run)));
      expectEqual(results.filter((isNew) => isNew).length, 1, "the number of new runs");
    },
  ),
  check("open() raises the epoch and sets the status to running", async (journal) => {
    const runId = await createRun(journal);
    expectEqual((await openRun(journal, runId)).run.epoch, 1, "the first epoch");
    const { run } = await openRun(journal, runId);
    expectEqual([run.epoch, run.status], [2, "running"], "the second epoch and the status");
    const { epoch, status } = await getRun(journal, runId);
    expectEqual([epoch, status], [2, "running"], "the stored epoch and status");
  }),
  check(
    "open() gives every caller a different epoch, and only the newest can write",
    async (journal) => {
      const runId = await createRun(journal);
      const opened = await Promise.all([1, 2, 3, 4].map(() => openRun(journal, runId)));
      const epochs = opened.map(({ run }) => run.epoch).sort((one, other) => one - other);
      expectEqual(epochs, [1, 2, 3, 4], "the epochs");
      const outcomes = await Promise.all(
        epochs.map((epoch) => journal.append(runId, epoch, stepOf(`s${epoch}`))),
      );
      expectEqual(outcomes, ["fenced", "fenced", "fenced", "stored"], "the results of append()");
    },
  ),
  check(
    "open() returns nothing for an unknown run and for a run that has ended",
    async (journal) => {
      expectEqual(await journal.open(newId("run")), undefined, "the result for an unknown run");
      const ends = [RESULT, { status: "failed", error: { code: "core", message: "x" } }] as const;
      for (const end of ends) {
        const runId = await createRun(journal);
        const { run } = await openRun(journal, runId);
        await journal.close(runId, run.epoch, end);
        expectEqual(
          await journal.open(runId),
          undefined,
          `the result for a run that is ${end.status}`,
        );
        expectEqual((await getRun(journal, runId)).status, end.status, "the stored status");
      }
    },
  ),
  check(
    "open() clears what the run waits for, its due time and its last error",
    async (journal) => {
      const runId = await createRun(journal);
      const due = "2030-01-01T00:00:00.000Z";
      const first = await openRun(journal, runId);
      const error = { code: "model_error", message: "down" };
      await journal.close(runId, first.run.epoch, { status: "queued", error });
      const second = await openRun(journal, runId);
      expectEqual(second.run.error, undefined, "the error of the open run");
      const waiting = { status: "waiting", waitingFor: [sleepUntil("a", due)], due } as const;
      await journal.close(runId, second.run.epoch, waiting);
      const { run } = await openRun(journal, runId);
      expectEqual(
        [run.waitingFor, run.due],
        [[], undefined],
        "the waits and the due time of the open run",
      );
    },
  ),
  check("append() stores a step once and keeps the first value", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    const step = { ...stepOf("a", { x: [1] }), at: 5 };
    expectEqual(
      await journal.append(runId, run.epoch, step),
      "stored",
      "the result of the first append()",
    );
    const other = await journal.append(runId, run.epoch, stepOf("a", 2));
    expectEqual(other, "present", "the result of the second append()");
    const { steps } = await openRun(journal, runId);
    expectEqual([...steps], [["a", step]], "the recorded steps");
  }),
  check("append() of a worker with an old epoch is fenced and stores nothing", async (journal) => {
    const runId = await createRun(journal);
    const old = await openRun(journal, runId);
    await openRun(journal, runId);
    const outcome = await journal.append(runId, old.run.epoch, stepOf("a"));
    expectEqual(outcome, "fenced", "the result of append()");
    expectEqual((await openRun(journal, runId)).steps.size, 0, "the number of recorded steps");
  }),
  check("append() is fenced after the run was closed or cancelled", async (journal) => {
    const closed = await createRun(journal);
    const { run } = await openRun(journal, closed);
    await journal.close(closed, run.epoch, { status: "waiting", waitingFor: [waitFor("a")] });
    const afterClose = await journal.append(closed, run.epoch, stepOf("a"));
    expectEqual(afterClose, "fenced", "the result of append() after close()");
    const cancelled = await createRun(journal);
    const { run: { epoch } } = await openRun(journal, cancelled);
    await journal.cancel(cancelled);
    for (const one of [epoch, epoch + 1]) {
      const outcome = await journal.append(cancelled, one, stepOf("a"));
      expectEqual(outcome, "fenced", "the result of append() after cancel()");
    }
  }),
  check("steps of different runs are separate", async (journal) => {
    const [one, other] = [await createRun(journal), await createRun(journal)];
    const { run } = await openRun(journal, one);
    await journal.append(one, run.epoch, stepOf("a", 1));
    const { run: second } = await openRun(journal, other);
    const outcome = await journal.append(other, second.epoch, stepOf("a", 2));
    expectEqual(outcome, "stored", "the result of append() for the second run");
    expectEqual(
      (await openRun(journal, one)).steps.get("a")?.value,
      1,
      "the value of the first run's step",
    );
  }),
  check("steps() yields the steps in the order in which they were recorded", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    const keys = ["b", "a", "r/i10/model", "r/i2/model"];
    for (const key of keys) await journal.append(runId, run.epoch, stepOf(key));
    const found: string[] = [];
    for await (const { key } of journal.steps(runId)) found.push(key);
    expectEqual(found, keys, "the keys of the steps");
  }),
  check("values are stored without loss", async (journal) => {
    const value: JsonValue = {
      text: 'é \u{1F600} \u0000 \u2028 \\u0000 "',
      numbers: [0, -1.5, 1e21, 5e-324, 9007199254740991],
      empty: [{}, [], "", null, false],
      ...JSON.parse('{"__proto__": {"constructor": 1}}'),
    };
    const runId = newId("run");
    await journal.create({ runId, agent: "clerk", version: "1", input: value });
    const { run } = await openRun(journal, runId);
    await journal.append(runId, run.epoch, stepOf("a", value));
    await journal.signal(runId, "a", value);
    const { run: { input }, signals, steps } = await openRun(journal, runId);
    const found = [input, steps.get("a")?.value, signals.get("a")];
    expectEqual(found, [value, value, value], "the input, the step and the signal");
  }),
  check("close() stores the result of a run", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    expectEqual(await journal.close(runId, run.epoch, RESULT), "closed", "the result of close()");
    const { result, status } = await getRun(journal, runId);
    expectEqual({ result, status }, RESULT, "the stored result and status");
    expectEqual(
      await journal.close(runId, run.epoch, RESULT),
      "fenced",
      "the result of the second close()",
    );
  }),
  check("close() stores the error of a run that is returned to the queue", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    const end = { status: "queued", error: { code: "core", message: "no" } } as const;
    expectEqual(await journal.close(runId, run.epoch, end), "closed", "the result of close()");
    const { error, status } = await getRun(journal, runId);
    expectEqual({ error, status }, end, "the stored error and status");
  }),
  check("close() of a worker with an old epoch is fenced and changes nothing", async (journal) => {
    const runId = await createRun(journal);
    const old = await openRun(journal, runId);
    await openRun(journal, runId);
    expectEqual(
      await journal.close(runId, old.run.epoch, RESULT),
      "fenced",
      "the result of close()",
    );
    const { epoch, status } = await getRun(journal, runId);
    expectEqual([status, epoch], ["running", 2], "the stored status and epoch");
  }),
  check("close() stores what a run waits for", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    const due = "2031-01-01T00:00:00.000Z";
    const approval: RunWait = {
      kind: "approval",
      key: `${runId}/i0/approval/0#x`,
      path: ["clerk", "helper"],
      reason: "outcome_unknown",
      toolName: "pay",
      toolCallId: "c3",
      input: { euros: 5 },
    };
    const { toolCallId: _, ...older } = waitFor("c");
    const waitingFor = [approval, waitFor("a"), sleepUntil("b", due), older];
    const end = { status: "waiting", waitingFor, due } as const;
    expectEqual(await journal.close(runId, run.epoch, end), "closed", "the result of close()");
    const stored = await getRun(journal, runId);
    const { status } = stored;
    expectEqual({ status, waitingFor: stored.waitingFor, due: stored.due }, end, "the stored run");
  }),
  check(
    "close() of a run whose awaited signal has arrived is signalled and changes nothing",
    async (journal) => {
      const runId = await createRun(journal);
      const { run } = await openRun(journal, runId);
      await journal.signal(runId, "a", 1);
      const end = { status: "waiting", waitingFor: [waitFor("b"), waitFor("a")] } as const;
      expectEqual(await journal.close(runId, run.epoch, end), "signalled", "the result of close()");
      const { epoch, status } = await getRun(journal, runId);
      expectEqual([status, epoch], ["running", run.epoch], "the stored status and epoch");
    },
  ),
  check("close() ignores signals that the run does not wait for", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    await journal.signal(runId, "a", 1);
    const due = "2031-01-01T00:00:00.000Z";
    // The key of a `sleep` call may be equal to the key of a signal.
    const waitingFor = [waitFor("b"), sleepUntil("a", due)];
    const end = { status: "waiting", waitingFor, due } as const;
    expectEqual(await journal.close(runId, run.epoch, end), "closed", "the result of close()");
  }),
  ...signalChecks,
  check("cancel() cancels an unfinished run exactly once", async (journal) => {
    expectEqual(
      await journal.cancel(newId("run")),
      false,
      "the result of cancel() for an unknown run",
    );
    const runId = await createRun(journal);
    await openRun(journal, runId);
    expectEqual(await journal.cancel(runId), true, "the result of cancel()");
    const { epoch, status } = await getRun(journal, runId);
    expectEqual([status, epoch], ["cancelled", 2], "the stored status and epoch");
    expectEqual(await journal.cancel(runId), false, "the result of the second cancel()");
    expectEqual(await journal.open(runId), undefined, "the result of open() after cancel()");
  }),
  check("cancel() does not change a run that is done", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    await journal.close(runId, run.epoch, RESULT);
    expectEqual(await journal.cancel(runId), false, "the result of cancel()");
    expectEqual((await getRun(journal, runId)).status, "done", "the stored status");
  }),
  ...listChecks,
  check("purge() deletes only runs that have ended before the time", async (journal) => {
    const agent = newId("agent");
    const [open, ended] = [await createRun(journal, agent), await createRun(journal, agent)];
    const { run } = await openRun(journal, ended);
    await journal.append(ended, run.epoch, stepOf("a"));
    await journal.close(ended, run.epoch, RESULT);
    const { updatedAt } = await getRun(journal, ended);
    await journal.purge(new Date(Date.parse(updatedAt)));
    expectEqual((await journal.list({ agent })).length, 2, "the runs after an early purge");
    const count = await journal.purge(new Date(Date.parse(updatedAt) + 1));
    expectEqual(count >= 1, true, "whether the result of purge() includes the run");
    const left = (await journal.list({ agent })).map(({ runId }) => runId);
    expectEqual(left, [open], "the runs after the purge");
    const again = { runId: ended, agent, version: "1", input: "Hi" };
    expectEqual(await journal.create(again), true, "the result of create() with a purged id");
    expectEqual((await openRun(journal, ended)).steps.size, 0, "the steps of the new run");
  }),
];
