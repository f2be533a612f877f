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
import { type TokenUsage, UNKNOWN_USAGE } from "./usage.ts";

/** An answer that has been read. */
export interface Answer extends ModelResponse {
  /** What it cost; `estimated` when the model did not say. */
  readonly usage: TokenUsage;
}

type Content = AssistantMessage["content"];

type Counts = { -readonly [Name in keyof TokenUsage]: TokenUsage[Name] };

const OPTIONAL_COUNTS = ["cachedInputTokens", "cacheWriteTokens", "reasoningTokens"] as const;

const KNOWN_FINISH_REASONS: ReadonlySet<unknown> = new Set(FINISH_REASONS);

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
    throw AgentError.modelError(
      typeof rawFinishReason === "string" ? rawFinishReason : "the model reported an error",
    );
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

/** Tool call ids of one run: unique in the whole transcript. */
export class CallIds {
  readonly #messages: readonly ModelMessage[];
  #taken: Set<string> | undefined;

  /** @param messages the transcript, looked through when the first call comes */
  constructor(messages: readonly ModelMessage[]) {
    this.#messages = messages;
  }

  /** The id itself, or a new one when it is missing or taken; taken from now on. */
  claim(id: unknown, iteration: number, position: number): string {
    const taken = this.#taken ??= idsIn(this.#messages);
    const wanted = typeof id === "string" && id !== "" ? id : `call_${iteration}_${position}`;
    let free = wanted;
    for (let copy = 2; taken.has(free); copy++) free = `${wanted}~${copy}`;
    taken.add(free);
    return free;
  }
}

/** The tool calls of an answer, and the message with the same calls in it. */
export interface LabelledCalls {
  /** The message, with every call complete and its id unique. */
  readonly message: AssistantMessage;
  /** The calls in it. */
  readonly calls: readonly ToolCall[];
}

const NO_CALLS: readonly ToolCall[] = Object.freeze([]);

/** Completes the calls of an answer: unique ids, an input. The message is copied only when something had to change. */
export function labelCalls(
  message: AssistantMessage,
  iteration: number,
  ids: CallIds,
): LabelledCalls {
  let calls: ToolCall[] | undefined;
  let changed: Content | undefined;
  let index = -1;
  for (const part of message.content) {
    index++;
    if (part.type !== "tool-call") continue;
    calls ??= [];
    const call = complete(part, ids.claim(part.toolCallId, iteration, calls.length));
    calls.push(call);
    if (call === part) continue;
    changed ??= [...message.content];
    changed[index] = call;
  }
  return {
    message: changed === undefined ? message : { ...message, content: changed },
    calls: calls ?? NO_CALLS,
  };
}

/** The text parts of a message, joined. */
export function textOf(message: AssistantMessage | undefined): string {
  let text = "";
  for (const part of message?.content ?? []) if (part.type === "text") text += part.text;
  return text;
}

/** What no JSON text can hold, or what is nested too deep for everything that comes after, counts as bad JSON. */
function complete(call: ToolCall, toolCallId: string): ToolCall {
  const { input = {}, rawInput } = call;
  if (typeof rawInput === "string" || isJsonValue(input)) {
    const isRawValid = rawInput === undefined || typeof rawInput === "string";
    const isComplete = toolCallId === call.toolCallId && input === call.input && isRawValid;
    return isComplete ? call : withInput(call, toolCallId, input, rawInput);
  }
  return withInput(call, toolCallId, {}, "[an input that is no JSON value]");
}

function withInput(
  call: ToolCall,
  toolCallId: string,
  input: unknown,
  rawInput: unknown,
): ToolCall {
  const { rawInput: _, ...rest } = call;
  const copy = { ...rest, toolCallId, input };
  return typeof rawInput === "string" ? { ...copy, rawInput } : copy;
}

function idsIn(messages: readonly ModelMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") ids.add(part.toolCallId);
  }
  return ids;
}

function isContent(content: unknown): content is Content {
  return Array.isArray(content) && content.every(isPart);
}

function isPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  switch (part.type) {
    case "text":
    case "reasoning":
      return typeof part.text === "string";
    case "tool-call":
      return typeof part.toolName === "string";
    case "file":
      return typeof part.mediaType === "string" && isFileData(part.data);
    default:
      return false;
  }
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
  return KNOWN_FINISH_REASONS.has(value);
}

function readUsage(usage: unknown): TokenUsage {
  if (!isRecord(usage)) return UNKNOWN_USAGE;
  const { inputTokens, outputTokens, totalTokens } = usage;
  const input = isCount(inputTokens) ? inputTokens : undefined;
  const output = isCount(outputTokens) ? outputTokens : undefined;
  const total = isCount(totalTokens) ? totalTokens : (input ?? 0) + (output ?? 0);
  const read: Counts = {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    totalTokens: total,
  };
  for (const name of OPTIONAL_COUNTS) {
    const count = usage[name];
    if (isCount(count)) read[name] = count;
  }
  if (input === undefined || output === undefined || usage.estimated === true) {
    read.estimated = true;
  }
  return read;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

function malformed(fact: string): AgentError {
  return AgentError.modelError(`its response is malformed: ${fact}`);
}
