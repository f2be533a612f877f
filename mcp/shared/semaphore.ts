/**
 * A bound on how much goes on at once.
 *
 * @module
 */

import type { AbortSignalLike } from "./abort_signal_like.ts";

/** Work that may go on at once; the rest waits in line. */
export class Semaphore {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** Makes so many slots, with a line of so many places. */
  constructor(slots: number, maxWaiting: number) {
    this.#free = slots;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Takes a slot, or a place in the line: the promise then resolves once it is a slot, and rejects with the signal's reason
   * when that aborts before. Undefined when the line is full.
   */
  acquire(signal?: AbortSignalLike): "acquired" | Promise<void> | undefined {
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
      signal?.throwIfAborted();
      signal?.addEventListener("abort", leave);
      this.#waiting.add(enter);
    });
  }

  /** Gives a slot back. */
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
