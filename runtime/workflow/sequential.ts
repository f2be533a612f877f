/**
 * Agents one after another, each answering the one before it.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import type { WorkflowResult, WorkflowStep } from "../shared/output.ts";
import { runStep, toWorkflowError } from "./step.ts";
import { assertWorkflow, type WorkflowRun, type WorkflowRunOptions } from "./workflow.ts";

/**
 * Runs agents one after another: the first gets the message, each later one the text of the one before it.
 *
 * @example Write, then shorten
 * ```ts
 * import { SequentialWorkflow, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const writer = new ToolLoopAgent({ name: "writer", model: scriptedModel([{ text: "Long." }]) });
 * const editor = new ToolLoopAgent({ name: "editor", model: scriptedModel([{ text: "L." }]) });
 * await Promise.all([writer.initialize(), editor.initialize()]);
 *
 * const workflow = new SequentialWorkflow("article", [writer, editor]);
 * const { steps } = await workflow.run("Write about brevity");
 * assertEquals(steps.map(({ output }) => output.finalText), ["Long.", "L."]);
 * ```
 */
export class SequentialWorkflow {
  /** The workflow's id. */
  readonly workflowId: string;
  readonly #agents: readonly ToolLoopAgent[];

  /**
   * Makes the workflow.
   *
   * @param workflowId its id, for errors and journals
   * @param agents the agents, initialized; the workflow neither initializes nor terminates them
   * @throws {TypeError} there is no id, or the agents are no list
   */
  constructor(workflowId: string, agents: readonly ToolLoopAgent[]) {
    assertWorkflow(workflowId, agents);
    this.workflowId = workflowId;
    this.#agents = [...agents];
  }

  /**
   * Runs the agents.
   *
   * @param initialMessage what the first agent is told
   * @param options the signal, the journal, the listener
   * @returns one step for each agent, in order
   * @throws {AgentError} code `workflow_failed`: a step failed, or ended without an answer (aborted, terminated, waiting
   * for approval); `partialResult` has the steps before it, later agents were not run
   */
  async run(initialMessage: string, options: WorkflowRunOptions = {}): Promise<WorkflowResult> {
    const { workflowId } = this;
    const agents = this.#agents;
    return await runSequential({ workflowId, agents, message: initialMessage, options });
  }
}

/**
 * Runs the agents, each with the text of the one before it.
 *
 * @throws {AgentError} code `workflow_failed`: a step failed
 */
async function runSequential(run: WorkflowRun): Promise<WorkflowResult> {
  const { workflowId } = run;
  const startedAt = performance.now();
  const steps: WorkflowStep[] = [];
  let { message } = run;
  for (const [index, agent] of run.agents.entries()) {
    const outcome = await runStep({ ...run, message }, agent, index);
    const totalDurationMs = performance.now() - startedAt;
    if (outcome.status === "failed") {
      const failures = [outcome.failure];
      throw toWorkflowError({ workflowId, steps, totalDurationMs, failures }, outcome);
    }
    steps.push(outcome.step);
    message = outcome.step.output.finalText;
  }
  return { workflowId, steps, totalDurationMs: performance.now() - startedAt };
}
