/**
 * Validation of conversations.
 *
 * @module
 */

import type { ModelMessage } from "../shared/model.ts";

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
      return callIds(messages[index - 1]).length > 0
        ? undefined
        : "a tool message must follow an assistant message with tool calls";
    case "assistant":
      for (const id of callIds(message)) {
        if (known.has(id)) return `duplicate tool call ID "${id}"`;
        known.set(id, index);
      }
      return findViolationOfResults(message, messages[index + 1]);
    default:
      message satisfies never;
      return "unknown role";
  }
}

function findViolationOfResults(
  message: ModelMessage,
  next: ModelMessage | undefined,
): string | undefined {
  const calls = callIds(message);
  if (calls.length === 0) return undefined;
  if (next?.role !== "tool") return "the next message must contain the results of the tool calls";
  const answered = next.content.map(({ toolCallId }) => toolCallId);
  return answered.length === calls.length && answered.every((id, at) => id === calls[at])
    ? undefined
    : "the next message must contain one result per tool call, in call order";
}

function callIds(message: ModelMessage | undefined): readonly string[] {
  const ids: string[] = [];
  if (message?.role !== "assistant") return ids;
  for (const part of message.content) if (part.type === "tool-call") ids.push(part.toolCallId);
  return ids;
}
