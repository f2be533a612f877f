import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel, ModelResponse, ModelStreamEvent } from "../shared/model.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { LoopEvent } from "./events.ts";
import type { ToolLoopConfig } from "./options.ts";
import { streamToolLoop } from "./stream.ts";

function config(
  turns: readonly ScriptedTurn[],
  more: Partial<ToolLoopConfig> = {},
): ToolLoopConfig {
  const registry = new ToolRegistry([{
    name: "work",
    inputSchema: { type: "object" },
    execute: () => "ok",
  }]);
  return { model: scriptedModel(turns), registry, ...more };
}

/** Creates a model that streams the given events. */
function streaming(
  stream: (signal?: AbortSignal) => AsyncIterable<ModelStreamEvent>,
): LanguageModel {
  return {
    modelId: "streaming",
    generate: () => Promise.reject(new Error("unexpected call to generate()")),
    stream: ({ signal }) => stream(signal),
  };
}

Deno.test("streamToolLoop() yields the events of a run and returns its output", async () => {
  const stream = streamToolLoop(config([{ calls: [{ toolName: "work" }] }, { text: "a b" }]), "go");
  const types: string[] = [];
  let step = await stream.next();
  for (; step.done !== true; step = await stream.next()) types.push(step.value.type);
  assertEquals([types.at(0), types.at(-1)], ["run_started", "run_finished"]);
  assertEquals(types.filter((type) => type === "tool_input_delta").length, 1);
  assertEquals(types.filter((type) => type === "text_delta").length, 2);
  assertEquals(step.value?.finalText, "a b");
  assertEquals((await stream.next()).value, step.value);
});

Deno.test("streamToolLoop() keeps a complete response if its stream fails afterwards", async () => {
  const response: ModelResponse = {
    message: { role: "assistant", content: [{ type: "text", text: "whole" }] },
    finishReason: "stop",
  };
  const model = streaming(async function* () {
    try {
      yield { type: "finish", response };
    } finally {
      await Promise.reject(new Error("the connection broke"));
    }
  });
  const events: LoopEvent[] = [];
  for await (const event of streamToolLoop(config([], { model }), "go")) events.push(event);
  const last = events.at(-1);
  assertEquals(last?.type === "run_finished" && last.output.finalText, "whole");
});

Deno.test("streamToolLoop() starts the run with the first call to next()", async () => {
  const model = scriptedModel([]);
  const stream = streamToolLoop(config([], { model }), "go");
  assertEquals([await stream.return(), model.requests.length], [
    { done: true, value: undefined },
    0,
  ]);
  assertEquals(await stream.next(), { done: true, value: undefined });
});

Deno.test("streamToolLoop() aborts the run if the reader leaves the loop or calls return()", async () => {
  const gate = createGate();
  let signal: AbortSignal | undefined;
  const model: LanguageModel = {
    modelId: "m",
    generate: async (request) => {
      signal = request.signal;
      await gate.wait();
      throw new Error("aborted");
    },
  };
  const stream = streamToolLoop(config([], { model }), "go");
  const reading = (async () => {
    const seen: LoopEvent[] = [];
    for await (const event of stream) seen.push(event);
    return seen;
  })();
  await gate.reached;
  const end = await stream.return();
  assertEquals([end.value?.stopReason, signal?.aborted], ["aborted", true]);
  await reading;
  gate.release();

  for await (const { type } of streamToolLoop(config([{ text: "a" }]), "go")) {
    assertEquals(type, "run_started");
    break;
  }
});

Deno.test("streamToolLoop() rejects with the run's error after the last event", async () => {
  const seen: string[] = [];
  const read = async (): Promise<void> => {
    for await (const { type } of streamToolLoop(config([{ error: new Error("no key") }]), "go")) {
      seen.push(type);
    }
  };
  await assertRejects(read, AgentError, "no key");
  assertEquals(seen.at(-1), "run_failed");
});

Deno.test("streamToolLoop() applies backpressure to a streaming model", async () => {
  let written = 0;
  const model = streaming(async function* () {
    for (written = 1; written <= 1000; written++) {
      yield { type: "text-delta", delta: "x" };
      await Promise.resolve();
    }
    yield {
      type: "finish",
      response: { message: { role: "assistant", content: [] }, finishReason: "stop" },
    };
  });
  const stream = streamToolLoop(config([], { model }), "go", { maxQueued: 10 });
  await stream.next();
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
  assert(written <= 12, `the model streamed ${written} parts ahead`);
  let read = 0;
  for await (const { type } of stream) if (type === "text_delta") read++;
  assertEquals(read, 1000);
});

Deno.test("streamToolLoop() retries a stream that ends early, and rejects if the stream throws", async () => {
  let tries = 0;
  const model = streaming(async function* () {
    await Promise.resolve();
    tries++;
    yield { type: "text-delta", delta: "x" };
    if (tries < 3) return;
    throw new Error("broken pipe");
  });
  const run = streamToolLoop(config([], { model, retryDelayMs: 0 }), "go");
  await assertRejects(
    async () => {
      for await (const _ of run);
    },
    AgentError,
    "broken pipe",
  );
  assertEquals(tries, 3);
});

Deno.test("streamToolLoop() throws a RangeError if the queue limit is invalid", () => {
  for (const maxQueued of [0, -1, 1.5, NaN]) {
    assertThrows(() => streamToolLoop(config([]), "go", { maxQueued }), RangeError);
  }
});
