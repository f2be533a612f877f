/**
 * A bound on how much goes on at once.
 *
 * @module
 */

/** Work that may go on at once; the rest waits in line. */
export class Slots {
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** Makes so many slots, with a line of so many places. */
  constructor(slots: number, maxWaiting: number) {
    this.#free = slots;
    this.#maxWaiting = maxWaiting;
  }

  /** Waits for a slot; `false` when the line is full. */
  take(): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve(true);
    }
    if (this.#waiting.length >= this.#maxWaiting) return Promise.resolve(false);
    return new Promise((resolve) => this.#waiting.push(() => resolve(true)));
  }

  /** Gives a slot back. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
