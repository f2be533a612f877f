/**
 * Outputs of runs and results of workflows.
 *
 * @module
 */

import type { AssistantMessage, ModelMessage, ToolCall, ToolResult } from "./model.ts";
import type { SchemaIssue } from "./schema.ts";
import type { TokenUsage } from "./usage.ts";

/** Reasons why a run ends. */
export const AgentStopReason = {
  /**
   * The model requested no tool calls. In a run with an `output` schema, the model gave a valid
   * final answer.
   */
  ModelStop: "model_stop",
  /** The iteration limit was reached while the model was still requesting tool calls. */
  MaxIterations: "max_iterations",
  /** The total number of tokens used exceeded the limit. */
  MaxTotalTokens: "max_total_tokens",
  /** A limit of a budget is used up; see {@linkcode ToolLoopOutput.stopConditionName}. */
  BudgetExceeded: "budget_exceeded",
  /** The model repeated the same tool calls. */
  RepeatedToolCalls: "repeated_tool_calls",
  /** A tool ended the run, or a tool named in a stop condition was called. */
  ToolStop: "tool_stop",
  /** A custom stop condition was met, or `prepareIteration` ended the run. */
  CustomCondition: "custom_condition",
  /** The last model response was truncated and requested no tool calls. */
  OutputTruncated: "output_truncated",
  /** The provider's content filter blocked the response. */
  ContentFiltered: "content_filtered",
  /**
   * The model's last final answer does not match the `output` schema; see
   * {@linkcode ToolLoopOutput.outputIssues}.
   */
  OutputInvalid: "output_invalid",
  /** An approval decision was deferred; see {@linkcode ToolLoopOutput.pending}. */
  ApprovalPending: "approval_pending",
  /** A tool waits for a signal or a scheduled time; see {@linkcode ToolLoopOutput.pending}. */
  Waiting: "waiting",
  /** The caller's signal was aborted. */
  Aborted: "aborted",
  /** The agent was terminated. */
  Terminated: "terminated",
} as const;

/** One of the values of {@linkcode AgentStopReason}. */
export type AgentStopReason = typeof AgentStopReason[keyof typeof AgentStopReason];

/** One model call and the tool calls that the model requested. */
export interface ToolLoopIteration {
  /** Index of the iteration, starting at 0. */
  readonly index: number;
  /** The model's response. */
  readonly assistantMessage: AssistantMessage;
  /**
   * Tool calls in the response, in order. The array is empty if the response contains no tool
   * calls.
   */
  readonly toolCalls: readonly ToolCall[];
  /** Results of the tool calls, one per call, in call order. */
  readonly toolResults: readonly ToolResult[];
  /** Tokens used by the model call in this iteration, not including sub-agents. */
  readonly usage: TokenUsage;
  /** Finish reason as spelled by the provider, if reported. */
  readonly rawFinishReason?: string;
  /** Warnings of the model, for example about settings that were not sent. */
  readonly warnings?: readonly string[];
  /** Id of the model that generated the response, if reported by the provider. */
  readonly modelId?: string;
  /** Name of the provider that generated the response, if it is not that of the called model. */
  readonly provider?: string;
}

/**
 * Reason why a decision on a tool call is needed:
 *
 * - `"approval"`: the call has not been executed yet.
 * - `"outcome_unknown"`: the run was interrupted while the tool was running, so the call may have
 *   had an effect. If the call is approved, the tool is executed again.
 */
export type ApprovalReason = "approval" | "outcome_unknown";

/**
 * A tool call that is waiting for an approval decision. Plain data that can be displayed and
 * stored.
 */
export interface PendingApproval {
  /**
   * Key for the decision in `decisions` when the run is resumed. The key is unique within the run,
   * including its sub-agents. The key contains a digest of the input and of the tool's name,
   * description, schema and annotations. If the resumed run requests a different call, or if the
   * tool has changed, the key does not match, and the decision is not used.
   */
  readonly key: string;
  /** Agent names, from the outermost agent to the agent that requests the approval. */
  readonly path: readonly string[];
  /** Reason why the decision is needed. */
  readonly reason: ApprovalReason;
  /** The tool call. */
  readonly toolCall: ToolCall;
}

/**
 * A signal or a scheduled time that a tool waits for. Plain data that can be displayed and stored.
 */
export interface PendingWait {
  /**
   * Whether the tool waits for a signal (`ToolContext.wait`) or for a scheduled time
   * (`ToolContext.sleep`).
   */
  readonly kind: "signal" | "time";
  /** Key that the tool passed to `wait` or `sleep`. */
  readonly key: string;
  /** Agent names, from the outermost agent to the agent that executes the tool. */
  readonly path: readonly string[];
  /** The tool call. */
  readonly toolCall: ToolCall;
  /** Time at which the tool continues, in ISO 8601 format (UTC). Present if `kind` is `"time"`. */
  readonly due?: string;
}

/**
 * The tool calls in one response that are waiting for approval decisions, signals or scheduled
 * times. The waiting calls are not part of the output's `messages`.
 */
export interface PendingBatch {
  /** Index of the iteration that is waiting for the decisions. */
  readonly iteration: number;
  /** Model response that contains the tool calls. */
  readonly assistantMessage: AssistantMessage;
  /**
   * Results of the tool calls that have already finished. A resumed run reads these results from
   * the journal.
   */
  readonly toolResults: readonly ToolResult[];
  /** Tool calls that need a decision. */
  readonly approvals: readonly PendingApproval[];
  /** Signals and scheduled times that tools wait for. Absent if no tool is waiting. */
  readonly waits?: readonly PendingWait[];
}

