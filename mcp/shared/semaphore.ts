/**
 * A counting semaphore with a bounded queue.
 *
 * @module
 */

import type { AbortSignalLike } from "./abort_signal_like.ts";

/** A counting semaphore. Callers beyond the limit wait in a queue of bounded length. */
export class Semaphore {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  /**
   * Creates a semaphore.
   *
   * @param permits Number of permits.
   * @param maxWaiting Maximum number of callers that wait for a permit.
   */
  constructor(permits: number, maxWaiting: number) {
    this.#free = permits;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Acquires a permit. Returns `"acquired"` if a permit is free, a promise if the caller must wait, or `undefined` if
   * the queue is full. The promise resolves when a permit is acquired, and rejects with the signal's reason if the
   * signal aborts first.
   *
   * @throws The signal's reason if the signal is already aborted.
   */
  acquire(signal?: AbortSignalLike): "acquired" | Promise<void> | undefined {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return "acquired";
    }
    if (this.#waiting.size >= this.#maxWaiting) return undefined;
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave);
      this.#waiting.add(enter);
    });
  }

  /** Releases a permit. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}
