/**
 * Outputs of runs and results of workflows.
 *
 * @module
 */

import type { AssistantMessage, ModelMessage, ToolCall, ToolResult } from "./model.ts";
import type { TokenUsage } from "./usage.ts";

/** Reasons why a run ended. */
export const AgentStopReason = {
  /** The model requested no tools. */
  ModelStop: "model_stop",
  /** The iteration limit was reached while the model still requested tools. */
  MaxIterations: "max_iterations",
  /** The total number of used tokens exceeds the limit. */
  MaxTotalTokens: "max_total_tokens",
  /** A budget of cost, time or tool calls is exhausted. */
  BudgetExceeded: "budget_exceeded",
  /** The model repeated the same tool calls. */
  RepeatedToolCalls: "repeated_tool_calls",
  /** A tool ended the run, or a tool was called that a stop condition names. */
  ToolStop: "tool_stop",
  /** A custom stop condition was met. */
  CustomCondition: "custom_condition",
  /** The last model response was truncated and requested no tools. */
  OutputTruncated: "output_truncated",
  /** The content filter of the provider blocked the response. */
  ContentFiltered: "content_filtered",
  /** An approval decision was deferred; see {@linkcode ToolLoopOutput.pending}. */
  ApprovalPending: "approval_pending",
  /** The caller's signal was aborted. */
  Aborted: "aborted",
  /** The agent was terminated. */
  Terminated: "terminated",
} as const;

/** One of the values of {@linkcode AgentStopReason}. */
export type AgentStopReason = typeof AgentStopReason[keyof typeof AgentStopReason];

/** One model call and the tool calls it led to. */
export interface ToolLoopIteration {
  /** Index of the iteration, starting at 0. */
  readonly index: number;
  /** Response of the model. */
  readonly assistantMessage: AssistantMessage;
  /** Tool calls of the response, in order; empty if it requests no tools. */
  readonly toolCalls: readonly ToolCall[];
  /** Results of the tool calls: one for each call, in call order. */
  readonly toolResults: readonly ToolResult[];
  /** Tokens used by the model call of this iteration, without sub-agents. */
  readonly usage: TokenUsage;
}

/** A tool call that is waiting for an approval decision. It is plain data, which can be displayed and stored. */
export interface PendingApproval {
  /** Key of the decision in `decisions` when the run is resumed; unique within the run and its sub-agents. */
  readonly key: string;
  /** Agent names from the outermost agent to the agent that requests the approval. */
  readonly path: readonly string[];
  /** The tool call. */
  readonly toolCall: ToolCall;
}

/** The tool calls of one response, waiting for approval decisions. They are not part of `messages`. */
export interface PendingBatch {
  /** Index of the iteration that is waiting. */
  readonly iteration: number;
  /** Model response with the tool calls. */
  readonly assistantMessage: AssistantMessage;
  /** Results of the tool calls that are already finished. A resumed run reads them from the journal. */
  readonly toolResults: readonly ToolResult[];
  /** Tool calls that need a decision. */
  readonly approvals: readonly PendingApproval[];
}

/** Output of a run so far. A failed run provides it as `AgentError.partialOutput`. */
export interface PartialLoopOutput {
  /** Text parts of the last assistant message, joined; `""` if it has none. */
  readonly finalText: string;
  /** The iterations, in order. */
  readonly iterations: readonly ToolLoopIteration[];
  /** Tokens used by all iterations, including a pending one and the sub-agents that tools ran. */
  readonly totalUsage: TokenUsage;
  /**
   * The complete conversation, which is always valid as input of a model: each assistant message with tool calls is
   * followed by one tool message with one result for each call, in call order.
   */
  readonly messages: readonly ModelMessage[];
  /** `totalUsage` by agent path (agent names joined with `/`); present if the run used sub-agents. */
  readonly usageByAgent?: Readonly<Record<string, TokenUsage>>;
}

/** Output of a run. */
export interface ToolLoopOutput extends PartialLoopOutput {
  /** Reason why the run ended. */
  readonly stopReason: AgentStopReason;
  /** Name of the stop condition that was met, if any. */
  readonly stopConditionName?: string;
  /** Tool calls that are waiting for approval; present if `stopReason` is `approval_pending`. */
  readonly pending?: PendingBatch;
}

/** A finished step of a workflow. */
export interface WorkflowStep {
  /** Name of the agent. */
  readonly agentName: string;
  /** Output of the agent's run. */
  readonly output: ToolLoopOutput;
  /** Duration of the step, in milliseconds. */
  readonly durationMs: number;
}

/** A failed step of a workflow. */
export interface WorkflowFailure {
  /** Index of the step, starting at 0. */
  readonly stepIndex: number;
  /** Name of the agent. */
  readonly agentName: string;
  /** Reason of the failure. */
  readonly reason: string;
  /** Output of the agent's run if it ended early rather than with an error. */
  readonly output?: ToolLoopOutput;
}

/** Result of a workflow. */
export interface WorkflowResult {
  /** Id of the workflow. */
  readonly workflowId: string;
  /** The finished steps, in agent order. */
  readonly steps: readonly WorkflowStep[];
  /** Duration of the workflow, in milliseconds. */
  readonly totalDurationMs: number;
  /** Failed steps; absent if no step failed. */
  readonly failures?: readonly WorkflowFailure[];
}
