/**
 * Validation of conversations.
 *
 * @module
 */

import type { AssistantMessage, ModelMessage } from "../shared/model.ts";

const WRONG_RESULTS = "the next message must contain one result per tool call, in call order";

/**
 * Finds the first violation of the following rules, which all providers impose on conversations:
 *
 * - A system message is allowed only at the beginning.
 * - Each assistant message with tool calls is followed by one tool message, with one result for
 *   each call, in call order.
 * - A tool message is allowed only directly after an assistant message with tool calls.
 * - The ids of tool calls are unique.
 *
 * @param messages Messages of the conversation.
 * @returns A description of the violation, or `undefined` if the conversation is valid.
 *
 * @example A tool call without a result
 * ```ts
 * import { findTranscriptViolation } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const call = { type: "tool-call", toolCallId: "c1", toolName: "now", input: {} } as const;
 * assertEquals(
 *   findTranscriptViolation([{ role: "assistant", content: [call] }]),
 *   "message 0: the next message must contain the results of the tool calls",
 * );
 * ```
 */
export function findTranscriptViolation(messages: readonly ModelMessage[]): string | undefined {
  return findViolationFrom(messages, 0, new Map());
}

/**
 * Finds the first violation after a conversation that is valid.
 *
 * @param start Number of messages in the valid conversation.
 * @param calls The index of the message of each tool call, keyed by its id. The tool calls of the
 * checked messages are added.
 */
export function findViolationFrom(
  messages: readonly ModelMessage[],
  start: number,
  calls: Map<string, number>,
): string | undefined {
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    const violation = message && findViolationAt(messages, index, message, calls);
    if (violation !== undefined) return `message ${index}: ${violation}`;
  }
  return undefined;
}

function findViolationAt(
  messages: readonly ModelMessage[],
  index: number,
  message: ModelMessage,
  known: Map<string, number>,
): string | undefined {
  switch (message.role) {
    case "system":
      return index === 0 ? undefined : "a system message is allowed only at the beginning";
    case "user":
      return undefined;
    case "tool":
      return hasCalls(messages[index - 1])
        ? undefined
        : "a tool message must follow an assistant message with tool calls";
    case "assistant":
      return findViolationOfCalls(message, known, index) ??
        findViolationOfResults(message, messages[index + 1]);
    default:
      message satisfies never;
      return "unknown role";
  }
}

function findViolationOfCalls(
  { content }: AssistantMessage,
  known: Map<string, number>,
  index: number,
): string | undefined {
  for (const part of content) {
    if (part.type !== "tool-call") continue;
    const { toolCallId: id } = part;
    if (known.has(id)) return `duplicate tool call ID "${id}"`;
    known.set(id, index);
  }
  return undefined;
}

function findViolationOfResults(
  { content }: AssistantMessage,
  next: ModelMessage | undefined,
): string | undefined {
  let calls = 0;
  for (const part of content) {
    if (part.type !== "tool-call") continue;
    if (next?.role !== "tool") return "the next message must contain the results of the tool calls";
    if (next.content[calls]?.toolCallId !== part.toolCallId) return WRONG_RESULTS;
    calls++;
  }
  const isComplete = calls === 0 || next?.content.length === calls;
  return isComplete ? undefined : WRONG_RESULTS;
}

function hasCalls(message: ModelMessage | undefined): boolean {
  return message?.role === "assistant" && message.content.some(({ type }) => type === "tool-call");
}
