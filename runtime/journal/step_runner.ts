/**
 * The interface that wraps every side effect of a run.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";

/** Kind of step: the start of a run, a model call, a tool call, an approval, or the repair of a tool call's input. */
export type StepKind = "run" | "model" | "tool" | "approval" | "repair";

/**
 * Wraps every model call, tool call and approval of a run. A step runner that records the results allows a run to be
 * resumed after a crash. A step runner of a durable execution engine, such as DBOS, Restate or Inngest, makes runs
 * durable in that engine. Without a step runner, the steps are executed directly.
 *
 * The key of a step depends only on the id of the run and positions in it, so that a resumed run requests the same
 * steps: `<runId>/start`, `<runId>/i<iteration>/model`, `.../repair/<n>`, `.../approval/<n>` and `.../tool/<n>`. The
 * run of a sub-agent has the id `<toolKey>/<name>.<k>`. The loop is deterministic between steps.
 *
 * The values of steps are JSON. The loop waits for the step runner without a timeout, even if the run is aborted, so
 * that recording is not interrupted. A step that was started but not recorded is executed again: steps are executed at
 * least once.
 */
export interface StepRunner {
  /**
   * Returns the value that is recorded under the key. If there is none, executes the step and records its value. Errors
   * of the step are rethrown and not recorded.
   *
   * @param key Key of the step, unique in the run.
   * @param kind Kind of step.
   * @param step Function that executes the step.
   */
  run(key: string, kind: StepKind, step: () => Promise<JsonValue>): Promise<unknown>;
}
