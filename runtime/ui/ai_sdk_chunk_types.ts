/**
 * The chunks of the AI SDK's UI message stream.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 * @module
 */

import type { AgentStopReason } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/**
 * Metadata of a finished run's assistant message, which the AI SDK stores in `message.metadata`.
 */
export interface UiMessageMetadata {
  /** Why the run ended. */
  readonly stopReason: AgentStopReason;
  /** Tokens used by the run, including its sub-agents. */
  readonly usage: TokenUsage;
}

/** Progress of a sub-agent: the data of a `data-agent` chunk. */
export interface UiAgentData {
  /** Id of the sub-agent's run. */
  readonly runId: string;
  /** Agent names from the outermost agent to the sub-agent. */
  readonly path: readonly string[];
  /** Chunk of the sub-agent's own message. */
  readonly chunk: UiMessageChunk;
}

/**
 * A chunk of the AI SDK's UI message stream. `UiMessageChunk` is assignable to `UIMessageChunk`
 * from the `ai` package.
 */
export type UiMessageChunk =
  | {
    /** Start of the message. */
    readonly type: "start";
    /** Id of the message. A page replaces its message with the same id. */
    readonly messageId?: string;
  }
  | {
    /** Start of an iteration. */
    readonly type: "start-step";
  }
  | {
    /** End of an iteration. */
    readonly type: "finish-step";
  }
  | {
    /**
     * The parts that the current iteration has added to the message are invalid and must be
     * removed.
     */
    readonly type: "reset-step";
  }
  | {
    /** Start of a text part. */
    readonly type: "text-start";
    /** Id of the part. */
    readonly id: string;
  }
  | {
    /** Text added to a text part. */
    readonly type: "text-delta";
    /** Id of the part. */
    readonly id: string;
    /** Added text. */
    readonly delta: string;
  }
  | {
    /** End of a text part. */
    readonly type: "text-end";
    /** Id of the part. */
    readonly id: string;
  }
  | {
    /** Start of a reasoning part. */
    readonly type: "reasoning-start";
    /** Id of the part. */
    readonly id: string;
  }
  | {
    /** Text added to a reasoning part. */
    readonly type: "reasoning-delta";
    /** Id of the part. */
    readonly id: string;
    /** Added text. */
    readonly delta: string;
  }
  | {
    /** End of a reasoning part. */
    readonly type: "reasoning-end";
    /** Id of the part. */
    readonly id: string;
  }
  | {
    /** A file that the model generated. */
    readonly type: "file";
    /** URL of the file: a `data:` URL for inline content. */
    readonly url: string;
    /** Media type of the file. */
    readonly mediaType: string;
  }
  | {
    /** Start of a tool call whose input is being streamed. */
    readonly type: "tool-input-start";
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Name of the tool. */
    readonly toolName: string;
  }
  | {
    /** JSON text added to the input of a tool call. */
    readonly type: "tool-input-delta";
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Added JSON text. */
    readonly inputTextDelta: string;
  }
  | {
    /** A complete tool call. */
    readonly type: "tool-input-available";
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Name of the tool. */
    readonly toolName: string;
    /** Input of the call. A string if the model's input is not valid JSON. */
    readonly input: unknown;
  }
  | {
    /** A tool call needs a decision. */
    readonly type: "tool-approval-request";
    /** Key of the decision. */
    readonly approvalId: string;
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** `outcome_unknown` if an interrupted execution of the call may have had an effect. */
    readonly reason?: string;
    /**
     * `true` if the agent approves or denies the tool call without asking the user. The decision
     * follows in a `tool-approval-response` chunk.
     */
    readonly isAutomatic?: boolean;
  }
  | {
    /** The agent has decided on a tool call without the user. */
    readonly type: "tool-approval-response";
    /** Id of the approval. */
    readonly approvalId: string;
    /** Whether the call is approved. */
    readonly approved: boolean;
    /** Reason for the denial. */
    readonly reason?: string;
  }
  | {
    /** Result of a tool call. */
    readonly type: "tool-output-available";
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Result, or the value that the tool passed to `context.report()`. */
    readonly output: unknown;
    /** `true` if the tool is still running. */
    readonly preliminary?: boolean;
  }
  | {
    /** A tool call failed. */
    readonly type: "tool-output-error";
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Error text for the user. */
    readonly errorText: string;
  }
  | {
    /** A tool call was denied. */
    readonly type: "tool-output-denied";
    /** Id of the tool call. */
    readonly toolCallId: string;
  }
  | {
    /**
     * Progress of a sub-agent. The data is transient: it is passed to `onData`, and not added to
     * the message.
     */
    readonly type: "data-agent";
    /** The sub-agent and a chunk of its message. */
    readonly data: UiAgentData;
    /** Always `true`. */
    readonly transient: true;
  }
  | {
    /** The run has finished. */
    readonly type: "finish";
    /** Finish reason of the run, as named by the AI SDK. */
    readonly finishReason: "stop" | "length" | "content-filter" | "tool-calls" | "other";
    /** Stop reason and token usage. */
    readonly messageMetadata: UiMessageMetadata;
  }
  | {
    /** The run was aborted. */
    readonly type: "abort";
  }
  | {
    /** The run has failed. */
    readonly type: "error";
    /** Error text for the user. */
    readonly errorText: string;
  };
