/**
 * A queue that delivers runs to workers in the same process.
 *
 * @module
 */

import { backOff, type RunClock } from "./clock.ts";
import type {
  AgentAddress,
  QueueWorkOptions,
  RunAddress,
  RunDelivery,
  RunQueue,
  WakeOptions,
} from "./contracts.ts";
import { ReadyJobs } from "./ready_jobs.ts";

/** Delays between the attempts to execute a run. */
export interface RetryDelays {
  /** Delay after the first failed attempt, in milliseconds. The delay doubles with each attempt. */
  readonly retryDelayMs: number;
  /** Maximum delay, in milliseconds. */
  readonly maxRetryDelayMs: number;
}

/** A requested delivery. */
interface Job {
  readonly run: RunAddress;
  readonly id: string;
  readonly attempt: number;
}

interface Worker {
  readonly serves: ReadonlySet<string>;
  readonly handle: (runId: string, delivery: RunDelivery) => Promise<void>;
  readonly stopped: AbortController;
  free: number;
  /** Called when the worker is stopped and its last delivery has ended. */
  readonly onEnd: () => void;
  readonly concurrency: number;
}

/**
 * Delivers the runs of each party in the order of the requests. The parties take turns. Requests
 * are kept in memory.
 */
export class LocalQueue implements RunQueue, AsyncDisposable {
  readonly #clock: RunClock;
  readonly #delays: RetryDelays;
  /** Jobs that can be delivered. */
  readonly #ready: ReadyJobs<Job> = new ReadyJobs();
  /** Jobs scheduled for a later time, ordered by time. */
  readonly #later: { readonly job: Job; readonly dueAt: number }[] = [];
  /** Current deliveries, keyed by run id, with the jobs that wait for the delivery to end. */
  readonly #active: Map<string, { readonly dropped: AbortController; readonly jobs: Job[] }> =
    new Map();
  /**
   * Ids of the jobs that are waiting or being delivered. A request with the id of a waiting or
   * current job is ignored.
   */
  readonly #ids: Set<string> = new Set();
  readonly #workers: Set<Worker> = new Set();
  readonly #ends: Set<Promise<void>> = new Set();
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(clock: RunClock, delays: RetryDelays) {
    this.#clock = clock;
    this.#delays = delays;
  }

