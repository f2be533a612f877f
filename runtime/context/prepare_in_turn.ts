/**
 * Combines several `prepareIteration` functions into one.
 *
 * @module
 */

import { messagesInView, toUserMessage, withoutSystemMessage } from "../loop/conversation.ts";
import type { IterationContext, IterationPlan, PrepareIteration } from "../loop/iteration_plan.ts";
import { assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { defined, isPlainObject } from "@parley/internal/json";
import type { UserTurn } from "../shared/model.ts";
import { addUsage, NO_USAGE } from "../shared/usage.ts";

/**
 * Combines several `prepareIteration` functions into one. The functions are called sequentially,
 * and their plans are merged:
 *
 * - A member of a later plan replaces the member with the same name in an earlier plan.
 * - The values of `append` are concatenated, the values of `usage` are added up, and the values of
 *   `generateOptions` are merged.
 * - After a plan with `stop`, no further functions are called.
 *
 * The context of each function contains the changes of the earlier plans to `model`, `history`,
 * `view` and `totalUsage`.
 *
 * @param steps `prepareIteration` functions to call, in order.
 * @throws {TypeError} If one of the arguments is not a function.
 *
 * @example Limit the tools, and append messages from a queue
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { prepareInTurn } from "@parley/runtime/context";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const inbox = ["Be quick"];
 * const output = await runToolLoop({
 *   model: scriptedModel([{ text: "Done" }]),
 *   registry: new ToolRegistry(),
 *   prepareIteration: prepareInTurn(
 *     () => ({ tools: [] }),
 *     () => ({ append: inbox.shift() }),
 *   ),
 * }, "Start");
 * assertEquals(output.messages.map(({ role }) => role), ["user", "user", "assistant"]);
 * ```
 */
export function prepareInTurn(...steps: readonly PrepareIteration[]): PrepareIteration {
  for (const [index, step] of steps.entries()) {
    if (typeof step !== "function") rejectArgument(`steps[${index}]`, "a function", step);
  }
  return async (context) => {
    let plan: IterationPlan | undefined;
    for (const step of steps) {
      const next = await step(plan === undefined ? context : contextAfter(context, plan));
      if (next === undefined) continue;
      assertRecord("plan", next);
      // Merging the plan would drop the members of any other object.
      if (!isPlainObject(next)) rejectArgument("plan", "a plain object", next);
      plan = plan === undefined ? next : merge(plan, next);
      if (plan.stop !== undefined) break;
    }
    return plan;
  };
}

/** Returns the context with a plan's changes applied. */
function contextAfter(context: IterationContext, plan: IterationPlan): IterationContext {
  const { agentName, path, runId, iteration, messages, tools, lastUsage, signal, reportError } =
    context;
  const history = plan.history ?? context.history;
  const [system] = messages;
  const body = plan.messages === undefined
    ? messagesInView(messages, history)
    : withoutSystemMessage(plan.messages);
  return {
    agentName,
    path,
    runId,
    iteration,
    messages,
    view: system?.role === "system" ? [system, ...body] : body,
    history,
    tools,
    model: plan.model ?? context.model,
    totalUsage: addUsage(context.totalUsage, plan.usage ?? NO_USAGE),
    lastUsage,
    signal,
    reportError,
  };
}

function merge(plan: IterationPlan, next: IterationPlan): IterationPlan {
  // A member that is `undefined` changes nothing, so it must not replace the member of the earlier
  // plan.
  return defined({
    ...plan,
    ...defined({ ...next }),
    append: appended(plan.append, next.append),
    usage: plan.usage && next.usage ? addUsage(plan.usage, next.usage) : next.usage ?? plan.usage,
    generateOptions: plan.generateOptions && next.generateOptions
      ? { ...plan.generateOptions, ...next.generateOptions }
      : next.generateOptions ?? plan.generateOptions,
  });
}

/** Joins two user turns into one. */
function appended(
  first: UserTurn | undefined,
  second: UserTurn | undefined,
): UserTurn | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return [...toUserMessage(first).content, ...toUserMessage(second).content];
}
