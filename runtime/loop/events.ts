/**
 * Events emitted during a run.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";
import type { AssistantMessage, FinishReason, ToolCall, ToolResult } from "../shared/model.ts";
import type { AgentStopReason, ToolLoopIteration, ToolLoopOutput } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/** The run and the agent that an event belongs to. */
export interface LoopEventOrigin {
  /**
   * Id of the run. If a tool passes its context to a sub-agent, the sub-agent's run id starts with
   * the parent's run id.
   */
  readonly runId: string;
  /** Agent names from the outermost agent to the running agent. */
  readonly path: readonly string[];
}

/**
 * An event emitted during a run. The `type` of an event is one of:
 *
 * - `run_started`, `run_finished`, `run_failed`: start and end of the run. The last event is either
 *   `run_finished` or `run_failed`.
 * - `iteration_started`, `iteration_finished`: start and end of an iteration, which is a model call
 *   and its tool calls.
 * - `model_started`, `text_delta`, `reasoning_delta`, `tool_input_delta`, `model_finished`,
 *   `model_retry`: progress of a model call. Only models that stream emit deltas. A `model_retry`
 *   event invalidates the deltas of the failed attempt. The events of sub-agents are part of the
 *   events of a run; {@linkcode answerText} yields only the text of the outermost agent.
 * - `approval_requested`, `approval_decided`: approval of a tool call. Approval events are emitted
 *   only if an approval handler or `decisions` is set, or if the outcome of a call is unknown and
 *   `onUnknownOutcome` is `"ask"`.
 * - `decision_unused`: members of `decisions` that match no tool call in the run. `decision_unused`
 *   is emitted at most once, directly before `run_finished`.
 * - `tool_started`, `tool_progress`, `tool_finished`: progress of a tool call. A call that is not
 *   executed has no `tool_started` event.
 * - `run_paused`, `run_resumed`: start and end of a pause.
 */
export type LoopEvent = LoopEventOrigin & LoopEventTime & LoopEventBody;

