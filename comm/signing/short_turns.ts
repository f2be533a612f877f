/**
 * Synchronous operations in short turns of the event loop.
 *
 * @module
 */

import { Fifo } from "@parley/internal/fifo";

/** Time for operations in one turn, after which timers and I/O run, in milliseconds. */
const MAX_BUSY_MS = 4;

/**
 * Runs synchronous operations in the order of the calls. A program that awaits one operation after
 * another runs only microtasks, so without a pause, a flood of messages would block timers and I/O
 * until it ends. A pause takes about 1 µs if no timer or I/O is due.
 */
export class ShortTurns {
  readonly #afterTurn: (callback: () => void) => unknown;
  readonly #now: () => number;
  readonly #waiting = new Fifo<() => void>();
  /** Time that operations have taken since the last pause. */
  #busyMs = 0;

  /**
   * @param afterTurn Calls a function after timers and I/O have run.
   * @param now Returns the time in milliseconds.
   */
  constructor(
    afterTurn: (callback: () => void) => unknown,
    now: () => number = () => performance.now(),
  ) {
    this.#afterTurn = afterTurn;
    this.#now = now;
  }

  /** Runs an operation now, or after a pause if the operations of this turn have taken 4 ms. */
  run<T>(operation: () => T): Promise<T> {
    if (this.#busyMs < MAX_BUSY_MS) return this.#execute(operation);
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#execute(operation)));
      if (this.#waiting.size === 1) this.#pause();
    });
  }

  // deno-lint-ignore require-await -- an operation that throws rejects the promise
  async #execute<T>(operation: () => T): Promise<T> {
    const startedAt = this.#now();
    try {
      return operation();
    } finally {
      this.#busyMs += this.#now() - startedAt;
    }
  }

  #pause(): void {
    this.#afterTurn(() => {
      this.#busyMs = 0;
      while (this.#busyMs < MAX_BUSY_MS && this.#waiting.size > 0) this.#waiting.shift()?.();
      if (this.#waiting.size > 0) this.#pause();
    });
  }
}
