/**
 * A queue that delivers runs to workers in the same process.
 *
 * @module
 */

import { backOff } from "../shared/back_off.ts";
import type { RunClock } from "./clock.ts";
import type {
  AgentAddress,
  QueueWorkOptions,
  RunAddress,
  RunQueue,
  WakeOptions,
} from "./contracts.ts";
import { type DeliveryHandler, type QueueWorker, QueueWorkers } from "./queue_workers.ts";
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
  readonly #workers: QueueWorkers = new QueueWorkers(() => this.#deliverDue());
  #cancelTimer: (() => void) | undefined;

  constructor(clock: RunClock, delays: RetryDelays) {
    this.#clock = clock;
    this.#delays = delays;
  }

  async wake(run: RunAddress, { id, due }: WakeOptions): Promise<void> {
    await null;
    if (this.#workers.isClosed || this.#ids.has(idOf(run, id))) return;
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
    options: QueueWorkOptions,
    handle: DeliveryHandler,
  ): Promise<void> {
    await null;
    await this.#workers.work(agents, options, handle);
  }

  /**
   * Stops the workers and waits for their deliveries. Jobs that have not been delivered are
   * discarded.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workers.close();
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
    for (const worker of this.#workers.list()) {
      const served = new Set(worker.agents.map(nameOf));
      while (worker.free > 0) {
        const job = this.#take(served);
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

  #deliver(worker: QueueWorker, job: Job): void {
    const { attempt, run: { runId } } = job;
    const dropped = new AbortController();
    this.#active.set(runId, { dropped, jobs: [] });
    worker.deliver({ runId, attempt, dropped: dropped.signal }, (hasFailed) => {
      this.#end(worker, job, hasFailed && !dropped.signal.aborted);
    });
  }

  #end(worker: QueueWorker, job: Job, hasFailed: boolean): void {
    const { runId } = job.run;
    const jobs = this.#active.get(runId)?.jobs ?? [];
    this.#active.delete(runId);
    this.#forget(job);
    for (const next of jobs) this.#makeReady(next);
    if (hasFailed && !this.#workers.isClosed) this.#retry(worker, job);
    this.#dispatch();
  }

  /**
   * Requests another attempt at a delivery that has failed. A failure caused by stopping the worker
   * does not count as an attempt.
   */
  #retry({ stopped }: QueueWorker, job: Job): void {
    const { maxRetryDelayMs, retryDelayMs } = this.#delays;
    if (stopped.aborted) return this.#add(job, -Infinity);
    const delayMs = backOff(job.attempt, retryDelayMs, maxRetryDelayMs);
    this.#add({ ...job, attempt: job.attempt + 1 }, this.#clock.now() + delayMs);
  }

  /** Sets the timer for the next job. Without workers, no timer is set, so the process can exit. */
  #schedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const [next] = this.#later;
    if (next === undefined || this.#workers.list().length === 0) return;
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
