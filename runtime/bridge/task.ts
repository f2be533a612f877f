/**
 * Payloads of the `agent.task.v1` protocol, which an agent uses to send a task to another agent.
 *
 * @module
 */

import { isJsonValue, type JsonValue } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { AgentStopReason } from "../shared/output.ts";
import { formatValue } from "@parley/internal/format-value";

/** Payload of a request: a task for an agent. */
export type TaskRequest = {
  /**
   * Id of the task, unique among the tasks of the requester: 1 to 128 letters, digits, `_`, `-`,
   * `.` and `:`. A request with the id of an earlier task refers to that task and does not start a
   * new one.
   */
  readonly taskId: string;
  /** The task, as a user message; a non-empty string. */
  readonly content: string;
};

/** Payload of an update: the task is in progress. */
export type TaskUpdate = {
  /** Type of the update. */
  readonly type: "progress";
  /** Status of the agent's run: `queued`, `running` or `waiting`. */
  readonly status: string;
};

/**
 * Status of a response:
 *
 * - A stop reason of the run, such as `model_stop`. With `approval_pending` and `waiting`, the run
 *   has not ended, and `pending` lists the keys that the run waits for. A stop reason that is
 *   neither `approval_pending` nor `waiting` is final.
 * - `"failed"`: the run ended with an error.
 * - `"cancelled"`: the run was cancelled.
 * - `"rejected"`: the request is not a valid task, and no run was started.
 */
export type TaskStatus = AgentStopReason | "failed" | "cancelled" | "rejected";

/** Payload of a response. */
export type TaskResponse = {
  /** Outcome of the task, or its waiting state. */
  readonly status: TaskStatus;
  /** Final text of the run. `""` if the run has no final text or ended without a final answer. */
  readonly text: string;
  /** Final answer of a run with an `output` schema. Absent if there is no valid final answer. */
  readonly value?: JsonValue;
  /** Token usage of the run. Absent if the run has not ended or has failed. */
  readonly usage?: JsonValue;
  /** Keys that the run waits for. Absent unless `status` is `approval_pending` or `waiting`. */
  readonly pending?: readonly PendingKey[];
  /** Why the request was rejected. Absent unless `status` is `rejected`. */
  readonly reason?: string;
};

/**
 * A decision or a signal that a task waits for. Only the serving side can send the decision or the
 * signal.
 */
export type PendingKey = {
  /** Type of wait: the run waits for a decision on a tool call, or a tool waits for a signal. */
  readonly kind: "approval" | "signal";
  /** Key of the signal, for {@linkcode Runs.signal} on the serving side. */
  readonly key: string;
};

const TASK_ID = /^[\w.:-]{1,128}$/;

/** All values of {@linkcode TaskStatus}. */
const STATUSES: ReadonlySet<string> = new Set([
  ...Object.values(AgentStopReason),
  "failed",
  "cancelled",
  "rejected",
]);

/** Reads the payload of a request. Returns the task, or a description of the error. */
export function readTaskRequest(
  payload: unknown,
  maxContentChars: number,
): TaskRequest | string {
  if (!isRecord(payload)) return `the payload must be an object, got ${formatValue(payload)}`;
  const { content, taskId } = payload;
  if (typeof taskId !== "string" || !TASK_ID.test(taskId)) {
    return `"taskId" must be 1 to 128 letters, digits, "_", "-", "." and ":", got ${
      formatValue(taskId)
    }`;
  }
  if (typeof content !== "string" || content === "" || content.length > maxContentChars) {
    return `"content" must be a string of 1 to ${maxContentChars} characters`;
  }
  return { taskId, content };
}

/** Reads the payload of a response. Returns the response, or a description of the error. */
export function readTaskResponse(payload: unknown): TaskResponse | string {
  if (!isRecord(payload)) return `the payload must be an object, got ${formatValue(payload)}`;
  const { pending, reason, status, text, value } = payload;
  if (!isStatus(status)) return `"status" must be a task status, got ${formatValue(status)}`;
  if (typeof text !== "string") return `"text" must be a string, got ${formatValue(text)}`;
  const keys = Array.isArray(pending) ? pending.filter(isPendingKey) : [];
  return {
    status,
    text,
    ...isJsonValue(value) && { value },
    ...keys.length > 0 && { pending: keys },
    ...typeof reason === "string" && { reason },
  };
}

function isStatus(value: unknown): value is TaskStatus {
  return typeof value === "string" && STATUSES.has(value);
}

function isPendingKey(value: unknown): value is PendingKey {
  return isRecord(value) && typeof value.key === "string" &&
    (value.kind === "approval" || value.kind === "signal");
}
