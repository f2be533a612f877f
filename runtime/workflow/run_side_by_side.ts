/**
 * Runs agents concurrently.
 *
 * @module
 */

import type { WorkflowResult } from "../output.ts";
import { type FailedStep, runStep, type StepOutcome, toWorkflowError } from "./run_step.ts";
import type { ParallelWorkflowOptions, WorkflowRun } from "./step.ts";

/**
 * Runs the agents, and waits for all of them.
 *
 * @throws {AgentError} code `workflow_failed`: at least one failed
 */
export async function runSideBySide(
  run: WorkflowRun,
  { failFast, onFailure }: ParallelWorkflowOptions,
): Promise<WorkflowResult> {
  const { core: { defined }, workflowId } = run;
  const begun = performance.now();
  const { outcomes, first } = await runAll(run, failFast === true);
  const failed = outcomes.filter(isFailed);
  const failures = failed.length === 0 ? undefined : failed.map(({ failure }) => failure);
  const result = defined({
    workflowId,
    steps: outcomes.flatMap((outcome) => outcome.status === "done" ? [outcome.step] : []),
    totalDurationMs: performance.now() - begun,
    failures,
  });
  const culprit = failFast ? first : failed[0];
  if (culprit === undefined || onFailure === "collect") return result;
  throw toWorkflowError(run.core, result, culprit);
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
