/**
 * Budgets in a store, which several processes share.
 *
 * @module
 */

import {
  assertNonNegative,
  assertOptionalFunction,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { int32From, integerFrom, withMethods } from "@parley/internal/option-checks";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { type PriceFunction, type PriceTable, toPriceFunction } from "../shared/prices.ts";
import { Budget, connectStore } from "./budget.ts";
import type { BudgetStore } from "./budget_store.ts";
import {
  type CallToEstimate,
  estimateCall,
  type EstimatedUsage,
  StoredAccount,
} from "./stored_account.ts";

/** Options for {@linkcode storedBudget}. Either `maxTokens` or `maxCost` is required. */
export interface StoredBudgetOptions {
  /**
   * Key of the budget in the store, such as `user:42`, or a function that returns the key. The
   * function is called before each model call, so a key that contains the date starts a new budget
   * each day.
   */
  readonly key: string | (() => string);
  /** Maximum number of tokens; a non-negative integer. */
  readonly maxTokens?: number;
  /** Maximum cost, in the currency of `prices`; 0 or greater. Stored in millionths. */
  readonly maxCost?: number;
  /**
   * Prices, as for {@linkcode BudgetLimits}. Required with `maxCost`. There must be a price for the
   * id of the called model and for the id that the provider reports.
   */
  readonly prices?: PriceTable | PriceFunction;
  /**
   * Returns the tokens to reserve for a model call. If a call uses more, the budget is exceeded by
   * the difference. If omitted, the input is estimated from the last call of the run and from the
   * length of the messages (3 characters per token), and the output is the `maxOutputTokens` of the
   * call or, if not set, 4096.
   */
  readonly estimate?: (call: CallToEstimate) => EstimatedUsage;
  /**
   * Time after which a reservation that was not settled counts as used, in milliseconds.
   *
   * @default {900_000}
   */
  readonly reservationMs?: number;
  /**
   * Timeout for a call to the store, in milliseconds. If the store does not respond in time, the
   * run fails.
   *
   * @default {10_000}
   */
  readonly timeoutMs?: number;
}

const readStoredBudgetOptions = optionsReader<StoredBudgetOptions>("options")({
  key: required((name, key) => {
    if (typeof key === "function" || typeof key === "string" && key !== "") return;
    rejectArgument(name, "a non-empty string or a function", key);
  }),
  maxTokens: integerFrom(0),
  maxCost: assertNonNegative,
  prices: (name, prices) => {
    if (typeof prices !== "function") assertRecord(name, prices);
  },
  estimate: withDefault(estimateCall, assertOptionalFunction),
  reservationMs: withDefault(900_000, int32From(1)),
  timeoutMs: withDefault(10_000, int32From(1)),
});

const assertStore = withMethods("a BudgetStore", ["reserve", "settle", "read"]);

/**
 * Creates a budget that all processes with the same store share, for example one for each user and
 * day. Before each model call, the estimated amount is reserved; after the call, the reservation is
 * replaced with the amount that was used. If the amount does not fit, the call is not made, and the
 * run ends with stop reason `budget_exceeded`. If the store fails, the run fails with code `core`.
 *
 * The amount of a call that is aborted, or whose process crashes, counts in full, because the
 * provider may charge for the call. A call that the provider rejects counts as 0. A call that is
 * replayed from a journal is not counted again. `used` contains only what this process has used.
 *
 * @param store Store of the budget.
 * @param options Key and limit.
 * @throws {TypeError} If `store` is not a store, an option has the wrong type, or not exactly one
 * of `maxTokens` and `maxCost` is set.
 * @throws {RangeError} If a limit or a time is out of range.
 *
 * @example Limit the tokens of a user per day
 * ```ts
 * import { memoryBudgetStore, storedBudget, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * // Several processes share a store in a database.
 * const store = memoryBudgetStore();
 * const key = () => `user:42/${new Date().toISOString().slice(0, 10)}`;
 * const budget = storedBudget(store, { key, maxTokens: 5_000 });
 * const usage = { inputTokens: 900, outputTokens: 100, totalTokens: 1_000 };
 * const model = scriptedModel([{ text: "Hello", usage }]);
 * const agent = new ToolLoopAgent({ name: "clerk", model, generateOptions: { maxOutputTokens: 4_500 } });
 * const first = await agent.run("Hi", { budget });
 * const second = await agent.run("Hi again", { budget });
 * assertEquals([first.stopReason, second.stopReason], ["model_stop", "budget_exceeded"]);
 * ```
 */
export function storedBudget(store: BudgetStore, options: StoredBudgetOptions): Budget {
  assertStore("store", store);
  const { estimate, key, maxCost, maxTokens, prices, reservationMs, timeoutMs } =
    readStoredBudgetOptions(options);
  if ((maxCost === undefined) === (maxTokens === undefined)) {
    throw new TypeError('Exactly one of "maxTokens" and "maxCost" must be set');
  }
  if (maxCost !== undefined && prices === undefined) {
    rejectArgument("prices", 'a price table or a function, because "maxCost" is set', prices);
  }
  const budget = new Budget(defined({ prices }));
  const limits = defined({ maxCost, maxTokens, priceOf: prices && toPriceFunction(prices) });
  const keyOf = typeof key === "string" ? () => key : key;
  const settings = { keyOf, limits, estimate, reservationMs, timeoutMs };
  connectStore(budget, new StoredAccount(store, settings));
  return budget;
}
