/**
 * Types and validation shared by all workflows.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { toBudget } from "../budget/budget.ts";
import { assertRunOptions } from "../loop/run_options.ts";
import { assertTurn } from "../loop/conversation.ts";
import { DeadlineScheduler } from "../loop/deadlines.ts";
import type { RunOptions } from "../loop/options.ts";
import {
  assertMethods,
  assertOptionalBoolean,
  assertOptionalFunction,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { asRecord, defined } from "@parley/internal/json";
import { oneOf } from "@parley/internal/option-checks";
import { namesOf, type OptionsReader, optionsReader, withDefault } from "@parley/internal/options";
import type { UserTurn } from "../shared/model.ts";
import type { PartialWorkflowResult, ToolLoopOutput, WorkflowStep } from "../shared/output.ts";

/**
 * Options for one run of a workflow. If `runId`, `stepRunner` or `decisions` is set, the agent in
 * step `k` runs with the run id `<runId>/<k>`. `runId` defaults to the workflow's id.
 *
 * To resume a workflow with pending approvals, run it with the same message, `runId` and
 * `stepRunner`, and pass the `decisions`. Without a `stepRunner`, a resumed workflow executes the
 * finished steps again.
 *
 * All steps share the `budget`, in addition to the budgets of their agents. A step that a limit
 * ends without a final answer fails.
 */
export type WorkflowRunOptions = Pick<
  RunOptions,
  "signal" | "runId" | "stepRunner" | "decisions" | "onEvent" | "budget"
>;

/** Names of the options for one run of a workflow. */
const RUN_NAMES = namesOf<WorkflowRunOptions>({
  signal: true,
  runId: true,
  stepRunner: true,
  decisions: true,
  onEvent: true,
  budget: true,
});

/** Options for {@linkcode SequentialWorkflow}. */
export interface SequentialWorkflowOptions {
  /**
   * Returns true if the output of a step is a final answer. A step without a final answer fails.
   * Not called for a run that was aborted or terminated. If the function throws or returns anything
   * but `true`, the step fails.
   *
   * @default {hasAnswer}
   */
  readonly isAnswer?: (output: ToolLoopOutput) => boolean;
}

/** Reads the options of a sequential workflow. */
export const readSequentialOptions: OptionsReader<SequentialWorkflowOptions, never> = optionsReader<
  SequentialWorkflowOptions
>("options")({ isAnswer: assertOptionalFunction });

/** Options for {@linkcode ParallelWorkflow}. */
export interface ParallelWorkflowOptions {
  /**
   * Behavior when a step fails: `"throw"` rejects after all agents have finished, and `"collect"`
   * resolves with the successful steps and the `failures`.
   *
   * @default {"throw"}
   */
  readonly onFailure?: "throw" | "collect";
  /**
   * Whether the first failure aborts the runs of the other agents.
   *
   * @default {false}
   */
  readonly failFast?: boolean;
  /**
   * Combines the outputs of the finished steps into the `finalText` of the result. Called once,
   * after all agents have finished, unless a step is waiting for an approval. `reduce` is not a
   * journal step: a resumed workflow calls it again. If omitted, the final texts of the steps are
   * joined with blank lines.
   *
   * @param steps The finished steps, in agent order.
   */
  readonly reduce?: (steps: readonly WorkflowStep[]) => string | Promise<string>;
  /**
   * Returns true if the output of a step is a final answer. A step without a final answer fails.
   * Not called for a run that was aborted or terminated. If the function throws or returns anything
   * but `true`, the step fails.
   *
   * @default {hasAnswer}
   */
  readonly isAnswer?: (output: ToolLoopOutput) => boolean;
}

/** Reads the options of a parallel workflow. */
export const readParallelOptions: OptionsReader<
  ParallelWorkflowOptions,
  "onFailure" | "failFast"
> = optionsReader<ParallelWorkflowOptions>("options")({
  onFailure: withDefault("throw", oneOf("throw", "collect")),
  failFast: withDefault(false, assertOptionalBoolean),
  reduce: assertOptionalFunction,
  isAnswer: assertOptionalFunction,
});

/**
 * Selects the agent for a message.
 *
 * @param message Text of the message to handle. Message parts other than text, such as images, are
 * not included.
 * @param agents Agents of the workflow.
 * @returns Index of the selected agent, starting at 0.
 */
