/**
 * What the runtime needs of a language model, and the messages it exchanges with it.
 *
 * Names and shapes are those of the AI SDK's model interface wherever that has a name, so that `ModelMessage[]` is
 * assignable to its prompt type and adapters have little to do. For the same reason content arrays are mutable types;
 * the runtime never changes a message once it is in a transcript.
 *
 * @see https://ai-sdk.dev/docs/foundations/prompts
 * @module
 */

import { isRecord, type JsonObject, type JsonValue } from "./json.ts";
import type { JsonSchema } from "./schema.ts";
import type { TokenUsage } from "./usage.ts";

/** Data for one provider, keyed by the provider's name; carried along and echoed, never looked into. */
export type ProviderOptions = { [provider: string]: JsonObject };

/** Text. */
export interface TextPart {
  /** Which part this is. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** What the model thought before it answered; sent back to it unchanged. */
export interface ReasoningPart {
  /** Which part this is. */
  readonly type: "reasoning";
  /** The reasoning text; may be empty when the provider only gives a signature in `providerOptions`. */
  readonly text: string;
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** Where a file's content is: in the message, or behind a URL. */
export type FileData =
  | {
    /** The content is here. */
    readonly type: "data";
    /** Bytes, or base64 text. */
    readonly data: Uint8Array | string;
  }
  | {
    /** The content is elsewhere. */
    readonly type: "url";
    /** Where. */
    readonly url: URL;
  };

/** A file, for example an image. */
export interface FilePart {
  /** Which part this is. */
  readonly type: "file";
  /** The media type, for example `image/png`. */
  readonly mediaType: string;
  /** The file's name. */
  readonly filename?: string;
  /** The content or where it is. */
  readonly data: FileData;
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** A tool call that the model asks for. */
export interface ToolCall {
  /** Which part this is. */
  readonly type: "tool-call";
  /** Unique within a transcript; the loop relabels missing and repeated ids. */
  readonly toolCallId: string;
  /** The tool's name as the model wrote it. */
  readonly toolName: string;
  /** The parsed input; `{}` when `rawInput` is present. */
  readonly input: unknown;
  /** The input's text as the model wrote it, present only when it is no JSON. Such a call is never executed. */
  readonly rawInput?: string;
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** Why a tool call has no proper result. Stable: callers branch on it, the text beside it is for people and models. */
export const ToolResultCode = {
  /** No tool has this name. */
  ToolNotFound: "tool_not_found",
  /** The input is no JSON or breaks the tool's schema. */
  InvalidInput: "invalid_input",
  /** The approval handler said no. */
  ApprovalDenied: "approval_denied",
  /** The tool threw. */
  ToolExecutionFailed: "tool_execution_failed",
  /** The tool took longer than its time-out. */
  ToolTimeout: "tool_timeout",
  /** The tool returned something that is no JSON value. */
  NotSerializable: "not_serializable",
  /** The model's answer was cut off, so the call may be incomplete and was not executed. */
  OutputTruncated: "output_truncated",
  /** The model asked for more calls in one answer than the limit. */
  TooManyCalls: "too_many_calls",
  /** The run ended before the call was started. */
  NotStarted: "not_started",
  /** The run ended while the tool was at work; whether it had an effect is unknown. */
  OutcomeUnknown: "outcome_unknown",
} as const;

/** One of the values of {@linkcode ToolResultCode}. */
export type ToolResultCode = typeof ToolResultCode[keyof typeof ToolResultCode];

/** What a tool call came to, as the model sees it. */
export type ToolResultOutput =
  | {
    /** Text. */
    readonly type: "text";
    /** The text. */
    readonly value: string;
  }
  | {
    /** JSON data. */
    readonly type: "json";
    /** The data. */
    readonly value: JsonValue;
  }
  | {
    /** A failure, in words. */
    readonly type: "error-text";
    /** The words. */
    readonly value: string;
  }
  | {
    /** A failure, as data. */
    readonly type: "error-json";
    /** The data. */
    readonly value: JsonValue;
  }
  | {
    /** The call was not approved and not executed. */
    readonly type: "execution-denied";
    /** Why. */
    readonly reason?: string;
  }
  | {
    /** Several parts, for example text and images. */
    readonly type: "content";
    /** The parts. */
    readonly value: (TextPart | FilePart)[];
  };

/** The answer to one tool call. Plain data: a failure is a code and a text, never an error object. */
export interface ToolResult {
  /** Which part this is. */
  readonly type: "tool-result";
  /** The id of the call it answers. */
  readonly toolCallId: string;
  /** The name in the call. */
  readonly toolName: string;
  /** What the model sees. */
  readonly output: ToolResultOutput;
  /** Whether the call failed or was refused. */
  readonly isError: boolean;
  /** Why it failed; absent on success and when the tool itself reported the error. */
  readonly code?: ToolResultCode;
  /** How long the tool ran, in whole milliseconds; 0 when it was not started. */
  readonly durationMs: number;
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** The instruction that comes before a conversation. */
export interface SystemMessage {
  /** Whose message it is. */
  readonly role: "system";
  /** The text. */
  readonly content: string;
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** What the user says. */
export interface UserMessage {
  /** Whose message it is. */
  readonly role: "user";
  /** The parts. */
  readonly content: (TextPart | FilePart)[];
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** What the model answers. */
export interface AssistantMessage {
  /** Whose message it is. */
  readonly role: "assistant";
  /** The parts. */
  readonly content: (TextPart | ReasoningPart | FilePart | ToolCall)[];
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** The answers to the tool calls of the assistant message before it, in call order. */
export interface ToolMessage {
  /** Whose message it is. */
  readonly role: "tool";
  /** The answers. */
  readonly content: ToolResult[];
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** One message of a conversation. */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Every finish reason, in the AI SDK's spelling. */
export const FINISH_REASONS = [
  "stop",
  "tool-calls",
  "length",
  "content-filter",
  "error",
  "interrupted",
  "other",
] as const;

/** Why the model stopped writing. */
export type FinishReason = typeof FINISH_REASONS[number];

/** Settings of a model call. What a model does not know, it ignores. */
export interface GenerationOptions {
  /** Sampling temperature. */
  readonly temperature?: number;
  /** Nucleus sampling. */
  readonly topP?: number;
  /** Sample from the k likeliest tokens. */
  readonly topK?: number;
  /** The longest answer, in tokens. */
  readonly maxOutputTokens?: number;
  /** Texts that end the answer. */
  readonly stopSequences?: readonly string[];
  /** A seed for reproducible sampling. */
  readonly seed?: number;
  /** Penalty for tokens that were used at all. */
  readonly presencePenalty?: number;
  /** Penalty for tokens by how often they were used. */
  readonly frequencyPenalty?: number;
  /** Whether the model may, must not or must call tools, or which tool it must call. Default: `"auto"`. */
  readonly toolChoice?: "auto" | "none" | "required" | { readonly toolName: string };
  /** How much the model should think. */
  readonly reasoning?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Whether the answer is text or JSON, and of which schema. */
  readonly responseFormat?:
    | {
      /** Plain text. */
      readonly type: "text";
    }
    | {
      /** JSON. */
      readonly type: "json";
      /** What the JSON must look like. */
      readonly schema?: JsonSchema;
      /** A name for the schema. */
      readonly name?: string;
      /** What the schema is for. */
      readonly description?: string;
    };
  /** HTTP headers to add, for models behind HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Data for the provider. */
  readonly providerOptions?: ProviderOptions;
}

/** A tool as the model sees it. */
export interface ToolDefinition {
  /** The name the model calls it by. */
  readonly name: string;
  /** What it does. */
  readonly description?: string;
  /** What its input looks like. */
  readonly inputSchema: JsonSchema;
}

/** One model call. */
export interface ModelRequest {
  /** The whole conversation. The array grows while the run goes on: copy it to keep it. */
  readonly messages: readonly ModelMessage[];
  /** The tools the model may call; the same array object until the registry changes. */
  readonly tools: readonly ToolDefinition[];
  /** The settings. */
  readonly options: GenerationOptions;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** What the model answered. The loop reads it as untrusted: see {@linkcode LanguageModel}. */
export interface ModelResponse {
  /** The answer. */
  readonly message: AssistantMessage;
  /** Why it ends. */
  readonly finishReason: FinishReason;
  /** The provider's own word for it. */
  readonly rawFinishReason?: string;
  /** What it cost; absent when the provider does not say. */
  readonly usage?: TokenUsage;
  /** The model that really answered. */
  readonly modelId?: string;
  /** The provider's id of the answer. */
  readonly responseId?: string;
  /** What the provider ignored or warned of. */
  readonly warnings?: readonly string[];
}

/** A piece of an answer that is still being written. */
export type ModelDelta =
  | {
    /** More text. */
    readonly type: "text-delta";
    /** The piece. */
    readonly delta: string;
  }
  | {
    /** More reasoning. */
    readonly type: "reasoning-delta";
    /** The piece. */
    readonly delta: string;
  }
  | {
    /** More of a tool call's input. */
    readonly type: "tool-input-delta";
    /** Which call. */
    readonly toolCallId: string;
    /** Which tool. */
    readonly toolName: string;
    /** The piece of JSON text. */
    readonly delta: string;
  };

/** What a streaming model yields: any number of deltas, then exactly one finish with the whole answer. */
export type ModelStreamEvent = ModelDelta | {
  /** The end. */
  readonly type: "finish";
  /** The whole answer, as `generate` would give it. */
  readonly response: ModelResponse;
};

/**
 * A language model: the one thing an agent cannot do without.
 *
 * A failing call rejects. It is tried again when the error has `retryable: true` (or the AI SDK's `isRetryable: true`),
 * after `retryAfterMs` milliseconds if the error has that; adapters throw `AgentError.modelError` with both. The loop
 * trusts no answer: parts of unknown shape are dropped or become a model error, calls without an id get one.
 *
 * @example The smallest model
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
  /** Which model, for people and telemetry. */
  readonly modelId: string;
  /** Who provides it, for people and telemetry. */
  readonly provider?: string;
  /**
   * Answers a conversation.
   *
   * @param request the conversation, tools and settings
   */
  generate(request: ModelRequest): Promise<ModelResponse>;
  /**
   * Answers piece by piece. Used instead of `generate` when somebody listens to the run's events.
   *
   * @param request the conversation, tools and settings
   */
  stream?(request: ModelRequest): AsyncIterable<ModelStreamEvent>;
}

/**
 * Reads the input text of a tool call: for adapters of models that write the input as JSON text.
 *
 * @param text the text as the model wrote it; empty text counts as `{}`, which several servers send for no arguments
 * @returns the parsed input, or `{}` with the text in `rawInput` when it is no JSON
 *
 * @example Good and bad text
 * ```ts
 * import { readToolInput } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readToolInput('{"a":1}'), { input: { a: 1 } });
 * assertEquals(readToolInput('{"a":'), { input: {}, rawInput: '{"a":' });
 * ```
 */
export function readToolInput(text: string): Pick<ToolCall, "input" | "rawInput"> {
  if (!text.trim()) return { input: {} };
  try {
    return { input: JSON.parse(text) };
  } catch {
    // Not an error here: the loop answers the call with one.
    return { input: {}, rawInput: text };
  }
}

/**
 * Says whether a failed model call may be tried again, by the two spellings in use.
 *
 * @param error what the call rejected with
 * @returns whether it says so itself
 *
 * @example A rate limit
 * ```ts
 * import { AgentError, isRetryable } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * assert(isRetryable(AgentError.modelError("429 Too Many Requests", { retryable: true })));
 * assert(!isRetryable(new Error("bad key")));
 * ```
 */
export function isRetryable(error: unknown): boolean {
  return isRecord(error) && (error.retryable === true || error.isRetryable === true);
}
