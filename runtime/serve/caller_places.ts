/**
 * A limit on the number of responses of each caller that are open at the same time.
 *
 * @module
 */

import type { Caller } from "./contracts.ts";

/** Counts the open responses of each caller. All anonymous callers are one caller. */
export class CallerPlaces {
  readonly #max: number;
  /** Number of places in use, keyed by subject. */
  readonly #used = new Map<string | undefined, number>();

  /** @param maxPerCaller Maximum number of places that a caller uses at the same time. */
  constructor(maxPerCaller: number) {
    this.#max = maxPerCaller;
  }

  /**
   * Takes a place. Returns the function that gives it back, which can be called several times, or
   * `undefined` if the caller uses all of its places.
   */
  take(caller: Caller): (() => void) | undefined {
    const subject = caller?.subject;
    const used = this.#used.get(subject) ?? 0;
    if (used >= this.#max) return undefined;
    this.#used.set(subject, used + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#giveBack(subject);
      isTaken = false;
    };
  }

  #giveBack(subject: string | undefined): void {
    const left = (this.#used.get(subject) ?? 1) - 1;
    if (left === 0) this.#used.delete(subject);
    else this.#used.set(subject, left);
  }
}
