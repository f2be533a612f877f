/**
 * The law of transcripts, to check any list of messages against.
 *
 * @module
 */

import type { ModelMessage } from "../shared/model.ts";

/**
 * Finds the first violation of what every provider demands of a conversation: a system message only at the beginning; after
 * each assistant message with tool calls exactly one tool message, with one result for each call, in call order; tool
 * results nowhere else; call ids unique.
 *
 * @param messages the conversation
 * @returns the violation in words, or undefined when there is none
 *
 * @example An unanswered call
 * ```ts
 * import { findTranscriptViolation } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const call = { type: "tool-call", toolCallId: "c1", toolName: "now", input: {} } as const;
 * assertEquals(
 *   findTranscriptViolation([{ role: "assistant", content: [call] }]),
 *   "message 0: its tool calls are not answered by the next message",
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
      return index === 0 ? undefined : "a system message stands within the conversation";
    case "user":
      return undefined;
    case "tool":
      return callIds(messages[index - 1]).length > 0 ? undefined : "it answers no tool calls";
    case "assistant":
      return findViolationOfCalls(message, messages[index + 1], ids);
    default:
      message satisfies never;
      return "its role is unknown";
  }
}

function findViolationOfCalls(
  message: ModelMessage,
  next: ModelMessage | undefined,
  ids: Set<string>,
): string | undefined {
  const calls = callIds(message);
  for (const id of calls) {
    if (ids.has(id)) return `the call id "${id}" is not unique`;
    ids.add(id);
  }
  if (calls.length === 0) return undefined;
  if (next?.role !== "tool") return "its tool calls are not answered by the next message";
  const answered = next.content.map(({ toolCallId }) => toolCallId);
  return answered.length === calls.length && answered.every((id, at) => id === calls[at])
    ? undefined
    : "its tool calls are not answered one by one, in call order";
}

function callIds(message: ModelMessage | undefined): readonly string[] {
  if (message?.role !== "assistant") return [];
  return message.content.flatMap((part) => part.type === "tool-call" ? [part.toolCallId] : []);
}
