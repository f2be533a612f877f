/**
 * Checks of the signals that every journal for durable runs must pass.
 *
 * @module
 */

import { expectEqual, newId, stepOf } from "../../testing/expect.ts";
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

/** Checks for {@linkcode RunJournal.signal} and {@linkcode RunJournal.signals}. */
export const signalChecks: readonly EngineCheck[] = [
  check("signal() keeps the first value and reports it to later callers", async (journal) => {
    const runId = await createRun(journal);
    const first = await journal.signal(runId, "a", { x: 1, y: 2 });
    expectEqual(first, "stored", "the result of the first signal()");
    const equal = await journal.signal(runId, "a", { y: 2, x: 1 });
    expectEqual(equal, "present", "the result of signal() for an equal value");
    const other = await journal.signal(runId, "a", { x: 1 });
    expectEqual(other, "conflict", "the result of signal() for another value");
    const { signals } = await openRun(journal, runId);
    expectEqual([...signals], [["a", { x: 1, y: 2 }]], "the stored signals");
  }),
  check("signals() yields the signals in the order in which they arrived", async (journal) => {
    const [runId, other] = [await createRun(journal), await createRun(journal)];
    const sent = [
      { key: "b", value: { x: 1 } },
      { key: `${runId}/i0/approval/0`, value: { decision: "approve" } },
      { key: "a", value: null },
      { key: "c", value: [1] },
    ];
    for (const { key, value } of sent) {
      await journal.signal(runId, key, value);
      await journal.signal(other, key, "other");
      await journal.signal(runId, "b", "too late");
    }
    const { run, signals } = await openRun(journal, runId);
    await journal.append(runId, run.epoch, stepOf("d"));
    const keys = sent.map(({ key }) => key);
    expectEqual([...signals.keys()], keys, "the keys of the signals of the open run");
    await journal.close(runId, run.epoch, RESULT);
    const found: unknown[] = [];
    for await (const signal of journal.signals(runId)) found.push(signal);
    expectEqual(found, sent, "the signals of the run that is done");
    const none: unknown[] = [];
    for await (const signal of journal.signals(newId("run"))) none.push(signal);
    expectEqual(none, [], "the signals of an unknown run");
  }),
  check("signal() stores one of several values that are sent at the same time", async (journal) => {
    const runId = await createRun(journal);
    const values = [1, 2, 3, 4];
    const outcomes = await Promise.all(values.map((value) => journal.signal(runId, "a", value)));
    expectEqual(
      [...outcomes].sort(),
      ["conflict", "conflict", "conflict", "stored"],
      "the results of signal()",
    );
    const { signals } = await openRun(journal, runId);
    expectEqual(signals.get("a"), values[outcomes.indexOf("stored")], "the stored value");
  }),
  check("signal() queues a run that waits for the signal", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    const due = "2031-01-01T00:00:00.000Z";
    const waitingFor = [waitFor("a"), sleepUntil("c", due)];
    await journal.close(runId, run.epoch, { status: "waiting", waitingFor, due });
    await journal.signal(runId, "b", 1);
    await journal.signal(runId, "c", 1);
    expectEqual((await getRun(journal, runId)).status, "waiting", "the status after other signals");
    await journal.signal(runId, "a", 1);
    const queued = await getRun(journal, runId);
    const found = [queued.status, queued.waitingFor, queued.epoch, queued.due];
    expectEqual(found, ["queued", [], run.epoch, undefined], "the run after the signal");
  }),
  check("a signal and a step may have the same key", async (journal) => {
    const runId = await createRun(journal);
    const { run } = await openRun(journal, runId);
    await journal.signal(runId, "a", "signal");
    const outcome = await journal.append(runId, run.epoch, stepOf("a", "step"));
    expectEqual(outcome, "stored", "the result of append()");
    const { signals, steps } = await openRun(journal, runId);
    expectEqual([signals.size, steps.size], [1, 1], "the number of signals and steps");
    expectEqual(
      [signals.get("a"), steps.get("a")?.value],
      ["signal", "step"],
      "the values of the signal and the step",
    );
  }),
  check("signal() reports a run that has ended or does not exist", async (journal) => {
    expectEqual(
      await journal.signal(newId("run"), "a", 1),
      "not_found",
      "the result for an unknown run",
    );
    const runId = await createRun(journal);
    await journal.cancel(runId);
    expectEqual(await journal.signal(runId, "a", 1), "ended", "the result for a cancelled run");
  }),
];
