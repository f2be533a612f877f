/**
 * Converts complete and streamed responses from versions 2, 3 and 4 of the AI SDK's model
 * interface.
 *
 * @see https://github.com/vercel/ai/tree/main/packages/provider/src/language-model
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { isJsonValue } from "../shared/json.ts";
import { defined, isRecord } from "@parley/internal/json";
import {
  type AssistantMessage,
  type FilePart,
  FINISH_REASONS,
  type FinishReason,
  type ModelDelta,
  type ModelResponse,
} from "../shared/model.ts";
import { readToolInput } from "../shared/read_tool_input.ts";
import { isProviderOptions, type ProviderOptions } from "../shared/provider_options.ts";
import { readCount, type TokenUsage, totalOf } from "../shared/usage.ts";
import { AI_SDK } from "./ai_sdk_request.ts";
import { malformed, readRecord, readText, type WireObject } from "./response_fields.ts";

/** Data from the request that is needed to convert the response. */
export interface AiSdkResponseOptions {
  /** Original tool names, keyed by encoded name, for tools whose encoded name differs. */
  readonly toolNames: ReadonlyMap<string, string>;
}

type Part = AssistantMessage["content"][number];

/** A text or reasoning part that is still being streamed. */
interface TextDraft {
  readonly type: "text" | "reasoning";
  text: string;
  providerOptions: ProviderOptions | undefined;
}

/** Builds a response from the result of `doGenerate` or from the parts of a stream. */
export class AiSdkResponseBuilder {
  readonly #toolNames: ReadonlyMap<string, string>;
  readonly #parts: (Part | TextDraft)[] = [];
  readonly #open = new Map<string, TextDraft>();
  readonly #inputs = new Map<unknown, string>();
  readonly #warnings: string[] = [];
  #finish: WireObject | undefined;
  #response: WireObject = {};

  /** Creates an empty response. */
  constructor({ toolNames }: AiSdkResponseOptions) {
    this.#toolNames = toolNames;
  }

  /** Whether the finish reason has been received. */
  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /**
   * Adds a complete response.
   *
   * @throws {AgentError} With code `model_error` if the response is malformed.
   */
  addWhole(result: unknown): void {
    if (!isRecord(result)) throw malformed(`expected an object, got ${formatValue(result)}`);
    const { content, response, warnings } = result;
    if (!Array.isArray(content)) throw malformed('"content" must be an array');
    for (const part of content) this.addPart(part);
    this.addPart({ type: "stream-start", warnings });
    this.addPart({ ...readRecord(response), type: "response-metadata" });
    this.#finish = result;
  }

  /**
   * Adds a content part or a stream part. Ignores parts of unknown types. Returns the added deltas.
   *
   * @throws {AgentError} With code `model_error` if a tool call has no name.
   */
  addPart(value: unknown): ModelDelta[] {
    const part = readRecord(value);
    switch (part.type) {
      case "text":
      case "reasoning":
        this.#parts.push({
          type: part.type,
          text: readText(part.text) ?? "",
          providerOptions: optionsOf(part).providerOptions,
        });
        return [];
      case "text-start":
      case "text-delta":
      case "text-end":
        return this.#addText("text", part);
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return this.#addText("reasoning", part);
      case "tool-input-start":
        if (part.providerExecuted !== true) this.#inputs.set(part.id, this.#nameOf(part));
        return [];
      case "tool-input-delta":
        return this.#addInput(part);
      case "tool-call":
      case "tool-result":
      case "custom":
      case "file":
        this.#parts.push(...this.#toParts(part));
        return [];
      default:
        this.#addEnvelope(part);
        return [];
    }
  }

  /** Returns the response that consists of the parts added so far. */
  finish(): ModelResponse {
    const { usage, finishReason } = this.#finish ?? {};
    const tokens = toUsage(readRecord(usage));
    const reason = toFinishReason(finishReason);
    const raw = readText(isRecord(finishReason) ? finishReason.raw : finishReason);
    const { id, modelId } = this.#response;
    return {
      message: { role: "assistant", content: this.#parts.filter(saysSomething).map(toPart) },
      finishReason: reason,
      ...defined({ rawFinishReason: raw, usage: tokens }),
      ...typeof modelId === "string" ? { modelId } : {},
      ...typeof id === "string" ? { responseId: id } : {},
      ...this.#warnings.length === 0 ? {} : { warnings: this.#warnings },
    };
  }

  #addText(type: TextDraft["type"], part: WireObject): ModelDelta[] {
    const key = `${type} ${String(part.id)}`;
    let draft = this.#open.get(key);
    if (draft === undefined || part.type === `${type}-start`) {
      draft = { type, text: "", providerOptions: undefined };
      this.#open.set(key, draft);
      this.#parts.push(draft);
    }
    const { providerOptions } = optionsOf(part);
    if (providerOptions !== undefined) {
      draft.providerOptions = { ...draft.providerOptions, ...providerOptions };
    }
    const delta = readText(part.delta);
    if (delta === undefined) return [];
    draft.text += delta;
    return [{ type: `${type}-delta`, delta }];
  }

  #addInput({ id, delta }: WireObject): ModelDelta[] {
    const toolName = this.#inputs.get(id);
    const piece = readText(delta);
    if (toolName === undefined || piece === undefined) return [];
    return [{ type: "tool-input-delta", toolCallId: String(id), toolName, delta: piece }];
  }

  #addEnvelope(part: WireObject): void {
    if (part.type === "finish") this.#finish = part;
    if (part.type === "response-metadata") this.#response = { ...this.#response, ...part };
    if (part.type !== "stream-start" || !Array.isArray(part.warnings)) return;
    this.#warnings.push(...part.warnings.map(readRecord).map(toWarning));
  }

  #toParts(part: WireObject): Part[] {
    if (part.type === "file") {
      const file = toFile(part);
      return file === undefined ? [] : [file];
    }
    if (part.type !== "tool-call" || part.providerExecuted === true) return toOpaque(part);
    return [{
      type: "tool-call",
      toolCallId: readText(part.toolCallId) ?? "",
      toolName: this.#nameOf(part),
      ...readInput(part.input),
      ...optionsOf(part),
    }];
  }

  #nameOf({ toolName }: WireObject): string {
    const name = readText(toolName);
    if (name === undefined) throw malformed("a tool call has no name");
    return this.#toolNames.get(name) ?? name;
  }
}

