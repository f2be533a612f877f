/**
 * A queue for durable runs in an SQLite database that several processes use.
 *
 * @module
 */

import { backOff } from "../shared/back_off.ts";
import { type RunClock, systemClock } from "./clock.ts";
import type {
  AgentAddress,
  QueueWorkOptions,
  RunAddress,
  RunQueue,
  WakeOptions,
} from "./contracts.ts";
import type { RetryDelays } from "./local_queue.ts";
import { type DeliveryHandler, type QueueWorker, QueueWorkers } from "./queue_workers.ts";
import type { ClaimedDelivery, NextAttempt, SqliteDeliveries } from "./sqlite_deliveries.ts";

/** Number of renewals of a lease before it ends. */
const RENEWALS = 3;

/** Options for {@linkcode SqliteRunQueue}. */
export interface SqliteRunQueueOptions extends RetryDelays {
  /** Clock for due times and delays. */
  readonly clock: RunClock;
  /** Interval at which the queue reads whether another process has changed the database. */
  readonly pollIntervalMs: number;
  /** Time after which the deliveries of a process that does not renew them are repeated. */
  readonly leaseMs: number;
  /** Called with errors that do not reject a promise. */
  readonly onError: (error: unknown) => void;
}

/** A delivery in progress in this process. */
interface HeldDelivery {
  readonly n: number;
  readonly dropped: AbortController;
}

/** A delivery that has ended, which the table does not contain yet. */
interface EndedDelivery {
  readonly n: number;
  readonly next: NextAttempt | undefined;
}

/**
 * Delivers runs whose deliveries are requested in a table. A process claims a delivery for a
 * limited time, and renews the claim while the delivery is in progress. The journal's epochs, not
 * the claims, prevent two workers from writing to a run.
 */
export class SqliteRunQueue implements RunQueue, AsyncDisposable {
  readonly #deliveries: SqliteDeliveries;
  readonly #options: SqliteRunQueueOptions;
  readonly #workers: QueueWorkers = new QueueWorkers(() => this.#refresh());
  /** Deliveries in progress in this process, keyed by the numbers of their rows. */
  readonly #held: Map<number, HeldDelivery> = new Map();
  readonly #ended: EndedDelivery[] = [];
  /** Version of the database at the last poll. */
  #version = -1;
  /**
   * Time, by a clock that is never set, at which leases are renewed, and at which the leases of
   * other processes may have ended.
   */
  #renewAt = 0;
  /** Number of failures since the last success. */
  #failures = 0;
  #cancelPoll = (): void => {};
  #cancelDue = (): void => {};

  constructor(deliveries: SqliteDeliveries, options: SqliteRunQueueOptions) {
    this.#deliveries = deliveries;
    this.#options = options;
  }

  async wake(run: RunAddress, { due, id }: WakeOptions): Promise<void> {
    await null;
    if (this.#workers.isClosed) return;
    this.#deliveries.request(run, id, due);
    this.#refresh();
  }

  async drop({ runId }: RunAddress): Promise<void> {
    await null;
    this.#deliveries.transaction(() => this.#deliveries.drop(runId));
    this.#refresh();
  }

  async work(
    agents: readonly AgentAddress[],
    options: QueueWorkOptions,
    handle: DeliveryHandler,
  ): Promise<void> {
    await null;
    await this.#workers.work(agents, options, handle);
  }

  /** Stops the workers and waits for their deliveries. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workers.close();
    this.#refresh();
  }

  /**
   * Compares the deliveries of this process with the table, and starts deliveries. An error is
   * reported, and the call is repeated later.
   */
  #refresh(): void {
    let nextDue = Infinity;
    try {
      this.#abortLost();
      this.#exchange();
      nextDue = this.#findNextDue();
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      this.#options.onError(error);
    }
    this.#schedule(nextDue);
  }

  /** Aborts the deliveries that were dropped, or that another process has claimed. */
  #abortLost(): void {
    for (const { dropped, n } of this.#held.values()) {
      if (dropped.signal.aborted || !this.#deliveries.isLost(n)) continue;
      const reason = "The run was cancelled, or another process executes it";
      dropped.abort(new DOMException(reason, "AbortError"));
    }
  }

