/**
 * Rules that hold for all conversations with a model.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Finds the first violation of the transcript rules. Returns `undefined` if all rules hold.
 *
 * - Only the first message can be a system message.
 * - Each assistant message with n tool calls is followed by one tool message with their n results,
 *   in order. Calls that the provider executed are not counted as tool calls.
 * - Call ids are unique, and each tool result belongs to a tool call.
 *
 * @param messages The conversation, unvalidated.
 */
export function findTranscriptViolation(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return `${show(messages, 60)} instead of an array of messages`;
  const ids = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) return `${show(message, 60)} instead of an object (message ${index})`;
    const violation = message.role === "tool"
      ? findResultViolation(message, open)
      : open.length > 0
      ? `tool calls without results: ${open.join(", ")}`
      : findCallViolation(message, index, ids);
    if (violation !== undefined) return `${violation} (message ${index}, role "${message.role}")`;
    open = message.role === "assistant" ? callIds(message) : [];
  }
  return open.length === 0
    ? undefined
    : `tool calls without results at the end: ${open.join(", ")}`;
}

function findResultViolation(message: Fields, open: readonly string[]): string | undefined {
  const results = parts(message, "tool-result").map(({ toolCallId }) => String(toolCallId));
  if (open.length === 0) return `tool results without preceding tool calls: ${results.join(", ")}`;
  return results.join("\n") === open.join("\n")
    ? undefined
    : `tool results for ${results.join(", ")} after tool calls ${open.join(", ")}`;
}

function findCallViolation(message: Fields, index: number, ids: Set<string>): string | undefined {
  if (message.role === "system") {
    return index === 0 ? undefined : "a system message that is not the first message";
  }
  if (message.role !== "user" && message.role !== "assistant") return "an unknown role";
  for (const id of callIds(message)) {
    if (id === "") return "a tool call without an id";
    if (ids.has(id)) return `a duplicate call id "${id}"`;
    ids.add(id);
  }
  return undefined;
}

/**
 * Returns the ids of the calls that need a result in the next message. Calls that the provider
 * executed need no result, because the provider returns it.
 */
function callIds(message: Fields): readonly string[] {
  return parts(message, "tool-call")
    .filter(({ providerExecuted }) => providerExecuted !== true)
    .map(({ toolCallId }) => String(toolCallId ?? ""));
}

function parts({ content }: Fields, type: string): readonly Fields[] {
  return Array.isArray(content)
    ? content.filter((part): part is Fields => isObject(part) && part.type === type)
    : [];
}
