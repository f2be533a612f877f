/**
 * In-memory task storage.
 *
 * @module
 */

import { assertCount, assertShare } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { Quota } from "@parley/internal/quota";
import { isTerminal } from "./task.ts";
import {
  FREE_CHARS,
  freeCharsOf,
  MAX_WAITING_SIGNALS,
  type StoredTaskSignal,
  type TaskLease,
  type TaskLeaseOptions,
  type TaskRecord,
  type TaskSignal,
  type TaskStore,
  type TaskWatcher,
  tooManySignals,
  tooManyTasks,
} from "./task_store.ts";

/** Options for {@linkcode memoryTaskStore}. */
export interface MemoryTaskStoreOptions {
  /**
   * Maximum number of stored tasks. When the store is full, expired tasks are discarded. If no
   * tasks have expired, new tasks are rejected.
   *
   * @default {1000}
   */
  readonly maxTasks?: number;
  /**
   * Maximum total size of all tasks, in characters of their serialized JSON. The same limit applies
   * to the total size of the signals that wait for tasks, such as input responses.
   *
   * @default {67_108_864}
   */
  readonly maxChars?: number;
  /**
   * Maximum share of `maxTasks` and `maxChars` per authenticated principal, greater than 0 and at
   * most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
}

const readOptions = optionsReader<MemoryTaskStoreOptions>("options")({
  maxTasks: withDefault(1000, assertCount),
  maxChars: withDefault(64 * 1024 * 1024, assertCount),
  maxSharePerPrincipal: withDefault(0.25, assertShare),
});

/**
 * Creates an in-memory task store. Tasks are lost when the process exits. Servers in one process
 * can share the store.
 *
 * @param options Limits for the store.
 * @throws {RangeError} If a limit is not a positive integer, or if `maxSharePerPrincipal` is not
 * greater than 0 and at most 1.
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
  return new MemoryTaskStore(options);
}

/** A serialized task, with its lease and its signals. */
interface StoredTask {
  readonly text: string;
  readonly expiresAt: number;
  readonly subject: string | undefined;
  readonly epoch: number;
  /**
   * Time when the lease expires, as a time of `performance.now()`, or `Infinity` if the task has
   * ended. If the system clock is changed, leases neither expire early nor last longer.
   */
  readonly leasedUntil: number;
  readonly signals: readonly TaskSignal[];
  /** Number of characters of the signals. */
  readonly signalChars: number;
}

const NO_SIGNALS: Pick<StoredTask, "signals" | "signalChars"> = { signals: [], signalChars: 0 };

class MemoryTaskStore implements TaskStore {
  readonly #stored = new Map<string, StoredTask>();
  readonly #watchers = new Set<TaskWatcher>();
  readonly #tasks: Quota;
  readonly #chars: Quota;
  readonly #signalChars: Quota;

  constructor(options: MemoryTaskStoreOptions) {
    const { maxTasks, maxChars, maxSharePerPrincipal } = readOptions(options);
    this.#tasks = new Quota(maxTasks, maxSharePerPrincipal);
    this.#chars = new Quota(maxChars, maxSharePerPrincipal);
    this.#signalChars = new Quota(maxChars, maxSharePerPrincipal);
  }

  // Functions of the interface return promises, so they must not throw synchronously.
  // deno-lint-ignore require-await
  async get(taskId: string): Promise<TaskRecord | undefined> {
    const entry = this.#stored.get(taskId);
    return entry && toRecord(entry);
  }

  // deno-lint-ignore require-await
  async set(record: TaskRecord, { leaseMs }: TaskLeaseOptions): Promise<boolean> {
    const { task, expiresAt, subject, epoch } = record;
    const { taskId, status } = task;
    const before = this.#stored.get(taskId);
    if (before === undefined ? epoch !== 0 : epoch !== before.epoch) return false;
    const waiting = isTerminal(status) || before === undefined ? NO_SIGNALS : before;
    this.#put(taskId, freeCharsOf(task), {
      text: JSON.stringify(record),
      expiresAt,
      subject,
      epoch,
      leasedUntil: isTerminal(status) ? Infinity : performance.now() + leaseMs,
      signals: waiting.signals,
      signalChars: waiting.signalChars,
    });
    for (const { onChange } of this.#watchers) onChange(taskId);
    return true;
  }

