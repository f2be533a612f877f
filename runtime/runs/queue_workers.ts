/**
 * The workers of a queue in this process.
 *
 * @module
 */

import type { AgentAddress, QueueWorkOptions, RunDelivery } from "./contracts.ts";

/** Executes a run that is delivered. */
export type DeliveryHandler = (runId: string, delivery: RunDelivery) => Promise<void>;

/** A delivery that a queue passes to a worker. */
export interface WorkerDelivery {
  readonly runId: string;
  readonly attempt: number;
  /** Aborted when the delivery is dropped. */
  readonly dropped: AbortSignal;
}

/** A worker that receives deliveries. */
export class QueueWorker {
  /** Names and versions of the agents whose runs are delivered. */
  readonly agents: readonly AgentAddress[];
  /** Aborted when the worker is stopped. */
  readonly stopped: AbortSignal;
  /** Resolves when the worker is stopped and its deliveries have ended. */
  readonly ended: Promise<void>;
  readonly #concurrency: number;
  readonly #handle: DeliveryHandler;
  readonly #stopping: AbortController = new AbortController();
  #running = 0;
  #resolve = (): void => {};

  constructor(agents: readonly AgentAddress[], concurrency: number, handle: DeliveryHandler) {
    this.agents = agents;
    this.#concurrency = concurrency;
    this.#handle = handle;
    this.stopped = this.#stopping.signal;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Number of deliveries that the worker can accept; 0 if it is stopped. */
  get free(): number {
    return this.stopped.aborted ? 0 : this.#concurrency - this.#running;
  }

  /**
   * Passes a delivery to the worker.
   *
   * @param delivery The delivery.
   * @param onEnd Called when the delivery has ended, with whether it has failed.
   */
  deliver(
    { attempt, dropped, runId }: WorkerDelivery,
    onEnd: (hasFailed: boolean) => void,
  ): void {
    this.#running++;
    const end = (hasFailed: boolean): void => {
      this.#running--;
      onEnd(hasFailed);
      this.#resolveIfEnded();
    };
    const signal = AbortSignal.any([dropped, this.stopped]);
    this.#handle(runId, { attempt, signal }).then(() => end(false), () => end(true));
  }

  /** Stops the worker, and aborts its deliveries. */
  stop(reason: unknown): void {
    this.#stopping.abort(reason);
    this.#resolveIfEnded();
  }

  #resolveIfEnded(): void {
    if (this.stopped.aborted && this.#running === 0) this.#resolve();
  }
}

/** Starts and stops the workers of a queue. */
export class QueueWorkers {
  /** All workers that have not ended. */
  readonly #workers: Set<QueueWorker> = new Set();
  readonly #onChange: () => void;
  #isClosed = false;

  /** @param onChange Called when a worker was started or stopped. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Whether the workers are closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns the workers that are not stopped. */
  list(): readonly QueueWorker[] {
    return [...this.#workers].filter(({ stopped }) => !stopped.aborted);
  }

  /** Runs a worker until it is stopped and its deliveries have ended. */
  async work(
    agents: readonly AgentAddress[],
    { concurrency, signal }: QueueWorkOptions,
    handle: DeliveryHandler,
  ): Promise<void> {
    if (this.#isClosed || signal?.aborted) return;
    const worker = new QueueWorker(agents, concurrency, handle);
    const stop = (): void => this.#stop(worker, signal?.reason);
    this.#workers.add(worker);
    signal?.addEventListener("abort", stop, { once: true });
    this.#onChange();
    try {
      await worker.ended;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#workers.delete(worker);
    }
  }

  /** Stops the workers, and waits for their deliveries. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const reason = new DOMException("The engine was closed", "AbortError");
    const workers = [...this.#workers];
    for (const worker of workers) this.#stop(worker, reason);
    await Promise.all(workers.map(({ ended }) => ended));
  }

  #stop(worker: QueueWorker, reason: unknown): void {
    worker.stop(reason);
    this.#onChange();
  }
}
