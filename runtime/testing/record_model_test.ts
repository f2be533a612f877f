import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel, ModelRequest, ModelStreamEvent } from "../shared/model.ts";
import { createGate } from "./gate.ts";
import { type RecordedTurn, recordModel } from "./record_model.ts";
import { scriptedModel } from "./scripted_model.ts";

const REQUEST: ModelRequest = { messages: [], tools: [], options: {} };

async function streamOf(model: LanguageModel): Promise<readonly ModelStreamEvent[]> {
  return await Array.fromAsync(model.stream?.(REQUEST) ?? []);
}

Deno.test("scriptedModel() replays the responses and failures that recordModel() has recorded", async () => {
  const picture = new Uint8Array([1, 2, 255]);
  const busy = AgentError.modelError("HTTP 429", {
    retryable: true,
    retryAfterMs: 20,
    status: 429,
  });
  const real = scriptedModel([
    { text: "Hello", usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 } },
    { error: busy },
    { content: [{ type: "file", mediaType: "image/png", data: { type: "data", data: picture } }] },
    { calls: [{ toolName: "f", rawInput: '{"a":' }] },
  ], "real");
  const recorder = recordModel(real);
  const responses = [
    await recorder.generate(REQUEST),
    await recorder.generate(REQUEST).catch((error) => error),
    await recorder.generate(REQUEST),
    await recorder.generate(REQUEST),
  ];

  const fixture: readonly RecordedTurn[] = JSON.parse(JSON.stringify(recorder.turns));
  const player = scriptedModel(fixture);
  assertEquals(await player.generate(REQUEST), responses[0]);
  const failure = await assertRejects(() => player.generate(REQUEST), AgentError);
  assertEquals(failure.message, busy.message);
  assertEquals([failure.retryable, failure.retryAfterMs], [true, 20]);
  assertEquals(await player.generate(REQUEST), responses[2]);
  assertEquals(await player.generate(REQUEST), responses[3]);
  player.assertComplete();
});

Deno.test("recordModel() records streams", async () => {
  const recorder = recordModel(scriptedModel([{ text: "One two" }, { error: new Error("cut") }]));
  const events = await streamOf(recorder);
  await assertRejects(() => streamOf(recorder), Error, "cut");
  const player = scriptedModel(recorder.turns);
  assertEquals(await streamOf(player), events);
  await assertRejects(() => streamOf(player), AgentError, "cut");
});

Deno.test("recordModel() records a stream that its reader closes as a failure", async () => {
  const recorder = recordModel(scriptedModel([{ text: "One two" }]));
  for await (const _event of recorder.stream?.(REQUEST) ?? []) break;
  assertEquals(recorder.turns, [
    { failure: { reason: "the stream ended without a response", retryable: false } },
  ]);
});

Deno.test("recordModel() keeps the order in which concurrent calls start", async () => {
  const first = createGate();
  const real = scriptedModel([
    async () => {
      await first.wait();
      return { text: "first" };
    },
    { text: "second" },
  ]);
  const recorder = recordModel(real);
  const slow = recorder.generate(REQUEST);
  await recorder.generate(REQUEST);
  assertEquals(recorder.turns.length, 1);
  first.release();
  await slow;
  const player = scriptedModel(recorder.turns);
  const { message } = await player.generate(REQUEST);
  assertEquals(message.content, [{ type: "text", text: "first" }]);
});

Deno.test("recordModel() stores what redact returns", async () => {
  const recorder = recordModel(scriptedModel([{ text: "card 4111" }]), {
    redact: (turn) => JSON.parse(JSON.stringify(turn).replaceAll("4111", "****")),
  });
  const { message } = await recorder.generate(REQUEST);
  assertEquals(message.content, [{ type: "text", text: "card 4111" }]);
  assertEquals(JSON.stringify(recorder.turns).includes("4111"), false);
  assertEquals(JSON.stringify(recorder.turns).includes("card ****"), true);
});

Deno.test("recordModel() rejects calls beyond its limits", async () => {
  const calls = recordModel(scriptedModel([{ text: "a" }, { text: "b" }]), { maxTurns: 1 });
  await calls.generate(REQUEST);
  await assertRejects(
    () => calls.generate(REQUEST),
    AgentError,
    'another model call: "maxTurns" is 1',
  );
  const chars = recordModel(scriptedModel([{ text: "a".repeat(300) }]), { maxChars: 300 });
  await assertRejects(() => chars.generate(REQUEST), AgentError, "more than 300 characters");
  assertEquals(chars.turns, []);
});

Deno.test("recordModel() offers streaming only if the recorded model does", () => {
  const { modelId, generate } = scriptedModel([]);
  assertEquals(recordModel({ modelId, generate }).stream, undefined);
});

Deno.test("recordModel() declares the same support for JSON output as the recorded model", () => {
  const model = Object.assign(scriptedModel([]), { nativeOutput: "with-tools" } as const);
  assertEquals(recordModel(model).nativeOutput, "with-tools");
  assertEquals("nativeOutput" in recordModel(scriptedModel([])), false);
});

Deno.test("recordModel() rejects invalid arguments", () => {
  const model = scriptedModel([]);
  // @ts-expect-error: not a model
  assertThrows(() => recordModel("gpt-5"), TypeError, '"model" must be a LanguageModel');
  // @ts-expect-error: not a function
  assertThrows(() => recordModel(model, { redact: "all" }), TypeError, '"redact" must be');
  assertThrows(() => recordModel(model, { maxTurns: 0 }), RangeError, '"maxTurns" must be');
  assertThrows(() => recordModel(model, { maxChars: -1 }), RangeError, '"maxChars" must be');
});

Deno.test("scriptedModel() rejects turns that are not an array", () => {
  const turns: unknown = () => ({ text: "Hello" });
  assertThrows(
    () => Reflect.apply(scriptedModel, undefined, [turns]),
    TypeError,
    '"turns" must be an array of turns, got a function',
  );
});
