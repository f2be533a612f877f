/**
 * Work on the same object that is done one after the other.
 *
 * @module
 */

import { Semaphore } from "@parley/internal/semaphore";

/** Lets work with the same key take turns, in the order in which it arrives. */
export class KeyedTurns {
  readonly #turns = new Map<string, { readonly semaphore: Semaphore; users: number }>();

  /** Returns how much work with a key is in progress or waits. */
  countOf(key: string): number {
    return this.#turns.get(key)?.users ?? 0;
  }

  /** Does work when the earlier work with the same key has ended. */
  async use<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turns = this.#turns.get(key) ?? { semaphore: new Semaphore(1), users: 0 };
    this.#turns.set(key, turns);
    turns.users++;
    try {
      await turns.semaphore.acquire();
      try {
        return await work();
      } finally {
        turns.semaphore.release();
      }
    } finally {
      turns.users--;
      if (turns.users === 0) this.#turns.delete(key);
    }
  }
}
