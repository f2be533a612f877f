import { sleep } from "@parley/internal/timers";
import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { FakeTime } from "@std/testing/time";
import { propertyRuns } from "../../tools/testing/property.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel, ModelRequest, ModelResponse } from "../shared/model.ts";
import { createModelLimiter, type ModelLimiterOptions } from "./model_limiter.ts";
import { QUESTION } from "./testdata/ask.ts";

/** A signal that never aborts. */
const NEVER = new AbortController().signal;

/** Advances the clock, and waits until the calls that may start have started. */
async function advance(time: FakeTime, ms: number): Promise<void> {
  await time.tickAsync(ms);
  await time.runMicrotasks();
}

/** A model whose calls end when the test decides. */
class HeldModel implements LanguageModel {
  readonly modelId = "held";
  readonly calls: PromiseWithResolvers<ModelResponse>[] = [];

  generate(): Promise<ModelResponse> {
    const call = Promise.withResolvers<ModelResponse>();
    this.calls.push(call);
    return call.promise;
  }
}

function responseOf(totalTokens?: number): ModelResponse {
  return {
    message: { role: "assistant", content: [{ type: "text", text: "ok" }] },
    finishReason: "stop",
    ...totalTokens === undefined
      ? {}
      : { usage: { inputTokens: totalTokens, outputTokens: 0, totalTokens } },
  };
}

function requestOf(chars: number): ModelRequest {
  const text = "x".repeat(chars);
  return { ...QUESTION, messages: [{ role: "user", content: [{ type: "text", text }] }] };
}

function limited(options: ModelLimiterOptions) {
  const held = new HeldModel();
  const limiter = createModelLimiter(options);
  return { held, limiter, model: limiter.limit(held) };
}

Deno.test("createModelLimiter() limits the number of concurrent calls of all models", async () => {
  using time = new FakeTime();
  const { held, limiter, model } = limited({ maxConcurrent: 2 });
  const other = limiter.limit(held);
  const works = [model, other, model].map((each) => each.generate(QUESTION));
  await time.runMicrotasks();
  assertEquals([held.calls.length, limiter.active, limiter.queued], [2, 2, 1]);
  held.calls[1]?.resolve(responseOf());
  await works[1];
  await time.runMicrotasks();
  assertEquals([held.calls.length, limiter.active, limiter.queued], [3, 2, 0]);
  for (const call of held.calls) call.resolve(responseOf());
  await Promise.all(works);
  assertEquals([limiter.active, limiter.queued], [0, 0]);
});

Deno.test("createModelLimiter() limits the number of calls within a minute", async () => {
  using time = new FakeTime();
  const { held, model } = limited({ callsPerMinute: 2 });
  for (let count = 0; count < 3; count++) model.generate(QUESTION);
  await advance(time, 59_999);
  assertEquals(held.calls.length, 2);
  await advance(time, 1);
  assertEquals(held.calls.length, 3);
});

Deno.test("createModelLimiter() limits the tokens within a minute, estimated and reported", async () => {
  using time = new FakeTime();
  const { held, model } = limited({ tokensPerMinute: 100 });
  const first = model.generate(requestOf(200));
  model.generate(requestOf(204));
  model.generate(requestOf(4));
  await time.runMicrotasks();
  assertEquals(held.calls.length, 1);
  held.calls[0]?.resolve(responseOf(49));
  await first;
  await time.runMicrotasks();
  assertEquals(held.calls.length, 2);
  await advance(time, 60_000);
  assertEquals(held.calls.length, 3);
});

Deno.test("createModelLimiter() starts a call that is larger than the limit when no tokens are used", async () => {
  using time = new FakeTime();
  const { held, model } = limited({ tokensPerMinute: 10 });
  model.generate(requestOf(4));
  model.generate(requestOf(400));
  await advance(time, 59_999);
  assertEquals(held.calls.length, 1);
  await advance(time, 1);
  assertEquals(held.calls.length, 2);
});

Deno.test("createModelLimiter() stops all calls for the retry delay of a failed call", async () => {
  const rows = [[7000, 7000], [86_400_000, 300_000]] as const;
  for (const [retryAfterMs, blockedMs] of rows) {
    using time = new FakeTime();
    const { held, model } = limited({});
    const failed = assertRejects(() => model.generate(QUESTION), AgentError);
    await time.runMicrotasks();
    held.calls[0]?.reject(AgentError.modelError("busy", { retryable: true, retryAfterMs }));
    await failed;
    model.generate(QUESTION);
    await advance(time, blockedMs - 1);
    assertEquals(held.calls.length, 1);
    await advance(time, 1);
    assertEquals(held.calls.length, 2);
  }
});

