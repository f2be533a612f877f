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

  /** Takes a slot, or a place in the line: the promise then resolves once it is a slot. Undefined when the line is full. */
  take(): "taken" | Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return "taken";
    }
    if (this.#waiting.length >= this.#maxWaiting) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a slot back. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
