/**
 * A limit on the number of responses of each caller that are open at the same time.
 *
 * @module
 */

import { partyOf } from "./caller.ts";
import type { Caller } from "./contracts.ts";

/**
 * Counts the open responses of each caller. All anonymous callers are one caller, and the callers
 * of a party share its places.
 */
export class CallerPlaces {
  readonly #max: number;
  /** Number of places in use, keyed by party. */
  readonly #used = new Map<string, number>();

  /** @param maxPerCaller Maximum number of places that a caller uses at the same time. */
  constructor(maxPerCaller: number) {
    this.#max = maxPerCaller;
  }

  /**
   * Takes a place. Returns the function that gives it back, which can be called several times, or
   * `undefined` if the caller uses all of its places.
   *
   * @throws {TypeError} If the caller is not a principal.
   */
  take(caller: Caller): (() => void) | undefined {
    const party = partyOf(caller);
    const used = this.#used.get(party) ?? 0;
    if (used >= this.#max) return undefined;
    this.#used.set(party, used + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#giveBack(party);
      isTaken = false;
    };
  }

  #giveBack(party: string): void {
    const left = (this.#used.get(party) ?? 1) - 1;
    if (left === 0) this.#used.delete(party);
    else this.#used.set(party, left);
  }
}
