import { assertEquals, assertRejects } from "@std/assert";
import { MemoryJournal } from "../journal/memory.ts";
import { recordSteps } from "../journal/journal.ts";
import { AgentError } from "../shared/error.ts";
import type { FilePart, MessageInput, UserTurn } from "../shared/model.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { textOfTurn } from "./conversation.ts";
import { runToolLoop } from "./loop.ts";
import { streamToolLoop } from "./stream.ts";

const PICTURE: FilePart = {
  type: "file",
  mediaType: "image/png",
  data: { type: "data", data: new Uint8Array([1, 2, 255]) },
};
const TURN: UserTurn = [{ type: "text", text: "What is this?" }, PICTURE];
const registry = new ToolRegistry();

Deno.test("runToolLoop() sends the parts of a user message to the model", async () => {
  const model = scriptedModel([{ text: "A cat" }]);
  await runToolLoop({ model, registry }, TURN);
  assertEquals(model.requests[0]?.messages, [{ role: "user", content: [...TURN] }]);
});

Deno.test("runToolLoop() is not affected by later changes to the parts of a user message", async () => {
  const turn = [{ type: "text" as const, text: "first" }];
  const model = scriptedModel([() => {
    turn.push({ type: "text", text: "second" });
    return { text: "done" };
  }]);
  const { messages } = await runToolLoop({ model, registry }, turn);
  assertEquals(messages[0]?.content, [{ type: "text", text: "first" }]);
});

Deno.test("runToolLoop() continues a conversation without a new user message", async () => {
  const messages: MessageInput[] = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi" },
    { role: "user", content: "How are you?" },
  ];
  const model = scriptedModel([{ text: "Fine" }]);
  const output = await runToolLoop({ model, registry, messages });
  assertEquals(output.messages.map(({ role, content }) => [role, content]), [
    ["user", [{ type: "text", text: "Hello" }]],
    ["assistant", [{ type: "text", text: "Hi" }]],
    ["user", [{ type: "text", text: "How are you?" }]],
    ["assistant", [{ type: "text", text: "Fine" }]],
  ]);
});

Deno.test("runToolLoop() continues a conversation that ends with tool results", async () => {
  const model = scriptedModel([{ text: "It is 3" }]);
  const output = await runToolLoop({
    model,
    registry,
    messages: [
      { role: "user", content: "1 + 2?" },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "add", input: {} }],
      },
      {
        role: "tool",
        content: [{
          type: "tool-result",
          toolCallId: "c",
          toolName: "add",
          output: { type: "json", value: 3 },
          isError: false,
          durationMs: 0,
        }],
      },
    ],
  });
  assertEquals(output.finalText, "It is 3");
});

Deno.test("streamToolLoop() accepts parts", async () => {
  const model = scriptedModel([{ text: "A cat" }]);
  for await (const _event of streamToolLoop({ model, registry }, TURN));
  assertEquals(model.requests[0]?.messages[0]?.content, [...TURN]);
});

Deno.test("a resumed run uses the recorded user message, including bytes", async () => {
  const journal = new MemoryJournal();
  const tools = new ToolRegistry([{
    name: "f",
    inputSchema: { type: "object" },
    execute: () => 1,
  }]);
  const config = {
    registry: tools,
    runId: "r",
    stepRunner: recordSteps(journal),
    onUnknownOutcome: "repeat" as const,
  };
  const failing = scriptedModel([{ calls: [{ toolName: "f" }] }, { error: new Error("down") }]);
  await assertRejects(() => runToolLoop({ ...config, model: failing }, TURN), AgentError, "down");
  const model = scriptedModel([{ text: "A cat" }]);
  const resumed = {
    ...config,
    stepRunner: recordSteps(MemoryJournal.fromText(journal.toText())),
    model,
  };
  const output = await runToolLoop(resumed);
  assertEquals(output.finalText, "A cat");
  assertEquals(model.requests[0]?.messages[0]?.content, [...TURN]);
});

Deno.test("a resumed run rejects other messages to continue", async () => {
  const journal = new MemoryJournal();
  const config = { registry, runId: "r", stepRunner: recordSteps(journal) };
  const messages: MessageInput[] = [{ role: "user", content: "Hello" }];
  await runToolLoop({ ...config, model: scriptedModel([{ text: "Hi" }]), messages }, "and?");
  for (const other of [[], [{ role: "user" as const, content: "Bye" }]]) {
    const model = scriptedModel([]);
    const resumed = runToolLoop({ ...config, model, messages: other }, "and?");
    await assertRejects(() => resumed, AgentError, "user message or history");
  }
  const output = await runToolLoop({ ...config, model: scriptedModel([]), messages });
  assertEquals(output.finalText, "Hi");
});

Deno.test("a run without a message and without anything to continue records nothing", async () => {
  const journal = new MemoryJournal();
  const config = { registry, runId: "r", stepRunner: recordSteps(journal) };
  await assertRejects(
    () => runToolLoop({ ...config, model: scriptedModel([]) }),
    AgentError,
    '"userMessage" must be set unless "messages" ends with a user or tool message',
  );
  assertEquals(journal.toText(), "");
});

Deno.test("textOfTurn() joins the texts of the parts", () => {
  assertEquals(textOfTurn("a"), "a");
  assertEquals(textOfTurn([...TURN, { type: "text", text: " Say." }]), "What is this? Say.");
  assertEquals(textOfTurn(undefined), "");
});

for (
  const [role, part, message] of [
    ["user", { type: "text" }, '"messages[0].content[0].text" must be a string'],
    ["assistant", { type: "reasoning", text: 5 }, '"messages[0].content[0].text" must be a string'],
    ["user", { type: "file", data: { type: "data", data: "" } }, "mediaType"],
    [
      "user",
      { type: "file", mediaType: "image/png" },
      '"messages[0].content[0].data" must be { type: "data", data } with text or bytes, or ' +
      '{ type: "url", url } with a URL object, got undefined',
    ],
    ["user", {
      type: "file",
      mediaType: "image/png",
      data: { type: "url", url: "https://example.com/" },
    }, '"messages[0].content[0].data" must be'],
    ["assistant", { type: "tool-call", toolName: "look", input: {} }, "toolCallId"],
    ["assistant", { type: "tool-call", toolCallId: "c1", input: {} }, "toolName"],
    ["tool", { type: "tool-result", toolCallId: "c1", toolName: "look" }, "output"],
    ["tool", {
      type: "tool-result",
      toolCallId: "c1",
      toolName: "look",
      output: { type: "text", value: 5 },
    }, "output"],
  ] as const
) {
  const text = JSON.stringify(part);
  Deno.test(`runToolLoop() rejects a message with the part ${text}`, async () => {
    // The cast is unchecked, because the test passes invalid messages.
    const messages = [{ role, content: [part] }] as never;
    const model = scriptedModel([]);
    await assertRejects(
      () => runToolLoop({ model, registry, messages }, "go"),
      TypeError,
      message,
    );
  });
}
