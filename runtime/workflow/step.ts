/**
 * Execution of a single workflow step.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { Decisions } from "../loop/decisions.ts";
import type { RunOptions } from "../loop/options.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { hasAnswer, isUnfinished } from "../shared/has_answer.ts";
import { defined } from "@parley/internal/json";
import { reportRejection } from "@parley/internal/report-rejection";
import type {
  PartialWorkflowResult,
  PendingStep,
  ToolLoopOutput,
  WorkflowFailure,
  WorkflowResult,
  WorkflowStep,
} from "../shared/output.ts";
import { monotonicNow } from "../shared/platform.ts";
import type { WorkflowRun, WorkflowRunOptions } from "./workflow.ts";

/** Outcome of a step. */
export type WorkflowStepOutcome =
  | { readonly status: "done"; readonly step: WorkflowStep }
  | { readonly status: "pending"; readonly pending: PendingStep }
  | { readonly status: "failed"; readonly failure: WorkflowFailure; readonly cause: unknown };

/** A failed step. */
export type FailedStep = Extract<WorkflowStepOutcome, { readonly status: "failed" }>;

/**
 * Runs one agent. Never rejects; an error is returned as a failed step. A step whose run ends
 * without a final answer is a failed step.
 */
export async function runStep(
  { workflowId, message, options, isAnswer = hasAnswer }: WorkflowRun,
  agent: ToolLoopAgent,
  stepIndex: number,
): Promise<WorkflowStepOutcome> {
  const startedAt = monotonicNow();
  const { name: agentName } = agent;
  try {
    const output = await agent.run(message, stepOptions(workflowId, stepIndex, options));
    const { pending: batch } = output;
    if (batch) return { status: "pending", pending: { stepIndex, agentName, batch } };
    if (isUnfinished(output) || !judge(isAnswer, output)) {
      return withoutAnswer(stepIndex, agentName, output, options.signal?.reason);
    }
    return {
      status: "done",
      step: { agentName, output, durationMs: monotonicNow() - startedAt },
    };
  } catch (cause) {
    const failure = { stepIndex, agentName, reason: errorMessageOf(cause), error: cause };
    return { status: "failed", failure, cause };
  }
}

/** Calls `isAnswer`. Only `true` means that there is an answer; a promise does not. */
function judge(isAnswer: (output: ToolLoopOutput) => boolean, output: ToolLoopOutput): boolean {
  const verdict: unknown = isAnswer(output);
  // The step fails because of the promise, so a rejection of the promise has no further effect.
  reportRejection(verdict, () => {});
  return verdict === true;
}

/** Creates the result of a workflow that has not failed. */
export function toWorkflowResult(
  partialResult: PartialWorkflowResult,
  finalText: string,
): WorkflowResult {
  return partialResult.pending
    ? { ...partialResult, status: "approval_pending", finalText: "" }
    : { ...partialResult, status: "completed", finalText };
}

/** Creates the error for a failed workflow, including the partial result. */
export function toWorkflowError(
  partialResult: PartialWorkflowResult,
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
  { runId, decisions: given, ...options }: WorkflowRunOptions,
): RunOptions {
  // Without an id, the run receives a random id, so that concurrent runs of one workflow have
  // different ids.
  if (runId === undefined && given === undefined && options.stepRunner === undefined) {
    return options;
  }
  const stepRunId = `${runId ?? workflowId}/${stepIndex}`;
  const decisions = given && new Decisions(given).takeAll(`${stepRunId}/`);
  return { ...options, ...defined({ decisions }), runId: stepRunId };
}

function withoutAnswer(
  stepIndex: number,
  agentName: string,
  output: ToolLoopOutput,
  cause: unknown,
): WorkflowStepOutcome {
  const reason = `the run ended without a final answer: stop reason "${output.stopReason}"`;
  return { status: "failed", failure: { stepIndex, agentName, reason, output }, cause };
}
