/**
 * The events of the AG-UI protocol that this package sends.
 *
 * @see https://docs.ag-ui.com/spec/1.0
 * @module
 */

import type { JsonObject, JsonValue } from "../shared/json.ts";

/** A part of a tool result in AG-UI. */
export type AgUiContentPart =
  | {
    /** Text. */
    readonly type: "text";
    /** Text of the part. */
    readonly text: string;
  }
  | {
    /** Kind of file, determined by the media type. */
    readonly type: "image" | "audio" | "video" | "document";
    /** Content of the file. */
    readonly source:
      | {
        /** Inline content. */
        readonly type: "data";
        /** Content as base64. */
        readonly value: string;
        /** Media type. */
        readonly mimeType: string;
      }
      | {
        /** Content at a URL. */
        readonly type: "url";
        /** URL of the content. */
        readonly value: string;
        /** Media type. */
        readonly mimeType: string;
      };
  };

/**
 * A request for the user's decision on a tool call. A run that needs a decision ends with this
 * request.
 */
export interface AgUiInterrupt {
  /** Key of the approval. */
  readonly id: string;
  /** Kind of interrupt. */
  readonly reason: "tool_call";
  /** Text that asks the user for a decision. */
  readonly message: string;
  /** Id of the tool call. */
  readonly toolCallId: string;
  /** JSON Schema of the `payload` that the client sends. */
  readonly responseSchema: { [keyword: string]: JsonValue };
  /** Run id of the sub-agent that calls the tool. Absent if the outermost agent calls the tool. */
  readonly subagentRunId?: string;
  /** The `parley` member contains the reason for the approval request. */
  readonly metadata: { [key: string]: JsonValue };
}

/** Token counts of a model in AG-UI. */
export interface AgUiUsage {
  /** Name of the model provider. Absent if several models or sub-agents were used. */
  readonly provider?: string;
  /** Id of the model, as in the `usageByModel` of the output. */
  readonly model: string;
  /** Number of tokens in the prompts. */
  readonly inputTokens: number;
  /** Number of tokens in the responses. */
  readonly outputTokens: number;
  /** Total number of tokens. */
  readonly totalTokens: number;
  /** Number of output tokens used for reasoning. */
  readonly reasoningTokens?: number;
  /** Number of input tokens read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** Number of input tokens written to the provider's cache. */
  readonly cacheWriteInputTokens?: number;
}

/** A message in a snapshot. Messages that the client sent are returned unchanged. */
export type AgUiMessage = JsonObject;

/** Outcome of a run. */
export type AgUiOutcome =
  | {
    /** The run has finished. */
    readonly type: "success";
  }
  | {
    /** The run waits for approvals. */
    readonly type: "interrupt";
    /** The approvals. */
    readonly interrupts: AgUiInterrupt[];
  }
  | {
    /** The run was aborted, or the agent was terminated. */
    readonly type: "cancelled";
  };