Deno.test("createModelLimiter() reads the delay from errors of every kind, and ignores invalid delays", async () => {
  const delays = [[7000, 7000], [-1, 0], [NaN, 0], ["7000", 0]] as const;
  for (const [retryAfterMs, blockedMs] of delays) {
    for (const error of [new Error("busy"), AgentError.modelError("busy"), {}]) {
      using time = new FakeTime();
      const { held, model } = limited({});
      const fail = async (delay: unknown): Promise<void> => {
        const failed = model.generate(QUESTION).catch(() => {});
        await time.runMicrotasks();
        held.calls.at(-1)?.reject(Object.assign(error, { retryAfterMs: delay }));
        await failed;
      };
      await fail(retryAfterMs);
      model.generate(QUESTION);
      await advance(time, Math.max(blockedMs - 1, 0));
      assertEquals(held.calls.length, blockedMs === 0 ? 2 : 1, `${retryAfterMs}`);
      await advance(time, 1);
      assertEquals(held.calls.length, 2);
      // A later delay is not ignored.
      await fail(500);
      model.generate(QUESTION);
      await advance(time, 499);
      assertEquals(held.calls.length, 3);
      await advance(time, 1);
      assertEquals(held.calls.length, 4);
    }
  }
});

Deno.test("createModelLimiter() removes an aborted call from the queue, and rejects calls beyond maxQueued", async () => {
  using time = new FakeTime();
  const { held, limiter, model } = limited({ maxConcurrent: 1, maxQueued: 1 });
  const first = model.generate(QUESTION);
  const controller = new AbortController();
  const reason = new Error("no longer needed");
  const second = assertRejects(() => model.generate({ ...QUESTION, signal: controller.signal }));
  await time.runMicrotasks();
  const third = await assertRejects(() => model.generate(QUESTION), AgentError, "maxQueued");
  assertEquals(third.retryable, true);
  controller.abort(reason);
  assertStrictEquals(await second, reason);
  assertEquals(limiter.queued, 0);
  const late = () => model.generate({ ...QUESTION, signal: AbortSignal.abort(reason) });
  assertStrictEquals(await assertRejects(late), reason);
  held.calls[0]?.resolve(responseOf());
  await first;
  assertEquals([held.calls.length, limiter.active], [1, 0]);
});

Deno.test("createModelLimiter() limits streams, also if the consumer stops early or the stream fails", async () => {
  const limiter = createModelLimiter({ maxConcurrent: 1 });
  let mode: "finish" | "fail" = "finish";
  const model = limiter.limit({
    modelId: "m",
    generate: () => Promise.resolve(responseOf()),
    async *stream() {
      yield { type: "text-delta", delta: "ok" };
      if (mode === "fail") throw new Error("cut");
      yield { type: "finish", response: responseOf(3) };
    },
  });
  const stream = () => model.stream?.(QUESTION) ?? [];
  for await (const event of stream()) {
    assertEquals([event.type, limiter.active], ["text-delta", 1]);
    break;
  }
  assertEquals((await Array.fromAsync(stream())).length, 2);
  mode = "fail";
  await assertRejects(() => Array.fromAsync(stream()), Error, "cut");
  assertEquals([limiter.active, limiter.queued], [0, 0]);
  assertEquals("stream" in limiter.limit({ modelId: "n", generate: model.generate }), false);
});

Deno.test("createModelLimiter() rejects a call whose estimate is not a number of tokens", async () => {
  for (const estimate of [NaN, -1, Infinity]) {
    const { limiter, model } = limited({ estimateTokens: () => estimate });
    await assertRejects(() => model.generate(QUESTION), RangeError, "estimateTokens()");
    assertEquals([limiter.active, limiter.queued], [0, 0]);
  }
});

/** Clocks that the types do not permit, but that programs in JavaScript can pass. */
const INVALID_CLOCKS: readonly (() => unknown)[] = [
  () => {
    throw new TypeError('no "now()"');
  },
  ...[NaN, Infinity, -Infinity, null, undefined, "100000"].map((time) => () => time),
];

Deno.test("createModelLimiter() starts no call while the clock is invalid", async () => {
  for (const invalid of INVALID_CLOCKS) {
    using time = new FakeTime();
    let clock: () => unknown = () => time.now;
    const now = (): number => clock() as number;
    const { held, limiter, model } = limited({ callsPerMinute: 1, now });
    const first = model.generate(QUESTION);
    await time.runMicrotasks();
    // The timer of the waiting call reads the clock, and so does the end of the first call.
    const waiting = assertRejects(() => model.generate(QUESTION), TypeError, '"now()"');
    clock = invalid;
    await advance(time, 60_000);
    await waiting;
    await assertRejects(() => model.generate(QUESTION), TypeError, '"now()"');
    assertEquals([held.calls.length, limiter.active, limiter.queued], [1, 1, 0]);
    held.calls[0]?.resolve(responseOf(5));
    assertEquals((await first).usage?.totalTokens, 5);
    clock = () => time.now;
    const last = model.generate(QUESTION);
    await time.runMicrotasks();
    held.calls[1]?.resolve(responseOf());
    assertEquals([(await last).finishReason, limiter.active], ["stop", 0]);
  }
});

