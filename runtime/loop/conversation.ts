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

/**
 * Permitted types of content parts, keyed by message role. The content of a system message is a
 * string.
 */
const PARTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["user", ["text", "file"]],
  ["assistant", ["text", "reasoning", "file", "tool-call", "tool-result"]],
  ["tool", ["tool-result"]],
]);

const assertRole = oneOf("system", "user", "assistant", "tool");

/** Names of the members that must be strings, keyed by content part type. */
const TEXTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text"]],
  ["reasoning", ["text"]],
  ["file", ["mediaType"]],
  ["tool-call", ["toolCallId", "toolName"]],
  ["tool-result", ["toolCallId", "toolName"]],
]);

/** Roles of messages whose content may be a string instead of an array of parts. */
const MAY_BE_TEXT: ReadonlySet<unknown> = new Set(["user", "assistant"]);

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
  assertParts(() => name, turn, "user");
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
  for (const [index, message] of messages.entries()) {
    assertMessage(() => `${name}[${index}]`, message);
  }
  return toModelMessages(messages);
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

/**
 * Returns the name of a value for an error message, created lazily because most values are valid.
 */
type NameOf = () => string;

function assertMessage(nameOf: NameOf, message: unknown): void {
  if (!isRecord(message)) return rejectArgument(nameOf(), "an object", message);
  const { role, content } = message;
  if (role === "system") {
    if (typeof content !== "string") rejectArgument(`${nameOf()}.content`, "a string", content);
    return;
  }
  if (!PARTS.has(role)) assertRole(`${nameOf()}.role`, role);
  if (typeof content === "string" && MAY_BE_TEXT.has(role)) return;
  if (!Array.isArray(content)) rejectArgument(`${nameOf()}.content`, "an array of parts", content);
  assertParts(() => `${nameOf()}.content`, content, role);
}

function assertParts(nameOf: NameOf, parts: readonly unknown[], role: unknown): void {
  const types = PARTS.get(role) ?? [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (isRecord(part) && types.some((type) => type === part.type)) {
      assertMembers(() => `${nameOf()}[${index}]`, part);
      continue;
    }
    const name = `${nameOf()}[${index}]`;
    assertRecord(name, part);
    oneOf(...types)(`${name}.type`, part.type);
  }
}

/** Asserts that the required members of a part have the types that the model adapters expect. */
function assertMembers(nameOf: NameOf, part: UnknownRecord): void {
  for (const member of TEXTS.get(part.type) ?? []) {
    if (typeof part[member] === "string") continue;
    rejectArgument(`${nameOf()}.${member}`, "a string", part[member]);
  }
  if (part.type === "file" && !isFileData(part.data)) {
    rejectArgument(
      `${nameOf()}.data`,
      '{ type: "data", data } with text or bytes, or { type: "url", url } with a URL object',
      part.data,
    );
  }
  if (part.type === "tool-result" && !isOutput(part.output)) {
    rejectArgument(`${nameOf()}.output`, "the output of a tool", part.output);
  }
}

/** Returns the messages with all string content replaced by text parts. */
function toModelMessages(messages: readonly MessageInput[]): ModelMessage[] {
  return messages.map((message) =>
    isTextMessage(message)
      ? { ...message, content: [{ type: "text", text: message.content }] }
      : message
  );
}

function isTextMessage(message: MessageInput): message is TextMessage {
  return message.role !== "system" && typeof message.content === "string";
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
