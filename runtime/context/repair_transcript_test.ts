import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { MessageInput, ModelMessage, ToolCall, ToolResult } from "../shared/model.ts";
import { findTranscriptViolation } from "../testing.ts";
import { repairTranscript } from "./repair_transcript.ts";

function call(toolCallId: string): ToolCall {
  return { type: "tool-call", toolCallId, toolName: "f", input: {} };
}

function result(toolCallId: string, value = "ok"): ToolResult {
  const output = { type: "text", value } as const;
  return { type: "tool-result", toolCallId, toolName: "f", output, isError: false, durationMs: 0 };
}

function calls(...ids: readonly string[]): ModelMessage {
  return { role: "assistant", content: ids.map(call) };
}

function results(...ids: readonly string[]): ModelMessage {
  return { role: "tool", content: ids.map((id) => result(id)) };
}

const USER: ModelMessage = { role: "user", content: [{ type: "text", text: "go" }] };

/**
 * Returns the roles and call ids of the messages, with `?` after the id of a call whose outcome is
 * unknown.
 */
function outline(messages: readonly ModelMessage[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === "tool") {
      const ids = message.content.map(({ toolCallId, code }) =>
        `${toolCallId}${code === "outcome_unknown" ? "?" : ""}`
      );
      return `tool ${ids.join(" ")}`;
    }
    if (message.role !== "assistant") return message.role;
    const ids = message.content.flatMap((part) =>
      part.type === "tool-call" ? [part.toolCallId] : []
    );
    return ["assistant", ...ids].join(" ");
  });
}

Deno.test("repairTranscript() makes a conversation valid", () => {
  const table: readonly (readonly [string, readonly MessageInput[], readonly string[]])[] = [
    ["a call without a result at the end", [USER, calls("a")], ["user", "assistant a", "tool a?"]],
    ["a call without a result before a user message", [calls("a"), USER], [
      "assistant a",
      "tool a?",
      "user",
    ]],
    ["a result for only one of two calls", [calls("a", "b"), results("b")], [
      "assistant a b",
      "tool a? b",
    ]],
    ["results in the wrong order", [calls("a", "b"), results("b", "a")], [
      "assistant a b",
      "tool a b",
    ]],
    ["results in two tool messages", [calls("a", "b"), results("a"), results("b")], [
      "assistant a b",
      "tool a b",
    ]],
    ["a result after a user message", [calls("a"), USER, results("a")], [
      "assistant a",
      "tool a",
      "user",
    ]],
    ["a result before its call", [results("a"), calls("a")], ["assistant a", "tool a?"]],
    ["a result without a call", [USER, results("a"), USER], ["user", "user"]],
    ["a second result for a call", [calls("a"), results("a", "a")], ["assistant a", "tool a"]],
    ["a duplicate id in two messages", [calls("a"), results("a"), calls("a"), results("a")], [
      "assistant a",
      "tool a",
      "assistant a_2",
      "tool a_2",
    ]],
    ["a duplicate id in one message", [calls("a", "a"), results("a", "a")], [
      "assistant a a_2",
      "tool a a_2",
    ]],
    ["a system message that is not the first message", [USER, { role: "system", content: "S" }], [
      "user",
    ]],
    ["a message with string content", [{ role: "user", content: "go" }], ["user"]],
    ["an empty conversation", [], []],
  ];
  for (const [name, messages, expected] of table) {
    assertEquals(outline(repairTranscript(messages)), expected, name);
  }
});

Deno.test("repairTranscript() keeps each result with its call if ids are duplicated", () => {
  const repaired = repairTranscript([
    calls("a"),
    { role: "tool", content: [result("a", "first")] },
    calls("a"),
    { role: "tool", content: [result("a", "second")] },
  ]);
  const outputs = repaired.flatMap(({ role, content }) => role === "tool" ? content : []);
  assertEquals(outputs.map(({ output }) => "value" in output && output.value), ["first", "second"]);
});

Deno.test("repairTranscript() throws a TypeError if the value is not an array of messages", () => {
  const withoutText = [{ role: "user", content: [{ type: "text" }] }];
  const withoutOutput = [{
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "a", toolName: "look" }],
  }];
  for (
    const value of [
      5,
      "x",
      [5],
      [{ role: "robot" }],
      [{ role: "user", content: [{}] }],
      withoutText,
      withoutOutput,
    ]
  ) {
    // The cast is unchecked, because the test passes invalid values.
    assertThrows(() => repairTranscript(value as never), TypeError, '"messages');
  }
});

const id = fc.constantFrom("a", "b", "c", "");
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.constant(USER),
  fc.constant<ModelMessage>({ role: "system", content: "S" }),
  fc.array(id, { maxLength: 3 }).map((ids) => calls(...ids)),
  fc.array(id, { maxLength: 3 }).map((ids) => results(...ids)),
);

Deno.test("property: repairTranscript() returns a valid conversation for any messages, and repairing it again changes nothing", () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 10 }), (messages) => {
      const before = JSON.stringify(messages);
      const repaired = repairTranscript(messages);
      assertEquals(findTranscriptViolation(repaired), undefined);
      assertEquals(JSON.stringify(messages), before);
      const again = repairTranscript(repaired);
      for (const [index, each] of again.entries()) assertStrictEquals(each, repaired[index]);
      assertEquals(again.length, repaired.length);
      const isKept = ({ role }: ModelMessage): boolean => role === "user" || role === "assistant";
      assertEquals(
        repaired.filter(isKept).map(({ role }) => role),
        messages.filter(isKept).map(({ role }) => role),
      );
    }),
    propertyRuns(300),
  );
});