function readInput(input: unknown): ReturnType<typeof readToolInput> {
  return typeof input === "string" ? readToolInput(input) : { input: input ?? {} };
}

/**
 * Returns false for a text or reasoning part that contains neither text nor provider-specific data.
 * A part without text may contain data that the provider requires, such as a signature.
 */
function saysSomething(part: Part | TextDraft): boolean {
  const isText = part.type === "text" || part.type === "reasoning";
  return !isText || part.text !== "" || part.providerOptions !== undefined;
}

function toPart(part: Part | TextDraft): Part {
  const { providerOptions, ...rest } = part;
  return providerOptions === undefined ? rest : { ...rest, providerOptions };
}

/**
 * Stores a part of an unsupported type, such as a call to a provider-executed tool, as a prompt
 * part that is sent back later. Preliminary tool results are omitted.
 */
function toOpaque(part: WireObject): Part[] {
  if (part.preliminary === true) return [];
  const { type, toolCallId, toolName, kind } = part;
  const options = optionsOf(part);
  const kept = {
    "tool-call": {
      type,
      toolCallId,
      toolName,
      input: readInput(part.input).input,
      providerExecuted: true,
      ...options,
    },
    "tool-result": {
      type,
      toolCallId,
      toolName,
      output: { type: part.isError === true ? "error-json" : "json", value: part.result ?? null },
      ...options,
    },
    "custom": { type, kind, ...options },
  }[String(type)];
  if (kept === undefined || !isJsonValue(kept)) return [];
  return [{ type: "reasoning", text: "", providerOptions: { [AI_SDK]: { part: kept } } }];
}

/** Converts a file. In versions 2 and 3, file data is not wrapped in an object with a type. */
function toFile(part: WireObject): FilePart | undefined {
  const mediaType = readText(part.mediaType) ?? "application/octet-stream";
  const tagged = isRecord(part.data) && !(part.data instanceof Uint8Array) ? part.data : undefined;
  const data = tagged === undefined ? part.data : tagged.data;
  const options = optionsOf(part);
  if (typeof data === "string" || data instanceof Uint8Array) {
    return { type: "file", mediaType, data: { type: "data", data }, ...options };
  }
  if (!(tagged?.url instanceof URL)) return undefined;
  return { type: "file", mediaType, data: { type: "url", url: tagged.url }, ...options };
}

function optionsOf({ providerMetadata }: WireObject): { providerOptions?: ProviderOptions } {
  return isProviderOptions(providerMetadata) ? { providerOptions: providerMetadata } : {};
}

function toFinishReason(value: unknown): FinishReason {
  const reason = isRecord(value) ? value.unified : value;
  return FINISH_REASONS.find((known) => known === reason) ?? "other";
}

/**
 * Converts token counts. Version 2 of the AI SDK model interface reports each token count as a
 * number. Versions 3 and 4 use one object for input tokens and one for output tokens.
 */
function toUsage({ inputTokens, outputTokens, ...flat }: WireObject): TokenUsage | undefined {
  const input = readRecord(inputTokens);
  const output = readRecord(outputTokens);
  const read = readCount(inputTokens) ?? readCount(input.total);
  const written = readCount(outputTokens) ?? readCount(output.total);
  if (read === undefined && written === undefined) return undefined;
  const cached = readCount(flat.cachedInputTokens) ?? readCount(input.cacheRead);
  const cacheWrite = readCount(input.cacheWrite);
  const reasoning = readCount(flat.reasoningTokens) ?? readCount(output.reasoning);
  return {
    inputTokens: read ?? 0,
    outputTokens: written ?? 0,
    totalTokens: totalOf(flat.totalTokens, read ?? 0, written ?? 0),
    ...defined({
      cachedInputTokens: cached,
      cacheWriteTokens: cacheWrite,
      reasoningTokens: reasoning,
      estimated: read === undefined || written === undefined ? (true as const) : undefined,
    }),
  };
}

function toWarning({ type, message, feature, setting, details }: WireObject): string {
  return [type, feature ?? setting, message, details].filter((word) => typeof word === "string")
    .join(": ");
}
