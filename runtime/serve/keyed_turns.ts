/**
 * Starts of the same session that are handled one after the other.
 *
 * @module
 */

import { Semaphore } from "@parley/internal/semaphore";
import { AgentError } from "../shared/error.ts";

/** Lets the starts of a session take turns, in the order in which they arrive. */
export class KeyedTurns {
  readonly #max: number;
  readonly #turns = new Map<string, { readonly semaphore: Semaphore; users: number }>();

  /** @param max Maximum number of starts of one session, including the one whose turn it is. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Does work when the earlier work with the same key has ended.
   *
   * @throws {AgentError} With code `capacity_exceeded` if there is too much work with the key.
   */
  async use<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turns = this.#turns.get(key) ?? { semaphore: new Semaphore(1), users: 0 };
    if (turns.users >= this.#max) {
      throw AgentError.capacityExceeded("starts of one session", this.#max);
    }
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
