/**
 * Faults in servers that support tasks.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";
import { type FaultRule, type Message, onResult, paramsOf, result } from "./fault_rule.ts";

/** Faults in task messages, on both transports. */
const FAULTS: readonly FaultRule[] = [
  onResult(
    "wire-earlier-experimental-capability-declared",
    "the earlier experimental capability is also declared",
    "server/discover",
    (value) => ({
      ...value,
      capabilities: { ...(isObject(value.capabilities) ? value.capabilities : {}), tasks: {} },
    }),
  ),
  {
    id: "wire-experimental-parameter-task-rejected",
    title: "the experimental parameter `task` is rejected",
    answer: (message, { request = {} }) =>
      request.method === "tools/call" && "task" in paramsOf(request)
        ? [refused(message, "Unknown parameter")]
        : [message],
  },
  {
    id: "wire-completed-task-returned-once",
    title: "a completed task is returned only once",
    answer: shownOnce("completed"),
  },
  {
    id: "wire-task-input-request-returned-once",
    title: "a task's input request is returned only once",
    answer: shownOnce("input_required"),
  },
  {
    id: "wire-notification-cancels-request-cancels-task",
    title: "the notification that cancels a request also cancels its task",
    ...cancelledByNotification(),
  },
];

/** Faults in tasks. The file `wire_faults.json` lists the cases that detect each fault. */
export const TASK_FAULTS: readonly FaultRule[] = [
  ...FAULTS.map((rule): FaultRule => ({ ...rule, transports: ["stdio"] })),
  {
    id: "wire-mcp-name-header-task-request",
    title: "the Mcp-Name header of a task request is compared with a different value",
    transports: ["http"],
    http: {
      request: (headers, { message }) =>
        String(message?.method).startsWith("tasks/") ? { ...headers, "mcp-name": "tool" } : headers,
    },
  },
];

function refused({ id }: Message, message: string): Message {
  return { jsonrpc: "2.0", id, error: { code: -32602, message } };
}

function shownOnce(status: string): NonNullable<FaultRule["answer"]> {
  const shown = new Set<unknown>();
  return (message, { request = {} }) => {
    if (request.method !== "tasks/get" || !isObject(message.result)) return [message];
    const { taskId, status: current, inputRequests: _, ...rest } = message.result;
    if (current !== status || !shown.has(taskId)) {
      if (current === status) shown.add(taskId);
      return [message];
    }
    const isOver = status === "completed";
    const forgotten = { ...rest, taskId, status: "working" };
    return [isOver ? refused(message, "Unknown task") : result(message, forgotten)];
  };
}

function cancelledByNotification(): Pick<FaultRule, "answer" | "intercept"> {
  const tasks = new Map<unknown, unknown>();
  const cancelled = new Set<unknown>();
  return {
    intercept: (_line, message = {}) => {
      const { requestId } = paramsOf(message);
      if (message.method === "notifications/cancelled") cancelled.add(tasks.get(requestId));
      return undefined;
    },
    answer: (message) => {
      if (!isObject(message.result)) return [message];
      const { resultType, taskId } = message.result;
      if (resultType === "task") tasks.set(message.id, taskId);
      return [
        cancelled.has(taskId)
          ? result(message, { ...message.result, status: "cancelled" })
          : message,
      ];
    },
  };
}
