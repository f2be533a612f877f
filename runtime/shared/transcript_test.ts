import { assertEquals } from "@std/assert";
import type { ModelMessage } from "./model.ts";
import { findTranscriptViolation } from "./transcript.ts";

const ASK: ModelMessage = { role: "user", content: [{ type: "text", text: "go" }] };

/** An assistant message with text and with a call for each id. */
function calls(...ids: readonly string[]): ModelMessage {
  const parts = ids.map((toolCallId) => ({
    type: "tool-call" as const,
    toolCallId,
    toolName: "t",
    input: {},
  }));
  return { role: "assistant", content: [{ type: "text", text: "wait" }, ...parts] };
}

function results(...ids: readonly string[]): ModelMessage {
  return {
    role: "tool",
    content: ids.map((toolCallId) => ({
      type: "tool-result",
      toolCallId,
      toolName: "t",
      output: { type: "text", value: "" },
      isError: false,
      durationMs: 0,
    })),
  };
}

const SYSTEM = "a system message is allowed only at the beginning";
const ORPHAN = "a tool message must follow an assistant message with tool calls";
const MISSING = "the next message must contain the results of the tool calls";
const WRONG = "the next message must contain one result per tool call, in call order";

for (
  const [name, messages, violation] of [
    ["an empty conversation", [], undefined],
    ["text messages", [{ role: "system", content: "s" }, ASK, calls(), ASK], undefined],
    ["one result for each call", [ASK, calls("a", "b"), results("a", "b")], undefined],
    ["two rounds of calls", [calls("a"), results("a"), calls("b"), results("b")], undefined],
    ["a late system message", [ASK, { role: "system", content: "s" }], `message 1: ${SYSTEM}`],
    ["results at the beginning", [results("a")], `message 0: ${ORPHAN}`],
    ["results after a text", [calls(), results("a")], `message 1: ${ORPHAN}`],
    ["results twice", [calls("a"), results("a"), results("a")], `message 2: ${ORPHAN}`],
    ["calls at the end", [ASK, calls("a")], `message 1: ${MISSING}`],
    ["calls before a user message", [calls("a"), ASK], `message 0: ${MISSING}`],
    ["a missing result", [calls("a", "b"), results("a")], `message 0: ${WRONG}`],
    ["a further result", [calls("a"), results("a", "b")], `message 0: ${WRONG}`],
    ["no results", [calls("a"), results()], `message 0: ${WRONG}`],
    ["another order", [calls("a", "b"), results("b", "a")], `message 0: ${WRONG}`],
    ["another id", [calls("a"), results("b")], `message 0: ${WRONG}`],
    ["an id twice in a message", [calls("a", "a")], 'message 0: duplicate tool call ID "a"'],
    [
      "an id of an earlier message",
      [calls("a"), results("a"), calls("b", "a"), results("b", "a")],
      'message 2: duplicate tool call ID "a"',
    ],
  ] satisfies [string, ModelMessage[], string | undefined][]
) {
  Deno.test(`findTranscriptViolation() of ${name}`, () => {
    assertEquals(findTranscriptViolation(messages), violation);
  });
}
