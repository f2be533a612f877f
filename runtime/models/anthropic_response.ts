/**
 * Converts complete and streamed responses from the Anthropic Messages API.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 * @module
 */

import type { SseEvent } from "@parley/internal/sse";
import { defined } from "@parley/internal/json";
import { isJsonValue, type JsonObject } from "../shared/json.ts";
import type { AssistantMessage, FinishReason, ModelDelta, ModelResponse } from "../shared/model.ts";
import { readToolInput } from "../shared/read_tool_input.ts";
import { addCounts, addUsage, NO_USAGE, readCount, type TokenUsage } from "../shared/usage.ts";
import { BLOCK, SIGNATURE } from "./anthropic_request.ts";
import { bodyFailure, isFailure, readBodyFailure } from "./http_error.ts";
import { END, type ResponseBuilder } from "./response_builder.ts";
import type { WireTools } from "./wire_tools.ts";
import {
  expectRecord,
  malformed,
  parseRecord,
  quote,
  readRecord,
  readText,
  type WireObject,
} from "./response_fields.ts";

/** Stop reason of a paused turn, which the client must continue. */
export const PAUSE = "pause_turn";

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content-filter"],
  [PAUSE, "interrupted"],
]);

/** Counts of input tokens, of which the API reports the sum in three parts. */
const INPUT_COUNTS = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

/** Data from the request that is needed to convert the response. */
export interface AnthropicResponseOptions {
  /** Key in `providerOptions` for the data that the server sends. */
  readonly server: string;
  /** The tools of the request. */
  readonly tools: WireTools;
}

type Part = AssistantMessage["content"][number];

interface Block {
  readonly start: WireObject;
  readonly type: string;
  /** Number of the message that contains the block. */
  readonly message: number;
  text: string;
  input: string;
  signature: string;
}

/** Builds a response from a response body or from the events of a stream. */
export class AnthropicResponseBuilder implements ResponseBuilder {
  readonly #options: AnthropicResponseOptions;
  readonly #blocks: Block[] = [];
  /** The last block of each index. */
  readonly #byIndex = new Map<unknown, Block>();
  #messages = 0;
  #isStopped = false;
  #stopReason: string | undefined;
  #refusal: string | undefined;
  #usage: WireObject = {};
  #modelId: string | undefined;
  #responseId: string | undefined;

  /** Creates an empty response. */
  constructor(options: AnthropicResponseOptions) {
    this.#options = options;
  }

  get isFinished(): boolean {
    return this.#isStopped || this.#stopReason !== undefined;
  }

  addWhole(body: WireObject): void {
    if (body.type === "error" || isFailure(body.error)) throw bodyFailure(body);
    if (!Array.isArray(body.content)) {
      throw readBodyFailure(body) ??
        malformed(`"content" must be an array in ${quote(JSON.stringify(body))}`);
    }
    this.#addMessage(body);
    body.content.forEach((block, index) =>
      this.#begin(index, expectRecord(block, "a content block"))
    );
  }

  addEvent({ data }: SseEvent): readonly ModelDelta[] | "end" {
    if (data === END) return "end";
    const event = parseRecord(data, "event data");
    switch (event.type) {
      case "message_start":
        this.#addMessage(expectRecord(event.message, '"message"'));
        return [];
      case "content_block_start":
        return this.#begin(event.index, expectRecord(event.content_block, '"content_block"'));
      case "content_block_delta":
        return this.#addDelta(event.index, expectRecord(event.delta, '"delta"'));
      case "message_delta":
        this.#addEnd(readRecord(event.delta));
        this.#addUsage(event.usage);
        return [];
      case "message_stop":
        this.#isStopped = true;
        return "end";
      case "error":
        throw bodyFailure(event);
      default:
        // Events of types that are not listed above, such as `ping`, contain no response data.
        this.#assertNoFailure(event);
        return [];
    }
  }

