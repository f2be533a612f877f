import { assertEquals, assertThrows } from "@std/assert";
import { costOf, type PriceTable } from "./prices.ts";
import type { TokenUsage } from "./usage.ts";

function usage(inputTokens: number, outputTokens: number, rest: object = {}): TokenUsage {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...rest };
}

Deno.test("costOf() applies the price of each kind of token", () => {
  const tokens = usage(1_000_000, 100_000, {
    cachedInputTokens: 400_000,
    cacheWriteTokens: 200_000,
    reasoningTokens: 50_000,
  });
  assertEquals(costOf({ m: tokens }, { m: { input: 2, output: 10 } }), 3);
  const price = { input: 2, output: 10, cachedInput: 0.25, cacheWrite: 2.5 };
  assertEquals(costOf({ m: tokens }, { m: price }), 0.8 + 0.1 + 0.5 + 1);
  assertEquals(costOf({}, {}), 0);
});

Deno.test("costOf() finds the price of a model: the exact id, then the longest beginning", () => {
  const prices: PriceTable = {
    "*": { input: 1, output: 0 },
    "gpt-5*": { input: 2, output: 0 },
    "gpt-5-mini*": { input: 3, output: 0 },
    "gpt-5-mini-2026": { input: 4, output: 0 },
    "constructor": { input: 5, output: 0 },
  };
  const rows = [
    ["gpt-5", 2],
    ["gpt-5-2026-01-01", 2],
    ["gpt-5-mini", 3],
    ["gpt-5-mini-2026", 4],
    ["gpt-4", 1],
    ["", 1],
    ["constructor", 5],
    ["__proto__", 1],
  ] as const;
  for (const [modelId, cost] of rows) {
    const usages = Object.fromEntries([[modelId, usage(1_000_000, 0)]]);
    assertEquals(costOf(usages, prices), cost, modelId);
  }
});

Deno.test("costOf() adds the results of a function", () => {
  const seen: unknown[] = [];
  const usages = { a: usage(1, 2), b: usage(3, 4) };
  const cost = costOf(usages, (modelId, { totalTokens }) => {
    seen.push(modelId);
    return totalTokens;
  });
  assertEquals([cost, seen], [10, ["a", "b"]]);
});

Deno.test("costOf() rejects a missing or invalid price", () => {
  const tokens = { "gpt-5": usage(1, 1) };
  const tables: readonly (readonly [unknown, ErrorConstructor, string])[] = [
    [{}, TypeError, 'a price for model "gpt-5"; add the model, or "*" for all other models'],
    [{ "gpt-4*": { input: 1, output: 1 } }, TypeError, '"gpt-5"'],
    [{ "gpt-5": { input: 1 } }, TypeError, "prices.gpt-5.output"],
    [{ "gpt-5": { input: -1, output: 1 } }, RangeError, "prices.gpt-5.input"],
    [{ "gpt-5": { input: NaN, output: 1 } }, TypeError, "prices.gpt-5.input"],
    [{ "gpt-5": { input: Infinity, output: 1 } }, TypeError, "prices.gpt-5.input"],
    [{ "gpt-5": { input: 1, output: 1, cacheRead: 1 } }, TypeError, "cacheRead"],
    [{ "gpt-5": 1 }, TypeError, "prices.gpt-5"],
    [null, TypeError, "prices"],
    [() => -1, RangeError, 'the cost of model "gpt-5"'],
    [() => NaN, TypeError, 'the cost of model "gpt-5"'],
    [() => undefined, TypeError, 'the cost of model "gpt-5"'],
    [() => Promise.resolve(1), TypeError, 'the cost of model "gpt-5"'],
    [() => Promise.reject(new Error("no price")), TypeError, 'the cost of model "gpt-5"'],
  ];
  for (const [prices, type, words] of tables) {
    // A JavaScript caller can pass any value.
    const table = Object.assign({ value: {} }, { value: prices }).value;
    assertThrows(() => costOf(tokens, table), type, words);
  }
});
