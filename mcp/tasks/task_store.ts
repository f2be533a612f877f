/**
 * Task storage for a server.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { assertLimit, assertShare } from "../shared/assert_argument.ts";
import { Quota } from "../shared/quota.ts";
import type { Task } from "./task.ts";

/** A stored task. All members are JSON values. */
export interface TaskRecord {
  /** Task, as sent to clients. */
  readonly task: Task;
  /** Subject of the principal that owns the task. Absent if requests are not authenticated. */
  readonly subject?: string;
  /** Expiry time, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * A store for tasks. With a store outside the process, results survive a restart, and other processes can handle
 * `tasks/get`. Input responses, cancellation and task notifications work only in the process that runs the task. In
 * another process, `tasks/update` and `tasks/cancel` fail with error -32603. Use the `Mcp-Name` header, which contains
 * the task id, to route requests to the process that runs the task.
 */
export interface TaskStore {
  /** Returns the task with the given id, or `undefined` if it is unknown. The store may return an expired task. */
  get(taskId: string): Promise<TaskRecord | undefined>;
  /**
   * Stores a new task, or the new state of an existing task. Once the promise resolves, `get` must return the new
   * state.
   */
  set(record: TaskRecord): Promise<void>;
}

/** Options for {@linkcode memoryTaskStore}. */
export interface MemoryTaskStoreOptions {
  /**
   * Maximum number of stored tasks. When the store is full, expired tasks are discarded. If none have expired, new
   * tasks are rejected.
   *
   * @default {1000}
   */
  readonly maxTasks?: number;
  /**
   * Maximum total size of all tasks, in characters of their serialized JSON.
   *
   * @default {67_108_864}
   */
  readonly maxChars?: number;
  /**
   * Maximum share of `maxTasks` and `maxChars` per authenticated principal, greater than 0 and at most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
}

/** A serialized task. */
interface StoredTask {
  readonly text: string;
  readonly expiresAt: number;
  readonly subject: string | undefined;
}

/**
 * Creates an in-memory task store. Tasks are lost when the process exits.
 *
 * @param options Limits for the store.
 * @throws {RangeError} If a limit is not a positive integer, or if `maxSharePerPrincipal` is not greater than 0 and at
 * most 1.
 *
 * @example Limit the number of stored tasks
 * ```ts
 * import { memoryTaskStore, serverTasks } from "@parley/mcp/tasks";
 * import { assertEquals } from "@std/assert";
 *
 * const jobs = serverTasks({ store: memoryTaskStore({ maxTasks: 10 }), ttlMs: 60_000 });
 * assertEquals(jobs.id, "io.modelcontextprotocol/tasks");
 * await jobs.close();
 * ```
 */
export function memoryTaskStore(options: MemoryTaskStoreOptions = {}): TaskStore {
  const { maxTasks = 1000, maxChars = 64 * 1024 * 1024, maxSharePerPrincipal = 0.25 } = options;
  assertLimit("maxTasks", maxTasks);
  assertLimit("maxChars", maxChars);
  assertShare("maxSharePerPrincipal", maxSharePerPrincipal);
  const stored = new Map<string, StoredTask>();
  const tasks = new Quota(maxTasks, maxSharePerPrincipal);
  const chars = new Quota(maxChars, maxSharePerPrincipal);
  const remove = (taskId: string): void => {
    const before = stored.get(taskId);
    if (before === undefined) return;
    tasks.take(-1, before.subject);
    chars.take(-before.text.length, before.subject);
    stored.delete(taskId);
  };
  const makeCapacity = (taskId: string, { text, subject }: StoredTask): void => {
    const isFull = (): boolean => {
      const before = stored.get(taskId);
      const more = text.length - (before?.text.length ?? 0);
      return !chars.has(more, subject) || (before === undefined && !tasks.has(1, subject));
    };
    if (!isFull()) return;
    const now = Date.now();
    for (const [id, { expiresAt }] of stored) if (expiresAt <= now) remove(id);
    if (!isFull()) return;
    const rpcCode = RpcErrorCode.InternalError;
    throw McpError.protocolError("Too many tasks are stored", { rpcCode });
  };
  const put = (record: TaskRecord): void => {
    const { task: { taskId }, expiresAt, subject } = record;
    const entry: StoredTask = { text: JSON.stringify(record), expiresAt, subject };
    makeCapacity(taskId, entry);
    remove(taskId);
    stored.set(taskId, entry);
    tasks.take(1, subject);
    chars.take(entry.text.length, subject);
  };
  return {
    get: (taskId) => {
      const text = stored.get(taskId)?.text;
      // `put` has created this text by serializing a task record.
      return Promise.resolve(text === undefined ? undefined : JSON.parse(text) as TaskRecord);
    },
    set: (record) => new Promise((resolve) => resolve(put(record))),
  };
}
