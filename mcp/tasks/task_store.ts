/**
 * Where a server keeps its tasks.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { assertLimit, assertShare } from "../server/server_config.ts";
import { Quota } from "../server/quota.ts";
import type { Task } from "./task.ts";

/** A task, as it is kept. It is JSON all through. */
export interface TaskRecord {
  /** The task, as clients see it. */
  readonly task: Task;
  /** Whose it is; absent where nobody logs in. */
  readonly subject?: string;
  /** Until when it is kept, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Where tasks are kept. A store outside of the process lets others tell how a task stands, and keeps results over a
 * restart; the work itself, answers and cancellation stay with the process that does it: `Mcp-Name` leads there.
 */
export interface TaskStore {
  /** Finds a task by its id. One that has expired may be found or not. */
  get(taskId: string): Promise<TaskRecord | undefined>;
  /** Keeps a task, or what has become of it. From then on, `get` finds it. */
  set(record: TaskRecord): Promise<void>;
}

/** How much a {@linkcode memoryTaskStore} keeps. */
export interface MemoryTaskStoreOptions {
  /** How many tasks it keeps. Those that have not expired are never given up: new ones are refused. Default 1000. */
  readonly maxTasks?: number;
  /** How many characters they may have together, as JSON. Default 64 Mi. */
  readonly maxChars?: number;
  /** How much of both one principal may have, where they are known, from 0 to 1. Default a quarter. */
  readonly maxSharePerPrincipal?: number;
}

/** A task in memory. */
interface StoredTask {
  readonly text: string;
  readonly expiresAt: number;
  readonly subject: string | undefined;
}

/**
 * A store in memory: it ends with the process.
 *
 * @param options its limits
 * @throws {RangeError} when a limit is not a positive integer, or a share is none
 *
 * @example Keep few tasks
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
  assertShare(maxSharePerPrincipal);
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
      // This is what `put` has written.
      return Promise.resolve(text === undefined ? undefined : JSON.parse(text) as TaskRecord);
    },
    set: (record) => new Promise((resolve) => resolve(put(record))),
  };
}
