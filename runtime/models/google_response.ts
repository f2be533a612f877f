/**
 * Converts complete and streamed responses from the Gemini API.
 *
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
 * @module
 */

import type { SseEvent } from "@parley/internal/sse";
import { defined, isRecord } from "@parley/internal/json";
import { AgentError } from "../shared/error.ts";
import { isJsonValue, type JsonObject } from "../shared/json.ts";
import type { AssistantMessage, FinishReason, ModelDelta, ModelResponse } from "../shared/model.ts";
import type { ProviderOptions } from "../shared/provider_options.ts";
import { readToolInput } from "../shared/read_tool_input.ts";
import { addCounts, readCount, type TokenUsage, totalOf } from "../shared/usage.ts";
import { PART, SIGNATURE, THOUGHT } from "./google_contents.ts";
import { bodyFailure, isFailure, readBodyFailure } from "./http_error.ts";
import { END, type ResponseBuilder } from "./response_builder.ts";
import type { WireTools } from "./wire_tools.ts";
import {
  clip,
  expectList,
  expectRecord,
  malformed,
  parseRecords,
  quote,
  readRecord,
  readText,
  toJsonText,
  type WireObject,
} from "./response_fields.ts";

/** Data from the request that is needed to convert the response. */
export interface GoogleResponseOptions {
  /** Key in `providerOptions` for the data that the server sends. */
  readonly server: string;
  /** The tools of the request. */
  readonly tools: WireTools;
  /** Ids of the tool calls in the conversation. */
  readonly callIds: ReadonlySet<string>;
}

type Part = AssistantMessage["content"][number];

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content-filter"],
  ["RECITATION", "content-filter"],
  ["BLOCKLIST", "content-filter"],
  ["PROHIBITED_CONTENT", "content-filter"],
  ["SPII", "content-filter"],
  ["MODEL_ARMOR", "content-filter"],
  ["IMAGE_SAFETY", "content-filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content-filter"],
  ["IMAGE_RECITATION", "content-filter"],
]);

/** Value of an unset finish reason. */
const UNSPECIFIED = "FINISH_REASON_UNSPECIFIED";

/** Finish reasons of a response in which the model failed to write a valid tool call. */
const INVALID_CALLS: ReadonlySet<unknown> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
]);

/** Fields of a candidate that describe the sources of the text. They are stored in the message. */
const SOURCES = ["groundingMetadata", "urlContextMetadata", "citationMetadata"] as const;

/** Maximum length of a finish reason in an error message, in UTF-16 code units. */
const MAX_REASON = 100;

/** Maximum length of the server's explanation in a warning, in UTF-16 code units. */
const MAX_EXPLANATION = 500;

/** Builds a response from a response body or from the chunks of a stream. */
export class GoogleResponseBuilder implements ResponseBuilder {
  readonly #options: GoogleResponseOptions;
  readonly #parts: Part[] = [];
  readonly #callIds: Set<string>;
  #callCount = 0;
  #hasData = false;
  #isBlocked = false;
  #reason: string | undefined;
  #explanation: string | undefined;
  #sources: JsonObject = {};
  #usage: TokenUsage | undefined;
  #modelId: string | undefined;
  #responseId: string | undefined;
  /** Body without candidates, for an error message. */
  #empty: WireObject = {};

  /** Creates an empty response. */
  constructor(options: GoogleResponseOptions) {
    this.#options = options;
    this.#callIds = new Set(options.callIds);
  }

  get isFinished(): boolean {
    return this.#reason !== undefined;
  }

  addWhole(body: WireObject): void {
    this.#add(body);
  }

  addEvent({ type, data }: SseEvent): readonly ModelDelta[] | "end" {
    // The API ends a stream without a mark.
    if (data === END) return "end";
    return parseRecords(data, "event data").flatMap((chunk) => {
      if (type === "error" && chunk.error === undefined) throw bodyFailure(chunk);
      const deltas = this.#add(chunk);
      // A gateway reports an error in its own form.
      const failure = chunk.candidates === undefined ? readBodyFailure(chunk) : undefined;
      if (failure !== undefined) throw failure;
      return deltas;
    });
  }

  finish(): ModelResponse {
    const failure = this.#hasData ? undefined : readBodyFailure(this.#empty);
    if (failure !== undefined) throw failure;
    this.#assertUsable();
    return {
      message: {
        role: "assistant",
        content: this.#parts,
        ...this.#optionsOf(this.#sources),
      },
      finishReason: this.#finishReason(),
      ...defined({
        rawFinishReason: this.#reason,
        usage: this.#usage,
        modelId: this.#modelId,
        responseId: this.#responseId,
      }),
      ...this.#explanation === undefined
        ? {}
        : { warnings: [`${this.#reason}: ${clip(this.#explanation, MAX_EXPLANATION)}`] },
    };
  }

