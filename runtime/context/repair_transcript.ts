/**
 * Repairs stored conversations.
 *
 * @module
 */

import { readSingleMessages } from "../loop/conversation.ts";
import { type CallIds, completeToolCalls } from "../loop/response.ts";
import { errorResult } from "../loop/tool_result.ts";
import type { MessageInput, ModelMessage, ToolCall, ToolResult } from "../shared/model.ts";

/** A tool result and the index of the message that contains it. */
interface LocatedResult {
  readonly index: number;
  readonly result: ToolResult;
}

/**
 * Tool results, keyed by call id, in reverse conversation order, so that removing the earliest
 * result is fast.
 */
type ResultsById = Map<string, LocatedResult[]>;

const UNKNOWN =
  "Outcome unknown: the conversation has no result for this call, so the call may have had an " +
  "effect. Check the effect before you call the tool again.";

/**
 * Repairs a conversation so that a run can continue it, for example a conversation stored by
 * another program that ends in the middle of a tool call.
 *
 * - Each tool call receives exactly one result, directly after the message with the call and in
 *   call order. A call without a result receives an error result with code `outcome_unknown`.
 * - Results without a call, and second results for the same call, are removed.
 * - A duplicate tool call id is replaced with a unique id, both in the call and in its result.
 * - A system message is removed, unless it is the first message.
 * - In user and assistant messages, string content is converted to a text part.
 *
 * The messages of a valid conversation are returned unchanged.
 *
 * @param messages Conversation to repair.
 * @returns A valid conversation.
 * @throws {TypeError} If the value is not an array of messages, or a part has no valid content.
 *
 * @example A call without a result
 * ```ts
 * import { repairTranscript } from "@parley/runtime/context";
 * import { assertEquals } from "@std/assert";
 *
 * const call = { type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} } as const;
 * const [, answer, results] = repairTranscript([
 *   { role: "user", content: "Pay the bill" },
 *   { role: "assistant", content: [call] },
 * ]);
 * assertEquals(answer?.content, [call]);
 * assertEquals(results?.role === "tool" && results.content[0]?.code, "outcome_unknown");
 * ```
 */
export function repairTranscript(messages: readonly MessageInput[]): readonly ModelMessage[] {
  const read = readSingleMessages("messages", messages);
  const results = locateResults(read);
  const ids: CallIds = new Map();
  return read.flatMap((message, index): readonly ModelMessage[] => {
    switch (message.role) {
      case "system":
        return index === 0 ? [message] : [];
      case "user":
        return [message];
      case "tool":
        return [];
      case "assistant": {
        const completed = completeToolCalls(message, index, ids);
        if (completed.calls.length === 0) return [completed.message];
        const original = message.content.filter((part) => part.type === "tool-call");
        const content = completed.calls.map((call, position) =>
          toResult(call, takeResult(results, original[position] ?? call, index))
        );
        const next = read[index + 1];
        const isValid = next?.role === "tool" && next.content.length === content.length &&
          next.content.every((result, position) => result === content[position]);
        return [completed.message, isValid ? next : { role: "tool", content }];
      }
      default:
        return message satisfies never;
    }
  });
}

function locateResults(messages: readonly ModelMessage[]): ResultsById {
  const results: ResultsById = new Map();
  for (const [index, message] of [...messages.entries()].reverse()) {
    if (message.role !== "tool") continue;
    for (const result of message.content.toReversed()) {
      const located = results.get(result.toolCallId) ?? [];
      located.push({ index, result });
      results.set(result.toolCallId, located);
    }
  }
  return results;
}

/** Removes and returns the first result of a call after the message with the given index. */
function takeResult(
  results: ResultsById,
  { toolCallId }: ToolCall,
  after: number,
): ToolResult | undefined {
  const located = results.get(toolCallId) ?? [];
  while (located.length > 0) {
    const next = located.pop();
    if (next && next.index > after) return next.result;
  }
  return undefined;
}

function toResult(call: ToolCall, result: ToolResult | undefined): ToolResult {
  const { toolCallId, toolName } = call;
  if (result === undefined) return errorResult(call, "outcome_unknown", UNKNOWN);
  const isSame = result.toolCallId === toolCallId && result.toolName === toolName;
  return isSame ? result : { ...result, toolCallId, toolName };
}
