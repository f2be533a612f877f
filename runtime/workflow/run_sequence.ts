/**
 * Runs agents one after another.
 *
 * @module
 */

import type { WorkflowResult, WorkflowStep } from "../output.ts";
import { runStep, toWorkflowError } from "./run_step.ts";
import type { WorkflowRun } from "./step.ts";

/**
 * Runs the agents, each with the text of the one before it.
 *
 * @throws {AgentError} code `workflow_failed`: a step failed
 */
export async function runSequence(run: WorkflowRun): Promise<WorkflowResult> {
  const { core, workflowId } = run;
  const begun = performance.now();
  const steps: WorkflowStep[] = [];
  let { message } = run;
  for (const [index, agent] of run.agents.entries()) {
    const outcome = await runStep({ ...run, message }, agent, index);
    const totalDurationMs = performance.now() - begun;
    if (outcome.status === "failed") {
      const failures = [outcome.failure];
      throw toWorkflowError(core, { workflowId, steps, totalDurationMs, failures }, outcome);
    }
    steps.push(outcome.step);
    message = outcome.step.output.finalText;
  }
  return { workflowId, steps, totalDurationMs: performance.now() - begun };
}
