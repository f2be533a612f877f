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
  FilePart,
  FinishReason,
  ModelDelta,
  ModelResponse,
} from "../shared/model.ts";
import { bodyFailure, isFailure, readBodyFailure } from "./http_error.ts";
import { type Content, readContent, readImages } from "./openai_content.ts";
import { ReasoningBuilder } from "./openai_reasoning.ts";
import { ToolCallBuilder } from "./openai_tool_calls.ts";
import { chatUsageIn, joinUsage, toChatUsage } from "./openai_usage.ts";
import { END, type ResponseBuilder } from "./response_builder.ts";
import type { WireTools } from "./wire_tools.ts";
import {
  expectList,
  expectRecord,
  malformed,
  parseRecord,
  quote,
  readRecord,
  readText,
  type WireObject,
} from "./response_fields.ts";

/**
 * Finish reasons in lowercase. Servers and gateways also send those of the APIs from which they
 * convert responses.
 */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["complete", "stop"],
  ["end_turn", "stop"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["tool_use", "tool-calls"],
  ["content_filter", "content-filter"],
  ["safety", "content-filter"],
  ["sensitive", "content-filter"],
  ["insufficient_system_resource", "interrupted"],
  ["error", "error"],
]);

/** Type of the chunks of a stream. */
const CHUNK = "chat.completion.chunk";

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
  /** Images, each once, keyed by their JSON text. */
  readonly #images = new Map<string, FilePart>();
  #text = "";
  #hasUnread = false;
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
    const [first] = expectList(body.choices, '"choices"');
    if (first === undefined) {
      if (body.object === CHUNK) return;
      throw readBodyFailure(body) ??
        malformed(`"choices[0]" is missing in ${quote(JSON.stringify(body))}`);
    }
    const choice = expectRecord(first, '"choices[0]"');
    if (choice.message === undefined && (isRecord(choice.delta) || this.#hasChoice)) {
      // Some gateways send the chunks of a stream as one body. The last one may contain only a
      // finish reason.
      this.#addChoice(choice);
      return;
    }
    const message = expectRecord(choice.message, '"message"');
    // Tool calls in a complete response are identified by position, because ids may be missing or
    // duplicated.
    const calls = expectList(message.tool_calls, '"tool_calls"').filter((call) => call !== null)
      .map((call, index) => ({ ...expectRecord(call, "a tool call"), index }));
    this.#addChoice({ ...choice, delta: { ...message, tool_calls: calls } }, true);
  }

  addEvent({ type, data }: SseEvent): readonly ModelDelta[] | "end" {
    this.#isDone = data === END;
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
    const choices = expectList(chunk.choices, '"choices"').filter((choice) => choice !== null)
      .map((choice) => expectRecord(choice, "a choice"));
    const first = choices.find(({ index }) => index === undefined || index === 0);
    return first === undefined ? [] : this.#addChoice(first);
  }

  #addEnvelope(body: WireObject): void {
    if (isFailure(body.error)) throw bodyFailure(body);
    if (body.object === "error") throw bodyFailure(body);
    this.#responseId ??= readText(body.id);
    this.#modelId ??= readText(body.model);
    this.#usage = joinUsage(this.#usage, chatUsageIn(body));
  }

  #addChoice(choice: WireObject, isWhole = false): ModelDelta[] {
    this.#hasChoice = true;
    if (isFailure(choice.error)) throw bodyFailure(choice.error);
    this.#rawFinishReason = readText(choice.finish_reason) ?? this.#rawFinishReason;
    // The last chunk may contain only a finish reason. Some servers stream whole messages, also
    // after their pieces.
    const delta = readRecord(choice.delta ?? choice.message);
    const { text } = this.#addImages(delta);
    const isMessage = !isRecord(choice.delta);
    const isRepeated = isMessage && this.#text !== "" && text.startsWith(this.#text);
    const hasThought = isMessage && (isRepeated || this.#reasoning.has(delta));
    const thought = hasThought ? "" : this.#reasoning.add(delta, isWhole);
    return [
      ...thought === "" ? [] : [{ type: "reasoning-delta" as const, delta: thought }],
      ...this.#addText(isRepeated ? text.slice(this.#text.length) : text),
      ...this.#addRefusal(delta.refusal),
      ...isMessage ? this.#calls.addMessage(delta) : this.#calls.add(delta),
    ];
  }

  #addImages(delta: WireObject): Content {
    const content = readContent(delta.content);
    const others = readImages(delta.images);
    for (const image of [...content.images, ...others.images]) {
      this.#images.set(JSON.stringify(image), image);
    }
    this.#hasUnread ||= content.hasUnread || others.hasUnread;
    return content;
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
        ...this.#images.values(),
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
    const reason = FINISH_REASONS.get(this.#rawFinishReason.toLowerCase()) ?? "other";
    const isEmpty = !hasCalls && this.#text === "" && this.#images.size === 0;
    // A response is not empty if its content is not read.
    return isEmpty && (reason === "tool-calls" || this.#hasUnread) ? "other" : reason;
  }
}
