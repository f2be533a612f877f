/**
 * What a run tells its listener while it goes on.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";
import type {
  AssistantMessage,
  FinishReason,
  ModelDelta,
  ToolCall,
  ToolResult,
} from "../shared/model.ts";
import type { AgentStopReason, ToolLoopIteration, ToolLoopOutput } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/** What every event says: which run of which agent it is about. */
export interface LoopEventOrigin {
  /** The run. A sub-agent's run has its own, which begins with its parent's. */
  readonly runId: string;
  /** Agent names from the outermost agent to the one that runs. */
  readonly path: readonly string[];
}

/**
 * What happens in a run, by `type`:
 *
 * - `run_started`, `run_finished`, `run_failed`: the run's two ends; exactly one of the latter two comes last
 * - `iteration_started`, `iteration_finished`: around each model call and its tool calls
 * - `model_started`, `model_delta`, `model_finished`, `model_retry`: each model call; deltas before a retry are void
 * - `approval_requested`, `approval_decided`: only with an approval handler
 * - `tool_started`, `tool_progress`, `tool_finished`: each tool call; one that is not executed has no `tool_started`
 * - `run_paused`, `run_resumed`: the run rests and goes on
 */
export type LoopEvent = LoopEventOrigin & LoopEventBody;

/** The part of a {@linkcode LoopEvent} that its `type` decides. */
export type LoopEventBody =
  | {
    /** The run begins. */
    readonly type: "run_started";
    /** The agent. */
    readonly agentName: string;
    /** The agent's DID. */
    readonly agentDid?: string;
    /** The model. */
    readonly modelId: string;
    /** The model's provider. */
    readonly provider?: string;
  }
  | {
    /** An iteration begins. */
    readonly type: "iteration_started";
    /** Its 0-based number. */
    readonly iteration: number;
  }
  | {
    /** The model is asked. */
    readonly type: "model_started";
    /** The iteration. */
    readonly iteration: number;
    /** The model. */
    readonly modelId: string;
    /** The model's provider. */
    readonly provider?: string;
    /** How many tries went before. */
    readonly attempt: number;
  }
  | {
    /** The model writes. */
    readonly type: "model_delta";
    /** The iteration. */
    readonly iteration: number;
    /** The piece. */
    readonly delta: ModelDelta;
  }
  | {
    /** The model has answered. */
    readonly type: "model_finished";
    /** The iteration. */
    readonly iteration: number;
    /** The answer. */
    readonly message: AssistantMessage;
    /** Why it ends. */
    readonly finishReason: FinishReason;
    /** What it cost; `estimated` when the model did not say. */
    readonly usage: TokenUsage;
    /** The model that really answered. */
    readonly modelId?: string;
    /** The provider's id of the answer. */
    readonly responseId?: string;
  }
  | {
    /** The model failed and is asked again. */
    readonly type: "model_retry";
    /** The iteration. */
    readonly iteration: number;
    /** The number of the try to come: 1 is the first repetition. */
    readonly attempt: number;
    /** How long the run waits before it, in milliseconds. */
    readonly delayMs: number;
    /** What went wrong. */
    readonly reason: string;
  }
  | {
    /** The approval handler is asked. */
    readonly type: "approval_requested";
    /** The iteration. */
    readonly iteration: number;
    /** The call. */
    readonly toolCall: ToolCall;
  }
  | {
    /** The approval handler has answered. */
    readonly type: "approval_decided";
    /** The iteration. */
    readonly iteration: number;
    /** The call. */
    readonly toolCall: ToolCall;
    /** The answer. */
    readonly decision: "approve" | "deny" | "defer";
  }
  | {
    /** A tool begins. */
    readonly type: "tool_started";
    /** The iteration. */
    readonly iteration: number;
    /** The call as the model made it. */
    readonly toolCall: ToolCall;
  }
  | {
    /** A tool says how it goes. */
    readonly type: "tool_progress";
    /** The iteration. */
    readonly iteration: number;
    /** The call. */
    readonly toolCallId: string;
    /** The tool. */
    readonly toolName: string;
    /** What it says. */
    readonly progress: JsonValue;
  }
  | {
    /** A tool call has its result. */
    readonly type: "tool_finished";
    /** The iteration. */
    readonly iteration: number;
    /** The result. */
    readonly toolResult: ToolResult;
  }
  | {
    /** An iteration ends. */
    readonly type: "iteration_finished";
    /** What happened in it. */
    readonly iteration: ToolLoopIteration;
  }
  | {
    /** The run rests. */
    readonly type: "run_paused";
  }
  | {
    /** The run goes on. */
    readonly type: "run_resumed";
  }
  | {
    /** The run has ended. */
    readonly type: "run_finished";
    /** Why. */
    readonly stopReason: AgentStopReason;
    /** What it came to. */
    readonly output: ToolLoopOutput;
  }
  | {
    /** The run ends with an error. */
    readonly type: "run_failed";
    /** What it rejects with. */
    readonly error: unknown;
  };

/**
 * Listens to a run. Called synchronously, in order; what it throws ends the run with an error, so that a broken listener
 * is noticed.
 */
export type LoopEventSink = (event: LoopEvent) => void;