  finish(): ModelResponse {
    if (this.#messages === 0) throw malformed('no "message_start" event');
    return {
      message: {
        role: "assistant",
        content: this.#blocks.flatMap((block) => this.#toParts(block)),
      },
      finishReason: FINISH_REASONS.get(this.#stopReason) ?? "other",
      ...defined({
        rawFinishReason: this.#stopReason,
        ...toUsages(this.#usage, this.#modelId),
        modelId: this.#modelId,
        responseId: this.#responseId,
      }),
      ...this.#refusal === undefined ? {} : { warnings: [`refusal: ${this.#refusal}`] },
    };
  }

  /** Throws for an event that is the error of a gateway. */
  #assertNoFailure(event: WireObject): void {
    if (isFailure(event.error)) throw bodyFailure(event);
    const failure = event.type === undefined ? readBodyFailure(event) : undefined;
    if (failure !== undefined) throw failure;
  }

  #addMessage(message: WireObject): void {
    this.#messages++;
    this.#responseId = readText(message.id);
    this.#modelId = readText(message.model);
    this.#addEnd(message);
    this.#addUsage(message.usage);
  }

  #addEnd({ stop_reason, stop_details }: WireObject): void {
    this.#stopReason = readText(stop_reason) ?? this.#stopReason;
    const { explanation, category } = readRecord(stop_details);
    this.#refusal = readText(explanation) ?? readText(category) ?? this.#refusal;
  }

  /**
   * Updates the token counts. Token counts are cumulative, and later events may omit some of them.
   * Some servers end a stream with counts that are zero.
   */
  #addUsage(usage: unknown): void {
    const counts = Object.entries(readRecord(usage)).filter(([, value]) => value !== null);
    const next = Object.fromEntries(counts);
    const isEmpty = INPUT_COUNTS.every((name) => (readCount(next[name]) ?? 0) === 0);
    const input = isEmpty ? INPUT_COUNTS : [];
    const kept = [...input, ...next.output_tokens === 0 ? ["output_tokens"] : []]
      .filter((name) => name in this.#usage);
    for (const name of kept) delete next[name];
    this.#usage = { ...this.#usage, ...next };
  }

  #begin(index: unknown, start: WireObject): ModelDelta[] {
    const block: Block = {
      start,
      type: typeOf(start),
      message: this.#messages,
      text: "",
      input: "",
      signature: readText(start.signature) ?? "",
    };
    // Some gateways use one index for several blocks, or send the start of a block or of the whole
    // message again.
    const last = this.#byIndex.get(index);
    if (last !== undefined && isSame(last, block)) {
      this.#blocks.splice(this.#blocks.indexOf(last), 1, block);
    } else this.#blocks.push(block);
    this.#byIndex.set(index, block);
    return this.#addText(block, readText(start.text) ?? readText(start.thinking));
  }

  #addDelta(index: unknown, delta: WireObject): ModelDelta[] {
    const block = this.#byIndex.get(index);
    if (block === undefined) throw malformed(`unknown content block ${String(index)}`);
    switch (delta.type) {
      case "text_delta":
        return this.#addText(block, readText(delta.text));
      case "thinking_delta":
        return this.#addText(block, readText(delta.thinking));
      case "signature_delta":
        block.signature += readText(delta.signature) ?? "";
        return [];
      case "input_json_delta":
        return this.#addInput(block, readText(delta.partial_json));
      default:
        return [];
    }
  }

  #addText(block: Block, delta: string | undefined): ModelDelta[] {
    if (delta === undefined) return [];
    block.text += delta;
    if (block.type === "text") return [{ type: "text-delta", delta }];
    return block.type === "thinking" ? [{ type: "reasoning-delta", delta }] : [];
  }

  #addInput(block: Block, delta: string | undefined): ModelDelta[] {
    if (delta === undefined) return [];
    block.input += delta;
    if (block.type !== "tool_use") return [];
    const { toolCallId, toolName } = this.#callOf(block);
    return [{ type: "tool-input-delta", toolCallId, toolName, delta }];
  }

  #toParts(block: Block): Part[] {
    switch (block.type) {
      case "text":
        return block.text === "" ? [] : [{ type: "text", text: block.text }];
      case "thinking":
        return this.#toThinking(block);
      case "tool_use":
        return [this.#toCall(block)];
      default:
        return this.#toOpaque(block);
    }
  }

  #toCall(block: Block): Part {
    const call = this.#callOf(block);
    const read = readInput(block);
    const input = this.#options.tools.inputOf(call.toolName, read.input);
    return { type: "tool-call", ...call, ...read, input };
  }

  /** Converts a thinking block. Servers other than Anthropic's send no signatures. */
  #toThinking({ text, signature }: Block): Part[] {
    if (signature !== "") return [this.#toReasoning(text, { [SIGNATURE]: signature })];
    return text === "" ? [] : [{ type: "reasoning", text }];
  }

  /**
   * Stores a block of an unsupported type, such as redacted thinking, so that it can be sent back
   * unchanged.
   */
  #toOpaque({ start, input }: Block): Part[] {
    const read = readToolInput(input);
    // The response ended in the middle of the input of a server tool, which was not executed.
    if (read.rawInput !== undefined) return [];
    const block = input === "" ? start : { ...start, input: read.input };
    return isJsonValue(block) ? [this.#toReasoning("", { [BLOCK]: { ...block } })] : [];
  }

  #toReasoning(text: string, data: JsonObject): Part {
    return { type: "reasoning", text, providerOptions: { [this.#options.server]: data } };
  }

  #callOf({ start }: Block): { toolCallId: string; toolName: string } {
    const name = readText(start.name);
    if (name === undefined) throw malformed("a tool call has no name");
    const toolName = this.#options.tools.nameOf(name);
    return { toolCallId: readText(start.id) ?? "", toolName };
  }
}