  /** Throws if the response is neither usable nor a result of the request. Retrying may help. */
  #assertUsable(): void {
    const details = this.#explanation === undefined ? "" : `: ${quote(this.#explanation)}`;
    const problem = this.#problem();
    if (problem !== undefined) {
      throw AgentError.modelError(`${problem}${details}`, { retryable: true });
    }
  }

  #problem(): string | undefined {
    if (!this.#hasData) return noCandidates(this.#empty);
    if (this.#isBlocked || this.#callCount > 0 || FINISH_REASONS.has(this.#reason)) {
      return undefined;
    }
    const reason = clip(this.#reason ?? "none", MAX_REASON);
    if (INVALID_CALLS.has(this.#reason)) {
      return `the model wrote an invalid tool call (finish reason ${reason})`;
    }
    const hasOutput = this.#parts.some((part) =>
      part.type === "file" || (part.type === "text" && part.text.trim() !== "")
    );
    return hasOutput ? undefined : `the response is empty (finish reason ${reason})`;
  }

  #finishReason(): FinishReason {
    if (this.#isBlocked) return "content-filter";
    const known = FINISH_REASONS.get(this.#reason);
    // The API reports `STOP` for a response with tool calls, and `UNEXPECTED_TOOL_CALL` for a call
    // to an unknown tool.
    if (this.#callCount > 0 && (known === undefined || known === "stop")) return "tool-calls";
    return known ?? "other";
  }

  #add(body: WireObject): ModelDelta[] {
    if (isFailure(body.error)) throw bodyFailure(body);
    this.#modelId = readText(body.modelVersion) ?? this.#modelId;
    this.#responseId ??= readText(body.responseId);
    this.#addUsage(body.usageMetadata);
    this.#addFeedback(readRecord(body.promptFeedback));
    const candidates = expectList(body.candidates, '"candidates"')
      .filter((candidate) => candidate !== null)
      .map((candidate) => expectRecord(candidate, "a candidate"));
    const first = candidates.find(({ index }) => index === undefined || index === 0);
    if (first === undefined) this.#empty = body;
    return first === undefined ? [] : this.#addCandidate(first);
  }

  /** Each chunk contains the counts so far. A chunk with lower or without counts is incomplete. */
  #addUsage(value: unknown): void {
    const usage = readUsage(readRecord(value));
    if (usage && usage.totalTokens >= (this.#usage?.totalTokens ?? 0)) this.#usage = usage;
  }

  #addFeedback({ blockReason, blockReasonMessage }: WireObject): void {
    const reason = readText(blockReason);
    if (reason === undefined) return;
    this.#hasData = true;
    this.#isBlocked = true;
    this.#reason = reason;
    this.#explanation = readText(blockReasonMessage);
  }

  #addCandidate(candidate: WireObject): ModelDelta[] {
    const { content, finishMessage, finishReason } = candidate;
    this.#hasData = true;
    const reason = readText(finishReason);
    if (reason !== undefined && reason !== UNSPECIFIED && !this.#isBlocked) this.#reason = reason;
    // The API also explains `STOP`, which needs no explanation.
    const explanation = readText(finishMessage);
    if (explanation !== undefined && reason !== "STOP") this.#explanation = explanation;
    for (const name of SOURCES) this.#addSources(name, candidate[name]);
    return expectList(readRecord(content).parts, '"parts"')
      .filter((part) => part !== null)
      .flatMap((part) => this.#addPart(expectRecord(part, "a part")));
  }

  #addSources(name: string, value: unknown): void {
    if (!isRecord(value) || Object.keys(value).length === 0 || !isJsonValue(value)) return;
    this.#sources = { ...this.#sources, [name]: value };
  }

  #addPart(part: WireObject): ModelDelta[] {
    if (isRecord(part.functionCall)) return this.#addCall(part.functionCall, part);
    if (typeof part.text === "string") return this.#addText(part.text, part);
    if (isRecord(part.inlineData)) return this.#addFile(part.inlineData, part);
    if (!Object.values(part).some(isRecord)) return this.#addSignature(part);
    // Parts of other types, such as executed code, are stored so that they can be sent back
    // unchanged.
    if (isJsonValue(part)) {
      const own = this.#optionsOf({ [PART]: { ...part } });
      this.#parts.push({ type: "reasoning", text: "", ...own });
    }
    return [];
  }

  /** Adds the signature of a part without data to the previous part, to which it belongs. */
  #addSignature(part: WireObject): ModelDelta[] {
    if (toOwn(part)[SIGNATURE] === undefined) return [];
    const last = this.#parts.at(-1);
    if (last === undefined || this.#isFixed(last)) return this.#addText("", part);
    const own = { ...last.providerOptions?.[this.#options.server], ...toOwn(part) };
    this.#parts.splice(-1, 1, { ...last, ...this.#optionsOf(own) });
    return [];
  }

  #addText(delta: string, part: WireObject): ModelDelta[] {
    const type = part[THOUGHT] === true ? "reasoning" : "text";
    const own = toOwn(part);
    const last = this.#parts.at(-1);
    const canMerge = last?.type === type && !this.#isFixed(last) && own[SIGNATURE] === undefined;
    if (canMerge) this.#parts.splice(-1, 1, { ...last, text: last.text + delta });
    else if (delta !== "" || own[SIGNATURE] !== undefined) {
      this.#parts.push({ type, text: delta, ...this.#optionsOf(own) });
    }
    return delta === "" ? [] : [{ type: `${type}-delta`, delta }];
  }

  #addCall(call: WireObject, part: WireObject): ModelDelta[] {
    if (call.willContinue === true || call.partialArgs !== undefined) {
      throw AgentError.modelError(
        'the tool input is streamed in a format that is not supported; remove "streamFunctionCallArguments" from "providerOptions"',
      );
    }
    const name = readText(call.name);
    if (name === undefined) throw malformed("a tool call has no name");
    const toolName = this.#options.tools.nameOf(name);
    const toolCallId = readText(call.id) ?? this.#createCallId();
    this.#callIds.add(toolCallId);
    this.#callCount++;
    const args = call.args ?? {};
    const read = typeof args === "string" ? readToolInput(args) : { input: args };
    this.#parts.push({
      type: "tool-call",
      toolCallId,
      toolName,
      ...read,
      input: this.#options.tools.inputOf(toolName, read.input),
      ...this.#optionsOf(toOwn(part)),
    });
    const delta = typeof args === "string" ? args : toJsonText(args);
    return [{ type: "tool-input-delta", toolCallId, toolName, delta }];
  }

  /** Creates an id that is unique in the conversation. Most responses contain calls without ids. */
  #createCallId(): string {
    const prefix = this.#responseId === undefined ? "call" : `call_${this.#responseId}`;
    for (let number = this.#callCount;; number++) {
      const id = `${prefix}_${number}`;
      if (!this.#callIds.has(id)) return id;
    }
  }

  #addFile({ mimeType, data }: WireObject, part: WireObject): ModelDelta[] {
    const base64 = readText(data);
    if (base64 === undefined) return [];
    this.#parts.push({
      type: "file",
      mediaType: readText(mimeType) ?? "application/octet-stream",
      data: { type: "data", data: base64 },
      ...this.#optionsOf(toOwn(part)),
    });
    return [];
  }

  /** Returns true if a part must be sent back as it was received, so that it cannot be changed. */
  #isFixed({ providerOptions }: Part): boolean {
    const own = providerOptions?.[this.#options.server];
    return own?.[SIGNATURE] !== undefined || own?.[PART] !== undefined;
  }

  #optionsOf(own: JsonObject): { providerOptions?: ProviderOptions } {
    if (Object.keys(own).length === 0) return {};
    return { providerOptions: { [this.#options.server]: own } };
  }
}

function noCandidates(body: WireObject): string {
  return `no candidates in the response ${quote(toJsonText(body))}`;
}

/** Returns the fields of a part that must be sent back. */
function toOwn({ [SIGNATURE]: signature, [THOUGHT]: thought }: WireObject): JsonObject {
  return defined({
    [THOUGHT]: thought === true ? thought : undefined,
    [SIGNATURE]: readText(signature),
  });
}

/**
 * Reads the token counts. Cached tokens are included in the prompt, thoughts are not in the text.
 */
function readUsage(usage: WireObject): TokenUsage | undefined {
  const prompt = readCount(usage.promptTokenCount);
  const total = readCount(usage.totalTokenCount);
  if (prompt === undefined && total === undefined) return undefined;
  const text = readCount(usage.candidatesTokenCount);
  const thoughts = readCount(usage.thoughtsTokenCount);
  // Results of provider-executed tools, which the provider added to the prompt.
  const inputTokens = addCounts(prompt ?? 0, readCount(usage.toolUsePromptTokenCount) ?? 0);
  const written = addCounts(text ?? 0, thoughts ?? 0);
  const outputTokens = Math.max(written, (total ?? 0) - inputTokens);
  const isComplete = prompt !== undefined && (text ?? total) !== undefined;
  return {
    inputTokens,
    outputTokens,
    totalTokens: totalOf(total, inputTokens, outputTokens),
    ...defined({
      cachedInputTokens: readCount(usage.cachedContentTokenCount),
      reasoningTokens: thoughts,
      estimated: isComplete ? undefined : (true as const),
    }),
  };
}
