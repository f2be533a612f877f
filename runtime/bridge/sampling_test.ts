import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { samplingFrom } from "../bridge.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";

const SIGNAL = new AbortController().signal;
const HELLO = { role: "user", content: { type: "text", text: "Hello" } };
const PARAMS = { messages: [HELLO], maxTokens: 100 };

function approve(): boolean {
  return true;
}

Deno.test("samplingFrom() converts messages and settings for the model", async () => {
  const model = scriptedModel([{ text: "Bonjour" }]);
  const createMessage = samplingFrom(model, { approve, maxTokens: 50 });
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const result = await createMessage({
    messages: [
      HELLO,
      { role: "assistant", content: { type: "text", text: "Hi" } },
      { role: "user", content: [{ type: "text", text: "In French" }, image] },
    ],
    maxTokens: 100,
    systemPrompt: "Be brief",
    temperature: 0,
    stopSequences: ["END"],
  }, SIGNAL);
  assertEquals(result, {
    role: "assistant",
    content: { type: "text", text: "Bonjour" },
    model: "scripted",
    stopReason: "endTurn",
  });
  const [request] = model.requests;
  assertEquals(request?.messages, [
    { role: "system", content: "Be brief" },
    { role: "user", content: [{ type: "text", text: "Hello" }] },
    { role: "assistant", content: [{ type: "text", text: "Hi" }] },
    {
      role: "user",
      content: [
        { type: "text", text: "In French" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
      ],
    },
  ]);
  assertEquals(request?.options, { maxOutputTokens: 50, temperature: 0, stopSequences: ["END"] });
});

Deno.test("samplingFrom() calls the model only if the request is approved with true", async () => {
  for (const decision of [false, undefined, "true", 1, {}]) {
    const model = scriptedModel([{ text: "Bonjour" }]);
    const given: unknown = decision;
    const createMessage = samplingFrom(model, { approve: () => given as boolean });
    await assertRejects(() => createMessage(PARAMS, SIGNAL), Error, "rejected");
    assertEquals(model.requests, []);
  }
  const throwing = (): never => {
    throw new Error("no window");
  };
  for (const approve of [throwing, () => Promise.reject(new Error("no window"))]) {
    const model = scriptedModel([{ text: "Bonjour" }]);
    const createMessage = samplingFrom(model, { approve });
    await assertRejects(() => createMessage(PARAMS, SIGNAL), Error, "no window");
    assertEquals(model.requests, []);
  }
});

Deno.test("samplingFrom() returns the stop reason of a truncated response", async () => {
  const turn: ScriptedTurn = { text: "Bon", finishReason: "length" };
  const createMessage = samplingFrom(scriptedModel([turn]), { approve });
  const { content, stopReason } = await createMessage(PARAMS, SIGNAL);
  assertEquals([content.text, stopReason], ["Bon", "maxTokens"]);
});

Deno.test("samplingFrom() rejects invalid parameters before it asks for approval", async () => {
  const createMessage = samplingFrom(scriptedModel([]), {
    approve: () => {
      throw new Error("unexpected call");
    },
  });
  const invalid: readonly unknown[] = [
    undefined,
    {},
    { messages: [HELLO] },
    { messages: [HELLO], maxTokens: 0 },
    { messages: [HELLO], maxTokens: NaN },
    { messages: "Hello", maxTokens: 1 },
    { messages: [{ ...HELLO, role: "system" }], maxTokens: 1 },
    { messages: [{ role: "user", content: { type: "tool_result" } }], maxTokens: 1 },
    { messages: [{ role: "user", content: { type: "image", data: "AA" } }], maxTokens: 1 },
    { ...PARAMS, tools: [] },
  ];
  for (const params of invalid) await assertRejects(() => createMessage(params, SIGNAL), TypeError);
});

Deno.test("samplingFrom() rejects if the request is canceled while the model generates", async () => {
  const gate = createGate();
  const model = scriptedModel([() => gate.wait()]);
  const controller = new AbortController();
  const responding = samplingFrom(model, { approve })(PARAMS, controller.signal);
  await gate.reached;
  controller.abort();
  await assertRejects(() => responding);
  gate.release();
});

Deno.test("samplingFrom() rejects if the request is canceled while the user decides", async () => {
  const controller = new AbortController();
  const createMessage = samplingFrom(scriptedModel([]), { approve: () => new Promise(() => {}) });
  const responding = createMessage(PARAMS, controller.signal);
  controller.abort(new Error("canceled"));
  await assertRejects(() => responding, Error, "canceled");
});

Deno.test("samplingFrom() throws if an argument is invalid", () => {
  const none: unknown = {};
  assertThrows(
    () => samplingFrom(none as ReturnType<typeof scriptedModel>, { approve }),
    TypeError,
  );
  assertThrows(
    () => samplingFrom(scriptedModel([]), none as { approve: () => boolean }),
    TypeError,
  );
  assertThrows(() => samplingFrom(scriptedModel([]), { approve, maxTokens: 0 }), RangeError);
});
