/**
 * Runs the agent that a function chooses.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent.ts";
import type { WorkflowFailure, WorkflowResult } from "../output.ts";
import { runStep, toWorkflowError } from "./run_step.ts";
import type { AgentRouter, RouterWorkflowOptions, WorkflowRun } from "./step.ts";

/**
 * Runs the chosen agent, and those chosen after failures.
 *
 * @throws {AgentError} code `workflow_failed`: no agent was chosen, or the last one failed
 */
export async function runRouted(
  run: WorkflowRun,
  router: AgentRouter,
  { onError }: RouterWorkflowOptions,
): Promise<WorkflowResult> {
  const { core, workflowId } = run;
  const begun = performance.now();
  const failures: WorkflowFailure[] = [];
  const tried: number[] = [];
  let index = await route(run, router);
  for (;;) {
    const outcome = await runStep(run, agentAt(run, index), Number(index));
    const totalDurationMs = performance.now() - begun;
    if (outcome.status === "done") {
      const result = { workflowId, steps: [outcome.step], totalDurationMs };
      return failures.length === 0 ? result : { ...result, failures };
    }
    failures.push(outcome.failure);
    tried.push(outcome.failure.stepIndex);
    const error = toWorkflowError(
      core,
      { workflowId, steps: [], totalDurationMs, failures: [...failures] },
      outcome,
    );
    index = await onError?.(error, [...tried]);
    // An agent that has failed is not asked again: the list bounds the number of tries.
    if (index === undefined || tried.some((before) => before === index)) throw error;
  }
}

async function route(
  { agents, core: { AgentError, reasonOf }, message, workflowId }: WorkflowRun,
  router: AgentRouter,
): Promise<unknown> {
  try {
    return await router(message, agents);
  } catch (cause) {
    const reason = `the router failed: ${reasonOf(cause)}`;
    throw AgentError.workflowFailed(workflowId, -1, reason, { cause });
  }
}

function agentAt({ agents, core, workflowId }: WorkflowRun, index: unknown): ToolLoopAgent {
  const position = typeof index === "number" ? index : -1;
  const agent = agents[position];
  if (agent !== undefined) return agent;
  const last = agents.length - 1;
  const expected = last < 0 ? "there are no agents" : `expected 0..${last}`;
  throw core.AgentError.workflowFailed(
    workflowId,
    position,
    `the router returned ${String(index)}; ${expected}`,
  );
}
