/**
 * Stop conditions, which can end a run even though the model has requested tool calls.
 *
 * @module
 */

import {
  assertCount,
  assertLimit,
  assertNonNegative,
  assertOptionalBoolean,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
import { reportRejection } from "@parley/internal/report-rejection";
import type { FinishReason, ModelMessage } from "../shared/model.ts";
import { AgentStopReason, type ToolLoopIteration } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/** Input for a stop condition. The loop sets all members, including the optional ones. */
export interface LoopContext {
  /** Index of the iteration that has just ended, starting at 0. */
  readonly iteration: number;
  /** Cumulative token usage of the run, including sub-agents. */
  readonly totalUsage: TokenUsage;
  /** Tokens used by each model, keyed by model id, including sub-agents. */
  readonly usageByModel?: Readonly<Record<string, TokenUsage>>;
  /** Finish reason of the last model response. */
  readonly lastFinishReason: FinishReason;
  /** Number of tool calls in the last iteration. */
  readonly lastToolCallCount: number;
  /** All finished iterations. */
  readonly iterations?: readonly ToolLoopIteration[];
  /** Number of tool calls in all iterations. */
  readonly totalToolCalls?: number;
  /** Time since the start of the run, excluding pauses, in milliseconds. */
  readonly elapsedMs?: number;
  /** The conversation, including the last iteration. */
  readonly messages?: readonly ModelMessage[];
}

/** A condition that ends a run. */
export interface AgentStopCondition {
  /** Name of the condition, reported as `stopConditionName`. */
  readonly name: string;
  /**
   * Stop reason of the run if the condition ends it.
   *
   * @default {"custom_condition"}
   */
  readonly reason?: AgentStopReason;
  /**
   * Whether the model is called once more before the condition ends the run. In the final model
   * call, the model cannot call the registered tools. The final model call does not change the stop
   * reason.
   *
   * @default {false}
   */
  readonly finalize?: boolean;
  /**
   * Whether the condition is also checked after each iteration of a sub-agent that a tool has
   * started with its context, with the usage and the time of the run. The other members of the
   * context describe the sub-agent, which ends with the stop reason of the condition.
   *
   * @default {false}
   */
  readonly includesSubAgents?: boolean;
  /**
   * Returns true if the run should end. Called after each iteration.
   *
   * @param context State of the run.
   */
  check(context: LoopContext): boolean;
}

/** Options for {@linkcode customStop}. */
export interface CustomStopOptions {
  /**
   * Whether the model is called once more to give its final answer before the condition ends the
   * run. In the additional call, the model cannot call the registered tools.
   *
   * @default {false}
   */
  readonly finalize?: boolean;
  /**
   * Whether the condition is also checked after each iteration of a sub-agent that a tool has
   * started with its context, with the usage and the time of the run.
   *
   * @default {false}
   */
  readonly includesSubAgents?: boolean;
}

const readCustomStopOptions = optionsReader<CustomStopOptions>("options")({
  finalize: withDefault(false, assertOptionalBoolean),
  includesSubAgents: withDefault(false, assertOptionalBoolean),
});

/**
 * Creates a condition that ends a run after the given number of iterations.
 *
 * @param max Maximum number of iterations; a positive integer.
 * @throws {RangeError} If `max` is not a positive integer.
 *
 * @example Limit a run to two iterations
 * ```ts
 * import { maxIterations, NO_USAGE } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * const context = { totalUsage: NO_USAGE, lastFinishReason: "tool-calls", lastToolCallCount: 1 } as const;
 * assert(!maxIterations(2).check({ ...context, iteration: 0 }));
 * assert(maxIterations(2).check({ ...context, iteration: 1 }));
 * ```
 */
export function maxIterations(max: number): AgentStopCondition {
  assertCount("maxIterations", max);
  return {
    name: "maxIterations",
    reason: AgentStopReason.MaxIterations,
    check: ({ iteration }) => iteration + 1 >= max,
  };
}

/** Names of the conditions that have no effect if a model does not report its token usage. */
export const USAGE_CONDITIONS: ReadonlySet<string> = new Set(["maxTotalTokens", "maxCost"]);

/**
 * Creates a condition that ends a run when the total number of tokens exceeds a limit. For models
 * that do not report their token usage, set {@linkcode LoopOptions.estimateUsage}.
 *
 * @param max Maximum number of tokens used by the run and its sub-agents; a non-negative integer.
 * @throws {RangeError} If `max` is not a non-negative integer.
 *
 * @example Continue a run while the token limit is not exceeded
 * ```ts
 * import { maxTotalTokens, NO_USAGE } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * const context = { iteration: 0, lastFinishReason: "tool-calls", lastToolCallCount: 1 } as const;
 * assert(!maxTotalTokens(10).check({ ...context, totalUsage: { ...NO_USAGE, totalTokens: 10 } }));
 * assert(maxTotalTokens(10).check({ ...context, totalUsage: { ...NO_USAGE, totalTokens: 11 } }));
 * ```
 */
export function maxTotalTokens(max: number): AgentStopCondition {
  assertLimit("maxTotalTokens", max, 0);
  return {
    name: "maxTotalTokens",
    reason: AgentStopReason.MaxTotalTokens,
    includesSubAgents: true,
    check: ({ totalUsage }) => totalUsage.totalTokens > max,
  };
}

/**
 * Creates a condition that ends a run when the model has requested no tool calls. The loop itself
 * ends a run when a response has no tool calls; `modelStopsNaturally()` is intended for code that
 * calls {@linkcode evaluateStopConditions} directly.
 *
 * @example Stop when a response contains no tool calls
 * ```ts
 * import { modelStopsNaturally, NO_USAGE } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * const context = { iteration: 0, totalUsage: NO_USAGE, lastFinishReason: "stop" } as const;
 * assert(modelStopsNaturally().check({ ...context, lastToolCallCount: 0 }));
 * ```
 */
export function modelStopsNaturally(): AgentStopCondition {
  return {
    name: "modelStopsNaturally",
    reason: AgentStopReason.ModelStop,
    check: ({ lastToolCallCount }) => lastToolCallCount === 0,
  };
}

/**
 * Creates a condition from a custom predicate. The stop reason is `custom_condition`.
 *
 * @param name Name of the condition.
 * @param predicate Returns true if the run should end.
 * @param options Whether the model is called once more, and whether the condition is also checked
 * in sub-agents.
 *
 * @throws {TypeError} If `name` is not a non-empty string, `predicate` is not a function, or an
 * option is unknown or not a boolean.
 *
 * @example Stop after the first truncated response
 * ```ts
 * import { customStop, NO_USAGE } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * const stop = customStop("cutOff", (context) => context.lastFinishReason === "length");
 * assert(stop.check({ iteration: 0, totalUsage: NO_USAGE, lastFinishReason: "length", lastToolCallCount: 1 }));
 * ```
 */
export function customStop(
  name: string,
  predicate: (context: LoopContext) => boolean,
  options: CustomStopOptions = {},
): AgentStopCondition {
  if (typeof name !== "string" || !name) rejectArgument("name", "a non-empty string", name);
  if (typeof predicate !== "function") rejectArgument("predicate", "a function", predicate);
  const settings = readCustomStopOptions(options);
  return { name, reason: AgentStopReason.CustomCondition, ...settings, check: predicate };
}

/**
 * Creates a condition that ends a run when consecutive iterations contain the same tool calls: the
 * same tools with the same inputs.
 *
 * @param count Number of consecutive iterations with the same tool calls after which the run ends;
 * an integer greater than 1 (default: 3).
 * @throws {RangeError} If `count` is not an integer of at least 2.
 *
 * @example Stop after three identical iterations
 * ```ts
 * import { repeatedToolCalls } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(repeatedToolCalls().name, "repeatedToolCalls");
 * ```
 */
export function repeatedToolCalls(count = 3): AgentStopCondition {
  assertLimit("repeatedToolCalls", count, 2);
  return {
    name: "repeatedToolCalls",
    reason: AgentStopReason.RepeatedToolCalls,
    check: ({ iterations = [], lastToolCallCount }) =>
      lastToolCallCount > 0 && iterations.length >= count &&
      new Set(iterations.slice(-count).map(fingerprint)).size === 1,
  };
}

/**
 * Creates a condition that ends a run after an iteration that contains a call to one of the given
 * tools.
 *
 * @param names Names of the tools.
 *
 * @throws {TypeError} If `names` is empty or contains a value that is not a string.
 *
 * @example End the run with a tool that submits the result
 * ```ts
 * import { hasToolCall } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(hasToolCall("submit").reason, "tool_stop");
 * ```
 */
export function hasToolCall(...names: readonly string[]): AgentStopCondition {
  if (names.length === 0) throw new TypeError('"names" must contain at least one tool name');
  for (const name of names) {
    if (typeof name !== "string") rejectArgument("names", "strings", name);
  }
  return {
    name: "hasToolCall",
    reason: AgentStopReason.ToolStop,
    check: ({ iterations = [] }) =>
      iterations.at(-1)?.toolCalls.some(({ toolName }) => names.includes(toolName)) ?? false,
  };
}

/**
 * Creates a condition that ends a run when the token cost exceeds a limit. All tokens have the same
 * price; for models with different prices, use {@linkcode customStop} with {@linkcode costOf}. For
 * models that do not report their token usage, set {@linkcode LoopOptions.estimateUsage}.
 *
 * @param max Maximum cost, in any currency; 0 or greater.
 * @param price Returns the cost of the given token usage, in the currency of `max`. If `price` does
 * not return a number, the run fails with code `core`, because the limit cannot be enforced.
 * @throws {RangeError} If `max` is negative or not a number.
 * @throws {TypeError} If `price` is not a function.
 *
 * @example Limit the cost to one dollar
 * ```ts
 * import { maxCost, NO_USAGE } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * const stop = maxCost(1, (usage) => usage.inputTokens * 3e-6 + usage.outputTokens * 15e-6);
 * const totalUsage = { ...NO_USAGE, outputTokens: 100_000 };
 * assert(stop.check({ iteration: 0, totalUsage, lastFinishReason: "tool-calls", lastToolCallCount: 1 }));
 * ```
 */
export function maxCost(max: number, price: (usage: TokenUsage) => number): AgentStopCondition {
  assertNonNegative("maxCost", max);
  if (typeof price !== "function") rejectArgument("price", "a function", price);
  return {
    name: "maxCost",
    reason: AgentStopReason.BudgetExceeded,
    includesSubAgents: true,
    check: ({ totalUsage }) => {
      const cost: unknown = price(totalUsage);
      reportRejection(cost, () => {});
      // NaN is never greater than the limit, so a price that is not a number would disable the
      // limit.
      if (typeof cost === "number" && !Number.isNaN(cost)) return cost > max;
      throw new TypeError(`"price" must return a number, got ${formatValue(cost)}`);
    },
  };
}

/**
 * Creates a condition that ends a run when its duration, excluding pauses, exceeds a limit. The
 * duration is checked after each iteration. To abort calls in progress, pass
 * `AbortSignal.timeout()` as the run's signal.
 *
 * @param maxMs Maximum duration, in milliseconds; 0 or greater.
 * @throws {RangeError} If `maxMs` is negative or not a number.
 *
 * @example Limit the duration to one minute
 * ```ts
 * import { maxDuration } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(maxDuration(60_000).reason, "budget_exceeded");
 * ```
 */
export function maxDuration(maxMs: number): AgentStopCondition {
  assertNonNegative("maxDuration", maxMs);
  return {
    name: "maxDuration",
    reason: AgentStopReason.BudgetExceeded,
    includesSubAgents: true,
    check: ({ elapsedMs = 0 }) => elapsedMs > maxMs,
  };
}

/**
 * Creates a condition that ends a run after the given number of tool calls. The number of calls is
 * checked after each iteration, so all calls in a model response are executed. Tool calls of
 * sub-agents are not counted.
 *
 * @param max Number of tool calls after which the run ends; a positive integer.
 * @throws {RangeError} If `max` is not a positive integer.
 *
 * @example Limit a run to twenty tool calls
 * ```ts
 * import { maxToolCalls } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(maxToolCalls(20).reason, "budget_exceeded");
 * ```
 */
export function maxToolCalls(max: number): AgentStopCondition {
  assertCount("maxToolCalls", max);
  return {
    name: "maxToolCalls",
    reason: AgentStopReason.BudgetExceeded,
    check: ({ totalToolCalls = 0 }) => totalToolCalls >= max,
  };
}

function fingerprint({ toolCalls }: ToolLoopIteration): string {
  return JSON.stringify(
    toolCalls.map(({ toolName, input, rawInput }) => [toolName, input, rawInput]),
    sortKeys,
  );
}

/** Sorts object keys, so inputs that differ only in key order are considered equal. */
function sortKeys(_key: string, value: unknown): unknown {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