/**
 * A shorter view of a transcript for the model. The model receives the system message, the messages
 * in `head`, and the transcript messages starting at index `from`. The transcript itself does not
 * change.
 */
export interface HistoryView {
  /**
   * Messages that replace the beginning of the transcript, for example a summary. A leading system
   * message is dropped, because `systemPrompt` provides the system message.
   */
  readonly head: readonly ModelMessage[];
  /** Index of the first transcript message to send. The system message is always sent. */
  readonly from: number;
}

/**
 * Output of a run, up to its end or failure. A failed run provides this output as
 * `AgentError.partialOutput`.
 */
export interface PartialLoopOutput {
  /**
   * The joined text parts of the last assistant message, or `""` if this message has no text parts.
   * In a run with an `output` schema, the value is the JSON text of the valid final answer.
   */
  readonly finalText: string;
  /** The iterations, in order. */
  readonly iterations: readonly ToolLoopIteration[];
  /**
   * Tokens used by all iterations, including a pending iteration, by the sub-agents that tools run,
   * and by the `usage` of plans from `prepareIteration`.
   */
  readonly totalUsage: TokenUsage;
  /**
   * Tokens used by each model, keyed by the model id that the provider reported, otherwise by the
   * id of the called model. The sum is `totalUsage`. See {@linkcode costOf}.
   */
  readonly usageByModel: Readonly<Record<string, TokenUsage>>;
  /**
   * The complete conversation, which is always valid as model input. Each assistant message with
   * tool calls is followed by one tool message that contains one result per call, in call order.
   */
  readonly messages: readonly ModelMessage[];
  /**
   * View of `messages` that the last model call received. Absent if the model received all
   * messages. To keep the history view in the next run, pass it as `history` together with
   * `messages`.
   */
  readonly history?: HistoryView;
  /**
   * Token usage of each agent, keyed by agent path (agent names joined with `/`). Present if the
   * run used sub-agents.
   */
  readonly usageByAgent?: Readonly<Record<string, TokenUsage>>;
}

/** Output of a run. */
export interface ToolLoopOutput extends PartialLoopOutput {
  /** Reason why the run ended. */
  readonly stopReason: AgentStopReason;
  /**
   * Name of the stop condition that was met, the `stop` name of the plan that ended the run, or the
   * limit of a budget that was used up, such as `budget.maxTokens`.
   */
  readonly stopConditionName?: string;
  /**
   * Tool calls that are waiting for a decision, a signal or a scheduled time. Present if
   * `stopReason` is `approval_pending` or `waiting`.
   */
  readonly pending?: PendingBatch;
  /**
   * The final answer, as returned by validation with the `output` schema. Absent if the run has no
   * `output` schema, or ended without a valid final answer.
   */
  readonly value?: unknown;
  /**
   * Issues found in the last final answer. Present if the last final answer did not match the
   * `output` schema.
   */
  readonly outputIssues?: readonly SchemaIssue[];
}

/**
 * Output of a run with an `output` schema.
 *
 * @typeParam Value Type of the final answer.
 */
export interface TypedOutput<Value = unknown> extends ToolLoopOutput {
  /**
   * The final answer, as returned by validation with the `output` schema. Absent if there is no
   * valid final answer.
   */
  readonly value?: Value;
}

/** A finished step in a workflow. */
export interface WorkflowStep {
  /** Name of the agent. */
  readonly agentName: string;
  /** Output of the agent's run. */
  readonly output: ToolLoopOutput;
  /** Duration of the step, in milliseconds. */
  readonly durationMs: number;
}

/** A failed step in a workflow. */
export interface WorkflowFailure {
  /** Index of the step, starting at 0. */
  readonly stepIndex: number;
  /** Name of the agent. */
  readonly agentName: string;
  /**
   * Reason for the failure: the message of the error, or the stop reason of a run that ended early.
   */
  readonly reason: string;
  /** The error that the agent's run rejected with, for example an `AgentError` with a `code`. */
  readonly error?: unknown;
  /** Output of the agent's run, if the run ended early without an error. */
  readonly output?: ToolLoopOutput;
}

/** A workflow step whose run is waiting for approval decisions. */
export interface PendingStep {
  /** Index of the step, starting at 0. */
  readonly stepIndex: number;
  /** Name of the agent. */
  readonly agentName: string;
  /** Tool calls that are waiting for approval. */
  readonly batch: PendingBatch;
}

/**
 * Result of a workflow that has ended or failed. A failed workflow provides this result as
 * `AgentError.partialResult`.
 */
export interface PartialWorkflowResult {
  /** Id of the workflow. */
  readonly workflowId: string;
  /** The finished steps, in agent order. */
  readonly steps: readonly WorkflowStep[];
  /**
   * Steps that are waiting for approval, in agent order. Absent if no step is waiting. To resume
   * the workflow, run it again with the same message, `runId` and `stepRunner`, and with the
   * `decisions`.
   */
  readonly pending?: readonly PendingStep[];
  /** Duration of the workflow, in milliseconds. */
  readonly totalDurationMs: number;
  /** Failed steps. Absent if no step failed. */
  readonly failures?: readonly WorkflowFailure[];
}

/** Result of a workflow. */
export interface WorkflowResult extends PartialWorkflowResult {
  /** `"approval_pending"` if a step is waiting for an approval, otherwise `"completed"`. */
  readonly status: "completed" | "approval_pending";
  /**
   * Text of the whole workflow: the final text of the last agent in a sequential workflow, or of
   * the selected agent in a router workflow. For a parallel workflow, the text is the return value
   * of `reduce` or, without `reduce`, the final texts of the steps, joined with blank lines. The
   * value is `""` if `status` is `"approval_pending"`.
   */
  readonly finalText: string;
}
