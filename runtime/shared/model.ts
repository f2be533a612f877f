/**
 * Language models, their requests and responses, and the messages of a conversation.
 *
 * The types have the same names and shapes as in the AI SDK's model interface, and content arrays
 * are mutable, so `ModelMessage[]` is assignable to the AI SDK's prompt type. The runtime never
 * modifies a message that is part of a conversation.
 *
 * @see https://ai-sdk.dev/docs/foundations/prompts
 * @module
 */

import type { GenerationOptions } from "./generation_options.ts";
import type { JsonValue } from "./json.ts";
import type { ProviderOptions } from "./provider_options.ts";
import type { JsonSchema } from "./schema.ts";
import type { TokenUsage } from "./usage.ts";

/** Text. */
export interface TextPart {
  /** Type of the part. */
  readonly type: "text";
  /** Text of the part. */
  readonly text: string;
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/** The model's reasoning, which is sent back to the model unchanged. */
export interface ReasoningPart {
  /** Type of the part. */
  readonly type: "reasoning";
  /**
   * The model's reasoning as text. The text may be empty if the provider returns only a signature,
   * in `providerOptions`.
   */
  readonly text: string;
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/** Content of a file: inline data or a URL. */
export type FileData =
  | {
    /** Inline file content. */
    readonly type: "data";
    /** Bytes, or a base64 string. */
    readonly data: Uint8Array | string;
  }
  | {
    /** File content at a URL. */
    readonly type: "url";
    /** URL of the content. */
    readonly url: URL;
  };

/** A file, for example an image. */
export interface FilePart {
  /** Type of the part. */
  readonly type: "file";
  /** Media type, for example `image/png`. */
  readonly mediaType: string;
  /** Name of the file. */
  readonly filename?: string;
  /** Content of the file. */
  readonly data: FileData;
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/** A tool call that the model requests. */
export interface ToolCall {
  /** Type of the part. */
  readonly type: "tool-call";
  /** Id of the call, unique within a conversation. The loop replaces missing and duplicate ids. */
  readonly toolCallId: string;
  /** Name of the tool, as written by the model. */
  readonly toolName: string;
  /** Parsed input. If `rawInput` is present, `input` is `{}`. */
  readonly input: unknown;
  /**
   * Input, as written by the model. Present only if the input is not valid JSON. A call with
   * `rawInput` is not executed.
   */
  readonly rawInput?: string;
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/**
 * Reasons why a tool call failed or was not executed. The codes are stable, but the text of the
 * results may change.
 */
export const ToolResultCode = {
  /** No tool with the requested name is registered. */
  ToolNotFound: "tool_not_found",
  /** The input is not valid JSON or does not match the tool's schema. */
  InvalidInput: "invalid_input",
  /** The approval handler denied the call. */
  ApprovalDenied: "approval_denied",
  /** The tool threw an error. */
  ToolExecutionFailed: "tool_execution_failed",
  /** The tool exceeded its timeout. */
  ToolTimeout: "tool_timeout",
  /** The tool returned a value that is not serializable as JSON. */
  NotSerializable: "not_serializable",
  /** The model's response was truncated, so the call may be incomplete and was not executed. */
  OutputTruncated: "output_truncated",
  /**
   * The model requested more tool calls in one response than the limit allows. The call was not
   * executed.
   */
  TooManyCalls: "too_many_calls",
  /** The run ended before the call was started. */
  NotStarted: "not_started",
  /**
   * The run ended or was interrupted while the tool was running. It is unknown whether the tool had
   * an effect.
   */
  OutcomeUnknown: "outcome_unknown",
} as const;

/** One of the values of {@linkcode ToolResultCode}. */
export type ToolResultCode = typeof ToolResultCode[keyof typeof ToolResultCode];

/** Output of a tool call, as received by the model. */
export type ToolResultOutput =
  | {
    /** Text. */
    readonly type: "text";
    /** Text that the model receives. */
    readonly value: string;
  }
  | {
    /** JSON data. */
    readonly type: "json";
    /** JSON data that the model receives. */
    readonly value: JsonValue;
  }
  | {
    /** An error message. */
    readonly type: "error-text";
    /** Error message that the model receives. */
    readonly value: string;
  }
  | {
    /** An error described by JSON data. */
    readonly type: "error-json";
    /** JSON data that describes the error. */
    readonly value: JsonValue;
  }
  | {
    /** The call was denied and not executed. */
    readonly type: "execution-denied";
    /** Reason for the denial. */
    readonly reason?: string;
  }
  | {
    /** Several parts, for example text and images. */
    readonly type: "content";
    /** Parts of the output, in order. */
    readonly value: (TextPart | FilePart)[];
  };

/**
 * The result of a tool call, as plain data. A failure is described by a code and a message rather
 * than an error object.
 */
export interface ToolResult {
  /** Type of the part. */
  readonly type: "tool-result";
  /** Id of the tool call. */
  readonly toolCallId: string;
  /** Name of the tool, as in the call. */
  readonly toolName: string;
  /** Output that the model receives. */
  readonly output: ToolResultOutput;
  /** Whether the call failed or was denied. */
  readonly isError: boolean;
  /**
   * Whether the value that the tool returned was truncated to `maxToolOutputChars` or
   * `maxToolFileChars`.
   */
  readonly isTruncated?: true;
  /** Reason for the failure. Absent if the call succeeded or the tool itself returned the error. */
  readonly code?: ToolResultCode;
  /** Execution time in whole milliseconds; 0 if the tool was not started. */
  readonly durationMs: number;
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/**
 * A system prompt with provider-specific data.
 *
 * @example Cache the system prompt
 * ```ts
 * import { type SystemPrompt, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * // With fromAiSdk(), the provider package reads `cacheControl` instead of `cache_control`.
 * const systemPrompt: SystemPrompt = {
 *   text: "Be brief.",
 *   providerOptions: { anthropic: { cache_control: { type: "ephemeral" } } },
 * };
 * const agent = new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]), systemPrompt });
 * await agent.initialize();
 *
 * const { messages } = await agent.run("Hi");
 * assertEquals(messages[0]?.providerOptions, systemPrompt.providerOptions);
 * ```
 */
export interface SystemPrompt {
  /** Text of the system prompt. */
  readonly text: string;
  /** Provider-specific data for the system message. */
  readonly providerOptions?: ProviderOptions;
}

/** The instructions at the beginning of a conversation. */
export interface SystemMessage {
  /** Role of the author. */
  readonly role: "system";
  /** Text of the instructions. */
  readonly content: string;
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/** A message from the user. */
export interface UserMessage {
  /** Role of the author. */
  readonly role: "user";
  /** Parts of the message. */
  readonly content: (TextPart | FilePart)[];
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/** A response from the model. */
export interface AssistantMessage {
  /** Role of the author. */
  readonly role: "assistant";
  /** Parts of the message. */
  readonly content: (TextPart | ReasoningPart | FilePart | ToolCall)[];
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/** The results of the tool calls in the preceding assistant message. */
export interface ToolMessage {
  /** Role of the author. */
  readonly role: "tool";
  /** The results, one per tool call, in call order. */
  readonly content: ToolResult[];
  /** Provider-specific data. */
  readonly providerOptions?: ProviderOptions;
}

/** One message in a conversation. */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A message whose content is a string, which is equivalent to one text part. */
export interface TextMessage {
  /** Role of the author. */
  readonly role: "user" | "assistant";
  /** Text of the message. */
  readonly content: string;
}

/** One message in a conversation that a run continues. */
export type MessageInput = ModelMessage | TextMessage;

/** Parts of a message from the user. */
export type UserContent = readonly (TextPart | FilePart)[];

/** A message from the user: text or parts, for example text and an image. */
export type UserTurn = string | UserContent;

/** All finish reasons, as spelled by the AI SDK. */
export const FINISH_REASONS = [
  "stop",
  "tool-calls",
  "length",
  "content-filter",
  "error",
  "interrupted",
  "other",
] as const;

/** Reason why the model finished the response. */
export type FinishReason = typeof FINISH_REASONS[number];

/** A tool definition, as received by the model. */
export interface ToolDefinition {
  /** Name of the tool. */
  readonly name: string;
  /** Description of the tool for the model. */
  readonly description?: string;
  /** JSON Schema of the input. */
  readonly inputSchema: JsonSchema;
  /** Fields to add to the definition, keyed by provider. */
  readonly providerOptions?: ProviderOptions;
}

/** A request to a model. */
export interface ModelRequest {
  /**
   * The whole conversation, or the messages that a history view or `prepareIteration` has selected.
   * The array may grow during the run, so a model that stores the conversation must copy the array.
   */
  readonly messages: readonly ModelMessage[];
  /**
   * Tools that the model may call. Every request in a run contains the same array until the tool
   * registry changes, unless `prepareIteration` selects the tools.
   */
  readonly tools: readonly ToolDefinition[];
  /** Settings for the call. */
  readonly options: GenerationOptions;
  /** Aborted when the response is no longer needed. */
  readonly signal?: AbortSignal;
}

/** A model's response. The loop treats the response as untrusted input and validates it. */
export interface ModelResponse {
  /** The model's message. */
  readonly message: AssistantMessage;
  /** Reason why the model finished the response. */
  readonly finishReason: FinishReason;
  /** Finish reason as spelled by the provider. */
  readonly rawFinishReason?: string;
  /** Token usage. Absent if the provider reports no usage. */
  readonly usage?: TokenUsage;
  /** Tokens of other models that the provider called, keyed by model id. Not part of `usage`. */
  readonly otherUsage?: Readonly<Record<string, TokenUsage>>;
  /** Id of the model that generated the response, as reported by the provider. */
  readonly modelId?: string;
  /** Name of the provider of that model. If omitted, the `provider` of the called model. */
  readonly provider?: string;
  /** Id of the response, assigned by the provider. */
  readonly responseId?: string;
  /** Warnings, for example about unsupported settings. */
  readonly warnings?: readonly string[];
}

/** A delta in a streamed response. */
export type ModelDelta =
  | {
    /** A text delta. */
    readonly type: "text-delta";
    /** Text added by the delta. */
    readonly delta: string;
  }
  | {
    /** A reasoning delta. */
    readonly type: "reasoning-delta";
    /** Reasoning added by the delta. */
    readonly delta: string;
  }
  | {
    /** A delta of a tool call's input. */
    readonly type: "tool-input-delta";
    /** Id of the tool call. */
    readonly toolCallId: string;
    /** Name of the tool. */
    readonly toolName: string;
    /** JSON text added to the input of the tool call. */
    readonly delta: string;
  };

/**
 * An event in a streamed response. A stream consists of any number of deltas, followed by one
 * `finish` event with the complete response.
 */
export type ModelStreamEvent = ModelDelta | {
  /** The end of the stream. */
  readonly type: "finish";
  /** The complete response, as `generate` would return it. */
  readonly response: ModelResponse;
};

/**
 * A language model.
 *
 * If a model call fails, the returned promise rejects. The loop retries the call if the error has
 * `retryable: true` (or `isRetryable: true`, as in the AI SDK). If the error has `retryAfterMs`,
 * the loop waits for that number of milliseconds before the retry. If the error has `status` (or
 * `statusCode`, as in the AI SDK), the loop adds the HTTP status to the details of its own error.
 * Adapters throw `AgentError.modelError`. The loop validates every response: it reports a content
 * part of an unknown type as a model error, and generates missing tool call ids.
 *
 * @example A minimal model
 * ```ts
 * import type { LanguageModel } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const model: LanguageModel = {
 *   modelId: "hello",
 *   generate: () =>
 *     Promise.resolve({
 *       message: { role: "assistant", content: [{ type: "text", text: "Hello" }] },
 *       finishReason: "stop",
 *     }),
 * };
 * const response = await model.generate({ messages: [], tools: [], options: {} });
 * assertEquals(response.message.content, [{ type: "text", text: "Hello" }]);
 * ```
 */
export interface LanguageModel {
  /** Id of the model, used in logs and telemetry. */
  readonly modelId: string;
  /** Name of the provider, used in logs and telemetry. */
  readonly provider?: string;
  /**
   * Whether the model supports `responseFormat` with a JSON Schema: in every request
   * (`with-tools`), or only in requests without tools (`without-tools`). If omitted, a run with an
   * `output` schema uses a tool for the final answer.
   */
  readonly nativeOutput?: "with-tools" | "without-tools";
  /**
   * Generates a response.
   *
   * @param request Conversation, tools and settings.
   */
  generate(request: ModelRequest): Promise<ModelResponse>;
  /**
   * Generates a response as a stream. Used instead of `generate` if the run has an event listener.
   *
   * @param request Conversation, tools and settings.
   */
  stream?(request: ModelRequest): AsyncIterable<ModelStreamEvent>;
}
