/**
 * Yields to the event loop regularly during long sequences of asynchronous operations.
 *
 * @module
 */

/** Maximum time without yielding to the event loop, in milliseconds. */
const MAX_BUSY_MS = 10;

/**
 * Lets timers and I/O run during a sequence of operations that complete without waiting. Awaiting a
 * settled promise runs only a microtask, so a loop over settled promises would block the event
 * loop.
 */
export class EventLoopYielder {
  readonly #minOperations: number;
  #yieldedAt = Date.now();
  #operations = 0;
  #pending: Promise<void> | undefined;

  /**
   * Creates a yielder.
   *
   * @param minOperations Minimum number of operations between two yields, so that occasional
   * operations are not delayed.
   */
  constructor(minOperations: number = 4) {
    this.#minOperations = minOperations;
  }

  /**
   * Returns a promise that resolves after timers and I/O have run, at most once every 10
   * milliseconds. Returns `undefined` if no yield is due. The caller must call `yieldIfDue()` after
   * each operation.
   */
  yieldIfDue(): Promise<void> | undefined {
    if (this.#pending !== undefined || !this.#isDue()) return this.#pending;
    return this.#pending = new Promise((resolve) =>
      setTimeout(() => {
        this.#yieldedAt = Date.now();
        this.#operations = 0;
        this.#pending = undefined;
        resolve();
      })
    );
  }

  #isDue(): boolean {
    if (++this.#operations <= this.#minOperations) return false;
    const busyMs = Date.now() - this.#yieldedAt;
    // The system clock may have been set back.
    return busyMs >= MAX_BUSY_MS || busyMs < 0;
  }
}
