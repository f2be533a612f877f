/**
 * What all workflows share: their options, and a run of one.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import type { RunOptions } from "../loop/options.ts";
import type { AgentError } from "../shared/error.ts";

/**
 * What one run of a workflow is told; as for an agent's run. With a `stepRunner`, step `k` runs under the id
 * `<runId>/<k>`; the default `runId` is the workflow's id.
 */
export type WorkflowRunOptions = Pick<
  RunOptions,
  "signal" | "runId" | "stepRunner" | "decisions" | "onEvent"
>;

/** How a {@linkcode ParallelWorkflow} treats failures. */
export interface ParallelWorkflowOptions {
  /**
   * What happens when a step fails: `"throw"` rejects when all agents have completed; `"collect"` resolves with the
   * steps that succeeded, and `failures`. Default: `"throw"`.
   */
  readonly onFailure?: "throw" | "collect";
  /** Whether the first failure aborts the other agents. Default: false. */
  readonly failFast?: boolean;
}

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

/** A run of a workflow. */
export interface WorkflowRun {
  readonly workflowId: string;
  readonly agents: readonly ToolLoopAgent[];
  readonly message: string;
  readonly options: WorkflowRunOptions;
}

/**
 * Checks what every workflow is made of.
 *
 * @throws {TypeError} there is no id, or the agents are no list
 */
export function assertWorkflow(workflowId: string, agents: readonly ToolLoopAgent[]): void {
  if (typeof workflowId !== "string" || !workflowId || !Array.isArray(agents)) {
    throw new TypeError("Cannot make a workflow: it needs an id and a list of agents");
  }
}
