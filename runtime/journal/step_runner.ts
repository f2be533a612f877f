/**
 * The one seam around everything a run does to the outside world.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";

/** What a step is: the head of a run, a model call, a tool call, an approval or the repair of a call's input. */
export type StepKind = "run" | "model" | "tool" | "approval" | "repair";

/**
 * Stands around every model call, tool call and approval of a run. Without one they are called directly; one that records
 * makes a run repeatable after a crash; one of an engine (DBOS, Restate, Inngest, ...) makes it durable there.
 *
 * Keys are made from the run's id and positions only, so the same run asks for the same steps again: `<runId>/start`,
 * `<runId>/i<iteration>/model`, `.../repair/<n>`, `.../approval/<n>`, `.../tool/<n>`; a sub-agent's run has the id `<toolKey>/<name>.<k>`.
 * Between steps the loop is deterministic. It waits for its runner without a limit, also when the run is aborted: what is
 * being recorded must not be left half-way. Steps are JSON values. A step that began and was not recorded runs again: at
 * least once.
 */
export interface StepRunner {
  /**
   * Returns what was recorded under the key, or runs the step and records what it returns. What the step throws is
   * passed on and not recorded.
   *
   * @param key the step's name, unique in the run
   * @param kind what the step is
   * @param step does it
   */
  run(key: string, kind: StepKind, step: () => Promise<JsonValue>): Promise<unknown>;
}
