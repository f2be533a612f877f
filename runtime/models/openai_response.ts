/**
 * Converts complete and streamed responses from the OpenAI Chat Completions API. The builder
 * accepts the response formats of different servers.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 * @module
 */

import type { SseEvent } from "@parley/internal/sse";
import { defined, isRecord } from "@parley/internal/json";
import type {
  AssistantMessage,
  FinishReason,
  ModelDelta,
  ModelResponse,
  ProviderOptions,
} from "../shared/model.ts";
import { readCount, type TokenUsage, totalOf } from "../shared/usage.ts";
import { bodyFailure } from "./http_error.ts";
import { REASONING_FIELD } from "./openai_request.ts";
import { ToolCallBuilder } from "./openai_tool_calls.ts";
import type { ResponseBuilder } from "./response_builder.ts";
import {
  expectList,
  expectRecord,
  malformed,
  parseRecord,
  readRecord,
  readText,
  type WireObject,
} from "./response_fields.ts";

/** Possible names of the reasoning field, which depend on the server. */
const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["stop", "stop"],
  ["eos", "stop"],
  ["length", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["content_filter", "content-filter"],
  ["insufficient_system_resource", "interrupted"],
  ["error", "error"],
]);

/** Data from the request that is needed to convert the response. */
export interface OpenAiResponseOptions {
  /** Key for the provider's data in `providerOptions`. */
  readonly provider: string;
  /** Maximum response length set in the request, in tokens. */
  readonly maxOutputTokens?: number | undefined;
  /** Original tool names, keyed by encoded name, for tools whose encoded name differs. */
  readonly toolNames: ReadonlyMap<string, string>;
}

/** Builds a response from a response body or from the chunks of a stream. */
export class OpenAiResponseBuilder implements ResponseBuilder {
  readonly #options: OpenAiResponseOptions;
  readonly #calls: ToolCallBuilder;
  #text = "";
  #reasoning = "";
  #reasoningField: string | undefined;
  #hasChoice = false;
  #isDone = false;
  #isRefused = false;
  #rawFinishReason: string | undefined;
  #usage: TokenUsage | undefined;
  #modelId: string | undefined;
  #responseId: string | undefined;

  /** Creates an empty response. */
  constructor(options: OpenAiResponseOptions) {
    this.#options = options;
    this.#calls = new ToolCallBuilder(options.provider, options.toolNames);
  }

  get isFinished(): boolean {
    return this.#isDone || this.#rawFinishReason !== undefined;
  }

  addWhole(body: WireObject): void {
    this.#addEnvelope(body);
    const choice = expectRecord(expectList(body.choices, '"choices"')[0], '"choices[0]"');
    const message = expectRecord(choice.message, '"message"');
    // Tool calls in a complete response are identified by position, because ids may be missing or
    // duplicated.
    const calls = expectList(message.tool_calls, '"tool_calls"')
      .map((call, index) => ({ ...expectRecord(call, "a tool call"), index }));
    this.#addChoice({ ...choice, delta: { ...message, tool_calls: calls } });
  }

  addEvent({ type, data }: SseEvent): readonly ModelDelta[] | "end" {
    this.#isDone = data === "[DONE]";
    if (this.#isDone) return "end";
    const piece = parseRecord(data, "event data");
    return this.#addChunk(
      type === "error" && piece.error === undefined ? { error: piece } : piece,
    );
  }

  finish(): ModelResponse {
    if (!this.#hasChoice) throw malformed("no choices");
    const finishReason = this.#finishReason();
    return {
      message: this.#message(),
      finishReason,
      ...defined({
        rawFinishReason: this.#rawFinishReason,
        usage: this.#usage,
        modelId: this.#modelId,
        responseId: this.#responseId,
      }),
    };
  }

  #addChunk(chunk: WireObject): ModelDelta[] {
    this.#addEnvelope(chunk);
    const choices = expectList(chunk.choices, '"choices"').map((choice) =>
      expectRecord(choice, "a choice")
    );
    const first = choices.find(({ index }) => index === undefined || index === 0);
    return first === undefined ? [] : this.#addChoice(first);
  }

