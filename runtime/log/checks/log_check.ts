/**
 * A check for a log of runs, or for the storage that contains the log.
 *
 * @module
 */

import { disposableCheck } from "../../testing/disposable_check.ts";
import { newId } from "../../testing/expect.ts";
import type { RunLog } from "../run_log.ts";

/** Options for {@linkcode RunLogCheck.run}. */
export interface RunLogCheckOptions {
  /**
   * Time limit for the check, in milliseconds. A check that exceeds the timeout fails.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
}

/** An object that has a log of runs, such as a storage for sessions. */
export interface RunLogOwner extends AsyncDisposable {
  /** The log. */
  readonly log: RunLog;
}

/**
 * A check for a log of runs. The check does not depend on a test runner.
 *
 * @typeParam Owner Type of the object that has the log.
 */
export interface RunLogCheck<Owner extends RunLogOwner = RunLogOwner> {
  /** Asserted behavior, as a sentence. */
  readonly name: string;
  /**
   * Runs the check. Rejects if the log does not behave as asserted.
   *
   * @param open Opens a log. The check disposes of its owner. Logs may share a database, because
   * each check uses new ids.
   * @param options Time limit.
   */
  run(open: () => Owner | Promise<Owner>, options?: RunLogCheckOptions): Promise<void>;
}

/** Creates a check that opens a log, and uses an id that no other check uses. */
export function logCheck<Owner extends RunLogOwner = RunLogOwner>(
  name: string,
  work: (owner: Owner, key: string) => Promise<void>,
): RunLogCheck<Owner> {
  return disposableCheck(name, (owner) => work(owner, newId("log")));
}
