/**
 * One of several agents, chosen for each message.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { WorkflowFailure, WorkflowResult } from "../shared/output.ts";
import { runStep, toWorkflowError } from "./step.ts";
import {
  type AgentRouter,
  assertWorkflow,
  type RouterWorkflowOptions,
  type WorkflowRun,
  type WorkflowRunOptions,
} from "./workflow.ts";

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
    const { workflowId } = this;
    return await runRouter(
      { workflowId, agents: this.#agents, message, options },
      this.#router,
      this.#options,
    );
  }
}

/**
 * Runs the chosen agent, and those chosen after failures.
 *
 * @throws {AgentError} code `workflow_failed`: no agent was chosen, or the last one failed
 */
async function runRouter(
  run: WorkflowRun,
  router: AgentRouter,
  { onError }: RouterWorkflowOptions,
): Promise<WorkflowResult> {
  const { workflowId } = run;
  const startedAt = performance.now();
  const failures: WorkflowFailure[] = [];
  const tried: number[] = [];
  let index = await route(run, router);
  for (;;) {
    const outcome = await runStep(run, agentAt(run, index), Number(index));
    const totalDurationMs = performance.now() - startedAt;
    if (outcome.status === "done") {
      const result = { workflowId, steps: [outcome.step], totalDurationMs };
      return failures.length === 0 ? result : { ...result, failures };
    }
    failures.push(outcome.failure);
    tried.push(outcome.failure.stepIndex);
    const error = toWorkflowError(
      { workflowId, steps: [], totalDurationMs, failures: [...failures] },
      outcome,
    );
    index = await onError?.(error, [...tried]);
    // An agent that has failed is not asked again: the list bounds the number of tries.
    if (index === undefined || tried.some((before) => before === index)) throw error;
  }
}

async function route(
  { agents, message, workflowId }: WorkflowRun,
  router: AgentRouter,
): Promise<unknown> {
  try {
    return await router(message, agents);
  } catch (cause) {
    const reason = `the router failed: ${errorMessageOf(cause)}`;
    throw AgentError.workflowFailed(workflowId, -1, reason, { cause });
  }
}

function agentAt({ agents, workflowId }: WorkflowRun, index: unknown): ToolLoopAgent {
  const position = typeof index === "number" ? index : -1;
  const agent = agents[position];
  if (agent !== undefined) return agent;
  const last = agents.length - 1;
  const expected = last < 0 ? "there are no agents" : `expected 0..${last}`;
  throw AgentError.workflowFailed(
    workflowId,
    position,
    `the router returned ${String(index)}; ${expected}`,
  );
}
