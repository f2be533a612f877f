/**
 * Helpers shared by the checks for durable-run engines.
 *
 * @module
 */

import { disposableCheck } from "../../testing/disposable_check.ts";
import { expectEqual, newId } from "../../testing/expect.ts";
import type { OpenRun, RunEngine, RunJournal } from "../contracts.ts";
import type { RunRecord, RunWait } from "../run_record.ts";

/** The end of a run that is done. */
export const RESULT = { status: "done", result: { finalText: "Hello" } } as const;

/** Options for {@linkcode EngineCheck.run}. */
export interface EngineCheckOptions {
  /**
   * Time limit for the check, in milliseconds. A check that exceeds the timeout fails.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
}

/** A check for a durable-run engine. The check does not depend on a test runner. */
export interface EngineCheck {
  /** Asserted behavior, as a sentence. */
  readonly name: string;
  /**
   * Runs the check. Rejects if the engine does not behave as asserted.
   *
   * @param open Opens an engine. The check disposes of the engine. Engines may share a database,
   * because each check uses new run ids.
   * @param options Time limit.
   */
  run(open: () => RunEngine | Promise<RunEngine>, options?: EngineCheckOptions): Promise<void>;
}

/** Creates a check that opens an engine, calls a function with it, and disposes of the engine. */
export function engineCheck(
  name: string,
  check: (engine: RunEngine) => Promise<void>,
): EngineCheck {
  return disposableCheck(name, check);
}

/** Creates a check for the journal of an engine. */
export function journalCheck(
  name: string,
  check: (journal: RunJournal) => Promise<void>,
): EngineCheck {
  return engineCheck(`journal: ${name}`, ({ journal }) => check(journal));
}

/** Creates a run with a new id. */
export async function createRun(journal: RunJournal, agent: string = "clerk"): Promise<string> {
  const runId = newId("run");
  const isNew = await journal.create({ runId, agent, version: "1", input: "Hi" });
  expectEqual(isNew, true, "the result of create() of a new run");
  return runId;
}

/** Opens a run, and asserts that the run exists. */
export async function openRun(journal: RunJournal, runId: string): Promise<OpenRun> {
  const open = await journal.open(runId);
  if (open === undefined) throw new Error("open() must return a run that has not ended");
  return open;
}

/** Returns the record of a run, and asserts that the run exists. */
export async function getRun(journal: RunJournal, runId: string): Promise<RunRecord> {
  const run = await journal.get(runId);
  if (run === undefined) throw new Error("get() must return a run that was created");
  return run;
}

/** Returns a wait for a signal. */
export function waitFor(key: string): RunWait {
  return { kind: "signal", key, path: ["clerk"], toolName: "wait", toolCallId: "c1" };
}

/** Returns a wait for a time. */
export function sleepUntil(key: string, due: string): RunWait {
  return { kind: "time", key, path: ["clerk"], toolName: "sleep", toolCallId: "c2", due };
}
