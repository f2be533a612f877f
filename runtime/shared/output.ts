/**
 * What a run comes to: data only, so that errors may carry it.
 *
 * @module
 */

import type { AssistantMessage, ModelMessage, ToolCall, ToolResult } from "./model.ts";
import type { TokenUsage } from "./usage.ts";

/**
 * Why a run ended. Decision: the specification names the type and not its values; these are closed.
 */
export const AgentStopReason = {
  /** The model requested no tools. */
  ModelStop: "model_stop",
  /** The iteration limit was reached while the model still wanted tools. */
  MaxIterations: "max_iterations",
  /** The total of used tokens exceeds the limit. */
  MaxTotalTokens: "max_total_tokens",
  /** A budget of cost, time or tool calls is used up. */
  BudgetExceeded: "budget_exceeded",
  /** The model repeated the same tool calls. */
  RepeatedToolCalls: "repeated_tool_calls",
  /** A tool ended the run, or a tool was called that ends it. */
  ToolStop: "tool_stop",
  /** A condition of the caller's own triggered. */
  CustomCondition: "custom_condition",
  /** The model's last answer was cut off and requested no tools. */
  OutputTruncated: "output_truncated",
  /** The provider withheld the model's answer. */
  ContentFiltered: "content_filtered",
  /** An approval was deferred; see `pending`. */
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
  /** The 0-based number of the iteration. */
  readonly index: number;
  /** What the model answered. */
  readonly assistantMessage: AssistantMessage;
  /** The tool calls in it, in order; empty if there are none. */
  readonly toolCalls: readonly ToolCall[];
  /** One result for each call, in call order. */
  readonly toolResults: readonly ToolResult[];
  /** Tokens of this iteration, sub-agents' not included. */
  readonly usage: TokenUsage;
}

/** A tool call that waits for a decision. Plain data, to be shown and stored. */
export interface PendingApproval {
  /** Under which name the decision is handed in on resumption; unique within the run and its sub-agents. */
  readonly key: string;
  /** Agent names from the outermost agent to the one that asks. */
  readonly path: readonly string[];
  /** The call. */
  readonly toolCall: ToolCall;
}

/** A batch of tool calls that waits for decisions. It is not in `messages`, which stay valid without it. */
export interface PendingBatch {
  /** The iteration that is waiting. */
  readonly iteration: number;
  /** The model's answer with the calls. */
  readonly assistantMessage: AssistantMessage;
  /** Results of calls in it that are finished already; they are repeated from the journal on resumption. */
  readonly toolResults: readonly ToolResult[];
  /** What is to be decided. */
  readonly approvals: readonly PendingApproval[];
}

/** What a run has come to so far. A run that fails leaves this much behind, as `AgentError.partialOutput`. */
export interface PartialLoopOutput {
  /** The text parts of the last assistant message, joined; `""` if it has none. */
  readonly finalText: string;
  /** What happened, iteration by iteration. */
  readonly iterations: readonly ToolLoopIteration[];
  /** Tokens of all iterations, of one that is pending, and of sub-agents that tools ran. */
  readonly totalUsage: TokenUsage;
  /**
   * The complete conversation. It is always valid to send on: each assistant message with tool calls is followed by one
   * tool message with one result for each call, in call order.
   */
  readonly messages: readonly ModelMessage[];
  /** The split of `totalUsage` by agent path (names joined with `/`); present when sub-agents took part. */
  readonly usageByAgent?: Readonly<Record<string, TokenUsage>>;
}

/** What a run comes to. */
export interface ToolLoopOutput extends PartialLoopOutput {
  /** Why it ended. */
  readonly stopReason: AgentStopReason;
  /** The name of the stop condition that triggered, if one did. */
  readonly stopConditionName?: string;
  /** The calls that wait for approval; present when `stopReason` is `approval_pending`. */
  readonly pending?: PendingBatch;
}

/** One agent's part in a workflow. */
export interface WorkflowStep {
  /** The agent. */
  readonly agentName: string;
  /** What its run came to. */
  readonly output: ToolLoopOutput;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
}

/** A step of a workflow that failed. */
export interface WorkflowFailure {
  /** The 0-based position of the agent. */
  readonly stepIndex: number;
  /** The agent. */
  readonly agentName: string;
  /** What went wrong, in words. */
  readonly reason: string;
  /** What the agent's run came to, when it ended without an answer rather than with an error. */
  readonly output?: ToolLoopOutput;
}

/** What a workflow comes to. */
export interface WorkflowResult {
  /** The workflow. */
  readonly workflowId: string;
  /** The finished steps, in agent order. */
  readonly steps: readonly WorkflowStep[];
  /** How long it took, in milliseconds. */
  readonly totalDurationMs: number;
  /** The steps that failed; absent when none did. */
  readonly failures?: readonly WorkflowFailure[];
}
