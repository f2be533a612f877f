/**
 * Types and readers for the tasks extension.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md Tasks}
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { InputRequest } from "../protocol/input_request.ts";
import type { ReadResult } from "../protocol/result_readers.ts";
import type { McpErrorObject } from "../jsonrpc/message.ts";

/** Identifier of the tasks extension. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Methods added by the tasks extension. */
export const TaskMethod = {
  /** Returns the state of a task. */
  Get: "tasks/get",
  /** Sends input responses to a task. */
  Update: "tasks/update",
  /** Cancels a task. */
  Cancel: "tasks/cancel",
} as const;

/**
 * Notification sent when a task changes. The notification's parameters contain the task in the same
 * form as the result of `tasks/get`.
 */
export const TASK_NOTIFICATION = "notifications/tasks";

/** Names of the parameters that contain the task id, keyed by method. */
export const TASK_NAME_KEYS: Readonly<Record<string, string>> = {
  [TaskMethod.Get]: "taskId",
  [TaskMethod.Update]: "taskId",
  [TaskMethod.Cancel]: "taskId",
};

/** Values of `status`. */
export const TaskStatus = {
  /** The task is running. */
  Working: "working",
  /** The task is waiting for input responses. */
  InputRequired: "input_required",
  /** The task ended with a result. A tool error is a result with `isError: true`. */
  Completed: "completed",
  /** The task ended with a JSON-RPC error. */
  Failed: "failed",
  /** The task was cancelled. */
  Cancelled: "cancelled",
} as const;

/** One of the values of {@linkcode TaskStatus}. */
export type TaskStatus = typeof TaskStatus[keyof typeof TaskStatus];

/** Members of a task that do not depend on its status. */
export interface TaskMetadata {
  /** Unguessable task id. */
  readonly taskId: string;
  /** User-facing description of the current state. */
  readonly statusMessage?: string;
  /** Creation time, as an ISO 8601 timestamp. */
  readonly createdAt: string;
  /** Time of the last change, as an ISO 8601 timestamp. */
  readonly lastUpdatedAt: string;
  /** Time to live after creation, in milliseconds. If `null`, the task does not expire. */
  readonly ttlMs: number | null;
  /** Recommended polling interval, in milliseconds. */
  readonly pollIntervalMs?: number;
}

/** Status of a task, with the members specific to that status. */
export type TaskState =
  | { readonly status: "working" }
  | {
    readonly status: "input_required";
    readonly inputRequests: Readonly<Record<string, InputRequest>>;
  }
  | { readonly status: "completed"; readonly result: JsonObject }
  | { readonly status: "failed"; readonly error: McpErrorObject }
  | { readonly status: "cancelled" };

/** A task, with its metadata and state. */
export type Task = TaskMetadata & TaskState;

/** Allowed next statuses, keyed by current status. A status with no next status is final. */
export const TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  working: ["working", "input_required", "completed", "failed", "cancelled"],
  input_required: ["input_required", "working", "completed", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

/** Returns `true` if the status is final. */
export function isTerminal(status: TaskStatus): boolean {
  return TRANSITIONS[status].length === 0;
}

/** State of a task received from a server. Input requests are not validated. */
export type ParsedTaskState =
  | Exclude<TaskState, { readonly status: "input_required" }>
  | { readonly status: "input_required"; readonly inputRequests: JsonObject };

/** A task received from a server. */
export type ParsedTask = TaskMetadata & ParsedTaskState;

/** Reads the result of `tasks/get`. */
export function readTask(value: JsonObject): ReadResult<ParsedTask> {
  const metadata = readTaskMetadata(value);
  if (!metadata.ok) return metadata;
  const state = readState(value);
  if (typeof state === "string") return invalid(state);
  return { ok: true, value: { ...metadata.value, ...state } };
}

/** Reads the metadata of a task. A result of type `task` contains only the metadata. */
export function readTaskMetadata(value: JsonObject): ReadResult<TaskMetadata> {
  const { taskId, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = value;
  if (typeof taskId !== "string" || taskId === "") {
    return invalid('"taskId" must be a non-empty string');
  }
  return {
    ok: true,
    value: {
      taskId,
      createdAt: typeof createdAt === "string" ? createdAt : "",
      lastUpdatedAt: typeof lastUpdatedAt === "string" ? lastUpdatedAt : "",
      ttlMs: typeof ttlMs === "number" ? ttlMs : null,
      ...(typeof pollIntervalMs === "number" ? { pollIntervalMs } : {}),
      ...(typeof statusMessage === "string" ? { statusMessage } : {}),
    },
  };
}

/** Reads the state of a task. If the state is invalid, returns the reason as a string. */
function readState(value: JsonObject): ParsedTaskState | string {
  const { status } = value;
  switch (status) {
    case TaskStatus.Working:
    case TaskStatus.Cancelled:
      return { status };
    case TaskStatus.InputRequired: {
      const { inputRequests } = value;
      return isRecord(inputRequests)
        ? { status, inputRequests }
        : '"inputRequests" must be an object';
    }
    case TaskStatus.Completed: {
      const { result } = value;
      return isRecord(result) ? { status, result } : '"result" must be an object';
    }
    case TaskStatus.Failed: {
      const { error } = value;
      return isErrorObject(error) ? { status, error } : '"error" must be a JSON-RPC error object';
    }
    default:
      return `unknown status ${JSON.stringify(status)}`;
  }
}

function isErrorObject(value: unknown): value is McpErrorObject {
  return isRecord(value) && typeof value.code === "number" && typeof value.message === "string";
}

function invalid(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
