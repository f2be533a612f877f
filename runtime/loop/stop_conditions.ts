/**
 * Stop conditions: when a run ends although the model wants to go on.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { isRecord } from "../shared/json.ts";
import { assertLimit } from "../shared/limits.ts";
import type { FinishReason, ModelMessage } from "../shared/model.ts";
import { AgentStopReason, type ToolLoopIteration } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";

/** What a stop condition may look at. The loop fills every field; the optional ones go beyond the specification. */
export interface LoopContext {
  /** The 0-based iteration that has just ended. */
  readonly iteration: number;
  /** Tokens used so far, sub-agents' included. */
  readonly totalUsage: TokenUsage;
  /** Why the model's last answer ended. */
  readonly lastFinishReason: FinishReason;
  /** How many tool calls the last iteration had. */
  readonly lastToolCallCount: number;
  /** All iterations so far. */
  readonly iterations?: readonly ToolLoopIteration[];
  /** How many tool calls all iterations had. */
  readonly totalToolCalls?: number;
  /** How long the run has been going on, in milliseconds, pauses not counted. */
  readonly elapsedMs?: number;
  /** The conversation so far. */
  readonly messages?: readonly ModelMessage[];
}

/** A condition that ends a run. */
export interface AgentStopCondition {
  /** Its name, reported as `stopConditionName`. */
  readonly name: string;
  /** The stop reason it gives a run. Default: `custom_condition`. */
  readonly reason?: AgentStopReason;
  /**
   * Says whether the run should end.
   *
   * @param context the run so far
   */
  check(context: LoopContext): boolean;
}

/** The condition that ended a run. */
export interface StopDecision {
  /** The stop reason. */
  readonly reason: AgentStopReason;
  /** The condition's name. */
  readonly conditionName: string;
}

/**
 * The first comes first: a natural end is never reported as a limit; then limits in the order of how hard they are. It is
 * the order in which the reasons are listed.
 */
const PRIORITY: readonly AgentStopReason[] = Object.values(AgentStopReason);

/**
 * Ends a run after so many iterations.
 *
 * @param max how many; a positive integer
 * @throws {RangeError} `max` is no positive integer
 *
 * @example Two iterations at most
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
  assertLimit("maxIterations", max, 1);
  return {
    name: "maxIterations",
    reason: AgentStopReason.MaxIterations,
    check: ({ iteration }) => iteration + 1 >= max,
  };
}

/**
 * Ends a run when its total tokens exceed a limit: more than `max`, not as many.
 *
 * @param max the limit; a number of tokens, 0 or more
 * @throws {RangeError} `max` is no such number
 *
 * @example Strictly more
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
  assertLimit("maxTotalTokens", max);
  return {
    name: "maxTotalTokens",
    reason: AgentStopReason.MaxTotalTokens,
    check: ({ totalUsage }) => totalUsage.totalTokens > max,
  };
}

/**
 * Ends a run when the model requested no tools. The loop always does so; the condition is for code that evaluates
 * conditions itself.
 *
 * @example No calls, no more work
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
 * Ends a run by a rule of the caller's own.
 *
 * @param name the condition's name
 * @param predicate says whether the run should end
 *
 * @example Stop after the first cut-off answer
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
): AgentStopCondition {
  return { name, reason: AgentStopReason.CustomCondition, check: predicate };
}

/**
 * Ends a run when the model keeps making the same calls: the same tools with the same inputs, several iterations in a
 * row.
 *
 * @param count how many equal iterations in a row are too many; 2 or more
 * @throws {RangeError} `count` is no such number
 *
 * @example Three times the same
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
 * Ends a run when one of these tools was called, after it was executed.
 *
 * @param names the tools
 *
 * @example A tool that hands in the answer
 * ```ts
 * import { hasToolCall } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(hasToolCall("submit").reason, "tool_stop");
 * ```
 */
export function hasToolCall(...names: readonly string[]): AgentStopCondition {
  return {
    name: "hasToolCall",
    reason: AgentStopReason.ToolStop,
    check: ({ iterations = [] }) =>
      iterations.at(-1)?.toolCalls.some(({ toolName }) => names.includes(toolName)) ?? false,
  };
}

