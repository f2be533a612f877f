/**
 * Controls for tasks: permitted behavior that differs from the Parley libraries' behavior.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";
import { type FaultRule, type Message, paramsOf, result } from "./fault_rule.ts";

/** Restricts a control to the task cases, in a protocol version that supports tasks. */
const CASES: FaultRule["cases"] = { revision: "2026-07-28", only: ["mcp/tasks/*"] };

/** Controls for tasks. A control is a harmless change, so no case may fail because of it. */
export const TASK_CONTROLS: readonly FaultRule[] = [
  {
    id: "other-tasks",
    title: "tasks never expire, have no poll interval, and have additional members",
    cases: CASES,
    answer: (message) =>
      isObject(message.result) && "taskId" in message.result
        ? [result(message, disguised(message.result))]
        : [message],
  },
  {
    id: "late-tasks",
    title: "a task reflects an input response or a cancellation one poll late",
    cases: CASES,
    answer: late(),
  },
];

/**
 * Returns a copy of the task with permitted differences, except that a short-lived task keeps its
 * `ttlMs`.
 */
function disguised({ pollIntervalMs: _, ...task }: Message): Message {
  const { ttlMs, createdAt, statusMessage = "At it" } = task;
  return {
    ...task,
    ttlMs: Number(ttlMs) > 1000 ? null : ttlMs,
    createdAt: String(createdAt).replace("Z", "+00:00"),
    statusMessage,
    progress: { of: 1 },
  };
}

/**
 * Delays changes to a task by one `tasks/get` request: "The acknowledgement is eventually
 * consistent" (MCP Tasks).
 */
function late(): NonNullable<FaultRule["answer"]> {
  const seen = new Map<unknown, Message>();
  const changed = new Set<unknown>();
  return (message, { request = {} }) => {
    const { method } = request;
    const { taskId } = paramsOf(request);
    if (!isObject(message.result)) return [message];
    if (method === "tasks/update" || method === "tasks/cancel") changed.add(taskId);
    if (method !== "tasks/get") return [message];
    const before = seen.get(taskId);
    if (changed.delete(taskId) && before !== undefined) return [result(message, before)];
    seen.set(taskId, message.result);
    return [message];
  };
}
