/**
 * Converts the stop conditions in cases to `@parley/runtime` conditions.
 *
 * @module
 */

import {
  type AgentStopCondition,
  type BudgetLimits,
  customStop,
  hasToolCall,
  type LoopContext,
  maxIterations,
  maxTotalTokens,
  modelStopsNaturally,
  repeatedToolCalls,
} from "@parley/runtime";
import { BadArgs, type Fields, fieldsOf, type HostClient, isFields, textOf } from "./operation.ts";

/** Converts the stop conditions in a case to `@parley/runtime` conditions. */
export function toConditions(list: unknown, host: HostClient): readonly AgentStopCondition[] {
  if (!Array.isArray(list)) throw new BadArgs('"stop" must be an array');
  return list.filter((each) => !isToolCallLimit(each))
    .map((each: unknown) => toCondition(isFields(each) ? each : {}, host));
}

/**
 * Converts the budget of a configuration. A limit on tool calls is a condition in cases, and a
 * budget in this library.
 */
export function toBudget({ budget, stop }: Fields): BudgetLimits | undefined {
  const limit = Array.isArray(stop) ? stop.find(isToolCallLimit) : undefined;
  if (budget === undefined && limit === undefined) return undefined;
  // The cast is unchecked, because the library validates the limits.
  return { ...budget as BudgetLimits, ...limit };
}

function isToolCallLimit(condition: unknown): boolean {
  return isFields(condition) && condition.maxToolCalls !== undefined;
}

function toCondition(condition: Fields, host: HostClient): AgentStopCondition {
  if (condition.maxIterations !== undefined) return maxIterations(Number(condition.maxIterations));
  if (condition.maxTotalTokens !== undefined) {
    return maxTotalTokens(Number(condition.maxTotalTokens));
  }
  if (condition.modelStopsNaturally === true) return modelStopsNaturally();
  if (condition.repeatedToolCalls !== undefined) {
    return repeatedToolCalls(Number(condition.repeatedToolCalls));
  }
  if (Array.isArray(condition.toolCalled)) return hasToolCall(...condition.toolCalled.map(String));
  const custom = fieldsOf(condition, "custom");
  const answers: readonly unknown[] = Array.isArray(custom.answers) ? custom.answers : [];
  const name = textOf(custom, "name");
  let checks = 0;
  return customStop(name, (context) => {
    host.event("condition", { name, context: toContext(context) });
    const answer = answers[Math.min(checks++, answers.length - 1)];
    if (isFields(answer)) throw new Error(String(answer.throws));
    return answer === true;
  }, ...(condition.finalize === undefined ? [] : [{ finalize: condition.finalize === true }]));
}

/**
 * Returns the members of a context. `iterationCount` and `messageCount` represent the iterations
 * and the messages.
 */
function toContext({ iterations, messages, elapsedMs: _, ...context }: LoopContext): Fields {
  return { ...context, iterationCount: iterations?.length, messageCount: messages?.length };
}
