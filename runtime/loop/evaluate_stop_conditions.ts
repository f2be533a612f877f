/**
 * Evaluation of stop conditions, by priority.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { reportRejection } from "@parley/internal/report-rejection";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { AgentStopReason } from "../shared/output.ts";
import type { CallerRun } from "./loop_control.ts";
import type { AgentStopCondition, LoopContext } from "./stop_conditions.ts";

/** The condition that ended a run. */
export interface StopDecision {
  /** Stop reason of the condition. */
  readonly reason: AgentStopReason;
  /** Name of the condition. */
  readonly conditionName: string;
  /**
   * Whether the model is called once more before the run ends. Absent if the condition does not
   * request a final model call.
   */
  readonly finalize?: true;
}

/**
 * Evaluates stop conditions by priority and returns the first one that triggers. Conditions after
 * the first triggered one are not evaluated.
 *
 * The stop reason determines the priority, in this order: a response without tool calls,
 * iterations, tokens, budgets, repetition, tools, custom. Conditions with the same stop reason are
 * evaluated in list order.
 *
 * @param context State of the run.
 * @param conditions Conditions, in any order.
 * @returns Stop reason and name of the condition that triggered, or `undefined` if no condition
 * triggered.
 * @throws {AgentError} With code `core` if `check` throws or does not return a boolean.
 *
 * @example A response without tool calls has the highest priority
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

/** Sorts conditions by priority. */
export function byPriority(
  conditions: readonly AgentStopCondition[],
): readonly AgentStopCondition[] {
  return [...conditions].sort((a, b) => priorityOf(a) - priorityOf(b));
}

/** Returns the decision of the first condition that triggers, in the given order. */
export function firstTriggered(
  context: LoopContext,
  sorted: readonly AgentStopCondition[],
): StopDecision | undefined {
  for (const condition of sorted) {
    if (triggers(condition, context)) {
      const decision = { reason: reasonFor(condition), conditionName: condition.name };
      return condition.finalize === true ? { ...decision, finalize: true } : decision;
    }
  }
  return undefined;
}

/**
 * Checks the limits of the runs whose tools have started a run.
 *
 * @param caller Run whose tool has started the run, if any.
 * @param context State of the run.
 */
export function firstTriggeredByCaller(
  caller: CallerRun | undefined,
  context: LoopContext,
): StopDecision | undefined {
  for (let run = caller; run !== undefined; run = run.control.caller) {
    if (run.sharedLimits === undefined) continue;
    const { conditions, usage } = run.sharedLimits;
    const decision = firstTriggered({
      ...context,
      totalUsage: usage.total,
      usageByModel: usage.byModel,
      elapsedMs: run.elapsedMs,
    }, conditions);
    if (decision) return { reason: decision.reason, conditionName: decision.conditionName };
  }
  return undefined;
}

function triggers(condition: AgentStopCondition, context: LoopContext): boolean {
  try {
    const result: unknown = condition.check(context);
    if (typeof result === "boolean") return result;
    reportRejection(result, () => {});
    throw new TypeError(`"check" must return a boolean, got ${formatValue(result)}`);
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

/**
 * All stop reasons, in descending order of priority. `model_stop` comes first, so that a run that
 * ended because the model requested no tool calls is never reported as stopped by a limit.
 */
export const PRIORITY: readonly AgentStopReason[] = [
  AgentStopReason.ModelStop,
  AgentStopReason.MaxIterations,
  AgentStopReason.MaxTotalTokens,
  AgentStopReason.BudgetExceeded,
  AgentStopReason.RepeatedToolCalls,
  AgentStopReason.ToolStop,
  AgentStopReason.CustomCondition,
  // The loop itself sets the following stop reasons; a custom condition may also use these reasons.
  AgentStopReason.OutputTruncated,
  AgentStopReason.ContentFiltered,
  AgentStopReason.OutputInvalid,
  AgentStopReason.ApprovalPending,
  AgentStopReason.Waiting,
  AgentStopReason.Aborted,
  AgentStopReason.Terminated,
];

function priorityOf(condition: AgentStopCondition): number {
  // Unknown stop reasons have the lowest priority.
  return PRIORITY.indexOf(reasonFor(condition)) + 1 || Infinity;
}
