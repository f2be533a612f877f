/**
 * Coordination of tasks between server processes that share a store: leases, signals and change
 * notifications.
 *
 * @module
 */

import { MAX_TIMER_MS, resolveWithin } from "@parley/internal/timers";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { TaskStatus } from "./task.ts";
import { type TaskRun, withState } from "./task_run.ts";
import type { TaskRecord, TaskStore } from "./task_store.ts";

/** Options for {@linkcode TaskCoordinator}. */
export interface TaskCoordinatorOptions {
  /** Store that the processes share. */
  readonly store: TaskStore;
  /** Maximum time until a task fails after its process exits, in milliseconds. */
  readonly leaseMs: number;
  /** Called with errors from the store, and with errors from handling signals. */
  readonly onError: (error: unknown) => void;
}

/** A subscription to tasks. */
export interface TaskListener {
  /** Ids of the tasks that the client subscribes to. */
  readonly taskIds: ReadonlySet<string>;
  /** Called with the id of a task after each change. */
  readonly onChange: (taskId: string) => void;
}

/** Number of lease renewals per `leaseMs`. */
const BEATS = 4;

/** Maximum number of tasks of dead processes that one renewal marks as failed. */
const MAX_TAKEN = 100;

/**
 * Tracks the tasks that run in this process, and the subscriptions to tasks in all processes.
 *
 * Leases are renewed by a timer of its own, whose delay does not depend on the system clock. If the
 * clock is set back, the leases are still renewed in time.
 */
export class TaskCoordinator {
  readonly #options: TaskCoordinatorOptions;
  readonly #runs = new Map<string, TaskRun>();
  readonly #listeners = new Set<TaskListener>();
  #watching: Promise<() => Promise<void>> | undefined;
  #beating: Promise<void> | undefined;
  /**
   * End of the period in which leases are checked even without tasks and subscriptions, as a time
   * of `performance.now()`.
   */
  #checkUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /**
   * Creates a coordinator without tasks or subscriptions. The store is used only while there are
   * tasks or subscriptions.
   */
  constructor(options: TaskCoordinatorOptions) {
    this.#options = options;
  }

  /** Duration of leases in the store. A lease that is not renewed is detected within `leaseMs`. */
  get storedLeaseMs(): number {
    return Math.ceil(this.#options.leaseMs * (BEATS - 1) / BEATS);
  }

  /** Tasks that run in this process. */
  get runs(): readonly TaskRun[] {
    return [...this.#runs.values()];
  }

  /** Returns the task if it runs in this process. */
  find(taskId: string): TaskRun | undefined {
    return this.#runs.get(taskId);
  }

  /** Adds a task that runs in this process. */
  add(run: TaskRun): void {
    this.#runs.set(run.taskId, run);
    // Without a watcher, signals arrive with the next lease renewal.
    this.watch().catch(this.#options.onError);
    this.#start();
  }

  /** Removes a task that has ended. */
  remove(run: TaskRun): void {
    this.#runs.delete(run.taskId);
    this.#stopIfIdle();
  }

  /**
   * Checks the leases of other processes for a limited time, because a client is waiting for one of
   * their tasks.
   */
  checkLeases(): void {
    this.#checkUntil = performance.now() + 2 * this.#options.leaseMs;
    this.#start();
  }

  /** Adds a subscription. Returns a function that removes the subscription. */
  listen(listener: TaskListener): () => void {
    this.#listeners.add(listener);
    this.#start();
    return () => {
      this.#listeners.delete(listener);
      this.#stopIfIdle();
    };
  }

  /**
   * Resolves once changes and signals from other processes are being received.
   *
   * @throws The store's error. The next call to `watch()` tries again.
   */
  async watch(): Promise<void> {
    if (this.#isClosed) return;
    this.#watching ??= this.#options.store.watch({
      onChange: (taskId) => this.#onChange(taskId),
      onSignal: (taskId) => {
        if (this.#runs.has(taskId)) this.#deliver([taskId]).catch(this.#options.onError);
      },
    });
    const current = this.#watching;
    try {
      await current;
    } catch (error) {
      if (this.#watching === current) this.#watching = undefined;
      throw error;
    }
  }

  /** Stops the lease renewal and the store's watcher. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.#beating;
    const stop = async (): Promise<void> => {
      const unwatch = await this.#watching?.catch(() => undefined);
      await unwatch?.();
    };
    await resolveWithin(stop(), this.#options.leaseMs);
  }

  #start(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    const ms = Math.max(1, Math.floor(this.#options.leaseMs / BEATS));
    this.#timer = setTimeout(() => this.#fire(), Math.min(ms, MAX_TIMER_MS));
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #stopIfIdle(): void {
    const isIdle = this.#runs.size === 0 && this.#listeners.size === 0;
    if (isIdle && performance.now() >= this.#checkUntil) this.#stop();
  }

  /** Renews the leases, and marks tasks of dead processes as failed. */
  #fire(): void {
    this.#stop();
    this.#start();
    this.#stopIfIdle();
    this.#beating ??= this.#boundedBeat()
      .catch(this.#options.onError)
      .finally(() => this.#beating = undefined);
  }

  /**
   * A call to the store that never ends must not prevent later renewals, nor keep `close()` from
   * ending.
   */
  async #boundedBeat(): Promise<void> {
    const { leaseMs } = this.#options;
    const beat = this.#beat().then(() => true);
    if (await resolveWithin(beat, leaseMs) === true) return;
    throw new Error(`Cannot renew the leases of tasks: the store did not respond in ${leaseMs} ms`);
  }

  /** One failure must not delay the other steps, nor the other tasks. */
  async #beat(): Promise<void> {
    const { onError } = this.#options;
    await this.#renew().catch(onError);
    const { store } = this.#options;
    const taken = await store.takeExpired({ limit: MAX_TAKEN, leaseMs: this.storedLeaseMs });
    await Promise.all(taken.map((record) => this.#fail(record).catch(onError)));
  }

  async #renew(): Promise<void> {
    const leases = this.runs.flatMap(({ lease }) => lease ?? []);
    if (leases.length === 0) return;
    const { store } = this.#options;
    const held = new Set(await store.renew(leases, { leaseMs: this.storedLeaseMs }));
    for (const { taskId } of leases) if (!held.has(taskId)) this.#runs.get(taskId)?.abandon();
    await this.#deliver([...held]);
  }

  /** Marks the task of a dead process as failed. */
  async #fail(record: TaskRecord): Promise<void> {
    const message = "The process that ran the task has ended";
    const error = { code: RpcErrorCode.InternalError, message };
    const failed = withState(record, { status: TaskStatus.Failed, error }, message);
    await this.#options.store.set(failed, { leaseMs: this.storedLeaseMs });
  }

  async #deliver(taskIds: readonly string[]): Promise<void> {
    for (const { taskId, signal } of await this.#options.store.takeSignals(taskIds)) {
      // A signal for a task that has ended in the meantime has no effect.
      await this.#runs.get(taskId)?.handle(signal).catch(this.#options.onError);
    }
  }

  #onChange(taskId: string): void {
    for (const { taskIds, onChange } of this.#listeners) {
      if (taskIds.has(taskId)) onChange(taskId);
    }
  }
}
