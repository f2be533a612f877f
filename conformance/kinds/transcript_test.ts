import { assertEquals, assertStringIncludes } from "@std/assert";
import { findTranscriptViolation } from "./transcript.ts";

const SYSTEM = { role: "system", content: "S" };
const USER = { role: "user", content: [{ type: "text", text: "go" }] };

function calls(...ids: readonly string[]): object {
  return {
    role: "assistant",
    content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "t", input: {} })),
  };
}

function results(...ids: readonly string[]): object {
  return {
    role: "tool",
    content: ids.map((toolCallId) => ({ type: "tool-result", toolCallId })),
  };
}

Deno.test("findTranscriptViolation() accepts conversations that providers accept", () => {
  const good = [
    [],
    [USER],
    [SYSTEM, USER, { role: "assistant", content: [{ type: "text", text: "hi" }] }],
    [USER, calls("a", "b"), results("a", "b"), calls("c"), results("c"), USER],
    [USER, {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "s", toolName: "t", providerExecuted: true }],
    }],
  ];
  for (const messages of good) assertEquals(findTranscriptViolation(messages), undefined);
});

Deno.test("findTranscriptViolation() describes the violation in conversations that providers reject", () => {
  const bad: readonly (readonly [unknown, string])[] = [
    [undefined, "instead of an array of messages"],
    [["hi"], "instead of an object (message 0)"],
    [[USER, SYSTEM], "a system message that is not the first message"],
    [[USER, { role: "robot" }], 'an unknown role (message 1, role "robot")'],
    [[calls("a"), USER], "tool calls without results: a"],
    [[calls("a")], "tool calls without results at the end: a"],
    [[results("a")], "without preceding tool calls"],
    [[calls("a", "b"), results("b", "a")], "tool results for b, a after tool calls a, b"],
    [[calls("a", "b"), results("a")], "tool results for a after tool calls a, b"],
    [[calls("a"), results("a"), calls("a"), results("a")], 'duplicate call id "a"'],
    [[calls(""), results("")], "a tool call without an id"],
  ];
  for (const [messages, reason] of bad) {
    assertStringIncludes(findTranscriptViolation(messages) ?? "", reason);
  }
});
