/**
 * Reads what a model answered: the loop trusts no model and no journal.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { defined, isJsonValue, isRecord } from "../shared/json.ts";
import {
  type AssistantMessage,
  FINISH_REASONS,
  type FinishReason,
  type ModelMessage,
  type ModelResponse,
  type ProviderOptions,
  type ToolCall,
} from "../shared/model.ts";
import { type MutableUsage, type TokenUsage, UNKNOWN_USAGE } from "../shared/usage.ts";

/** An answer that has been read. */
export interface ParsedResponse extends ModelResponse {
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
export function readModelResponse(response: unknown): ParsedResponse {
  if (!isRecord(response) || !isRecord(response.message)) throw malformed("it has no message");
  const { message, finishReason, usage, rawFinishReason, modelId, responseId } = response;
  const { content, providerOptions } = message;
  if (!isContent(content)) throw malformed("its content is no list of known parts");
  if (finishReason === "error") {
    throw AgentError.modelError(asText(rawFinishReason) ?? "it reported an error");
  }
  const parsed: { -readonly [Name in keyof ParsedResponse]: ParsedResponse[Name] } = {
    message: isProviderOptions(providerOptions)
      ? { role: "assistant", content, providerOptions }
      : { role: "assistant", content },
    finishReason: isFinishReason(finishReason) ? finishReason : "other",
    usage: readUsage(usage),
  };
  if (typeof modelId === "string") parsed.modelId = modelId;
  if (typeof responseId === "string") parsed.responseId = responseId;
  return parsed;
}

/** The tool calls of a message. */
function callsOf({ content }: AssistantMessage): readonly ToolCall[] {
  return content.filter((part) => part.type === "tool-call");
}

/** The ids of all tool calls in a transcript, each with the number of its last copy: of ids that came again. */
export type CallIds = Map<string, number>;

/** The tool calls of an answer, and the message with the same calls in it. */
export interface CompletedToolCalls {
  /** The message, with every call complete and its id unique. */
  readonly message: AssistantMessage;
  /** The calls in it. */
  readonly calls: readonly ToolCall[];
}

/**
 * Completes the tool calls of an answer: ids that are unique in the transcript, inputs that JSON can hold. A message
 * whose calls are complete is returned as it is.
 *
 * @param takenIds the ids in the transcript so far; those of the calls are added
 */
export function completeToolCalls(
  message: AssistantMessage,
  iteration: number,
  takenIds: CallIds,
): CompletedToolCalls {
  const complete = callsOf(message);
  if (areComplete(complete, takenIds)) return { message, calls: complete };
  const calls: ToolCall[] = [];
  const content = message.content.map((part) => {
    if (part.type !== "tool-call") return part;
    const wanted = asText(part.toolCallId) || `call_${iteration}_${calls.length}`;
    const call = completeToolCall(part, claimId(wanted, takenIds));
    calls.push(call);
    return call;
  });
  return { message: { ...message, content }, calls };
}

/** Adds the ids of the calls to the taken ones if every call is complete. */
function areComplete(calls: readonly ToolCall[], takenIds: CallIds): boolean {
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

/** The id itself, or a new one when it is taken; taken from now on. */
function claimId(wanted: string, taken: CallIds): string {
  let copy = taken.get(wanted) ?? 0;
  let free = wanted;
  while (taken.has(free)) free = `${wanted}~${++copy}`;
  // Some servers give the same id every time: the next one need not count from the beginning.
  taken.set(wanted, copy).set(free, 1);
  return free;
}

/** What no JSON text can hold, or what is nested too deep for everything that comes after, counts as bad JSON. */
function completeToolCall(call: ToolCall, toolCallId: string): ToolCall {
  const { input = {}, rawInput } = call;
  const text = asText(rawInput);
  return text === undefined && !isJsonValue(input)
    ? { ...call, toolCallId, input: {}, rawInput: "[an input that is no JSON value]" }
    : { ...defined({ ...call, toolCallId, rawInput: text }), input };
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
