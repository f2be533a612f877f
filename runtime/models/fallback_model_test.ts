import { sleep } from "@parley/internal/timers";
import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import type { ModelErrorOptions } from "../shared/error_codes.ts";
import type { LanguageModel, ModelResponse, ModelStreamEvent } from "../shared/model.ts";
import { scriptedModel } from "../testing.ts";
import { fallbackModel, type FallbackModelOptions } from "./fallback_model.ts";
import { QUESTION } from "./testdata/ask.ts";

const DOWN: ModelErrorOptions = { retryable: true };

/** Models that record their ids when they are called. */
class Models {
  readonly calls: string[] = [];

  failing(modelId: string, options: ModelErrorOptions = DOWN): LanguageModel {
    return this.rejecting(modelId, AgentError.modelError("down", options));
  }

  rejecting(modelId: string, error: unknown): LanguageModel {
    return {
      modelId,
      generate: () => {
        this.calls.push(modelId);
        return Promise.reject(error);
      },
    };
  }

  answering(modelId: string, rest: Partial<LanguageModel> = {}): LanguageModel {
    return {
      modelId,
      generate: () => {
        this.calls.push(modelId);
        return Promise.resolve(responseOf(modelId));
      },
      ...rest,
    };
  }
}

function responseOf(text: string): ModelResponse {
  return {
    message: { role: "assistant", content: [{ type: "text", text }] },
    finishReason: "stop",
  };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

async function collect(events: AsyncIterable<ModelStreamEvent> | undefined): Promise<unknown[]> {
  return await Array.fromAsync(
    events ?? [],
    (event) => event.type === "finish" ? `finish ${event.response.modelId}` : event.type,
  );
}

Deno.test("fallbackModel() calls the next model, skips the failed one and calls the listener", async () => {
  const models = new Models();
  const fallbacks: unknown[] = [];
  let now = 0;
  const second = models.answering("b", { provider: "acme" });
  const model = fallbackModel([models.failing("a"), second], {
    now: () => now,
    onFallback: ({ modelId, nextModelId, error }) =>
      fallbacks.push([modelId, nextModelId, AgentError.isAgentError(error)]),
  });
  const { modelId, provider } = await model.generate(QUESTION);
  assertEquals([modelId, provider, fallbacks], ["b", "acme", [["a", "b", true]]]);
  now = 29_999;
  await model.generate(QUESTION);
  now = 30_000;
  await model.generate(QUESTION);
  assertEquals(models.calls, ["a", "b", "b", "a", "b"]);
});

Deno.test("fallbackModel() calls no model while the clock is invalid, and skips no model forever", async () => {
  for (const invalid of [NaN, Infinity, -Infinity, null, undefined, "0"]) {
    const models = new Models();
    let time: unknown = invalid;
    // The types do not permit some times, but clocks in JavaScript can return them.
    const options = { now: () => time as number };
    const model = fallbackModel([models.answering("a"), models.answering("b")], options);
    await assertRejects(() => model.generate(QUESTION), TypeError, '"now()"');
    await assertRejects(() => collect(model.stream?.(QUESTION)), TypeError, '"now()"');
    assertEquals(models.calls, []);
    time = 0;
    // The clock is invalid when the failure is recorded.
    const breaking: LanguageModel = {
      modelId: "c",
      generate: () => {
        models.calls.push("c");
        time = models.calls.length === 1 ? invalid : 0;
        return Promise.reject(AgentError.modelError("down", DOWN));
      },
    };
    const other = fallbackModel([breaking, models.answering("b")], options);
    await assertRejects(() => other.generate(QUESTION), TypeError, '"now()"');
    time = 0;
    await other.generate(QUESTION);
    assertEquals(models.calls, ["c", "c", "b"]);
  }
});

Deno.test("fallbackModel() skips a model for the delay that its provider requests", async () => {
  const models = new Models();
  let now = 0;
  const first = models.failing("a", { retryable: true, retryAfterMs: 50_000 });
  const model = fallbackModel([first, models.answering("b")], { now: () => now });
  for (now of [0, 40_000, 50_000]) await model.generate(QUESTION);
  assertEquals(models.calls, ["a", "b", "b", "a", "b"]);
  const always = fallbackModel([first, models.answering("b")], { now: () => 0, cooldownMs: 0 });
  models.calls.length = 0;
  for (let count = 0; count < 2; count++) await always.generate(QUESTION);
  assertEquals(models.calls, ["a", "b", "a", "b"]);
});

Deno.test("fallbackModel() reads the delay from errors of every kind, and ignores invalid delays", async () => {
  const rows: readonly (readonly [retryAfterMs: unknown, skippedMs: number])[] = [
    [50_000, 50_000],
    [0, 30_000],
    [-50_000, 30_000],
    [NaN, 30_000],
    ["50000", 30_000],
  ];
  for (const [retryAfterMs, skippedMs] of rows) {
    for (const error of [new Error("busy"), AgentError.modelError("busy"), {}]) {
      const models = new Models();
      let now = 0;
      const busy = Object.assign(error, { retryable: true, retryAfterMs });
      const list = [models.rejecting("a", busy), models.answering("b")];
      const model = fallbackModel(list, { now: () => now });
      for (now of [0, skippedMs - 1, skippedMs]) await model.generate(QUESTION);
      assertEquals(models.calls, ["a", "b", "b", "a", "b"], `${error} ${retryAfterMs}`);
    }
  }
});

Deno.test("fallbackModel() calls the next model after an exhausted quota of any client", async () => {
  const rows: readonly (readonly [error: unknown, isRepeated: boolean])[] = [
    [Object.assign(new Error("quota"), { status: 429 }), true],
    [Object.assign(new Error("payment"), { status: 402 }), true],
    [Object.assign(new Error("quota"), { statusCode: 429 }), true],
    [Object.assign(new Error("payment"), { statusCode: 402 }), true],
    [Object.assign(new Error("bad request"), { status: 400 }), false],
    [Object.assign(new Error("bad key"), { statusCode: 401 }), false],
    [Object.assign(new Error("text"), { status: "429" }), false],
    [new Error("429"), false],
    [undefined, false],
  ];
  for (const [error, isRepeated] of rows) {
    const models = new Models();
    const model = fallbackModel([models.rejecting("a", error), models.answering("b")]);
    await model.generate(QUESTION).catch(() => {});
    assertEquals(models.calls, isRepeated ? ["a", "b"] : ["a"], `${error}`);
  }
});

Deno.test("fallbackModel() decides by the error whether to call the next model", async () => {
  const rows: readonly (readonly [ModelErrorOptions, FallbackModelOptions, boolean])[] = [
    [{ retryable: false, status: 400 }, {}, false],
    [{ retryable: false, status: 401 }, {}, false],
    [{ retryable: false, status: 429 }, {}, true],
    [{ retryable: false, status: 402 }, {}, true],
    [{ retryable: false, status: 400 }, { when: () => true }, true],
    [{ retryable: true }, { when: () => false }, false],
    [{ retryable: true }, { when: (_, modelId) => modelId === "z" }, false],
    // A JavaScript caller may return a promise, which must not count as true.
    [{ retryable: true }, { when: () => JSON.parse("{}") }, false],
  ];
  for (const [error, options, isRepeated] of rows) {
    const models = new Models();
    const model = fallbackModel([models.failing("a", error), models.answering("b")], options);
    const failure = await model.generate(QUESTION).then(() => undefined, (reason) => reason);
    assertEquals([failure === undefined, models.calls.length], [isRepeated, isRepeated ? 2 : 1]);
  }
  const thrown = new Error("broken");
  const fail = () => {
    throw thrown;
  };
  for (const options of [{ when: fail }, { onFallback: fail }]) {
    const models = new Models();
    const model = fallbackModel([models.failing("a"), models.answering("b")], options);
    assertStrictEquals(await assertRejects(() => model.generate(QUESTION)), thrown);
    assertEquals(models.calls, ["a"]);
  }
});

Deno.test("fallbackModel() rejects with the last error, and calls a skipped model if all are skipped", async () => {
  const models = new Models();
  let now = 0;
  const model = fallbackModel([
    models.failing("a", { retryable: true, retryAfterMs: 60_000 }),
    models.failing("b"),
  ], { now: () => now });
  const error = await assertRejects(() => model.generate(QUESTION), AgentError, "down");
  assertEquals(error.retryable, true);
  now = 1;
  await assertRejects(() => model.generate(QUESTION), AgentError, "down");
  assertEquals(models.calls, ["a", "b", "b"]);
});

Deno.test("fallbackModel() never repeats an aborted call", async () => {
  const models = new Models();
  const reason = new Error("no longer needed");
  const controller = new AbortController();
  const aborting: LanguageModel = {
    modelId: "a",
    generate: () => {
      controller.abort(reason);
      return never();
    },
  };
  const model = fallbackModel([aborting, models.answering("b")], { when: () => true });
  const request = { ...QUESTION, signal: controller.signal };
  assertStrictEquals(await assertRejects(() => model.generate(request)), reason);
  assertStrictEquals(await assertRejects(() => collect(model.stream?.(request))), reason);
  assertEquals(models.calls, []);
});

Deno.test("fallbackModel() abandons a silent model, whole or streamed", async () => {
  using time = new FakeTime();
  const signals: (AbortSignal | undefined)[] = [];
  const silent: LanguageModel = {
    modelId: "a",
    generate: ({ signal }) => {
      signals.push(signal);
      return never();
    },
    async *stream({ signal }) {
      signals.push(signal);
      yield await never();
    },
  };
  const models = new Models();
  const model = fallbackModel([silent, models.answering("b")], { cooldownMs: 0 });
  const whole = model.generate(QUESTION);
  const events = collect(model.stream?.(QUESTION));
  await time.tickAsync(299_999);
  assertEquals(models.calls, []);
  await time.tickAsync(1);
  assertEquals((await whole).modelId, "b");
  assertEquals(await events, ["finish b"]);
  assertEquals(signals.map((signal) => signal?.aborted), [true, true]);
});

Deno.test("fallbackModel() limits only the wait for the first event of a stream", async () => {
  using time = new FakeTime();
  const slow: LanguageModel = {
    modelId: "a",
    generate: never,
    async *stream() {
      yield { type: "text-delta", delta: "1" };
      await sleep(600_000, new AbortController().signal);
      yield { type: "finish", response: responseOf("1") };
    },
  };
  const events = collect(fallbackModel([slow, new Models().answering("b")]).stream?.(QUESTION));
  await time.tickAsync(600_000);
  assertEquals(await events, ["text-delta", "finish a"]);
});

Deno.test("the loop repeats a stream that fails after a delta with the next model", async () => {
  const half: LanguageModel = {
    modelId: "a",
    generate: never,
    async *stream() {
      yield { type: "text-delta", delta: "half" };
      throw AgentError.modelError("cut", { retryable: true });
    },
  };
  const types: string[] = [];
  const modelIds: (string | undefined)[] = [];
  await using agent = new ToolLoopAgent({
    name: "x",
    model: fallbackModel([half, scriptedModel([{ text: "whole" }], "b")]),
    retryDelayMs: 0,
    onEvent: (event) => {
      types.push(event.type);
      if (event.type === "model_finished") modelIds.push(event.modelId);
    },
  });
  const { finalText } = await agent.run("go");
  assertEquals([finalText, modelIds], ["whole", ["b"]]);
  assertEquals(types.filter((type) => type === "model_retry").length, 1);
});

Deno.test("fallbackModel() declares the JSON output that all models support", () => {
  const models = new Models();
  const rows = [
    [["with-tools", "with-tools"], "with-tools"],
    [["with-tools", "without-tools"], "without-tools"],
    [["with-tools", undefined], undefined],
  ] as const;
  for (const [outputs, expected] of rows) {
    const list = outputs.map((nativeOutput) =>
      models.answering("a", nativeOutput === undefined ? {} : { nativeOutput })
    );
    assertEquals(fallbackModel(list).nativeOutput, expected);
  }
});

Deno.test("fallbackModel() rejects invalid arguments", () => {
  const model = new Models().answering("a");
  const rows = [
    [[], {}, TypeError],
    [[model, {}], {}, TypeError],
    [[model], { timeoutMs: -1 }, RangeError],
    [[model], { cooldownMs: 1.5 }, RangeError],
    [[model], { when: true }, TypeError],
    [[model], { timeOutMs: 1 }, TypeError],
  ] as const;
  for (const [models, options, type] of rows) {
    const [list, settings] = JSON.parse(JSON.stringify([models, options]));
    const real = list.map((_: unknown, index: number) => models[index]);
    assertThrows(() => fallbackModel(real, settings), type);
  }
});