/** The time at which an event was emitted. */
export interface LoopEventTime {
  /** Time from the `now` option, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The members of a {@linkcode LoopEvent} that depend on its `type`. */
export type LoopEventBody =
  | {
    /** The run has started. */
    readonly type: "run_started";
    /** Name of the agent. */
    readonly agentName: string;
    /** DID of the agent. */
    readonly agentDid?: string;
    /** Id of the model. */
    readonly modelId: string;
    /** Name of the model provider. */
    readonly provider?: string;
    /** Type of the final answer. Present if the run has an `output` schema. */
    readonly outputType?: "json";
    /** Keys of the `decisions` that the run received. Absent if the run received no decisions. */
    readonly decisionKeys?: readonly string[];
  }
  | {
    /** An iteration has started. */
    readonly type: "iteration_started";
    /** Index of the iteration, starting at 0. */
    readonly iteration: number;
  }
  | {
    /** A model call has started. */
    readonly type: "model_started";
    /** Index of the iteration. */
    readonly iteration: number;
    /** Id of the model. */
    readonly modelId: string;
    /** Name of the model provider. */
    readonly provider?: string;
    /** Number of previous attempts. */
    readonly attempt: number;
  }
  | {
    /** The model has streamed a part of its text. */
    readonly type: "text_delta";
    /** Index of the iteration. */
    readonly iteration: number;
    /** The text that follows the previous delta. */
    readonly text: string;
  }
  | {
    /** The model has streamed a part of its reasoning. */
    readonly type: "reasoning_delta";
    /** Index of the iteration. */
    readonly iteration: number;
    /** The reasoning that follows the previous delta. */
    readonly reasoning: string;
  }
  | {
    /** The model has streamed a part of the input of a tool call. */
    readonly type: "tool_input_delta";
    /** Index of the iteration. */
    readonly iteration: number;
    /** Id of the tool call, as received from the model. */
    readonly toolCallId: string;
    /** Name of the tool. */
    readonly toolName: string;
    /** The part of the input's JSON text that follows the previous delta of the call. */
    readonly inputText: string;
  }
  | {
    /** The model has returned its response. */
    readonly type: "model_finished";
    /** Index of the iteration. */
    readonly iteration: number;
    /** The assistant message. */
    readonly message: AssistantMessage;
    /** Finish reason of the response. */
    readonly finishReason: FinishReason;
    /** Finish reason as spelled by the provider, if reported. */
    readonly rawFinishReason?: string;
    /** Warnings of the model, for example about settings that were not sent. */
    readonly warnings?: readonly string[];
    /** Token usage of the call, marked as `estimated` if the model did not report it. */
    readonly usage: TokenUsage;
    /** Id of the model that generated the response, if reported by the provider. */
    readonly modelId?: string;
    /** Name of the provider that generated the response, if it is not that of the called model. */
    readonly provider?: string;
    /** Id of the response, if reported by the provider. */
    readonly responseId?: string;
    /** Whether the response was read from a journal. */
    readonly isReplayed?: true;
  }
  | {
    /** The model call has failed and will be retried. */
    readonly type: "model_retry";
    /** Index of the iteration. */
    readonly iteration: number;
    /** Number of the next retry, starting at 1. */
    readonly attempt: number;
    /** Delay before the retry, in milliseconds. */
    readonly delayMs: number;
    /** Error message from the failed call. */
    readonly reason: string;
  }
  | {
    /** The approval handler is about to be called. */
    readonly type: "approval_requested";
    /** Index of the iteration. */
    readonly iteration: number;
    /** The tool call. */
    readonly toolCall: ToolCall;
  }
  | {
    /** A decision on a tool call is available. */
    readonly type: "approval_decided";
    /** Index of the iteration. */
    readonly iteration: number;
    /** The tool call. */
    readonly toolCall: ToolCall;
    /** Decision on the tool call. */
    readonly decision: "approve" | "deny" | "defer";
    /**
     * Reason for the denial, if the approval handler threw an exception or returned an invalid
     * decision.
     */
    readonly error?: unknown;
  }
  | {
    /** The run did not use some of the `decisions`. */
    readonly type: "decision_unused";
    /** Keys of the unused decisions. */
    readonly keys: readonly string[];
  }
  | {
    /** The execution of a tool has started. */
    readonly type: "tool_started";
    /** Index of the iteration. */
    readonly iteration: number;
    /** The tool call, whose input comes from the model or from `repairToolCall`. */
    readonly toolCall: ToolCall;
  }
  | {
    /** A tool has reported progress. */
    readonly type: "tool_progress";
    /** Index of the iteration. */
    readonly iteration: number;
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Name of the tool. */
    readonly toolName: string;
    /** Value that the tool passed to `context.report()`. */
    readonly progress: JsonValue;
  }
  | {
    /** The result of a tool call is available. */
    readonly type: "tool_finished";
    /** Index of the iteration. */
    readonly iteration: number;
    /** The tool result. */
    readonly toolResult: ToolResult;
    /** Whether the result was read from a journal. */
    readonly isReplayed?: true;
    /**
     * The exception thrown by the tool, its schema or, for a denied call, the approval handler.
     * Absent if the result is replayed, because neither the transcript nor the journal contains the
     * exception.
     */
    readonly error?: unknown;
  }
  | {
    /** An iteration has finished. */
    readonly type: "iteration_finished";
    /** Messages, tool results and usage of the iteration. */
    readonly iteration: ToolLoopIteration;
  }
  | {
    /** The run is paused. */
    readonly type: "run_paused";
  }
  | {
    /** The run has resumed after a pause. */
    readonly type: "run_resumed";
  }
  | {
    /** The run has finished. */
    readonly type: "run_finished";
    /** Stop reason of the run. */
    readonly stopReason: AgentStopReason;
    /** Output of the run. */
    readonly output: ToolLoopOutput;
  }
  | {
    /** The run has failed. */
    readonly type: "run_failed";
    /** Error that the run rejects with. */
    readonly error: unknown;
  };

/**
 * Called with every event of a run, synchronously and in order. If the listener throws, the run
 * fails with code `core`, and the listener receives no further events from this run. A promise that
 * the listener returns is not awaited; if the promise rejects, the error is passed to `onError`.
 */
export type LoopEventSink = (event: LoopEvent) => void;