/** The members of an {@linkcode AgUiEvent} that depend on its `type`. */
export type AgUiEventBody =
  | {
    /** The run has started. */
    readonly type: "RUN_STARTED";
    /** Id of the conversation. */
    readonly threadId: string;
    /** Id of the run. */
    readonly runId: string;
    /** Version of the protocol. */
    readonly protocolVersion: "1.0";
  }
  | {
    /** The run has ended. */
    readonly type: "RUN_FINISHED";
    /** Id of the conversation. */
    readonly threadId: string;
    /** Id of the run. */
    readonly runId: string;
    /** Outcome of the run. */
    readonly outcome: AgUiOutcome;
    /** Stop reason of the run. */
    readonly result: { [key: string]: JsonValue };
    /** Token usage of the run and its sub-agents. */
    readonly usage: AgUiUsage[];
  }
  | {
    /** The run has failed. */
    readonly type: "RUN_ERROR";
    /** Masked text of the error. */
    readonly message: string;
    /** Code of the `AgentError`. Absent if the error is not an `AgentError`. */
    readonly code?: string;
  }
  | {
    /** An iteration has started or finished. */
    readonly type: "STEP_STARTED" | "STEP_FINISHED";
    /** Name of the iteration. */
    readonly stepName: string;
  }
  | {
    /** A message from the model has started. */
    readonly type: "TEXT_MESSAGE_START";
    /** Id of the message. */
    readonly messageId: string;
    /** Author of the message. */
    readonly role: "assistant";
  }
  | {
    /** Text was added to a message from the model, or to the model's reasoning. */
    readonly type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT";
    /** Id of the message. */
    readonly messageId: string;
    /** Added text. */
    readonly delta: string;
  }
  | {
    /** A message from the model has ended, or the model's reasoning has started or ended. */
    readonly type:
      | "TEXT_MESSAGE_END"
      | "REASONING_START"
      | "REASONING_MESSAGE_END"
      | "REASONING_END";
    /** Id of the message. */
    readonly messageId: string;
  }
  | {
    /** A message with the model's reasoning has started. */
    readonly type: "REASONING_MESSAGE_START";
    /** Id of the message. */
    readonly messageId: string;
    /** Kind of message. */
    readonly role: "reasoning";
  }
  | {
    /** A tool call has started. */
    readonly type: "TOOL_CALL_START";
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Name of the tool. */
    readonly toolCallName: string;
    /** Id of the message that contains the call. */
    readonly parentMessageId: string;
  }
  | {
    /** JSON text was added to the input of a tool call. */
    readonly type: "TOOL_CALL_ARGS";
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Added JSON text. */
    readonly delta: string;
  }
  | {
    /** The input of a tool call is complete. */
    readonly type: "TOOL_CALL_END";
    /** Id of the tool call. */
    readonly toolCallId: string;
  }
  | {
    /** The result of a tool call is available. */
    readonly type: "TOOL_CALL_RESULT";
    /** Id of the message that contains the result. */
    readonly messageId: string;
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** The result: text, JSON text, or parts. */
    readonly content: string | AgUiContentPart[];
    /** Kind of message. */
    readonly role: "tool";
    /**
     * If the call failed, the `parley` member contains `isError: true` and the code of the failure.
     */
    readonly metadata?: { [key: string]: JsonValue };
  }
  | {
    /** A tool has reported progress. */
    readonly type: "CUSTOM";
    /** Kind of custom event. */
    readonly name: "tool_progress";
    /** The tool call and the reported value. */
    readonly value: {
      /** Id of the tool call. */
      readonly toolCallId: string;
      /** Name of the tool. */
      readonly toolName: string;
      /** Value that the tool passed to `context.report()`. */
      readonly progress: JsonValue;
    };
  }
  | {
    /** The conversation without the partial response of a failed model call. */
    readonly type: "MESSAGES_SNAPSHOT";
    /** The messages that the client must display in place of its current messages. */
    readonly messages: AgUiMessage[];
  }
  | {
    /** A sub-agent has started. */
    readonly type: "SUBAGENT_STARTED";
    /** Name of the sub-agent. */
    readonly name: string;
    /** Run id of the sub-agent that started this sub-agent. */
    readonly parentSubagentRunId?: string;
  }
  | {
    /** A sub-agent has finished. */
    readonly type: "SUBAGENT_FINISHED";
    /** Outcome of the sub-agent's run. */
    readonly outcome:
      | {
        /** The run has ended. */
        readonly type: "success";
      }
      | {
        /** The run waits for approvals. */
        readonly type: "suspended";
        /** Keys of the pending approvals. */
        readonly interruptIds: string[];
      };
  }
  | {
    /** The run of a sub-agent has failed, or the outermost run ended before the sub-agent did. */
    readonly type: "SUBAGENT_ERROR";
    /** Masked text of the error. */
    readonly message: string;
  };

/** An event of the AG-UI protocol, in version 1.0. */
export type AgUiEvent = AgUiEventBody & {
  /**
   * Run id of the sub-agent to which the event belongs. Absent for events of the outermost agent.
   */
  readonly subagentRunId?: string;
};
