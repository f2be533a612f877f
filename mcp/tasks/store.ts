/**
 * Where a server keeps its tasks.
 *
 * @module
 */

import { McpError } from "../error.ts";
import { RpcErrorCode } from "../rpc/codes.ts";
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
}

/**
 * A store in memory: it ends with the process.
 *
 * @param options its limits
 * @throws {RangeError} when a limit is not a positive integer
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
  const { maxTasks = 1000, maxChars = 64 * 1024 * 1024 } = options;
  for (const [name, value] of Object.entries({ maxTasks, maxChars })) {
    if (!(Number.isSafeInteger(value) && value >= 1)) {
      throw new RangeError(`Cannot make a store of tasks: ${name} is ${value}`);
    }
  }
  const kept = new Map<string, { readonly text: string; readonly expiresAt: number }>();
  let chars = 0;
  const remove = (taskId: string): void => {
    chars -= kept.get(taskId)?.text.length ?? 0;
    kept.delete(taskId);
  };
  const makeRoom = (taskId: string, size: number): void => {
    const isFull = (): boolean => {
      const before = kept.get(taskId);
      const count = before === undefined ? kept.size + 1 : kept.size;
      return count > maxTasks || chars - (before?.text.length ?? 0) + size > maxChars;
    };
    if (!isFull()) return;
    const now = Date.now();
    for (const [id, { expiresAt }] of kept) if (expiresAt <= now) remove(id);
    if (!isFull()) return;
    const rpcCode = RpcErrorCode.InternalError;
    throw McpError.protocolError("Too many tasks are kept", { rpcCode });
  };
  const put = (record: TaskRecord): void => {
    const { task: { taskId }, expiresAt } = record;
    const text = JSON.stringify(record);
    makeRoom(taskId, text.length);
    remove(taskId);
    kept.set(taskId, { text, expiresAt });
    chars += text.length;
  };
  return {
    get: (taskId) => {
      const text = kept.get(taskId)?.text;
      // This is what `put` has written.
      return Promise.resolve(text === undefined ? undefined : JSON.parse(text) as TaskRecord);
    },
    set: (record) => new Promise((resolve) => resolve(put(record))),
  };
}
