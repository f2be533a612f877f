/**
 * Stop conditions, which can end a run even though the model has requested tool calls.
 *
 * @module
 */

import {
  assertCount,
  assertLimit,
  assertOptionalBoolean,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
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
 * Creates a condition that ends a run after the given number of iterations. The iterations of
 * sub-agents are not counted; the `maxModelCalls` of a {@linkcode Budget} counts them.
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

/**
 * Creates a condition that ends a run when the total number of tokens exceeds a limit. For models
 * that do not report their token usage, set {@linkcode LoopOptions.estimateUsage}.
 *
 * The condition is checked after each iteration of the run and of the sub-agents that its tools
 * start with their context. The condition does not include other runs, such as the steps of a
 * workflow and the turns of a session, and does not prevent the first model call of a sub-agent. A
 * {@linkcode Budget} includes these runs and is checked before each model call.
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
