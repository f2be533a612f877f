/**
 * Tasks as they stand on the wire: what a call becomes that takes longer than a request should.
 *
 * @see {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md Tasks}
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { InputRequest } from "../protocol/input_request.ts";
import type { ReadResult } from "../protocol/result_readers.ts";
import type { McpErrorObject } from "../jsonrpc/message.ts";

/** The identifier of the extension. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** The methods of the extension. */
export const TaskMethod = {
  /** How far is a task? */
  Get: "tasks/get",
  /** Answers what a task asks. */
  Update: "tasks/update",
  /** A task is not wanted any more. */
  Cancel: "tasks/cancel",
} as const;

/** The notification that holds a task as `tasks/get` would give it. */
export const TASK_NOTIFICATION = "notifications/tasks";

/** The member of the parameters that names the task, by method. */
export const TASK_NAME_KEYS: Readonly<Record<string, string>> = {
  [TaskMethod.Get]: "taskId",
  [TaskMethod.Update]: "taskId",
  [TaskMethod.Cancel]: "taskId",
};

/** The values of `status`. */
export const TaskStatus = {
  /** The work goes on. */
  Working: "working",
  /** The work waits for answers of the client's side. */
  InputRequired: "input_required",
  /** There is a result, which may say that the tool failed. */
  Completed: "completed",
  /** There is a JSON-RPC error. */
  Failed: "failed",
  /** The client did not want it any more. */
  Cancelled: "cancelled",
} as const;

/** One of the values of {@linkcode TaskStatus}. */
export type TaskStatus = typeof TaskStatus[keyof typeof TaskStatus];

/** What every task says of itself. */
export interface TaskMetadata {
  /** Which task. Nobody can guess it. */
  readonly taskId: string;
  /** What is going on, for people. */
  readonly statusMessage?: string;
  /** When it began, in ISO 8601. */
  readonly createdAt: string;
  /** When it changed last, in ISO 8601. */
  readonly lastUpdatedAt: string;
  /** How long it is kept since it began, in milliseconds; `null` for ever. */
  readonly ttlMs: number | null;
  /** How often to ask for it, in milliseconds. */
  readonly pollIntervalMs?: number;
}

/** How a task stands, with what belongs to that. */
export type TaskState =
  | { readonly status: "working" }
  | {
    readonly status: "input_required";
    readonly inputRequests: Readonly<Record<string, InputRequest>>;
  }
  | { readonly status: "completed"; readonly result: JsonObject }
  | { readonly status: "failed"; readonly error: McpErrorObject }
  | { readonly status: "cancelled" };

/** A task: what it says of itself, and how it stands. */
export type Task = TaskMetadata & TaskState;

/** Where a task may go from where it is. To stay there is always possible until it has ended. */
export const TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  working: ["working", "input_required", "completed", "failed", "cancelled"],
  input_required: ["input_required", "working", "completed", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

/** Whether nothing comes after this. */
export function isTerminal(status: TaskStatus): boolean {
  return TRANSITIONS[status].length === 0;
}

/** How a task stands as its server tells it: whoever answers the questions looks at what they are. */
export type ParsedTaskState =
  | Exclude<TaskState, { readonly status: "input_required" }>
  | { readonly status: "input_required"; readonly inputRequests: JsonObject };

/** A task as its server tells it. */
export type ParsedTask = TaskMetadata & ParsedTaskState;

/** Reads a task as `tasks/get` gives it. */
export function readTask(value: JsonObject): ReadResult<ParsedTask> {
  const metadata = readTaskMetadata(value);
  if (!metadata.ok) return metadata;
  const state = readState(value);
  if (typeof state === "string") return invalid(state);
  return { ok: true, value: { ...metadata.value, ...state } };
}

/** Reads what every task says of itself, and more than that is not said when it begins. */
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

/** Reads how a task stands; a text says what is wrong. */
function readState(value: JsonObject): ParsedTaskState | string {
  const { status } = value;
  switch (status) {
    case TaskStatus.Working:
    case TaskStatus.Cancelled:
      return { status };
    case TaskStatus.InputRequired: {
      const { inputRequests } = value;
      return isJsonObject(inputRequests)
        ? { status, inputRequests }
        : '"inputRequests" must be an object';
    }
    case TaskStatus.Completed: {
      const { result } = value;
      return isJsonObject(result) ? { status, result } : '"result" must be an object';
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
  return isJsonObject(value) && typeof value.code === "number" && typeof value.message === "string";
}

function invalid(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