  // deno-lint-ignore require-await
  async renew(
    leases: readonly TaskLease[],
    { leaseMs }: TaskLeaseOptions,
  ): Promise<readonly string[]> {
    const leasedUntil = performance.now() + leaseMs;
    return leases.flatMap(({ taskId, epoch }) => {
      const entry = this.#stored.get(taskId);
      if (entry?.epoch !== epoch || entry.leasedUntil === Infinity) return [];
      this.#stored.set(taskId, { ...entry, leasedUntil });
      return [taskId];
    });
  }

  // deno-lint-ignore require-await
  async takeExpired(
    { limit, leaseMs }: TaskLeaseOptions & { readonly limit: number },
  ): Promise<readonly TaskRecord[]> {
    const now = performance.now();
    const expired = [...this.#stored].filter(([, { leasedUntil }]) => leasedUntil <= now);
    return expired.slice(0, limit).map(([taskId, entry]) => {
      const record = { ...toRecord(entry), epoch: entry.epoch + 1 };
      const text = JSON.stringify(record);
      this.#put(taskId, Infinity, {
        ...entry,
        text,
        epoch: record.epoch,
        leasedUntil: now + leaseMs,
      });
      return record;
    });
  }

  // deno-lint-ignore require-await
  async signal(taskId: string, signal: TaskSignal): Promise<boolean> {
    const entry = this.#stored.get(taskId);
    if (entry === undefined || entry.leasedUntil === Infinity) return false;
    if (entry.leasedUntil <= performance.now()) return false;
    const chars = JSON.stringify(signal).length;
    const hasCapacity = chars <= FREE_CHARS || this.#signalChars.has(chars, entry.subject);
    if (entry.signals.length >= MAX_WAITING_SIGNALS || !hasCapacity) throw tooManySignals();
    this.#signalChars.take(chars, entry.subject);
    this.#stored.set(taskId, {
      ...entry,
      signals: [...entry.signals, signal],
      signalChars: entry.signalChars + chars,
    });
    for (const { onSignal } of this.#watchers) onSignal(taskId);
    return true;
  }

  // deno-lint-ignore require-await
  async takeSignals(taskIds: readonly string[]): Promise<readonly StoredTaskSignal[]> {
    return taskIds.flatMap((taskId) => {
      const entry = this.#stored.get(taskId);
      if (entry === undefined || entry.signals.length === 0) return [];
      this.#signalChars.take(-entry.signalChars, entry.subject);
      this.#stored.set(taskId, { ...entry, ...NO_SIGNALS });
      return entry.signals.map((signal) => ({ taskId, signal }));
    });
  }

  // deno-lint-ignore require-await
  async watch({ onChange, onSignal }: TaskWatcher): Promise<() => Promise<void>> {
    const watcher = { onChange, onSignal };
    this.#watchers.add(watcher);
    return () => Promise.resolve(void this.#watchers.delete(watcher));
  }

  #put(taskId: string, freeChars: number, entry: StoredTask): void {
    const before = this.#stored.get(taskId);
    const isFree = before !== undefined && entry.text.length - before.text.length <= freeChars;
    if (!isFree) this.#makeCapacity(taskId, entry);
    this.#remove(taskId);
    this.#stored.set(taskId, entry);
    this.#tasks.take(1, entry.subject);
    this.#chars.take(entry.text.length, entry.subject);
    this.#signalChars.take(entry.signalChars, entry.subject);
  }

  #remove(taskId: string): void {
    const before = this.#stored.get(taskId);
    if (before === undefined) return;
    this.#tasks.take(-1, before.subject);
    this.#chars.take(-before.text.length, before.subject);
    this.#signalChars.take(-before.signalChars, before.subject);
    this.#stored.delete(taskId);
  }

  #makeCapacity(taskId: string, { text, subject }: StoredTask): void {
    const isFull = (): boolean => {
      const before = this.#stored.get(taskId);
      const more = text.length - (before?.text.length ?? 0);
      return !this.#chars.has(more, subject) ||
        (before === undefined && !this.#tasks.has(1, subject));
    };
    if (!isFull()) return;
    const now = Date.now();
    for (const [id, { expiresAt }] of this.#stored) if (expiresAt <= now) this.#remove(id);
    if (!isFull()) return;
    throw tooManyTasks();
  }
}

function toRecord({ text }: StoredTask): TaskRecord {
  // The store created this string by serializing a task record.
  return JSON.parse(text) as TaskRecord;
}
