/**
 * The start of a run's conversation: the messages to continue and the user's turn.
 *
 * @module
 */

import { assertLimit, assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import { oneOf } from "@parley/internal/option-checks";
import type {
  FilePart,
  MessageInput,
  ModelMessage,
  SystemMessage,
  SystemPrompt,
  TextMessage,
  TextPart,
  UserMessage,
  UserTurn,
} from "../shared/model.ts";
import type { HistoryView } from "../shared/output.ts";
import { findTranscriptViolation } from "../shared/transcript.ts";
import { copyPart } from "./copy_parts.ts";
import { isFileData } from "./response.ts";
import { isOutput } from "./tool_result.ts";
import { escapeText } from "@parley/internal/escape-text";

/** Permitted types of the content parts of a message. */
const USER_PARTS: readonly unknown[] = ["text", "file"];
const ASSISTANT_PARTS: readonly unknown[] = [
  "text",
  "reasoning",
  "file",
  "tool-call",
  "tool-result",
];
const TOOL_PARTS: readonly unknown[] = ["tool-result"];

const ROLES: readonly unknown[] = ["system", "user", "assistant", "tool"];

/**
 * Asserts that a value is a user turn: a string, parts or `undefined`.
 *
 * @param name Name of the argument, as the caller spells it.
 * @throws {TypeError} If the value is not a user turn.
 */
export function assertTurn(name: string, turn: unknown): asserts turn is UserTurn | undefined {
  if (turn === undefined || typeof turn === "string") return;
  if (!Array.isArray(turn) || turn.length === 0) {
    rejectArgument(name, "a string or a non-empty array of parts", turn);
  }
  const fault = findFaultInParts(turn, USER_PARTS);
  if (fault) rejectFault(name, fault);
}

/** Copies the parts of a turn, which is not validated. */
export function copyTurn(turn: unknown): unknown {
  return Array.isArray(turn) ? turn.map(copyPart) : turn;
}

/**
 * Validates each message individually, but does not check whether the messages form a valid
 * conversation. Replaces string content with a text part.
 *
 * @param name Name of the argument, as the caller spells it.
 * @throws {TypeError} If the value is not an array of messages.
 */
export function readSingleMessages(
  name: string,
  messages: readonly MessageInput[],
): ModelMessage[] {
  if (!Array.isArray(messages)) rejectArgument(name, "an array", messages);
  const read: MessageInput[] = [...messages];
  for (let index = 0; index < read.length; index++) {
    const message = read[index];
    const fault = findFault(message);
    if (fault) rejectFault(`${name}[${index}]`, fault);
    if (message && isTextMessage(message)) read[index] = withParts(message);
  }
  // The cast is safe because no message has a fault, and the content of no message is a string.
  return read as ModelMessage[];
}

/**
 * Validates the members of a history view, but does not check whether the view is a valid
 * conversation.
 *
 * @param length Number of messages in the transcript.
 * @returns The history view, without a leading system message in its head.
 * @throws {TypeError} If the history view is not an object, or its head is not an array of
 * messages.
 * @throws {RangeError} If `from` is not a valid index into the transcript.
 */
export function readHistoryView(history: HistoryView, length: number): HistoryView {
  assertRecord("history", history);
  const head = withoutSystemMessage(readSingleMessages("history.head", history.head));
  const { from } = history;
  assertLimit("history.from", from, 0, length);
  return Object.freeze({ head: Object.freeze(head), from });
}

/** Creates the system message for a system prompt. */
export function toSystemMessage(prompt: string | SystemPrompt): SystemMessage {
  if (typeof prompt === "string") return { role: "system", content: prompt };
  const { text, providerOptions } = prompt;
  return defined({ role: "system" as const, content: text, providerOptions });
}

/** Returns the messages without a leading system message. */
export function withoutSystemMessage<Message extends MessageInput>(
  messages: readonly Message[],
): readonly Message[] {
  return messages[0]?.role === "system" ? messages.slice(1) : messages;
}

/** Returns the messages of a transcript that a history view selects, without the system message. */
export function messagesInView(
  transcript: readonly ModelMessage[],
  history: HistoryView | undefined,
): readonly ModelMessage[] {
  if (history === undefined) return withoutSystemMessage(transcript);
  return [...history.head, ...withoutSystemMessage(transcript.slice(history.from))];
}

/**
 * Asserts that the messages that a history view selects are a valid conversation.
 *
 * @throws {TypeError} If the view separates a tool call from its result.
 */
export function assertValidView(transcript: readonly ModelMessage[], view: HistoryView): void {
  const violation = findTranscriptViolation(messagesInView(transcript, view));
  if (violation === undefined) return;
  throw new TypeError(escapeText(`"history" must select a valid conversation: ${violation}`));
}

/** A value in a message that does not meet its requirement. */
interface Fault {
  /** Path from the message to the value, such as `.content[0].text`. */
  readonly path: string;
  /** Requirement for the value, or the permitted strings. */
  readonly requirement: string | readonly unknown[];
  readonly value: unknown;
}

/** Throws the error for a fault in the value with the given name. */
function rejectFault(name: string, { path, requirement, value }: Fault): never {
  const place = `${name}${path}`;
  if (typeof requirement !== "string") oneOf(...requirement.map(String))(place, value);
  return rejectArgument(place, String(requirement), value);
}

/**
 * Returns the first fault in a message. Creates nothing for a valid message, because a conversation
 * may have thousands of messages, which are validated at the start of every run.
 */
function findFault(message: unknown): Fault | undefined {
  if (!isRecord(message)) return { path: "", requirement: "an object", value: message };
  const { role, content } = message;
  switch (role) {
    case "system":
      if (typeof content === "string") return undefined;
      return { path: ".content", requirement: "a string", value: content };
    case "user":
      return typeof content === "string" ? undefined : findFaultInContent(content, USER_PARTS);
    case "assistant":
      return typeof content === "string" ? undefined : findFaultInContent(content, ASSISTANT_PARTS);
    case "tool":
      return findFaultInContent(content, TOOL_PARTS);
    default:
      return { path: ".role", requirement: ROLES, value: role };
  }
}

function findFaultInContent(content: unknown, types: readonly unknown[]): Fault | undefined {
  if (!Array.isArray(content)) {
    return { path: ".content", requirement: "an array of parts", value: content };
  }
  const fault = findFaultInParts(content, types);
  return fault && { ...fault, path: `.content${fault.path}` };
}

function findFaultInParts(
  parts: readonly unknown[],
  types: readonly unknown[],
): Fault | undefined {
  for (let index = 0; index < parts.length; index++) {
    const fault = findFaultInPart(parts[index], types);
    if (fault) return { ...fault, path: `[${index}]${fault.path}` };
  }
  return undefined;
}

/** Checks that the members of a part have the types that the model adapters expect. */
function findFaultInPart(part: unknown, types: readonly unknown[]): Fault | undefined {
  if (!isRecord(part)) return { path: "", requirement: "an object", value: part };
  const { type } = part;
  if (!types.includes(type)) return { path: ".type", requirement: types, value: type };
  switch (type) {
    case "text":
    case "reasoning":
      return findNoText(part, "text");
    case "file":
      return findNoText(part, "mediaType") ?? findNoFileData(part);
    case "tool-call":
      return findNoText(part, "toolCallId") ?? findNoText(part, "toolName");
    case "tool-result":
      return findNoText(part, "toolCallId") ?? findNoText(part, "toolName") ?? findNoOutput(part);
    default:
      return undefined;
  }
}

function findNoText(part: UnknownRecord, member: string): Fault | undefined {
  const value = part[member];
  if (typeof value === "string") return undefined;
  return { path: `.${member}`, requirement: "a string", value };
}

function findNoFileData({ data: value }: UnknownRecord): Fault | undefined {
  if (isFileData(value)) return undefined;
  return {
    path: ".data",
    requirement:
      '{ type: "data", data } with text or bytes, or { type: "url", url } with a URL object',
    value,
  };
}

function findNoOutput({ output: value }: UnknownRecord): Fault | undefined {
  if (isOutput(value)) return undefined;
  return { path: ".output", requirement: "the output of a tool", value };
}

function isTextMessage(message: MessageInput): message is TextMessage {
  return typeof message.content === "string" && message.role !== "system";
}

/** Replaces the string content of a message with a text part. */
function withParts(message: TextMessage): ModelMessage {
  return { ...message, content: [{ type: "text", text: message.content }] };
}

/**
 * Asserts that a conversation can be continued without a new turn.
 *
 * @throws {TypeError} If the last message is neither a user message nor a tool message.
 */
export function assertContinuable(messages: readonly MessageInput[] = []): void {
  const last = messages.at(-1)?.role;
  if (last === "user" || last === "tool") return;
  throw new TypeError(
    '"userMessage" must be set unless "messages" ends with a user or tool message, got undefined',
  );
}

/** Returns the text of a turn: the joined text of its parts. */
export function textOfTurn(turn: UserTurn | undefined): string {
  if (typeof turn === "string") return turn;
  return (turn ?? []).map((part) => part.type === "text" ? part.text : "").join("");
}

/** Converts the user's turn to a message. */
export function toUserMessage(turn: UserTurn): UserMessage {
  const content: (TextPart | FilePart)[] = typeof turn === "string"
    ? [{ type: "text", text: turn }]
    : [...turn];
  return Object.freeze({ role: "user", content });
}
