/**
 * A workflow that selects one of several agents for each message.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { defined } from "@parley/internal/json";
import type { Settings } from "@parley/internal/options";
import type { WorkflowFailure, WorkflowResult } from "../shared/output.ts";
import { runStep, toWorkflowError, toWorkflowResult } from "./step.ts";
import {
  type AgentRouter,
  assertWorkflow,
  callFunction,
  prepareWorkflowRun,
  readRouterOptions,
  type RouterWorkflowOptions,
  type WorkflowRun,
  type WorkflowRunOptions,
} from "./workflow.ts";
import type { UserTurn } from "../shared/model.ts";
import { monotonicNow } from "../shared/platform.ts";
import { textOfTurn } from "../loop/conversation.ts";

/**
 * A workflow in which a router function selects the agent for each message.
 *
 * @example Select an agent by the subject of the message
 * ```ts
 * import { RouterWorkflow, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const sales = new ToolLoopAgent({ name: "sales", model: scriptedModel([]) });
 * const support = new ToolLoopAgent({ name: "support", model: scriptedModel([{ text: "Reboot" }]) });
 * const desk = new RouterWorkflow("desk", [sales, support], (message) => /broken/.test(message) ? 1 : 0);
 * const { steps } = await desk.run("It is broken");
 * assertEquals(steps.map(({ agentName }) => agentName), ["support"]);
 * ```
 */
export class RouterWorkflow {
  /** Id of the workflow. */
  readonly workflowId: string;
  readonly #agents: readonly ToolLoopAgent[];
  readonly #router: AgentRouter;
  readonly #options: Settings<RouterWorkflowOptions, never>;

  /**
   * Creates a workflow.
   *
   * @param workflowId Id of the workflow, used in errors and journal keys.
   * @param agents Agents to choose from. The workflow does not terminate the agents.
   * @param router Returns the index of the agent to run.
   * @param options Options for handling failed agents, and the rule for answers.
   * @throws {TypeError} If `workflowId` is not a non-empty string, `agents` is not an array, or
   * `router` or an option is not a function.
   */
  constructor(
    workflowId: string,
    agents: readonly ToolLoopAgent[],
    router: AgentRouter,
    options: RouterWorkflowOptions = {},
  ) {
    assertWorkflow(workflowId, agents);
    if (typeof router !== "function") {
      throw new TypeError(`"router" must be a function, got ${formatValue(router)}`);
    }
    const settings = readRouterOptions(options);
    this.workflowId = workflowId;
    this.#agents = Object.freeze([...agents]);
    this.#router = router;
    this.#options = settings;
  }

  /**
   * Runs the selected agent.
   *
   * @param message Message for the router and the agent.
   * @param options Options for the agents' runs.
   * @returns Result with one step, for the agent that succeeded. If the router first selected
   * agents that failed, the result's `failures` property lists their failures. If the agent's run
   * is waiting for an approval, the result has no step and the status `"approval_pending"`. If the
   * workflow is resumed, the router is called again and must select the same agent.
   * @throws {TypeError} If the message or an option has the wrong type.
   * @throws {AgentError} With code `workflow_failed` if the router throws, is aborted or does not
   * return the index of an agent, if `onError` throws, or if the last selected agent fails or ends
   * without a final answer. The error's `details.stepIndex` is the last selected index, or -1 if
   * the router or `onError` did not return a number.
   */
  async run(message: UserTurn, options: WorkflowRunOptions = {}): Promise<WorkflowResult> {
    const { workflowId } = this;
    const { isAnswer, onError } = this.#options;
    const run = { workflowId, agents: this.#agents, message, options, isAnswer };
    return await runRouter(run, this.#router, onError);
  }
}

/**
 * Runs the selected agent and, if it fails, the agents that `onError` selects.
 *
 * @throws {AgentError} With code `workflow_failed` if no valid agent is selected, or the last
 * selected agent fails.
 */
async function runRouter(
  given: WorkflowRun,
  router: AgentRouter,
  onError: RouterWorkflowOptions["onError"] | undefined,
): Promise<WorkflowResult> {
  const run = prepareWorkflowRun(given);
  const { workflowId } = run;
  const startedAt = monotonicNow();
  const failures: WorkflowFailure[] = [];
  const tried: number[] = [];
  const text = textOfTurn(run.message);
  let index = await callFunction(run, () => router(text, run.agents), "the router", -1);
  for (;;) {
    const outcome = await runStep(run, agentAt(run, index), Number(index));
    const totalDurationMs = monotonicNow() - startedAt;
    if (outcome.status !== "failed") {
      const isDone = outcome.status === "done";
      const result = defined({
        workflowId,
        steps: isDone ? [outcome.step] : [],
        totalDurationMs,
        failures: failures.length === 0 ? undefined : failures,
        pending: isDone ? undefined : [outcome.pending],
      });
      return toWorkflowResult(result, isDone ? outcome.step.output.finalText : "");
    }
    failures.push(outcome.failure);
    tried.push(outcome.failure.stepIndex);
    const error = toWorkflowError(
      { workflowId, steps: [], totalDurationMs, failures: [...failures] },
      outcome,
    );
    if (!onError) throw error;
    const select = (): unknown => onError(error, [...tried]);
    index = await callFunction(run, select, '"onError"', outcome.failure.stepIndex);
    // Each agent runs at most once, which limits the number of attempts.
    if (index === undefined || tried.some((before) => before === index)) throw error;
  }
}

function agentAt({ agents, workflowId }: WorkflowRun, index: unknown): ToolLoopAgent {
  const position = typeof index === "number" ? index : -1;
  const agent = agents[position];
  if (agent !== undefined) return agent;
  const reason = agents.length === 0
    ? "the workflow has no agents"
    : `the router must return an index from 0 to ${agents.length - 1}, got ${formatValue(index)}`;
  throw AgentError.workflowFailed(workflowId, position, reason);
}
