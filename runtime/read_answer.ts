/**
 * Reads what a model answered: the loop trusts no model and no journal.
 *
 * @module
 */

import { AgentError } from "./error.ts";
import { isJsonValue, isRecord } from "./json.ts";
import {
  type AssistantMessage,
  FINISH_REASONS,
  type FinishReason,
  type ModelMessage,
  type ModelResponse,
  type ProviderOptions,
  type ToolCall,
} from "./model.ts";
import { type MutableUsage, type TokenUsage, UNKNOWN_USAGE } from "./usage.ts";

/** An answer that has been read. */
export interface Answer extends ModelResponse {
  /** What it cost; `estimated` when the model did not say. */
  readonly usage: TokenUsage;
}

type Content = AssistantMessage["content"];

/** The field of each kind of part that has to be a text. */
const PART_TEXTS: ReadonlyMap<unknown, string> = new Map([
  ["text", "text"],
  ["reasoning", "text"],
  ["tool-call", "toolName"],
  ["file", "mediaType"],
]);

/**
 * Reads a model's response.
 *
 * @throws {AgentError} code `model_error`: it is no response, or its finish reason is `error`
 */
export function readAnswer(response: unknown): Answer {
  if (!isRecord(response) || !isRecord(response.message)) throw malformed("it has no message");
  const { message, finishReason, usage, rawFinishReason, modelId, responseId } = response;
  const { content, providerOptions } = message;
  if (!isContent(content)) throw malformed("its content is no list of known parts");
  if (finishReason === "error") {
    throw AgentError.modelError(asText(rawFinishReason) ?? "it reported an error");
  }
  const answer: { -readonly [Name in keyof Answer]: Answer[Name] } = {
    message: isProviderOptions(providerOptions)
      ? { role: "assistant", content, providerOptions }
      : { role: "assistant", content },
    finishReason: isFinishReason(finishReason) ? finishReason : "other",
    usage: readUsage(usage),
  };
  if (typeof modelId === "string") answer.modelId = modelId;
  if (typeof responseId === "string") answer.responseId = responseId;
  return answer;
}

/** The tool calls of a message. */
export function callsOf({ content }: AssistantMessage): readonly ToolCall[] {
  return content.filter((part) => part.type === "tool-call");
}

/** The ids of all tool calls in a transcript, each with the number of its last copy: of ids that came again. */
export type CallIds = Map<string, number>;

/**
 * Says whether calls are complete: with an id that is theirs alone, and an input that JSON can hold.
 *
 * @param takenIds the ids in the transcript so far; those of complete calls are added
 */
export function areComplete(calls: readonly ToolCall[], takenIds: CallIds): boolean {
  for (const [index, { toolCallId, input, rawInput }] of calls.entries()) {
    const isJson = rawInput === undefined
      ? isJsonValue(input)
      : asText(rawInput) !== undefined && input;
    if (!asText(toolCallId) || takenIds.has(toolCallId) || !isJson) {
      for (const { toolCallId } of calls.slice(0, index)) takenIds.delete(toolCallId);
      return false;
    }
    takenIds.set(toolCallId, 1);
  }
  return true;
}

/** The text parts of a message, joined. */
export function textOf(message: AssistantMessage | undefined): string {
  let text = "";
  for (const part of message?.content ?? []) if (part.type === "text") text += part.text;
  return text;
}

/** The ids of all tool calls in a conversation. */
export function callIdsIn(messages: readonly ModelMessage[]): CallIds {
  const ids: CallIds = new Map();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const { toolCallId } of callsOf(message)) ids.set(toolCallId, 1);
  }
  return ids;
}

function isContent(content: unknown): content is Content {
  return Array.isArray(content) && content.every(isPart);
}

function isPart(part: unknown): boolean {
  return isRecord(part) && asText(part[PART_TEXTS.get(part.type) ?? ""]) !== undefined &&
    (part.type !== "file" || isFileData(part.data));
}

function isFileData(data: unknown): boolean {
  if (!isRecord(data)) return false;
  return data.type === "url"
    ? data.url instanceof URL
    : data.type === "data" && (typeof data.data === "string" || data.data instanceof Uint8Array);
}

function isProviderOptions(value: unknown): value is ProviderOptions {
  return isRecord(value) && isJsonValue(value) && Object.values(value).every(isRecord);
}

function isFinishReason(value: unknown): value is FinishReason {
  const known: readonly unknown[] = FINISH_REASONS;
  return known.includes(value);
}

/** Reads what an answer cost. */
export function readUsage(usage: unknown): TokenUsage {
  if (!isRecord(usage)) return UNKNOWN_USAGE;
  const input = readCount(usage.inputTokens);
  const output = readCount(usage.outputTokens);
  const read: MutableUsage = {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    totalTokens: readCount(usage.totalTokens) ?? (input ?? 0) + (output ?? 0),
  };
  const cached = readCount(usage.cachedInputTokens);
  const written = readCount(usage.cacheWriteTokens);
  const reasoning = readCount(usage.reasoningTokens);
  if (cached !== undefined) read.cachedInputTokens = cached;
  if (written !== undefined) read.cacheWriteTokens = written;
  if (reasoning !== undefined) read.reasoningTokens = reasoning;
  if (input === undefined || output === undefined || usage.estimated === true) {
    read.estimated = true;
  }
  return read;
}

function readCount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value < Infinity ? value : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function malformed(fact: string): AgentError {
  return AgentError.modelError(`its response is malformed: ${fact}`);
}
