/**
 * Wrappers for the step runner of a session's runs.
 *
 * @module
 */

import { forwardLock, lockWith, type StepRunner } from "../journal/step_runner.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { asRecord, type UnknownRecord } from "@parley/internal/json";
import type { UserTurn } from "../shared/model.ts";
import type { AgentStopReason } from "../shared/output.ts";
import { toStepValue } from "../shared/step_value.ts";

/** A step runner that tracks its failures and the steps that it executes. */
export interface WatchedRunner extends StepRunner {
  /**
   * Returns true if a run with this stop reason must not be added to the session, because it can be
   * resumed from its journal: the step runner itself has failed, the run ended while the step
   * runner had not called a step, or the run was aborted after it had only repeated recorded steps.
   * Another execution of the run may be in progress, which then adds the run to the session.
   */
  canResume(stopReason: AgentStopReason | undefined): boolean;
}

/**
 * Wraps a step runner to distinguish its own failures from failures of the steps. If the step
 * runner fails, the run can be resumed, and only its journal contains all effects of the run.
 */
export function watchRunner(inner: StepRunner): WatchedRunner {
  let hasFailed = false;
  let hasRecorded = false;
  let waiting = 0;

  async function watch<T, Result>(
    submit: (start: () => Promise<T>) => Promise<Result>,
    work: () => Promise<T>,
  ): Promise<Result> {
    let failure: { readonly error: unknown } | undefined;
    let isStarted = false;
    const start = async (): Promise<T> => {
      if (!isStarted) waiting--;
      isStarted = true;
      try {
        return await work();
      } catch (error) {
        failure = { error };
        throw error;
      }
    };
    waiting++;
    try {
      return await submit(start);
    } catch (error) {
      hasFailed ||= failure === undefined || failure.error !== error;
      throw error;
    } finally {
      if (!isStarted) waiting--;
    }
  }

  return {
    canResume(stopReason): boolean {
      const isAborted = stopReason === "aborted" || stopReason === "terminated";
      return hasFailed || waiting > 0 || isAborted && !hasRecorded;
    },
    async run(key, kind, step): Promise<unknown> {
      let isExecuted = false;
      const value = await watch((start) => inner.run(key, kind, start), async () => {
        const value = await step();
        isExecuted = true;
        return value;
      });
      hasRecorded ||= isExecuted;
      return value;
    },
    lock: (key, work) => watch((start) => lockWith(inner, key, start), work),
  };
}

/** Wraps a step runner so that recorded steps are replayed and no other steps are executed. */
export function replayRecorded(inner: StepRunner): StepRunner {
  return {
    ...forwardLock(inner),
    run: (key, kind) =>
      inner.run(key, kind, () =>
        Promise.reject(
          AgentError.core("The run was abandoned: the session continues with a different message"),
        )),
  };
}

/**
 * Returns true if the start of a run was recorded with a different user turn.
 *
 * @param start Recorded start of the run, as returned by {@linkcode readRunStart}.
 */
export function isStartedWithOtherTurn(start: UnknownRecord | undefined, turn: UserTurn): boolean {
  return start !== undefined &&
    formatSorted(start.turn ?? null) !== formatSorted(toStepValue(turn));
}

/**
 * Reads the recorded start of a run. Returns `undefined` if the journal does not contain the run.
 *
 * @throws {AgentError} With code `core` if the step runner fails.
 */
export async function readRunStart(
  inner: StepRunner,
  runId: string,
): Promise<UnknownRecord | undefined> {
  const missing = new Error("The run is not recorded");
  try {
    return asRecord(
      await inner.run(`${runId}/start`, "run", () => Promise.reject<JsonValue>(missing)),
    );
  } catch (error) {
    if (error === missing) return undefined;
    throw AgentError.core(`Cannot read the start of run "${runId}": ${errorMessageOf(error)}`, {
      cause: error,
    });
  }
}