  async wake(run: RunAddress, { id, due }: WakeOptions): Promise<void> {
    await null;
    if (this.#isClosed || this.#ids.has(idOf(run, id))) return;
    this.#add({ run, id, attempt: 1 }, due?.getTime() ?? -Infinity);
  }

  async drop({ runId }: RunAddress): Promise<void> {
    await null;
    const isOther = (job: Job): boolean => job.run.runId !== runId;
    for (const job of this.#ready.remove((job) => !isOther(job))) this.#forget(job);
    const later = this.#later.splice(0);
    for (const entry of later) {
      if (isOther(entry.job)) this.#later.push(entry);
      else this.#forget(entry.job);
    }
    const active = this.#active.get(runId);
    for (const job of active?.jobs.splice(0) ?? []) this.#forget(job);
    active?.dropped.abort(new DOMException("The run was cancelled", "AbortError"));
    this.#schedule();
  }

  async work(
    agents: readonly AgentAddress[],
    { concurrency, signal }: QueueWorkOptions,
    handle: (runId: string, delivery: RunDelivery) => Promise<void>,
  ): Promise<void> {
    await null;
    if (this.#isClosed || signal?.aborted) return;
    let onEnd = (): void => {};
    const ended = new Promise<void>((resolve) => {
      onEnd = resolve;
    });
    const worker: Worker = {
      serves: new Set(agents.map(nameOf)),
      handle,
      stopped: new AbortController(),
      free: concurrency,
      concurrency,
      onEnd,
    };
    const stop = (): void => this.#stop(worker, signal?.reason);
    this.#workers.add(worker);
    this.#ends.add(ended);
    signal?.addEventListener("abort", stop, { once: true });
    this.#deliverDue();
    try {
      await ended;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#ends.delete(ended);
    }
  }

  /**
   * Stops the workers and waits for their deliveries. Jobs that have not been delivered are
   * discarded.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const reason = new DOMException("The engine was closed", "AbortError");
    for (const worker of [...this.#workers]) this.#stop(worker, reason);
    this.#schedule();
    await Promise.all(this.#ends);
  }

  #forget({ id, run }: Job): void {
    this.#ids.delete(idOf(run, id));
  }

  #add(job: Job, dueAt: number): void {
    this.#ids.add(idOf(job.run, job.id));
    if (dueAt <= this.#clock.now()) {
      this.#makeReady(job);
      this.#dispatch();
      return;
    }
    const index = this.#later.findLastIndex((other) => other.dueAt <= dueAt) + 1;
    this.#later.splice(index, 0, { job, dueAt });
    this.#schedule();
  }

  #makeReady(job: Job): void {
    const active = this.#active.get(job.run.runId);
    if (active !== undefined) {
      active.jobs.push(job);
      return;
    }
    this.#ready.add(nameOf(job.run), job);
  }

  /** Starts deliveries while there are jobs and free workers. */
  #dispatch(): void {
    for (const worker of this.#workers) {
      while (worker.free > 0 && !worker.stopped.signal.aborted) {
        const job = this.#take(worker.serves);
        if (job === undefined) break;
        this.#deliver(worker, job);
      }
    }
  }

  /** Removes and returns the first job that can be delivered. */
  #take(names: ReadonlySet<string>): Job | undefined {
    for (let job = this.#ready.take(names); job !== undefined; job = this.#ready.take(names)) {
      const active = this.#active.get(job.run.runId);
      if (active === undefined) return job;
      active.jobs.push(job);
    }
    return undefined;
  }

  #deliver(worker: Worker, job: Job): void {
    const { attempt, run: { runId } } = job;
    const dropped = new AbortController();
    this.#active.set(runId, { dropped, jobs: [] });
    worker.free--;
    const signal = AbortSignal.any([dropped.signal, worker.stopped.signal]);
    worker.handle(runId, { attempt, signal }).then(
      () => this.#end(worker, job),
      () => this.#end(worker, job, !dropped.signal.aborted),
    );
  }

  #end(worker: Worker, job: Job, hasFailed = false): void {
    const { runId } = job.run;
    const jobs = this.#active.get(runId)?.jobs ?? [];
    this.#active.delete(runId);
    this.#forget(job);
    for (const next of jobs) this.#makeReady(next);
    worker.free++;
    if (hasFailed && !this.#isClosed) this.#retry(worker, job);
    if (worker.stopped.signal.aborted && worker.free === worker.concurrency) worker.onEnd();
    this.#dispatch();
  }

  /**
   * Requests another attempt at a delivery that has failed. A failure caused by stopping the worker
   * does not count as an attempt.
   */
  #retry(worker: Worker, job: Job): void {
    const { maxRetryDelayMs, retryDelayMs } = this.#delays;
    if (worker.stopped.signal.aborted) return this.#add(job, -Infinity);
    const delayMs = backOff(job.attempt, retryDelayMs, maxRetryDelayMs);
    this.#add({ ...job, attempt: job.attempt + 1 }, this.#clock.now() + delayMs);
  }

  #stop(worker: Worker, reason: unknown): void {
    worker.stopped.abort(reason);
    this.#workers.delete(worker);
    if (worker.free === worker.concurrency) worker.onEnd();
    this.#schedule();
  }

  /** Sets the timer for the next job. Without workers, no timer is set, so the process can exit. */
  #schedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const [next] = this.#later;
    if (next === undefined || this.#workers.size === 0) return;
    this.#cancelTimer = this.#clock.after(next.dueAt - this.#clock.now(), () => this.#deliverDue());
  }

  /** Starts the deliveries that are due, and sets the timer for the next delivery. */
  #deliverDue(): void {
    const now = this.#clock.now();
    for (let [next] = this.#later; next && next.dueAt <= now; [next] = this.#later) {
      this.#later.shift();
      this.#makeReady(next.job);
    }
    this.#schedule();
    this.#dispatch();
  }
}

function nameOf({ agent, version }: AgentAddress): string {
  return JSON.stringify([agent, version]);
}

function idOf({ runId }: RunAddress, id: string): string {
  return JSON.stringify([runId, id]);
}
