/**
 * Validation of model responses. Data from models and journals is untrusted.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { truncate } from "@parley/internal/escape-text";
import { reportRejection } from "@parley/internal/report-rejection";
import { AgentError } from "../shared/error.ts";
import { copyJsonValue, isJsonValue } from "../shared/json.ts";
import { defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import {
  type AssistantMessage,
  FINISH_REASONS,
  type FinishReason,
  type ModelResponse,
  type ToolCall,
} from "../shared/model.ts";
import {
  type MutableUsage,
  readCount,
  type TokenUsage,
  totalOf,
  UNKNOWN_USAGE,
} from "../shared/usage.ts";
import { isProviderOptions } from "../shared/provider_options.ts";
import { copyModelPart } from "./copy_parts.ts";

/** A validated model response. */
export interface ParsedResponse extends ModelResponse {
  /** Token usage of the call, marked as `estimated` if the model did not report complete usage. */
  readonly usage: TokenUsage;
}

type Content = AssistantMessage["content"];

/** Maximum length of the provider's finish reason, in UTF-16 code units. */
const MAX_REASON_CHARS = 200;

/** Maximum number of other models of a response. */
const MAX_OTHER_MODELS = 100;

/** Maximum number of warnings, and maximum length of each, in UTF-16 code units. */
const MAX_WARNINGS = 100;
const MAX_WARNING_CHARS = 1000;

/** Name of the member that must be a string, keyed by content part type. */
const PART_TEXTS: ReadonlyMap<unknown, string> = new Map([
  ["text", "text"],
  ["reasoning", "text"],
  ["tool-call", "toolName"],
  ["file", "mediaType"],
]);

/**
 * Validates a model response.
 *
 * @throws {AgentError} With code `model_error` if the value is not a valid response or its finish
 * reason is `error`.
 */
export function readModelResponse(response: unknown): ParsedResponse {
  if (!isRecord(response) || !isRecord(response.message)) {
    throw malformed('"message" must be an object');
  }
  const { finishReason, usage, rawFinishReason, modelId, provider, responseId } = response;
  const message = readAssistantMessage(response.message);
  if (message === undefined) throw malformed('"message.content" must be an array of known parts');
  if (finishReason === "error") {
    throw AgentError.modelError(asText(rawFinishReason) ?? "the model reported an error");
  }
  const parsed: { -readonly [Name in keyof ParsedResponse]: ParsedResponse[Name] } = {
    message,
    finishReason: isFinishReason(finishReason) ? finishReason : "other",
    usage: readReportedUsage(usage),
  };
  if (typeof rawFinishReason === "string") {
    parsed.rawFinishReason = truncate(rawFinishReason, MAX_REASON_CHARS);
  }
  if (typeof modelId === "string") parsed.modelId = modelId;
  if (typeof provider === "string") parsed.provider = provider;
  if (typeof responseId === "string") parsed.responseId = responseId;
  const otherUsage = readOtherUsage(response.otherUsage);
  if (otherUsage !== undefined) parsed.otherUsage = otherUsage;
  const warnings = readWarnings(response.warnings);
  if (warnings.length > 0) parsed.warnings = warnings;
  return parsed;
}

/**
 * Reads an assistant message. Returns `undefined` if the content is not an array of known parts.
 */
export function readAssistantMessage(
  { content: parts, providerOptions }: UnknownRecord,
): AssistantMessage | undefined {
  const content: unknown = Array.isArray(parts) ? parts.map(copyModelPart) : parts;
  if (!isContent(content)) return undefined;
  const options = copyJsonValue(providerOptions);
  return isProviderOptions(options)
    ? { role: "assistant", content, providerOptions: options }
    : { role: "assistant", content };
}

function readOtherUsage(value: unknown): ModelResponse["otherUsage"] {
  if (!isRecord(value)) return undefined;
  const usages = Object.entries(value).slice(0, MAX_OTHER_MODELS);
  if (usages.length === 0) return undefined;
  return Object.fromEntries(usages.map(([modelId, usage]) => [modelId, readUsage(usage)]));
}

/** Returns the warnings, limited in number and length. */
function readWarnings(warnings: unknown): readonly string[] {
  if (!Array.isArray(warnings)) return [];
  return warnings.slice(0, MAX_WARNINGS).filter((warning) => typeof warning === "string")
    .map((warning) => truncate(warning, MAX_WARNING_CHARS));
}

/** Returns the tool calls in a message. */
function callsOf({ content }: AssistantMessage): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  for (const part of content) if (part.type === "tool-call") calls.push(part);
  return calls;
}

/**
 * Ids of all tool calls in a transcript, each mapped to the last suffix number used for its
 * duplicates.
 */
export interface CallIds {
  has(id: string): boolean;
  get(id: string): number | undefined;
  set(id: string, copy: number): void;
  delete(id: string): void;
}

/** Result of {@linkcode completeToolCalls}. */
export interface CompletedToolCalls {
  /** Message in which every tool call has a unique id and a JSON value as input. */
  readonly message: AssistantMessage;
  /** Tool calls in the message. */
  readonly calls: readonly ToolCall[];
}

