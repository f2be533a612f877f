/**
 * Limits on what runs use together, and the amounts that they have used.
 *
 * @module
 */

import { assertNonNegative, assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { defined, isPlainObject } from "@parley/internal/json";
import { integerFrom } from "@parley/internal/option-checks";
import { type OptionsReader, optionsReader } from "@parley/internal/options";
import { type PriceFunction, type PriceTable, toPriceFunction } from "../shared/prices.ts";
import type { TokenUsage } from "../shared/usage.ts";

/**
 * Limits of a {@linkcode Budget}. A limit that is omitted does not apply. If a limit is used up,
 * the runs that use the budget end with stop reason `budget_exceeded`, and their
 * `stopConditionName` is the name of the limit, such as `budget.maxTokens`.
 */
export interface BudgetLimits {
  /**
   * Maximum number of tokens; a non-negative integer. The limit is checked before each model call,
   * so each agent that is calling a model at that time can exceed the limit by one call.
   */
  readonly maxTokens?: number;
  /**
   * Maximum cost, in the currency of `prices`; 0 or greater. The cost is checked before each model
   * call, as for `maxTokens`.
   */
  readonly maxCost?: number;
  /**
   * Maximum number of executed tool calls, including those of sub-agents; a non-negative integer.
   * Further calls are not executed, and their results have the code `not_started`.
   */
  readonly maxToolCalls?: number;
  /**
   * Maximum number of model calls; a non-negative integer. A call counts once, including its
   * retries.
   */
  readonly maxModelCalls?: number;
  /**
   * Maximum duration, in milliseconds; 0 or greater. Model calls and tool calls in progress are
   * aborted. The time does not pass while no run uses the budget, or while its runs are paused. A
   * resumed run starts with the whole duration.
   */
  readonly maxDurationMs?: number;
  /**
   * Prices per million tokens, keyed by the model id that the provider reports, or a function that
   * returns the cost of one model call. Required with `maxCost`. If a model has no price, every run
   * that uses the budget fails.
   */
  readonly prices?: PriceTable | PriceFunction;
}

/** Name of a limit of a budget. */
export type LimitName =
  | "maxTokens"
  | "maxCost"
  | "maxToolCalls"
  | "maxModelCalls"
  | "maxDurationMs";

/** Amounts that the runs with a budget have used. */
export interface BudgetUse {
  /** Token usage. */
  readonly usage: TokenUsage;
  /** Token usage, keyed by model id. */
  readonly usageByModel: Readonly<Record<string, TokenUsage>>;
  /** Cost, in the currency of `prices`. Absent if the budget has no prices. */
  readonly cost?: number;
  /** Number of tool calls that were executed. */
  readonly toolCalls: number;
  /** Number of model calls. */
  readonly modelCalls: number;
  /** Time during which runs have used the budget, in milliseconds. */
  readonly durationMs: number;
}

/** Limits after validation. */
export interface LimitSettings extends Omit<BudgetLimits, "prices"> {
  readonly priceOf?: PriceFunction;
}

const readLimits: OptionsReader<BudgetLimits, never> = optionsReader<BudgetLimits>("budget", {
  maxBudgetUsd: "maxCost",
  maxCalls: "maxModelCalls",
  maxTotalTokens: "maxTokens",
  timeoutMs: "maxDurationMs",
})({
  maxTokens: integerFrom(0),
  maxCost: assertNonNegative,
  maxToolCalls: integerFrom(0),
  maxModelCalls: integerFrom(0),
  maxDurationMs: assertNonNegative,
  prices: (name, prices) => {
    if (typeof prices !== "function") assertRecord(name, prices);
  },
});

/**
 * Reads the limits of a budget.
 *
 * @throws {TypeError} If there is an unknown limit, a limit is not a number, `maxCost` is set
 * without `prices`, or the prices are invalid.
 * @throws {RangeError} If a limit or a price is out of range.
 */
export function readBudgetLimits(limits: BudgetLimits, at?: string): LimitSettings {
  const { prices, ...settings } = readLimits(limits, at);
  const name = at ?? "budget";
  if (settings.maxCost !== undefined && prices === undefined) {
    const requirement = 'a price table or a function, because "maxCost" is set';
    rejectArgument(`${name}.prices`, requirement, prices);
  }
  const priceOf = prices && toPriceFunction(prices, `${name}.prices`);
  const read = defined({ ...settings, priceOf });
  // A map, or a budget of another copy of the package, has no limits as members.
  if (Object.keys(read).length === 0 && !isPlainObject(limits)) {
    rejectArgument(name, "limits or a Budget", limits);
  }
  return read;
}
