/**
 * The interface that wraps every side effect of a run.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";

/**
 * Kind of step:
 *
 * - `"run"`: start of a run.
 * - `"model"`: model call.
 * - `"tool"`: tool call.
 * - `"approval"`: decision on a tool call.
 * - `"repair"`: repair of a tool call's input.
 * - `"begin"`: start of the execution of a tool that is not safe to repeat.
 * - `"suspended"`: end of a tool execution without a result, because the tool or one of its
 *   sub-agents is waiting.
 * - `"wait"`: time when a sleeping tool continues.
 */
export type StepKind =
  | "run"
  | "model"
  | "tool"
  | "approval"
  | "repair"
  | "begin"
  | "suspended"
  | "wait";

/**
 * Wraps every model call, tool call and approval in a run. With a step runner that records the
 * results, a run can be resumed after a crash. Without a step runner, the steps are executed
 * directly.
 *
 * A step runner must have these properties:
 *
 * - Keyed: a recorded value is looked up by its key, regardless of the order in which steps are
 *   executed. A runner that identifies a step by its position in the run is not keyed.
 * - Concurrent: steps may run at the same time, because the tools of one response run concurrently.
 * - Exclusive: if a step with the same key is in progress, for example because two requests
 *   continue the same run, the runner waits and returns its value. If that step throws, the runner
 *   executes the new step.
 * - Nestable: a step may run other steps before it ends, because a tool may run sub-agents.
 * - A step that throws is not recorded and not retried, and the runner rejects with the same error.
 *   The loop throws inside a step to look up a key without recording a value, and to leave a
 *   deferred approval pending.
 *
 * The step functions of Restate and DBOS identify steps by position and do not nest, and Restate
 * retries steps that throw. For Restate, see `@parley/runtime/restate`. For Temporal, which needs
 * no step runner, see `@parley/runtime/temporal`.
 *
 * The key of a step depends only on the run id and the position of the step in the run, so a
 * resumed run requests the same steps: `<runId>/start`, `<runId>/i<iteration>/model`,
 * `.../repair/<n>`, `.../approval/<n>`, `.../begin/<n>.<k>`, `.../tool/<n>`,
 * `.../tool/<n>/wait/<key>` and `.../suspended/<n>.<k>`. The approval of a repeated tool call has
 * the key `.../approval/<n>.<k>`. A sub-agent's run has the id `<toolKey>/<name>.<k>`. The loop
 * code between the steps is deterministic.
 *
 * Step values are JSON values. The loop waits for a step that has been started without a timeout,
 * even if the run is aborted, so that recording a step is never interrupted. Only the recording of
 * a `"suspended"` step is limited to `graceMs` after an abort. If the run is aborted before the
 * step runner has called the step, the run ends without waiting for the step runner. A step that
 * was started but not recorded is executed again when the run is resumed, so steps are executed at
 * least once. For tool calls, see the `onUnknownOutcome` option.
 */
export interface StepRunner {
  /**
   * Returns the value recorded under the key. If no value is recorded, executes the step and
   * records its value. Errors thrown by the step are rethrown, and the step is neither recorded nor
   * retried.
   *
   * @param key Key of the step, unique within the run.
   * @param kind Kind of step.
   * @param step Function that executes the step.
   */
  run(key: string, kind: StepKind, step: () => Promise<JsonValue>): Promise<unknown>;

  /**
   * Executes work that consists of several steps, while no other work with the same key is in
   * progress in this process. Concurrent executions of one run call `lock` for each execution of a
   * tool, so that an execution does not mistake a tool that another execution is running for a tool
   * that a crash has interrupted. A step runner that wraps another step runner must also wrap its
   * `lock`. If omitted, a run must not be executed several times concurrently.
   *
   * @typeParam T Type of the result.
   * @param key Key of the work, unique within the run.
   * @param work Function that executes the work.
   * @returns The result of `work`.
   */
  lock?<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Returns the `lock` of a step runner for a step runner that wraps it. */
export function forwardLock(inner: StepRunner): Pick<StepRunner, "lock"> {
  if (inner.lock === undefined) return {};
  return { lock: (key, work) => lockWith(inner, key, work) };
}

/**
 * Executes work with the `lock` of a step runner, or directly if the step runner has no `lock`. A
 * `lock` that returns no promise must not cause the work to be executed without it.
 *
 * @throws {AgentError} With code `core` if the lock ends before the work.
 */
export async function lockWith<T>(
  inner: StepRunner,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  if (inner.lock === undefined) return await work();
  const ended: { readonly value: T }[] = [];
  await inner.lock(key, async () => void ended.push({ value: await work() }));
  const [result] = ended;
  if (result !== undefined) return result.value;
  throw AgentError.core(
    `Cannot continue the run: "lock" of the step runner ended before "${key}"`,
  );
}
