/**
 * One agent's part in a workflow, and what all workflows share.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent.ts";
import { AgentError, reasonOf } from "../error.ts";
import type { RunOptions } from "../loop_options.ts";
import {
  AgentStopReason,
  type ToolLoopOutput,
  type WorkflowFailure,
  type WorkflowResult,
  type WorkflowStep,
} from "../output.ts";

/**
 * What one run of a workflow is told; as for an agent's run. With a `stepRunner`, step `k` runs under the id
 * `<runId>/<k>`; the default `runId` is the workflow's id.
 */
export type WorkflowRunOptions = Pick<
  RunOptions,
  "signal" | "runId" | "stepRunner" | "decisions" | "emit"
>;

/** What became of a step. */
export type StepOutcome =
  | { readonly status: "done"; readonly step: WorkflowStep }
  | { readonly status: "failed"; readonly failure: WorkflowFailure; readonly cause: unknown };

/** A step that failed. */
export type FailedStep = Extract<StepOutcome, { readonly status: "failed" }>;

/** A run that ended so has no answer to go on with. */
const WITHOUT_ANSWER: ReadonlySet<AgentStopReason> = new Set([
  AgentStopReason.Aborted,
  AgentStopReason.Terminated,
  AgentStopReason.ApprovalPending,
]);

/** Runs one step. Never rejects. */
export async function runStep(
  workflowId: string,
  agent: ToolLoopAgent,
  stepIndex: number,
  message: string,
  options: WorkflowRunOptions,
): Promise<StepOutcome> {
  const begun = performance.now();
  const { name: agentName } = agent;
  try {
    const output = await agent.run(message, stepOptions(workflowId, stepIndex, options));
    if (WITHOUT_ANSWER.has(output.stopReason)) {
      return withoutAnswer(stepIndex, agentName, output, options.signal?.reason);
    }
    return {
      status: "done",
      step: { agentName, output, durationMs: performance.now() - begun },
    };
  } catch (cause) {
    const failure = { stepIndex, agentName, reason: reasonOf(cause) };
    return { status: "failed", failure, cause };
  }
}

/** The error of a workflow that failed, with what it came to. */
export function toWorkflowError(
  partialResult: WorkflowResult,
  { failure: { stepIndex, agentName, reason }, cause }: FailedStep,
): AgentError {
  return AgentError.workflowFailed(
    partialResult.workflowId,
    stepIndex,
    `agent "${agentName}": ${reason}`,
    { partialResult, ...cause === undefined ? {} : { cause } },
  );
}

/**
 * Checks what every workflow is made of.
 *
 * @throws {TypeError} there is no id, or the agents are no list
 */
export function assertWorkflow(workflowId: string, agents: readonly ToolLoopAgent[]): void {
  if (typeof workflowId !== "string" || workflowId === "") {
    throw new TypeError("Cannot make a workflow: it has no id");
  }
  if (!Array.isArray(agents)) {
    throw new TypeError(`Cannot make workflow "${workflowId}": its agents are no list`);
  }
}

function stepOptions(
  workflowId: string,
  stepIndex: number,
  { runId = workflowId, ...options }: WorkflowRunOptions,
): RunOptions {
  return options.stepRunner === undefined
    ? options
    : { ...options, runId: `${runId}/${stepIndex}` };
}

function withoutAnswer(
  stepIndex: number,
  agentName: string,
  output: ToolLoopOutput,
  cause: unknown,
): StepOutcome {
  const reason = `its run ended as ${output.stopReason}`;
  return { status: "failed", failure: { stepIndex, agentName, reason, output }, cause };
}
