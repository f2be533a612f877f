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
  ];
  for (const messages of good) assertEquals(findTranscriptViolation(messages), undefined);
});

Deno.test("findTranscriptViolation() names what a provider would refuse", () => {
  const bad: readonly (readonly [unknown, string])[] = [
    [undefined, "not an array"],
    [["hi"], "message 0"],
    [[USER, SYSTEM], "a system message that is not the first message"],
    [[USER, { role: "robot" }], "unknown role"],
    [[calls("a"), USER], "the calls a have no results"],
    [[calls("a")], "the last calls a have no results"],
    [[results("a")], "without preceding calls"],
    [[calls("a", "b"), results("b", "a")], "results for b, a, but the calls are a, b"],
    [[calls("a", "b"), results("a")], "results for a, but the calls are a, b"],
    [[calls("a"), results("a"), calls("a"), results("a")], 'duplicate call id "a"'],
    [[calls(""), results("")], "a call without an id"],
  ];
  for (const [messages, reason] of bad) {
    assertStringIncludes(findTranscriptViolation(messages) ?? "", reason);
  }
});
