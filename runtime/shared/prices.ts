/**
 * Costs of the tokens that models have used.
 *
 * @module
 */

import { assertFinite, assertNonNegative, assertRecord } from "@parley/internal/assert-argument";
import { assertNames, namesOf } from "@parley/internal/options";
import { reportRejection } from "@parley/internal/report-rejection";
import type { TokenUsage } from "./usage.ts";

/**
 * Price of a model, per million tokens, in any currency.
 *
 * @example Prices of a model with a cache
 * ```ts
 * import { costOf, type ModelPrice } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const price: ModelPrice = { input: 3, output: 15, cachedInput: 0.5, cacheWrite: 4 };
 * const usage = {
 *   inputTokens: 1_000_000, // 500,000 of them are neither read from nor written to the cache
 *   outputTokens: 100_000,
 *   totalTokens: 1_100_000,
 *   cachedInputTokens: 250_000,
 *   cacheWriteTokens: 250_000,
 * };
 * // 0.5 * 3 + 0.25 * 0.5 + 0.25 * 4 + 0.1 * 15
 * assertEquals(costOf({ "a-model": usage }, { "a-model": price }), 4.125);
 * ```
 */
export interface ModelPrice {
  /** Price of the input tokens, except those with a price of their own. */
  readonly input: number;
  /** Price of the output tokens, including reasoning. */
  readonly output: number;
  /** Price of input tokens that are read from the cache. If omitted, `input`. */
  readonly cachedInput?: number;
  /** Price of input tokens that are written to the cache. If omitted, `input`. */
  readonly cacheWrite?: number;
}

/**
 * Prices, keyed by model id. A key that ends with `*` matches all ids that start with the rest of
 * the key; the longest key applies. The key `*` matches all other models.
 *
 * @example Prices of a family and of one of its models
 * ```ts
 * import { costOf, type PriceTable } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const prices: PriceTable = {
 *   "gpt-5*": { input: 2, output: 10 },
 *   "gpt-5-nano*": { input: 0.5, output: 1 },
 * };
 * const usage = { inputTokens: 1_000_000, outputTokens: 0, totalTokens: 1_000_000 };
 * assertEquals(costOf({ "gpt-5-nano-2025-08-07": usage }, prices), 0.5);
 * ```
 */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/**
 * Returns the cost of the tokens that a model has used, for prices that a {@linkcode PriceTable}
 * cannot express, such as a higher price for long prompts.
 *
 * @example A local model without costs
 * ```ts
 * import { costOf, type PriceFunction } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const price: PriceFunction = (modelId, { outputTokens }) =>
 *   modelId === "qwen3" ? 0 : outputTokens / 1000;
 * const usage = { inputTokens: 10, outputTokens: 2000, totalTokens: 2010 };
 * assertEquals(costOf({ "qwen3": usage, "gpt-5": usage }, price), 2);
 * ```
 */
export type PriceFunction = (modelId: string, usage: TokenUsage) => number;

const PRICE_NAMES = namesOf<ModelPrice>({
  input: true,
  output: true,
  cachedInput: true,
  cacheWrite: true,
});

/** Number of tokens to which a price applies. */
const TOKENS_PER_PRICE = 1_000_000;

/**
 * Returns the cost of the tokens that models have used.
 *
 * The package contains no prices, because prices change often, and a wrong price would silently
 * change the result.
 *
 * @param usageByModel Token usage, keyed by model id, such as the `usageByModel` of a run's output.
 * @param prices Prices per million tokens, or a function that returns the cost of one model.
 * @throws {TypeError} If the table contains no price for a model, or an argument, a price or a cost
 * is not valid.
 * @throws {RangeError} If a price or a cost is negative.
 *
 * @example Add the costs of three models
 * ```ts
 * import { costOf } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const usageByModel = {
 *   "gpt-5-2026-01-01": { inputTokens: 500_000, outputTokens: 100_000, totalTokens: 600_000 },
 *   "claude-sonnet-4-5": { inputTokens: 1_000_000, outputTokens: 0, totalTokens: 1_000_000 },
 *   "qwen3": { inputTokens: 9_000, outputTokens: 1_000, totalTokens: 10_000 },
 * };
 * const cost = costOf(usageByModel, {
 *   "gpt-5*": { input: 2, output: 10 },
 *   "claude-*": { input: 3, output: 15 },
 *   "*": { input: 0, output: 0 },
 * });
 * assertEquals(cost, 5);
 * ```
 */
export function costOf(
  usageByModel: Readonly<Record<string, TokenUsage>>,
  prices: PriceTable | PriceFunction,
): number {
  assertRecord("usageByModel", usageByModel);
  const priceOf = toPriceFunction(prices);
  let sum = 0;
  for (const [modelId, usage] of Object.entries(usageByModel)) sum += priceOf(modelId, usage);
  return sum;
}

/**
 * Returns a function that applies prices, and that throws if there is no price for a model.
 *
 * @param at Name of the prices in errors.
 * @throws {TypeError} If the prices are not a function or a valid table.
 * @throws {RangeError} If a price in the table is negative.
 */
export function toPriceFunction(
  prices: PriceTable | PriceFunction,
  at = "prices",
): PriceFunction {
  const priceOf = typeof prices === "function" ? prices : priceFunctionOf(prices, at);
  return (modelId, usage) => {
    const cost: unknown = priceOf(modelId, usage);
    reportRejection(cost, () => {});
    assertCost(`the cost of model "${modelId}"`, cost);
    return cost;
  };
}

/** Checks a table, and returns a function that applies it. */
function priceFunctionOf(table: PriceTable, at: string): PriceFunction {
  assertRecord(at, table);
  const prices = Object.entries(table).map(([key, price]) => {
    const name = `${at}.${key}`;
    assertRecord(name, price);
    assertNames(name, price, PRICE_NAMES);
    const { input, output, cachedInput = input, cacheWrite = input } = price;
    const all = { input, output, cachedInput, cacheWrite };
    for (const [member, value] of Object.entries(all)) assertCost(`${name}.${member}`, value);
    return { key, price: all };
  });
  prices.sort((a, b) => b.key.length - a.key.length);
  return (modelId, usage) => {
    const found = prices.find(({ key }) => key === modelId) ??
      prices.find(({ key }) => key.endsWith("*") && modelId.startsWith(key.slice(0, -1)));
    if (found !== undefined) return costOfModel(usage, found.price);
    throw new TypeError(
      `"prices" must have a price for model "${modelId}"; add the model, or "*" for all other models`,
    );
  };
}

function costOfModel(
  { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 }: TokenUsage,
  { input, output, cachedInput, cacheWrite }: Required<ModelPrice>,
): number {
  const fresh = Math.max(inputTokens - cachedInputTokens - cacheWriteTokens, 0);
  const cost = fresh * input + cachedInputTokens * cachedInput + cacheWriteTokens * cacheWrite +
    outputTokens * output;
  return cost / TOKENS_PER_PRICE;
}

function assertCost(name: string, value: unknown): asserts value is number {
  assertFinite(name, value);
  assertNonNegative(name, value);
}