  /** Renews leases, ends deliveries and claims others, in one transaction. */
  #exchange(): void {
    const { leaseMs } = this.#options;
    const hasEnded = this.#ended.length > 0;
    const isDue = performance.now() >= this.#renewAt;
    const workers = this.#workers.list().filter(({ agents, free }) =>
      free > 0 && (hasEnded || this.#deliveries.hasNext(agents))
    );
    if (workers.length > 0 || hasEnded || isDue && this.#held.size > 0) {
      const claims = this.#deliveries.transaction(() => {
        if (isDue) { for (const n of this.#held.keys()) this.#deliveries.renew(n, leaseMs); }
        for (const { n, next } of this.#ended) this.#deliveries.end(n, next);
        return workers.flatMap((worker) => {
          const claimed = this.#deliveries.claim(worker.agents, { count: worker.free, leaseMs });
          return claimed.map((delivery) => [worker, delivery] as const);
        });
      });
      this.#ended.length = 0;
      for (const [worker, delivery] of claims) this.#deliver(worker, delivery);
    }
    if (isDue) this.#renewAt = performance.now() + leaseMs / RENEWALS;
  }

  /**
   * Returns the time at which a free worker can receive a delivery. When a delivery ends, its
   * worker looks for the next one anyway.
   */
  #findNextDue(): number {
    const free = this.#workers.list().filter((worker) => worker.free > 0);
    return this.#deliveries.nextDue(free.flatMap(({ agents }) => agents));
  }

  #deliver(worker: QueueWorker, delivery: ClaimedDelivery): void {
    const { attempt, n, runId } = delivery;
    const dropped = new AbortController();
    this.#held.set(n, { n, dropped });
    worker.deliver({ runId, attempt, dropped: dropped.signal }, (hasFailed) => {
      this.#held.delete(n);
      const isRepeated = hasFailed && !dropped.signal.aborted;
      this.#ended.push({ n, next: isRepeated ? this.#nextAttempt(worker, attempt) : undefined });
      this.#refresh();
    });
  }

  /** A failure caused by stopping the worker does not count as an attempt. */
  #nextAttempt({ stopped }: QueueWorker, attempt: number): NextAttempt {
    if (stopped.aborted) return { attempt, due: 0 };
    const { clock, maxRetryDelayMs, retryDelayMs } = this.#options;
    const delayMs = backOff(attempt, retryDelayMs, maxRetryDelayMs);
    return { attempt: attempt + 1, due: clock.now() + delayMs };
  }

  /**
   * Sets the timers for the next poll and the next delivery. Without workers and deliveries, no
   * timer is set, so the process can exit.
   */
  #schedule(nextDue: number): void {
    this.#cancelPoll();
    this.#cancelDue();
    if (this.#workers.list().length === 0 && this.#held.size === 0) return;
    this.#pollLater();
    if (nextDue === Infinity) return;
    const { clock } = this.#options;
    this.#cancelDue = clock.after(nextDue - clock.now(), () => this.#refresh());
  }

  /** The system clock is used, because other processes do not share the clock of a test. */
  #pollLater(): void {
    const { leaseMs, pollIntervalMs } = this.#options;
    const intervalMs = Math.min(pollIntervalMs, leaseMs / RENEWALS);
    const delayMs = backOff(this.#failures + 1, intervalMs, leaseMs);
    this.#cancelPoll = systemClock.after(delayMs, () => this.#poll());
  }

  /**
   * Refreshes the deliveries if another process has changed the database, or leases must be
   * renewed. Otherwise, only the version of the database is read.
   */
  #poll(): void {
    try {
      const version = this.#deliveries.version();
      if (version === this.#version && performance.now() < this.#renewAt) {
        this.#pollLater();
        return;
      }
      this.#version = version;
    } catch {
      // The next statement fails, too, and its error is reported.
    }
    this.#refresh();
  }
}