/** Returns the type of a block. Gateways send texts in the forms of other APIs, too. */
function typeOf({ type, text }: WireObject): string {
  const isText = typeof text === "string" && (type === undefined || type === "output_text");
  return isText ? "text" : readText(type) ?? "";
}

/** Returns true if two blocks with one index are one block whose start was sent twice. */
function isSame(first: Block, second: Block): boolean {
  if (first.message !== second.message) return true;
  const isEmpty = first.text === "" && first.input === "";
  return first.type === second.type && first.start.id === second.start.id &&
    (isEmpty || first.start.id !== undefined);
}

/** Returns the tool input, which is either streamed as text or contained in the initial block. */
function readInput({ start, input }: Block): ReturnType<typeof readToolInput> {
  return input === "" ? { input: start.input ?? {} } : readToolInput(input);
}

/**
 * Returns the token counts, with those of compactions, which the API reports separately, and those
 * of other models that the provider has called, keyed by model id.
 */
function toUsages(
  usage: WireObject,
  modelId: string | undefined,
): Pick<ModelResponse, "usage" | "otherUsage"> {
  const iterations = (Array.isArray(usage.iterations) ? usage.iterations : []).map(readRecord);
  let own = toOwnUsage(usage);
  const others: Record<string, TokenUsage> = {};
  for (const iteration of iterations) {
    const counts = toOwnUsage(iteration);
    const model = readText(iteration.model) ?? modelId;
    if (counts === undefined) continue;
    if (model !== undefined && model !== modelId) {
      others[model] = addUsage(others[model] ?? NO_USAGE, counts);
    } else if (iteration.type === "compaction") {
      own = own === undefined ? counts : addUsage(own, counts);
    }
  }
  return defined({ usage: own, otherUsage: Object.keys(others).length === 0 ? undefined : others });
}

function toOwnUsage(usage: WireObject): TokenUsage | undefined {
  const fresh = readCount(usage.input_tokens);
  const output = readCount(usage.output_tokens);
  const outputTokens = output ?? 0;
  if (fresh === undefined && outputTokens === 0) return undefined;
  const cached = readCount(usage.cache_read_input_tokens);
  const written = readCount(usage.cache_creation_input_tokens);
  const reasoning = readCount(readRecord(usage.output_tokens_details).thinking_tokens);
  // `input_tokens` does not include cached tokens.
  const inputTokens = addCounts(fresh ?? 0, cached ?? 0, written ?? 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: addCounts(inputTokens, outputTokens),
    ...defined({
      cachedInputTokens: cached,
      cacheWriteTokens: written,
      reasoningTokens: reasoning,
      estimated: fresh === undefined || output === undefined ? (true as const) : undefined,
    }),
  };
}
