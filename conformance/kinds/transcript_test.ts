import { assertEquals, assertStringIncludes } from "@std/assert";
import { findTranscriptProblems, TranscriptRule } from "./transcript.ts";

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

Deno.test("findTranscriptProblems() accepts conversations that providers accept", () => {
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
  for (const messages of good) assertEquals(brokenRules(messages), []);
});

function brokenRules(messages: unknown): readonly string[] {
  return Object.entries(findTranscriptProblems(messages))
    .flatMap(([rule, problems]) => problems.length > 0 ? [rule] : []);
}

Deno.test("findTranscriptProblems() finds each violation with the rule that it concerns", () => {
  const { Form, OneResult, Order } = TranscriptRule;
  const bad: readonly (readonly [unknown, TranscriptRule, string])[] = [
    [undefined, Form, "instead of an array of messages"],
    [["hi"], Form, "instead of an object (message 0)"],
    [[USER, SYSTEM], Form, "a system message that is not the first message"],
    [[USER, { role: "robot" }], Form, 'the unknown role "robot" (message 1)'],
    [[calls("a"), USER], OneResult, "tool calls without results: a"],
    [[calls("a")], OneResult, "tool calls without results: a"],
    [[results("a")], OneResult, "without preceding tool calls"],
    [[calls("a", "b"), results("b", "a")], Order, "tool results for b, a after tool calls a, b"],
    [[calls("a", "b"), results("a")], OneResult, "tool results for a after tool calls a, b"],
    [[calls("a"), results("a", "a")], OneResult, "tool results for a, a after tool calls a"],
    [[calls("a"), USER, results("a")], OneResult, "tool calls without results: a"],
    [[calls("a"), results("a"), calls("a"), results("a")], Form, 'duplicate call id "a"'],
    [[calls(""), results("")], Form, "a tool call without an id"],
  ];
  for (const [messages, rule, reason] of bad) {
    assertEquals(brokenRules(messages), [rule], JSON.stringify(messages));
    assertStringIncludes(findTranscriptProblems(messages)[rule].join("; "), reason);
  }
});