Deno.test("createModelLimiter() rejects invalid options and models", () => {
  const rows: readonly ModelLimiterOptions[] = [
    { maxConcurrent: 0 },
    { callsPerMinute: 1.5 },
    { tokensPerMinute: NaN },
    { maxQueued: -1 },
  ];
  for (const row of rows) assertThrows(() => createModelLimiter(row), RangeError);
  const misspelled = JSON.parse('{"maxConcurent":1}');
  assertThrows(() => createModelLimiter(misspelled), TypeError, "maxConcurrent");
  assertThrows(() => createModelLimiter().limit(JSON.parse("{}")), TypeError, "model");
});

Deno.test("createModelLimiter() never exceeds its limits, and starts every call in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ chars: fc.nat(200), ms: fc.nat(30_000), lasts: fc.nat(90_000) }),
        { minLength: 1, maxLength: 30 },
      ),
      async (calls) => {
        using time = new FakeTime();
        const limits = { maxConcurrent: 3, callsPerMinute: 5, tokensPerMinute: 120 };
        const starts: { at: number; tokens: number; id: number }[] = [];
        let active = 0;
        const limiter = createModelLimiter(limits);
        const model = limiter.limit({
          modelId: "m",
          generate: async ({ options: { seed = 0 }, messages }) => {
            const tokens = Math.ceil(
              JSON.parse(JSON.stringify(messages))[0].content[0].text.length / 4,
            );
            starts.push({ at: Date.now(), tokens, id: seed });
            const recent = starts.filter(({ at }) => at > Date.now() - 60_000);
            assertEquals(++active <= limits.maxConcurrent, true);
            assertEquals(recent.length <= limits.callsPerMinute, true);
            assertEquals(recent.reduce((sum, each) => sum + each.tokens, 0) <= 120, true);
            await sleep(calls[seed]?.lasts ?? 0, NEVER);
            active--;
            return responseOf(tokens);
          },
        });
        const works: Promise<unknown>[] = [];
        const callAll = async () => {
          for (const [seed, { chars, ms }] of calls.entries()) {
            works.push(model.generate({ ...requestOf(chars), options: { seed } }));
            await sleep(ms, NEVER);
          }
        };
        const calling = callAll();
        while (await time.nextAsync()) await time.runMicrotasks();
        await calling;
        await Promise.all(works);
        assertEquals(starts.map(({ id }) => id), calls.map((_, index) => index));
      },
    ),
    propertyRuns(25),
  );
});

Deno.test("createModelLimiter() counts the estimate if a model reports no valid usage", async () => {
  const usages: readonly unknown[] = [
    { inputTokens: 5, outputTokens: 5 },
    { inputTokens: 5, outputTokens: 5, totalTokens: -1_000_000 },
    { inputTokens: 5, outputTokens: 5, totalTokens: NaN },
    { totalTokens: "10" },
    { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    null,
    7,
    undefined,
  ];
  for (const usage of usages) {
    using time = new FakeTime();
    // The types do not permit these values, but models in JavaScript can report them.
    const response: ModelResponse = Object.assign(responseOf(), { usage });
    const held = new HeldModel();
    const limiter = createModelLimiter({ tokensPerMinute: 15, estimateTokens: () => 10 });
    const model: LanguageModel = limiter.limit({
      ...held,
      generate: () => held.generate(),
      stream: async function* () {
        await Promise.resolve();
        yield { type: "finish", response };
      },
    });
    const first = model.generate(QUESTION);
    await time.runMicrotasks();
    held.calls[0]?.resolve(response);
    assertStrictEquals(await first, response);
    const second = model.generate(QUESTION);
    await time.runMicrotasks();
    assertEquals([held.calls.length, limiter.queued], [1, 1]);
    await advance(time, 60_000);
    assertEquals([held.calls.length, limiter.queued], [2, 0]);
    held.calls[1]?.resolve(response);
    await second;
    await advance(time, 60_000);
    const events = await Array.fromAsync(model.stream?.(QUESTION) ?? []);
    assertEquals(events, [{ type: "finish", response }]);
  }
});
