/**
 * One of several agents, chosen for each message.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent.ts";
import { AgentError, reasonOf } from "../error.ts";
import type { WorkflowFailure, WorkflowResult } from "../output.ts";
import {
  assertWorkflow,
  type FailedStep,
  runStep,
  toWorkflowError,
  type WorkflowRunOptions,
} from "./step.ts";

/**
 * Chooses the agent for a message.
 *
 * @param message the message
 * @param agents the agents
 * @returns the 0-based index of the agent
 */
export type AgentRouter = (
  message: string,
  agents: readonly ToolLoopAgent[],
) => number | Promise<number>;

/** How a {@linkcode RouterWorkflow} treats failures. */
export interface RouterWorkflowOptions {
  /**
   * Chooses another agent after one has failed, or undefined to give up. Default: give up.
   *
   * @param error what went wrong
   * @param triedIndexes the agents tried so far
   */
  readonly onError?: (
    error: AgentError,
    triedIndexes: readonly number[],
  ) => number | undefined | Promise<number | undefined>;
}

/**
 * Lets a function choose which agent handles the message.
 *
 * @example By subject
 * ```ts
 * import { RouterWorkflow, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const sales = new ToolLoopAgent({ name: "sales", model: scriptedModel([]) });
 * const support = new ToolLoopAgent({ name: "support", model: scriptedModel([{ text: "Reboot" }]) });
 * await Promise.all([sales.initialize(), support.initialize()]);
 *
 * const desk = new RouterWorkflow("desk", [sales, support], (message) => /broken/.test(message) ? 1 : 0);
 * const { steps } = await desk.run("It is broken");
 * assertEquals(steps.map(({ agentName }) => agentName), ["support"]);
 * ```
 */
export class RouterWorkflow {
  /** The workflow's id. */
  readonly workflowId: string;
  readonly #agents: readonly ToolLoopAgent[];
  readonly #router: AgentRouter;
  readonly #options: RouterWorkflowOptions;

  /**
   * Makes the workflow.
   *
   * @param workflowId its id, for errors and journals
   * @param agents the agents, initialized; the workflow neither initializes nor terminates them
   * @param router chooses the agent
   * @param options what happens when the agent fails
   * @throws {TypeError} there is no id, the agents are no list, or the router is no function
   */
  constructor(
    workflowId: string,
    agents: readonly ToolLoopAgent[],
    router: AgentRouter,
    options: RouterWorkflowOptions = {},
  ) {
    assertWorkflow(workflowId, agents);
    if (typeof router !== "function") {
      throw new TypeError(`Cannot make workflow "${workflowId}": its router is no function`);
    }
    this.workflowId = workflowId;
    this.#agents = Object.freeze([...agents]);
    this.#router = router;
    this.#options = options;
  }

  /**
   * Runs the chosen agent.
   *
   * @param message what the router and the agent are told
   * @param options the signal, the journal, the listener
   * @returns one step: the agent that answered; `failures` has those tried before it
   * @throws {AgentError} code `workflow_failed`: the router threw or named no agent of the list (no clamping, no modulo),
   * or the agent failed; the step is the index, or -1 when there is none
   */
  async run(message: string, options: WorkflowRunOptions = {}): Promise<WorkflowResult> {
    const { workflowId } = this;
    const begun = performance.now();
    const failures: WorkflowFailure[] = [];
    let index = this.#checkIndex(await this.#route(message));
    for (;;) {
      const outcome = await runStep(workflowId, this.#agentAt(index), index, message, options);
      const totalDurationMs = performance.now() - begun;
      if (outcome.status === "done") {
        const result = { workflowId, steps: [outcome.step], totalDurationMs };
        return failures.length === 0 ? result : { ...result, failures };
      }
      failures.push(outcome.failure);
      const result = { workflowId, steps: [], totalDurationMs, failures };
      index = await this.#nextAfter(outcome, result);
    }
  }

  async #route(message: string): Promise<unknown> {
    try {
      return await this.#router(message, this.#agents);
    } catch (cause) {
      const reason = `the router failed: ${reasonOf(cause)}`;
      throw AgentError.workflowFailed(this.workflowId, -1, reason, { cause });
    }
  }

  async #nextAfter(failed: FailedStep, result: WorkflowResult): Promise<number> {
    const error = toWorkflowError(result, failed);
    const tried = result.failures?.map(({ stepIndex }) => stepIndex) ?? [];
    const next = await this.#options.onError?.(error, tried);
    // An agent that has failed is not asked again: the list bounds the number of tries.
    if (next === undefined || tried.includes(next)) throw error;
    return this.#checkIndex(next);
  }

  #checkIndex(index: unknown): number {
    const { length } = this.#agents;
    if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index < length) {
      return index;
    }
    const expected = length === 0 ? "there are no agents" : `expected 0..${length - 1}`;
    throw AgentError.workflowFailed(
      this.workflowId,
      typeof index === "number" ? index : -1,
      `the router returned ${String(index)}; ${expected}`,
    );
  }

  #agentAt(index: number): ToolLoopAgent {
    const agent = this.#agents[index];
    if (agent === undefined) throw new RangeError(`Cannot run agent ${index}: there is none`);
    return agent;
  }
}
