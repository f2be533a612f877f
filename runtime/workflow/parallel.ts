/**
 * Agents side by side, all answering the same message.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import { defined } from "../shared/json.ts";
import type { WorkflowResult } from "../shared/output.ts";
import { type FailedStep, runStep, type StepOutcome, toWorkflowError } from "./step.ts";
import {
  assertWorkflow,
  type ParallelWorkflowOptions,
  type WorkflowRun,
  type WorkflowRunOptions,
} from "./workflow.ts";

/**
 * Runs agents concurrently on the same message, and waits for all of them.
 *
 * @example Two opinions
 * ```ts
 * import { ParallelWorkflow, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agents = ["yes", "no"].map((text) =>
 *   new ToolLoopAgent({ name: text, model: scriptedModel([{ text }]) })
 * );
 * await Promise.all(agents.map((agent) => agent.initialize()));
 *
 * const { steps } = await new ParallelWorkflow("vote", agents).run("Shall we?");
 * assertEquals(steps.map(({ output }) => output.finalText), ["yes", "no"]);
 * ```
 */
export class ParallelWorkflow {
  /** The workflow's id. */
  readonly workflowId: string;
  readonly #agents: readonly ToolLoopAgent[];
  readonly #options: ParallelWorkflowOptions;

  /**
   * Makes the workflow.
   *
   * @param workflowId its id, for errors and journals
   * @param agents the agents, initialized and all different; the workflow neither initializes nor terminates them
   * @param options what happens when a step fails
   * @throws {TypeError} there is no id, or the agents are no list
   * @throws {AgentError} code `workflow_failed`: an agent is there twice, and makes one run at a time
   */
  constructor(
    workflowId: string,
    agents: readonly ToolLoopAgent[],
    options: ParallelWorkflowOptions = {},
  ) {
    assertWorkflow(workflowId, agents);
    const twice = agents.findIndex((agent, index) => agents.indexOf(agent) !== index);
    if (twice >= 0) {
      throw AgentError.workflowFailed(workflowId, twice, "the agent is there twice");
    }
    this.workflowId = workflowId;
    this.#agents = [...agents];
    this.#options = options;
  }

  /**
   * Runs the agents.
   *
   * @param message what every agent is told
   * @param options the signal, the journal, the listener
   * @returns one step for each agent, in the order of the agents
   * @throws {AgentError} code `workflow_failed`, when all have completed: at least one failed, or ended without an answer.
   * `stepIndex` is the lowest such index (with `failFast` the first to fail); `partialResult` has the others' steps
   */
  async run(message: string, options: WorkflowRunOptions = {}): Promise<WorkflowResult> {
    const { workflowId } = this;
    return await runParallel({ workflowId, agents: this.#agents, message, options }, this.#options);
  }
}

/**
 * Runs the agents, and waits for all of them.
 *
 * @throws {AgentError} code `workflow_failed`: at least one failed
 */
async function runParallel(
  run: WorkflowRun,
  { failFast, onFailure }: ParallelWorkflowOptions,
): Promise<WorkflowResult> {
  const { workflowId } = run;
  const startedAt = performance.now();
  const { outcomes, first } = await runAll(run, failFast === true);
  const failed = outcomes.filter(isFailed);
  const failures = failed.length === 0 ? undefined : failed.map(({ failure }) => failure);
  const result = defined({
    workflowId,
    steps: outcomes.flatMap((outcome) => outcome.status === "done" ? [outcome.step] : []),
    totalDurationMs: performance.now() - startedAt,
    failures,
  });
  const culprit = failFast ? first : failed[0];
  if (culprit === undefined || onFailure === "collect") return result;
  throw toWorkflowError(result, culprit);
}

async function runAll(
  run: WorkflowRun,
  failFast: boolean,
): Promise<{ outcomes: StepOutcome[]; first: FailedStep | undefined }> {
  const { agents, options } = run;
  const siblings = new AbortController();
  const signal = options.signal === undefined
    ? siblings.signal
    : AbortSignal.any([options.signal, siblings.signal]);
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

function isFailed(outcome: StepOutcome): outcome is FailedStep {
  return outcome.status === "failed";
}
