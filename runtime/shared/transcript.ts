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
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const violation = findViolationAt(messages, index, message, ids);
    if (violation !== undefined) return `message ${index}: ${violation}`;
  }
  return undefined;
}

function findViolationAt(
  messages: readonly ModelMessage[],
  index: number,
  message: ModelMessage,
  ids: Set<string>,
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
      return findViolationOfCalls(message, messages[index + 1], ids);
    default:
      message satisfies never;
      return "unknown role";
  }
}

function findViolationOfCalls(
  message: ModelMessage,
  next: ModelMessage | undefined,
  ids: Set<string>,
): string | undefined {
  const calls = callIds(message);
  for (const id of calls) {
    if (ids.has(id)) return `duplicate tool call ID "${id}"`;
    ids.add(id);
  }
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