/**
 * Completes the tool calls in a message, so that every id is unique in the transcript and every
 * input is a JSON value. If all calls are already complete, the message is returned unchanged.
 *
 * @param takenIds Ids of the tool calls in the transcript. The ids of the message's tool calls are
 * added to `takenIds`.
 */
export function completeToolCalls(
  message: AssistantMessage,
  iteration: number,
  takenIds: CallIds,
): CompletedToolCalls {
  const complete = callsOf(message);
  if (claimIdsIfComplete(complete, takenIds)) return { message, calls: complete };
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

/**
 * If every call has an unused id and valid input, adds the ids to `takenIds` and returns true. If a
 * call is incomplete or its id is taken, returns false and leaves `takenIds` unchanged.
 */
function claimIdsIfComplete(calls: readonly ToolCall[], takenIds: CallIds): boolean {
  let claimed = 0;
  for (const { toolCallId, input, rawInput } of calls) {
    const isComplete = isJsonValue(input) &&
      (rawInput === undefined || asText(rawInput) !== undefined);
    if (!asText(toolCallId) || takenIds.has(toolCallId) || !isComplete) {
      for (const { toolCallId } of calls.slice(0, claimed)) takenIds.delete(toolCallId);
      return false;
    }
    takenIds.set(toolCallId, 1);
    claimed++;
  }
  return true;
}

/**
 * Returns the requested id, with a suffix if the id is already taken, and adds the result to the
 * taken ids.
 */
function claimId(wanted: string, taken: CallIds): string {
  let copy = taken.get(wanted) ?? 0;
  let free = wanted;
  while (taken.has(free)) free = `${wanted}_${++copy}`;
  // Some servers use the same id for every call. Storing the last suffix number avoids trying every
  // suffix, starting at 1, for each call.
  taken.set(wanted, copy);
  taken.set(free, 1);
  return free;
}

/**
 * Sets the id of a tool call. Treats input that is not a JSON value, or is nested too deeply, as
 * invalid JSON.
 */
function completeToolCall(call: ToolCall, toolCallId: string): ToolCall {
  const { input = {}, rawInput } = call;
  const text = asText(rawInput);
  return isJsonValue(input)
    ? { ...defined({ ...call, toolCallId, rawInput: text }), input }
    : { ...call, toolCallId, input: {}, rawInput: text ?? "[input that is not a JSON value]" };
}

/** Returns the concatenated text parts of a message. */
export function textOf(message: AssistantMessage | undefined): string {
  let text = "";
  for (const part of message?.content ?? []) if (part.type === "text") text += part.text;
  return text;
}

function isContent(content: unknown): content is Content {
  return Array.isArray(content) && content.every(isPart);
}

function isPart(part: unknown): boolean {
  return isRecord(part) && asText(part[PART_TEXTS.get(part.type) ?? ""]) !== undefined &&
    (part.type !== "file" || isFileData(part.data));
}

/** Returns true if a value is the data of a file part: bytes, base64 text or a URL. */
export function isFileData(data: unknown): boolean {
  if (!isRecord(data)) return false;
  return data.type === "url"
    ? data.url instanceof URL
    : data.type === "data" && (typeof data.data === "string" || data.data instanceof Uint8Array);
}

function isFinishReason(value: unknown): value is FinishReason {
  const known: readonly unknown[] = FINISH_REASONS;
  return known.includes(value);
}

/**
 * Reads an estimate of the token usage of a response. An estimate may be a fraction, such as a
 * quarter of the number of characters, and is rounded up.
 *
 * @throws {TypeError} If the estimate has no valid input and output counts, because a limit on
 * tokens would then have no effect.
 */
export function readEstimate(usage: unknown): TokenUsage {
  reportRejection(usage, () => {});
  const counts = isRecord(usage) ? usage : {};
  const round = (value: unknown) => typeof value === "number" ? Math.ceil(value) : value;
  const rounded = Object.entries(counts).map(([name, value]) => [name, round(value)]);
  const { inputTokens, outputTokens, ...others } = Object.fromEntries(rounded);
  if (readCount(inputTokens) === undefined || readCount(outputTokens) === undefined) {
    rejectArgument("estimateUsage()", "token counts with inputTokens and outputTokens", usage);
  }
  return readUsage({ ...others, inputTokens, outputTokens });
}

/**
 * Reads the usage that a model reports. A call has at least one token, so a usage without tokens,
 * as some servers report it, counts as not reported.
 */
function readReportedUsage(reported: unknown): TokenUsage {
  const usage = readUsage(reported);
  const isReported = usage.inputTokens > 0 || usage.outputTokens > 0;
  return isReported || usage.estimated ? usage : { ...usage, estimated: true };
}

/**
 * Reads the token usage of a response. If the input or output count is missing or invalid, it is
 * read as 0 and the usage is marked as `estimated`.
 */
export function readUsage(usage: unknown): TokenUsage {
  if (!isRecord(usage)) return UNKNOWN_USAGE;
  const input = readCount(usage.inputTokens);
  const output = readCount(usage.outputTokens);
  const read: MutableUsage = {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    totalTokens: totalOf(usage.totalTokens, input ?? 0, output ?? 0),
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

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function malformed(reason: string): AgentError {
  return AgentError.modelError(`malformed response: ${reason}`);
}
