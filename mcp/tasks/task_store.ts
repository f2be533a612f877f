/**
 * Task storage for servers.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { Task } from "./task.ts";

/** A stored task, whose members are JSON values. */
export interface TaskRecord {
  /** Task, as sent to clients. */
  readonly task: Task;
  /** Subject of the principal that owns the task, absent if requests are not authenticated. */
  readonly subject?: string;
  /**
   * Expiry time by the clock of the process that stores or reads the record, in milliseconds since
   * the epoch. A store that several processes share stores the remaining time, because their clocks
   * can differ.
   */
  readonly expiresAt: number;
  /**
   * Number of takeovers of the task: 0 for the process that created the task. A process whose epoch
   * is not the stored epoch can no longer change the task.
   */
  readonly epoch: number;
}

/** A process's claim to a task. */
export interface TaskLease {
  /** Task id. */
  readonly taskId: string;
  /** Epoch of the task when the process obtained the lease. */
  readonly epoch: number;
}

/**
 * A client's request that any process can receive, and that is passed to the process that runs the
 * task.
 */
export type TaskSignal =
  | { readonly kind: "cancel" }
  | { readonly kind: "input"; readonly inputResponses: JsonObject };

/** A stored signal. */
export interface StoredTaskSignal {
  /** Task id. */
  readonly taskId: string;
  /** Signal for the task. */
  readonly signal: TaskSignal;
}

/**
 * Callbacks of {@linkcode TaskStore.watch}. A store may call the callbacks late, repeatedly, and
 * for any task.
 */
export interface TaskWatcher {
  /** Called after a task has been stored. */
  readonly onChange: (taskId: string) => void;
  /** Called after a signal has been stored. */
  readonly onSignal: (taskId: string) => void;
}

/** Options for the functions of {@linkcode TaskStore} that lease tasks. */
export interface TaskLeaseOptions {
  /** Duration of the lease from now, in milliseconds, measured by the store's clock. */
  readonly leaseMs: number;
}

/**
 * A store for tasks, which several server processes can share. Each running task is leased to the
 * process that runs the task. If the process that runs a task exits, the lease expires, and another
 * process marks the task as failed. Signals carry the cancellation and the input responses that a
 * client sends to another process.
 *
 * `taskStoreChecks` from `@parley/mcp/testing` checks the rules that a store must follow.
 */
export interface TaskStore {
  /**
   * Returns the task with the given id, or `undefined` if it is unknown. The store may return an
   * expired task.
   */
  get(taskId: string): Promise<TaskRecord | undefined>;
  /**
   * Stores a new task, or the new state of a task, and leases the task unless it has ended.
   * Resolves to `false`, without a change, if the store contains the task with a different epoch,
   * or if the task is not new and the store does not contain it. Once `set` resolves, `get` must
   * return the new state.
   *
   * A store should limit the number and the size of tasks, in total and per subject, and reject if
   * a limit is exceeded. A task that fails or is cancelled must be stored even if a limit is
   * reached.
   */
  set(record: TaskRecord, options: TaskLeaseOptions): Promise<boolean>;
  /**
   * Extends the leases of running tasks. An expired lease is also extended, unless another process
   * has taken over the task. Resolves to the ids of the tasks whose leases were extended.
   */
  renew(leases: readonly TaskLease[], options: TaskLeaseOptions): Promise<readonly string[]>;
  /**
   * Takes over running tasks whose leases have expired: increments their epochs and leases them to
   * the caller. Each task is returned to only one caller. The store may delete tasks that have
   * passed `expiresAt`. A stored task that cannot be read is not returned, and must not prevent
   * other tasks from being returned.
   */
  takeExpired(
    options: TaskLeaseOptions & { readonly limit: number },
  ): Promise<readonly TaskRecord[]>;
  /**
   * Stores a signal. Resolves to `false`, without storing the signal, if no process runs the task:
   * the task is unknown or has ended, or its lease has expired.
   */
  signal(taskId: string, signal: TaskSignal): Promise<boolean>;
  /** Removes the signals for tasks from the store and returns them, oldest first. */
  takeSignals(taskIds: readonly string[]): Promise<readonly StoredTaskSignal[]>;
  /**
   * Calls a watcher when any process changes a task or stores a signal. Once the watcher is active,
   * resolves to a function that stops the calls.
   */
  watch(watcher: TaskWatcher): Promise<() => Promise<void>>;
}

/** Maximum number of signals waiting for one task. */
export const MAX_WAITING_SIGNALS = 100;

/**
 * Creates the error for a task with {@linkcode MAX_WAITING_SIGNALS} signals, or for a signal that
 * would exceed the limit on characters.
 */
export function tooManySignals(): McpError {
  return McpError.protocolError("Too many requests are waiting for the task", {
    rpcCode: RpcErrorCode.InternalError,
  });
}

/** Limits on the tasks in a store. */
export interface TaskLimits {
  /** Maximum number of stored tasks. */
  readonly maxTasks: number;
  /** Maximum total size of all tasks, in characters of their serialized JSON. */
  readonly maxChars: number;
  /** Maximum share of both limits per authenticated principal. */
  readonly maxSharePerPrincipal: number;
}

/**
 * Number of characters by which a task that fails or is cancelled may exceed the limits, and
 * maximum length of a signal that may exceed them.
 */
export const FREE_CHARS = 1024;

/**
 * Returns the number of characters by which a task may grow even if a limit is reached. A task must
 * be able to end, because a task that cannot end stays `working` until it expires.
 */
export function freeCharsOf({ status }: Task): number {
  return status === "failed" || status === "cancelled" ? FREE_CHARS : 0;
}

/** Creates the error for a task that would exceed a limit. */
export function tooManyTasks(): McpError {
  return McpError.protocolError("Too many tasks are stored", {
    rpcCode: RpcErrorCode.InternalError,
  });
}

/** Names of the functions in a store. */
export const TASK_STORE_FUNCTIONS: readonly (keyof TaskStore)[] = [
  "get",
  "set",
  "renew",
  "takeExpired",
  "signal",
  "takeSignals",
  "watch",
];
