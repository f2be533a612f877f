/**
 * The interface that wraps every side effect of a run.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";

/** Kind of step: the start of a run, a model call, a tool call, an approval, or a repair of a tool call's input. */
export type StepKind = "run" | "model" | "tool" | "approval" | "repair";

/**
 * Wraps every model call, tool call and approval in a run. With a step runner that records the results, a run can be
 * resumed after a crash. A step runner for a durable execution engine, such as DBOS, Restate or Inngest, makes runs
 * durable in that engine. Without a step runner, the steps are executed directly.
 *
 * The key of a step depends only on the run id and the position of the step in the run, so a resumed run requests the
 * same steps: `<runId>/start`, `<runId>/i<iteration>/model`, `.../repair/<n>`, `.../approval/<n>` and `.../tool/<n>`. A
 * sub-agent's run has the id `<toolKey>/<name>.<k>`. The code that the loop executes between steps is deterministic.
 *
 * Step values are JSON values. The loop waits for the step runner without a timeout, even if the run is aborted, so
 * recording a step is never interrupted. A step that was started but not recorded is executed again when the run is
 * resumed, so steps are executed at least once.
 */
export interface StepRunner {
  /**
   * Returns the value recorded under the key. If no value is recorded, executes the step and records its value. Errors
   * thrown by the step are rethrown and not recorded.
   *
   * @param key Key of the step, unique in the run.
   * @param kind Kind of step.
   * @param step Function that executes the step.
   */
  run(key: string, kind: StepKind, step: () => Promise<JsonValue>): Promise<unknown>;
}