  #addEnvelope(body: WireObject): void {
    if (body.error !== undefined && body.error !== null) throw bodyFailure(body.error);
    if (body.object === "error") throw bodyFailure(body);
    this.#responseId ??= readText(body.id);
    this.#modelId ??= readText(body.model);
    this.#usage = readUsage(body.usage) ?? this.#usage;
  }

  #addChoice(choice: WireObject): ModelDelta[] {
    this.#hasChoice = true;
    if (choice.error !== undefined && choice.error !== null) throw bodyFailure(choice.error);
    this.#rawFinishReason = readText(choice.finish_reason) ?? this.#rawFinishReason;
    // The last chunk may contain only a finish reason.
    const delta = readRecord(choice.delta);
    return [
      ...this.#addReasoning(delta),
      ...this.#addText(readContent(delta.content)),
      ...this.#addRefusal(delta.refusal),
      ...this.#calls.add(delta),
    ];
  }

  #addReasoning(delta: WireObject): ModelDelta[] {
    const field = REASONING_FIELDS.find((name) => readText(delta[name]) !== undefined);
    this.#reasoningField = field ?? this.#reasoningField ??
      REASONING_FIELDS.find((name) => typeof delta[name] === "string");
    const thought = readText(field && delta[field]) ?? readThoughts(delta.content);
    if (thought === "") return [];
    this.#reasoning += thought;
    return [{ type: "reasoning-delta", delta: thought }];
  }

  #addText(text: string): ModelDelta[] {
    if (text === "") return [];
    this.#text += text;
    return [{ type: "text-delta", delta: text }];
  }

  #addRefusal(refusal: unknown): ModelDelta[] {
    const text = readText(refusal);
    if (text === undefined) return [];
    this.#isRefused = true;
    return this.#addText(text);
  }

  #message(): AssistantMessage {
    const calls = this.#calls.finish();
    // After tool calls, some servers require the reasoning field even if the reasoning is empty.
    const hasReasoning = this.#reasoning !== "" ||
      (this.#reasoningField !== undefined && calls.length > 0);
    return {
      role: "assistant",
      content: [
        ...hasReasoning
          ? [{ type: "reasoning" as const, text: this.#reasoning, ...this.#reasoningOptions() }]
          : [],
        ...this.#text === "" ? [] : [{ type: "text" as const, text: this.#text }],
        ...calls,
      ],
    };
  }

  #reasoningOptions(): { providerOptions?: ProviderOptions } {
    if (this.#reasoningField === undefined) return {};
    const data = { [REASONING_FIELD]: this.#reasoningField };
    return { providerOptions: { [this.#options.provider]: data } };
  }

  /**
   * Returns the finish reason. Some servers report `tool_calls` for a response that was truncated
   * at the token limit. If the number of output tokens has reached the limit, the last tool call
   * may be incomplete even if its input can be parsed, so the method returns `length`.
   */
  #finishReason(): FinishReason {
    const { maxOutputTokens } = this.#options;
    const written = this.#usage?.outputTokens ?? 0;
    const hasCalls = this.#calls.size > 0;
    if (hasCalls && maxOutputTokens !== undefined && written >= maxOutputTokens) return "length";
    if (this.#isRefused) return "content-filter";
    if (this.#rawFinishReason === undefined) return hasCalls ? "tool-calls" : "other";
    return FINISH_REASONS.get(this.#rawFinishReason) ?? "other";
  }
}

/** Returns the text in a string or in a list of content parts. */
function readContent(content: unknown): string {
  if (typeof content === "string") return content;
  return expectList(content, '"content"').flatMap((part) =>
    isRecord(part) && part.type === "text" ? [readText(part.text) ?? ""] : []
  ).join("");
}

/** Returns the reasoning in a list of content parts. */
function readThoughts(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content.flatMap((part) =>
    isRecord(part) && part.type === "thinking" ? [readContent(part.thinking)] : []
  ).join("");
}

function readUsage(value: unknown): TokenUsage | undefined {
  const usage = readRecord(value);
  const input = readCount(usage.prompt_tokens);
  const output = readCount(usage.completion_tokens);
  if (input === undefined && output === undefined) return undefined;
  const inputTokens = input ?? 0;
  const outputTokens = output ?? 0;
  const cached = readCount(readRecord(usage.prompt_tokens_details).cached_tokens) ??
    readCount(usage.prompt_cache_hit_tokens);
  const reasoning = readCount(readRecord(usage.completion_tokens_details).reasoning_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: totalOf(usage.total_tokens, inputTokens, outputTokens),
    ...defined({
      cachedInputTokens: cached,
      reasoningTokens: reasoning,
      estimated: input === undefined || output === undefined ? (true as const) : undefined,
    }),
  };
}
