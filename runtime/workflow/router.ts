/**
 * One of several agents, chosen for each message.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent.ts";
import { CORE } from "../core.ts";
import type { WorkflowResult } from "../output.ts";
import {
  type AgentRouter,
  assertWorkflow,
  type RouterWorkflowOptions,
  type WorkflowRunOptions,
} from "./step.ts";

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
      throw new TypeError("Cannot make a workflow: its router is no function");
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
    const { runRouted } = await import("./run.ts");
    const { workflowId } = this;
    return await runRouted(
      { core: CORE, workflowId, agents: this.#agents, message, options },
      this.#router,
      this.#options,
    );
  }
}
