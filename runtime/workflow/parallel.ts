/**
 * A workflow that runs several agents concurrently.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { defined } from "@parley/internal/json";
import type { Settings } from "@parley/internal/options";
import type { WorkflowResult } from "../shared/output.ts";
import {
  type FailedStep,
  runStep,
  toWorkflowError,
  toWorkflowResult,
  type WorkflowStepOutcome,
} from "./step.ts";
import {
  assertWorkflow,
  callFunction,
  type ParallelWorkflowOptions,
  prepareWorkflowRun,
  readParallelOptions,
  type WorkflowRun,
  type WorkflowRunOptions,
} from "./workflow.ts";
import type { UserTurn } from "../shared/model.ts";
import { joinSignals, monotonicNow } from "../shared/platform.ts";

/**
 * A workflow that sends the same message to all agents, runs the agents concurrently and waits for
 * all of them to finish.
 *
 * @example Run two agents and count their votes
 * ```ts
 * import { ParallelWorkflow, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agents = ["yes", "no"].map((text) =>
 *   new ToolLoopAgent({ name: text, model: scriptedModel([{ text }]) })
 * );
 * const vote = new ParallelWorkflow("vote", agents, {
 *   reduce: (steps) => `${steps.filter(({ output }) => output.finalText === "yes").length} for it`,
 * });
 * assertEquals((await vote.run("Shall we?")).finalText, "1 for it");
 * ```
 */
export class ParallelWorkflow {
  /** Id of the workflow. */
  readonly workflowId: string;
  readonly #agents: readonly ToolLoopAgent[];
  readonly #options: Settings<ParallelWorkflowOptions, "onFailure" | "failFast">;

  /**
   * Creates a workflow.
   *
   * @param workflowId Id of the workflow, used in errors and journal keys.
   * @param agents Agents, without duplicates. The workflow does not terminate its agents.
   * @param options Options for failed steps and for the text of the result.
   * @throws {TypeError} If `workflowId` is not a non-empty string, `agents` is not an array, or
   * `reduce` or `isAnswer` is not a function.
   * @throws {AgentError} With code `workflow_failed` if `agents` contains the same agent twice.
   */
  constructor(
    workflowId: string,
    agents: readonly ToolLoopAgent[],
    options: ParallelWorkflowOptions = {},
  ) {
    assertWorkflow(workflowId, agents);
    const settings = readParallelOptions(options);
    const duplicate = agents.findIndex((agent, index) => agents.indexOf(agent) !== index);
    if (duplicate >= 0) {
      const reason = '"agents" must not contain the same agent twice';
      throw AgentError.workflowFailed(workflowId, duplicate, reason);
    }
    this.workflowId = workflowId;
    this.#agents = [...agents];
    this.#options = settings;
  }

  /**
   * Runs all agents concurrently.
   *
   * @param message User message for every agent.
   * @param options Options for the agents' runs.
   * @returns Result with one step per agent, in the order of `agents`. If `onFailure` is
   * `"collect"`, the result contains only the successful steps. If an agent's run is waiting for an
   * approval, the result has the status `"approval_pending"`, and `pending` contains all waiting
   * steps.
   * @throws {TypeError} If the message or an option has the wrong type.
   * @throws {AgentError} With code `workflow_failed` if an agent fails or its run ends without an
   * answer. The error is thrown after all agents have finished. The error's `details.stepIndex` is
   * the lowest index of a failed agent or, if `failFast` is set, the index of the agent that failed
   * first. The error's `partialResult` contains the successful and the waiting steps.
   * @throws {AgentError} With code `workflow_failed` and `details.stepIndex` -1 if `reduce` throws,
   * does not return a string, or is aborted.
   */
  async run(message: UserTurn, options: WorkflowRunOptions = {}): Promise<WorkflowResult> {
    const { workflowId } = this;
    const { isAnswer } = this.#options;
    const run = { workflowId, agents: this.#agents, message, options, isAnswer };
    return await runParallel(run, this.#options);
  }
}

/**
 * Runs the agents concurrently and waits for all of them to finish.
 *
 * @throws {AgentError} With code `workflow_failed` if an agent fails and `onFailure` is not
 * `"collect"`.
 */
async function runParallel(
  given: WorkflowRun,
  { failFast, onFailure, reduce }: Settings<ParallelWorkflowOptions, "onFailure" | "failFast">,
): Promise<WorkflowResult> {
  const run = prepareWorkflowRun(given);
  const { workflowId } = run;
  const startedAt = monotonicNow();
  const { outcomes, first } = await runAll(run, failFast);
  const failed = outcomes.filter(isFailed);
  const failures = failed.length === 0 ? undefined : failed.map(({ failure }) => failure);
  const pending = outcomes.flatMap((outcome) => "pending" in outcome ? [outcome.pending] : []);
  const result = defined({
    workflowId,
    steps: outcomes.flatMap((outcome) => outcome.status === "done" ? [outcome.step] : []),
    totalDurationMs: monotonicNow() - startedAt,
    failures,
    pending: pending.length === 0 ? undefined : pending,
  });
  const culprit = failFast ? first : failed[0];
  if (culprit !== undefined && onFailure !== "collect") throw toWorkflowError(result, culprit);
  const { steps } = result;
  if (!reduce || result.pending) {
    return toWorkflowResult(result, steps.map(({ output }) => output.finalText).join("\n\n"));
  }
  const finalText = await callFunction(run, () => reduce([...steps]), '"reduce"', -1, result);
  if (typeof finalText === "string") return toWorkflowResult(result, finalText);
  const reason = `"reduce" must return a string, got ${formatValue(finalText)}`;
  throw AgentError.workflowFailed(workflowId, -1, reason, { partialResult: result });
}

async function runAll(
  run: WorkflowRun,
  failFast: boolean,
): Promise<{ outcomes: WorkflowStepOutcome[]; first: FailedStep | undefined }> {
  const { agents, options } = run;
  const siblings = new AbortController();
  const signal = joinSignals(siblings.signal, options.signal);
  let first: FailedStep | undefined;
  const outcomes = await Promise.all(agents.map(async (agent, index) => {
    const outcome = await runStep({ ...run, options: { ...options, signal } }, agent, index);
    if (isFailed(outcome)) {
      first ??= outcome;
      if (failFast) siblings.abort(outcome.cause);
    }
    return outcome;
  }));
  return { outcomes, first };
}

function isFailed(outcome: WorkflowStepOutcome): outcome is FailedStep {
  return outcome.status === "failed";
}
