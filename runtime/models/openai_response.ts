/**
 * Converts complete and streamed responses from the OpenAI Chat Completions API. The builder
 * accepts the response formats of different servers.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 * @module
 */

import type { SseEvent } from "@parley/internal/sse";
import { defined } from "@parley/internal/json";
import type { AssistantMessage, FinishReason, ModelDelta, ModelResponse } from "../shared/model.ts";
import { bodyFailure, readBodyFailure } from "./http_error.ts";
import { readContent, ReasoningBuilder } from "./openai_reasoning.ts";
import { ToolCallBuilder } from "./openai_tool_calls.ts";
import { chatUsageIn, joinUsage, toChatUsage } from "./openai_usage.ts";
import type { ResponseBuilder } from "./response_builder.ts";
import type { WireTools } from "./wire_tools.ts";
import {
  expectList,
  expectRecord,
  malformed,
  parseRecord,
  readRecord,
  readText,
  type WireObject,
} from "./response_fields.ts";

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
  /** Key in `providerOptions` for the data that the server sends. */
  readonly server: string;
  /** Maximum response length set in the request, in tokens. */
  readonly maxOutputTokens?: number | undefined;
  /** The tools of the request. */
  readonly tools: WireTools;
}

/** Builds a response from a response body or from the chunks of a stream. */
export class OpenAiResponseBuilder implements ResponseBuilder {
  readonly #options: OpenAiResponseOptions;
  readonly #calls: ToolCallBuilder;
  readonly #reasoning: ReasoningBuilder;
  #text = "";
  #hasChoice = false;
  #isDone = false;
  #isRefused = false;
  #rawFinishReason: string | undefined;
  #usage: WireObject = {};
  #modelId: string | undefined;
  #responseId: string | undefined;

  /** Creates an empty response. */
  constructor(options: OpenAiResponseOptions) {
    this.#options = options;
    this.#calls = new ToolCallBuilder(options.server, options.tools);
    this.#reasoning = new ReasoningBuilder(options.server);
  }

  get isFinished(): boolean {
    return this.#isDone || this.#rawFinishReason !== undefined;
  }

  addWhole(body: WireObject): void {
    this.#addEnvelope(body);
    const failure = Array.isArray(body.choices) ? undefined : readBodyFailure(body);
    if (failure !== undefined) throw failure;
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
    // Some servers send an event without data to keep the connection open.
    if (data.trim() === "null") return [];
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
        usage: toChatUsage(this.#usage),
        modelId: this.#modelId,
        responseId: this.#responseId,
      }),
    };
  }

  #addChunk(chunk: WireObject): ModelDelta[] {
    this.#addEnvelope(chunk);
    const isOther = Array.isArray(chunk.choices) || chunk.usage !== undefined;
    const failure = isOther ? undefined : readBodyFailure(chunk);
    if (failure !== undefined) throw failure;
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
    this.#usage = joinUsage(this.#usage, chatUsageIn(body));
  }

  #addChoice(choice: WireObject): ModelDelta[] {
    this.#hasChoice = true;
    if (choice.error !== undefined && choice.error !== null) throw bodyFailure(choice.error);
    this.#rawFinishReason = readText(choice.finish_reason) ?? this.#rawFinishReason;
    // The last chunk may contain only a finish reason. Some servers stream whole messages.
    const delta = readRecord(choice.delta ?? choice.message);
    const thought = this.#reasoning.add(delta);
    return [
      ...thought === "" ? [] : [{ type: "reasoning-delta" as const, delta: thought }],
      ...this.#addText(readContent(delta.content)),
      ...this.#addRefusal(delta.refusal),
      ...this.#calls.add(delta),
    ];
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
    return {
      role: "assistant",
      content: [
        ...this.#reasoning.finish(calls.length > 0),
        ...this.#text === "" ? [] : [{ type: "text" as const, text: this.#text }],
        ...calls,
      ],
    };
  }

  /**
   * Returns the finish reason. Some servers report `tool_calls` for a response that was truncated
   * at the token limit. If the number of output tokens has reached the limit, the last tool call
   * may be incomplete even if its input can be parsed, so the method returns `length`.
   */
  #finishReason(): FinishReason {
    const { maxOutputTokens } = this.#options;
    const written = toChatUsage(this.#usage)?.outputTokens ?? 0;
    const hasCalls = this.#calls.size > 0;
    if (hasCalls && maxOutputTokens !== undefined && written >= maxOutputTokens) return "length";
    if (this.#isRefused) return "content-filter";
    if (this.#rawFinishReason === undefined) return hasCalls ? "tool-calls" : "other";
    return FINISH_REASONS.get(this.#rawFinishReason) ?? "other";
  }
}
