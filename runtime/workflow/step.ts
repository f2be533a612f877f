/**
 * One agent's part in a workflow.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import type { RunOptions } from "../loop/options.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { defined } from "../shared/json.ts";
import type {
  AgentStopReason,
  ToolLoopOutput,
  WorkflowFailure,
  WorkflowResult,
  WorkflowStep,
} from "../shared/output.ts";
import type { WorkflowRun, WorkflowRunOptions } from "./workflow.ts";

/** What became of a step. */
export type StepOutcome =
  | { readonly status: "done"; readonly step: WorkflowStep }
  | { readonly status: "failed"; readonly failure: WorkflowFailure; readonly cause: unknown };

/** A step that failed. */
export type FailedStep = Extract<StepOutcome, { readonly status: "failed" }>;

/** A run that ended so has no answer to go on with. */
const WITHOUT_ANSWER: ReadonlySet<AgentStopReason> = new Set<AgentStopReason>([
  "aborted",
  "terminated",
  "approval_pending",
]);

/** Runs one step. Never rejects. */
export async function runStep(
  { workflowId, message, options }: WorkflowRun,
  agent: ToolLoopAgent,
  stepIndex: number,
): Promise<StepOutcome> {
  const startedAt = performance.now();
  const { name: agentName } = agent;
  try {
    const output = await agent.run(message, stepOptions(workflowId, stepIndex, options));
    if (WITHOUT_ANSWER.has(output.stopReason)) {
      return withoutAnswer(stepIndex, agentName, output, options.signal?.reason);
    }
    return {
      status: "done",
      step: { agentName, output, durationMs: performance.now() - startedAt },
    };
  } catch (cause) {
    const failure = { stepIndex, agentName, reason: errorMessageOf(cause) };
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
    defined({ partialResult, cause }),
  );
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
