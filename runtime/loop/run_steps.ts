/**
 * The step runner of a run, with waits that end when the run is aborted.
 *
 * @module
 */

import { lockWith, type StepKind, type StepRunner } from "../journal/step_runner.ts";
import type { JsonValue } from "../shared/json.ts";
import { CallDeadline, type DeadlineScheduler } from "./deadlines.ts";

/**
 * Calls the step runner of a run. A step runner may wait before it calls a step: for its storage,
 * or for another execution of the run that executes the same step. If the run is aborted during
 * this wait, the wait ends and the step is not executed. After a step has been started, an abort
 * does not end the wait, so that the recording of the step is not interrupted.
 */
export class RunSteps {
  readonly #runner: StepRunner;
  readonly #deadlines: DeadlineScheduler;

  readonly #graceMs: number;

  /** @param graceMs Time that the recording of a suspension may take after an abort. */
  constructor(runner: StepRunner, deadlines: DeadlineScheduler, graceMs: number) {
    this.#runner = runner;
    this.#deadlines = deadlines;
    this.#graceMs = graceMs;
  }

  /**
   * Executes a step or returns its recorded value.
   *
   * @throws The abort reason if the run is aborted before the step is started. The end of an
   * execution, a `suspended` step, is recorded even if the run is aborted, unless this takes longer
   * than the grace period.
   */
  run(key: string, kind: StepKind, step: () => Promise<JsonValue>): Promise<unknown> {
    if (kind !== "suspended") return this.lookUp(key, kind, step);
    // A grace period of 0 is raised to 1 ms, so that a step runner that responds immediately
    // records the step.
    const deadline = new CallDeadline(0, this.#graceMs || 1);
    return this.#deadlines.wait(this.#runner.run(key, kind, step), deadline);
  }

  /**
   * Returns the recorded value of a step, or executes a function that rejects if there is none.
   *
   * @throws The abort reason if the run is aborted before the function is called.
   */
  lookUp(key: string, kind: StepKind, step: () => Promise<JsonValue>): Promise<unknown> {
    return this.#submit((start) => this.#runner.run(key, kind, start), step);
  }

  /**
   * Executes work while no other execution of the run executes work with the same key.
   *
   * @throws The abort reason if the run is aborted before the work is started.
   * @throws {AgentError} With code `core` if the lock ends before the work.
   */
  lock<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#submit((start) => lockWith(this.#runner, key, start), work);
  }

  #submit<T, Result>(
    submit: (start: () => Promise<T>) => Promise<Result>,
    work: () => Promise<T>,
  ): Promise<Result> {
    let state: "waiting" | "started" | "ended" = "waiting";
    const deadline = new CallDeadline();
    const start = async (): Promise<T> => {
      if (state === "ended") throw deadline.reason;
      state = "started";
      return await work();
    };
    return new Promise((resolve, reject) => {
      const submitted = submit(start);
      this.#deadlines.follow(submitted, deadline, {
        startedAt: Date.now(),
        onReturn: resolve,
        onThrow(error) {
          if (state === "started") return void submitted.then(resolve, reject);
          state = "ended";
          reject(error);
        },
      });
    });
  }
}