export type AgentRouter = (
  message: string,
  agents: readonly ToolLoopAgent[],
) => number | Promise<number>;

/** Options for {@linkcode RouterWorkflow}. */
export interface RouterWorkflowOptions {
  /**
   * Called when an agent fails. Returns the index of a different agent to run, or `undefined` to
   * make the workflow reject with the agent's error. The workflow also rejects if the returned
   * index belongs to an agent that has already failed. If omitted, the workflow rejects at the
   * first failure.
   *
   * @param error The error that made the agent fail. The workflow rejects with this error if
   * `onError` does not select a different agent.
   * @param triedIndexes Indexes of the agents that have failed.
   */
  readonly onError?: (
    error: AgentError,
    triedIndexes: readonly number[],
  ) => number | undefined | Promise<number | undefined>;
  /**
   * Returns true if the output of a step is a final answer. A step without a final answer fails.
   * Not called for a run that was aborted or terminated. If the function throws or returns anything
   * but `true`, the step fails.
   *
   * @default {hasAnswer}
   */
  readonly isAnswer?: (output: ToolLoopOutput) => boolean;
}

/** Reads the options of a router workflow. */
export const readRouterOptions: OptionsReader<RouterWorkflowOptions, never> = optionsReader<
  RouterWorkflowOptions
>("options")({ onError: assertOptionalFunction, isAnswer: assertOptionalFunction });

/** A run of a workflow. */
export interface WorkflowRun {
  readonly workflowId: string;
  readonly agents: readonly ToolLoopAgent[];
  readonly message: UserTurn;
  readonly options: WorkflowRunOptions;
  /** Returns true if the output of a step is a final answer. Defaults to `hasAnswer`. */
  readonly isAnswer: ((output: ToolLoopOutput) => boolean) | undefined;
}

/**
 * Validates the id and the agents of a workflow.
 *
 * @throws {TypeError} If `workflowId` is not a non-empty string, or `agents` is not an array.
 */
export function assertWorkflow(workflowId: string, agents: readonly ToolLoopAgent[]): void {
  if (typeof workflowId !== "string" || !workflowId) {
    throw new TypeError(`"workflowId" must be a non-empty string, got ${formatValue(workflowId)}`);
  }
  if (!Array.isArray(agents)) {
    throw new TypeError(`"agents" must be an array, got ${formatValue(agents)}`);
  }
  for (const [index, agent] of agents.entries()) {
    assertMethods(`agents[${index}]`, "a ToolLoopAgent", agent, ["run", "initialize"]);
  }
}

/**
 * Validates the message and the options of a run before any agent is run. Limits become one budget
 * that all steps share.
 *
 * @throws {TypeError} If the message or an option has the wrong type.
 */
export function prepareWorkflowRun(run: WorkflowRun): WorkflowRun {
  const { message, options } = run;
  if (message === undefined) {
    rejectArgument("message", "a string or a non-empty array of parts", message);
  }
  assertTurn("message", message);
  assertRunOptions(options, RUN_NAMES);
  const { budget } = options;
  if (budget === undefined) return run;
  return { ...run, options: { ...options, budget: toBudget(budget) } };
}

/**
 * Calls a function that the caller provided, such as a router. Rejects when the signal is aborted,
 * even if the function never settles.
 *
 * @param name Description of the function, for the error message.
 * @param stepIndex Step index to include in the error.
 * @param partialResult Partial result to include in the error.
 * @throws {AgentError} With code `workflow_failed` if the function fails.
 */
export async function callFunction(
  { options: { signal }, workflowId }: WorkflowRun,
  call: () => unknown,
  name: string,
  stepIndex: number,
  partialResult?: PartialWorkflowResult,
): Promise<unknown> {
  const deadlines = new DeadlineScheduler(signal);
  try {
    const value = call();
    return typeof asRecord(value).then === "function" ? await deadlines.wait(value) : value;
  } catch (cause) {
    const reason = `${name} failed: ${errorMessageOf(cause)}`;
    throw AgentError.workflowFailed(
      workflowId,
      stepIndex,
      reason,
      defined({ cause, partialResult }),
    );
  } finally {
    deadlines.close();
  }
}
