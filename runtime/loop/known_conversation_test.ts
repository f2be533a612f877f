import { assertEquals, assertThrows } from "@std/assert";
import type { MessageInput } from "../shared/model.ts";
import { emptyConversation, extendConversation, readConversation } from "./known_conversation.ts";

function callOf(...ids: readonly string[]): readonly MessageInput[] {
  const part = (toolCallId: string) => ({ toolCallId, toolName: "t" });
  return [
    {
      role: "assistant",
      content: ids.map((id) => ({ type: "tool-call", ...part(id), input: {} })),
    },
    {
      role: "tool",
      content: ids.map((id) => ({
        type: "tool-result",
        ...part(id),
        output: { type: "text", value: "ok" },
        isError: false,
        durationMs: 0,
      })),
    },
  ];
}

const QUESTION: MessageInput = { role: "user", content: "Hi" };

Deno.test("extendConversation() validates the new messages together with the earlier ones", () => {
  const first = extendConversation(emptyConversation(), [QUESTION, ...callOf("a")]);
  const invalid: readonly [readonly MessageInput[], string][] = [
    [callOf("b", "a"), 'message 3: duplicate tool call ID "a"'],
    [callOf("b").slice(0, 1), "message 3: the next message must contain the results"],
    [callOf("b").slice(1), "message 3: a tool message must follow"],
    [[{ role: "system", content: "s" }], "message 3: a system message is allowed only"],
  ];
  for (const [messages, text] of invalid) {
    assertThrows(() => extendConversation(first, messages), TypeError, text);
  }
  // A failed extension leaves no ids behind.
  const second = extendConversation(first, callOf("b"));
  assertEquals(["a", "b", "c"].map((id) => second.hasCall(id)), [true, true, false]);
  assertEquals(first.hasCall("b"), false);
});

Deno.test("extendConversation() extends a conversation in two ways", () => {
  const first = extendConversation(emptyConversation(), [QUESTION, ...callOf("a")]);
  const [left, right] = [
    extendConversation(first, callOf("b")),
    extendConversation(first, callOf("c")),
  ];
  const has = (ids: string) => [left, right, first].map((one) => one.hasCall(ids));
  assertEquals([has("a"), has("b"), has("c")], [
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ]);
  assertEquals(extendConversation(right, callOf("b")).messages.length, 7);
});

Deno.test("readConversation() returns a known conversation, and validates others", () => {
  const known = extendConversation(emptyConversation(), [QUESTION]);
  assertEquals(readConversation(known.messages), known);
  assertEquals(readConversation(known.messages) === known, true);
  assertEquals(readConversation([...known.messages]) === known, false);
  assertThrows(() => readConversation(callOf("a").slice(1)), TypeError, "a tool message must");
  assertEquals(Object.isFrozen(known.messages[0]), true);
  const bytes = new Uint8Array([1]);
  const file = { type: "file", mediaType: "a/b", data: { type: "data", data: bytes } } as const;
  const withFile = extendConversation(known, [{ role: "user", content: [file] }]);
  assertEquals(withFile.messages[1]?.content, [file]);
});
