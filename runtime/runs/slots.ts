/**
 * A limit on the number of concurrent tasks.
 *
 * @module
 */

/** Executes tasks in request order, with a limit on the number of concurrent tasks. */
export class Slots {
  #free: number;
  readonly #waiting: Set<() => void> = new Set();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Executes a task when a slot is free.
   *
   * @throws The signal's reason if the signal is aborted before a slot is free.
   */
  async use<Result>(signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    await this.#take(signal);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const take = (): void => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.delete(take);
        reject(signal.reason);
      };
      this.#waiting.add(take);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** Passes the released slot to the task that has been waiting the longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
