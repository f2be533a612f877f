/**
 * A workflow that runs agents sequentially.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import type { WorkflowResult, WorkflowStep } from "../shared/output.ts";
import { runStep, toWorkflowError, toWorkflowResult } from "./step.ts";
import {
  assertWorkflow,
  prepareWorkflowRun,
  readSequentialOptions,
  type SequentialWorkflowOptions,
  type WorkflowRun,
  type WorkflowRunOptions,
} from "./workflow.ts";
import type { UserTurn } from "../shared/model.ts";
import { monotonicNow } from "../shared/platform.ts";

/**
 * A workflow that runs agents sequentially. The first agent receives the initial message, and each
 * subsequent agent receives the previous agent's final text.
 *
 * @example Write a draft, then shorten it
 * ```ts
 * import { SequentialWorkflow, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const writer = new ToolLoopAgent({ name: "writer", model: scriptedModel([{ text: "Long." }]) });
 * const editor = new ToolLoopAgent({ name: "editor", model: scriptedModel([{ text: "L." }]) });
 * const workflow = new SequentialWorkflow("article", [writer, editor]);
 * const { steps, finalText } = await workflow.run("Write about brevity");
 * assertEquals(steps.map(({ output }) => output.finalText), ["Long.", "L."]);
 * assertEquals(finalText, "L.");
 * ```
 */
export class SequentialWorkflow {
  /** Id of the workflow. */
  readonly workflowId: string;
  readonly #agents: readonly ToolLoopAgent[];
  readonly #isAnswer: SequentialWorkflowOptions["isAnswer"];

  /**
   * Creates a workflow.
   *
   * @param workflowId Id of the workflow, used in errors and journal keys.
   * @param agents Agents to run, in order. The workflow does not terminate the agents.
   * @param options Rule for the answers of the steps.
   * @throws {TypeError} If `workflowId` is not a non-empty string, `agents` is not an array, or
   * `isAnswer` is not a function.
   */
  constructor(
    workflowId: string,
    agents: readonly ToolLoopAgent[],
    options: SequentialWorkflowOptions = {},
  ) {
    assertWorkflow(workflowId, agents);
    const { isAnswer } = readSequentialOptions(options);
    this.workflowId = workflowId;
    this.#agents = [...agents];
    this.#isAnswer = isAnswer;
  }

  /**
   * Runs the agents sequentially.
   *
   * @param initialMessage User message for the first agent.
   * @param options Options for the agents' runs.
   * @returns Result with one step per agent, in the order of `agents`. If an agent's run is waiting
   * for an approval, the following agents are not run, and the result has the status
   * `"approval_pending"`.
   * @throws {TypeError} If the message or an option has the wrong type.
   * @throws {AgentError} With code `workflow_failed` if an agent fails, its run ends without an
   * answer, or there is no text for the next agent. The agents after the failed agent are not run.
   * The error's `partialResult` contains the completed steps.
   */
  async run(initialMessage: UserTurn, options: WorkflowRunOptions = {}): Promise<WorkflowResult> {
    const { workflowId } = this;
    const agents = this.#agents;
    const isAnswer = this.#isAnswer;
    return await runSequential({ workflowId, agents, message: initialMessage, options, isAnswer });
  }
}

/**
 * Runs the agents sequentially. Each subsequent agent receives the previous agent's final text.
 *
 * @throws {AgentError} With code `workflow_failed` if a step fails.
 */
async function runSequential(given: WorkflowRun): Promise<WorkflowResult> {
  const run = prepareWorkflowRun(given);
  const { workflowId } = run;
  const startedAt = monotonicNow();
  const steps: WorkflowStep[] = [];
  let { message } = run;
  for (const [index, agent] of run.agents.entries()) {
    const outcome = await runStep({ ...run, message }, agent, index);
    const totalDurationMs = monotonicNow() - startedAt;
    if (outcome.status === "failed") {
      const failures = [outcome.failure];
      throw toWorkflowError({ workflowId, steps, totalDurationMs, failures }, outcome);
    }
    if (outcome.status === "pending") {
      const pending = [outcome.pending];
      return toWorkflowResult({ workflowId, steps, totalDurationMs, pending }, "");
    }
    steps.push(outcome.step);
    message = outcome.step.output.finalText;
    if (message === "" && index < run.agents.length - 1) {
      const reason = `agent "${agent.name}": the run ended without text for the next agent`;
      const partialResult = { workflowId, steps, totalDurationMs };
      throw AgentError.workflowFailed(workflowId, index, reason, { partialResult });
    }
  }
  const finalText = steps.at(-1)?.output.finalText ?? "";
  return toWorkflowResult(
    { workflowId, steps, totalDurationMs: monotonicNow() - startedAt },
    finalText,
  );
}