/**
 * Ends a run when its tokens cost more than a limit.
 *
 * @param max the limit, in any unit of money
 * @param price what so many tokens cost, in the same unit
 * @throws {RangeError} `max` is no number of 0 or more
 *
 * @example A dollar
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
  assertLimit("maxCost", max);
  return {
    name: "maxCost",
    reason: AgentStopReason.BudgetExceeded,
    check: ({ totalUsage }) => price(totalUsage) > max,
  };
}

/**
 * Ends a run that has been going on for longer than a limit. Pauses do not count. It looks between iterations only: a
 * signal (`AbortSignal.timeout`) is what cuts work short.
 *
 * @param maxMs the limit, in milliseconds
 * @throws {RangeError} `maxMs` is no number of 0 or more
 *
 * @example A minute
 * ```ts
 * import { maxDuration } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(maxDuration(60_000).reason, "budget_exceeded");
 * ```
 */
export function maxDuration(maxMs: number): AgentStopCondition {
  assertLimit("maxDuration", maxMs);
  return {
    name: "maxDuration",
    reason: AgentStopReason.BudgetExceeded,
    check: ({ elapsedMs = 0 }) => elapsedMs > maxMs,
  };
}

/**
 * Ends a run once it has made so many tool calls. It looks between iterations: the calls of one answer are not cut.
 *
 * @param max how many; a positive integer
 * @throws {RangeError} `max` is no positive integer
 *
 * @example Twenty calls
 * ```ts
 * import { maxToolCalls } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(maxToolCalls(20).reason, "budget_exceeded");
 * ```
 */
export function maxToolCalls(max: number): AgentStopCondition {
  assertLimit("maxToolCalls", max, 1);
  return {
    name: "maxToolCalls",
    reason: AgentStopReason.BudgetExceeded,
    check: ({ totalToolCalls = 0 }) => totalToolCalls >= max,
  };
}

/**
 * Finds the condition that ends a run: they are checked in the order of priority, and the first that triggers counts.
 *
 * Decision: the priority is that of the reasons (natural end, iterations, tokens, budgets, repetition, tools, custom),
 * then the order of the list; later ones are not checked.
 *
 * @param context the run so far
 * @param conditions the conditions, in any order
 * @returns what triggered, or undefined
 * @throws {AgentError} code `core`: a check threw or did not answer with a boolean; ignoring it would disable a budget
 *
 * @example The natural end comes first
 * ```ts
 * import { evaluateStopConditions, maxIterations, modelStopsNaturally, NO_USAGE } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const context = { iteration: 9, totalUsage: NO_USAGE, lastFinishReason: "stop", lastToolCallCount: 0 } as const;
 * assertEquals(evaluateStopConditions(context, [maxIterations(10), modelStopsNaturally()]), {
 *   reason: "model_stop",
 *   conditionName: "modelStopsNaturally",
 * });
 * ```
 */
export function evaluateStopConditions(
  context: LoopContext,
  conditions: readonly AgentStopCondition[],
): StopDecision | undefined {
  return firstTriggered(context, byPriority(conditions));
}

/** Sorts conditions once, for a caller that evaluates them often. */
export function byPriority(
  conditions: readonly AgentStopCondition[],
): readonly AgentStopCondition[] {
  return [...conditions].sort((a, b) => priorityOf(a) - priorityOf(b));
}

/** Checks sorted conditions. */
export function firstTriggered(
  context: LoopContext,
  sorted: readonly AgentStopCondition[],
): StopDecision | undefined {
  for (const condition of sorted) {
    if (triggers(condition, context)) {
      return { reason: reasonFor(condition), conditionName: condition.name };
    }
  }
  return undefined;
}

function triggers(condition: AgentStopCondition, context: LoopContext): boolean {
  try {
    const answer: unknown = condition.check(context);
    if (typeof answer === "boolean") return answer;
    throw new TypeError("its check did not return a boolean");
  } catch (cause) {
    const text = `Cannot evaluate stop condition "${condition.name}": ${errorMessageOf(cause)}`;
    throw AgentError.core(text, { cause });
  }
}

function reasonFor(
  { reason = AgentStopReason.CustomCondition }: AgentStopCondition,
): AgentStopReason {
  return reason;
}

function priorityOf(condition: AgentStopCondition): number {
  // A reason that is not there comes last.
  return PRIORITY.indexOf(reasonFor(condition)) + 1 || Infinity;
}

function fingerprint({ toolCalls }: ToolLoopIteration): string {
  return JSON.stringify(
    toolCalls.map(({ toolName, input, rawInput }) => [toolName, input, rawInput]),
    sortKeys,
  );
}

/** Objects with their keys in order, so that key order makes no difference. */
function sortKeys(_key: string, value: unknown): unknown {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
