/**
 * Pauses of long comparisons, so that the items of one server do not block the event loop.
 *
 * @module
 */

import { sleep } from "@parley/internal/timers";

/** Number of steps between two pauses, which take a few milliseconds. */
const MAX_STEPS = 20_000;

/** Steps of an item that is not compared with templates, such as a call to `visible`. */
const STEPS_PER_ITEM = 20;

/** Counts the steps of a loop over items, and pauses the loop. */
export class Pauses {
  readonly #countSteps: () => number;
  #pausedAt: number;
  #items = 0;

  /**
   * Starts to count.
   *
   * @param countSteps Returns the number of steps of all comparisons so far.
   */
  constructor(countSteps: () => number) {
    this.#countSteps = countSteps;
    this.#pausedAt = countSteps();
  }

  /** Counts an item. Returns `true` if the loop must pause. */
  isDue(): boolean {
    this.#items++;
    return this.#countSteps() - this.#pausedAt + this.#items * STEPS_PER_ITEM > MAX_STEPS;
  }

  /**
   * Lets other tasks run.
   *
   * @throws The signal's reason if the signal is aborted.
   */
  async pause(signal: AbortSignal): Promise<void> {
    await sleep(0, signal);
    this.#items = 0;
    this.#pausedAt = this.#countSteps();
  }
}
