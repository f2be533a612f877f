/**
 * Kills processes when the progress reaches values that depend only on a seed.
 *
 * @module
 */

/** Decides when a chaos run kills processes. */
export class Chaos {
  /** Progress values at which a process is killed, in ascending order. */
  readonly #points: number[];
  readonly #random: () => number;
  #progress = 0;

  /**
   * Chooses the progress values at random.
   *
   * @param kills Number of times that a process is killed.
   * @param progress Progress at the end of a run without repeated calls. All kills occur in the
   * first four fifths of `progress`.
   * @param seed Seed for the random numbers.
   */
  constructor(kills: number, progress: number, seed: number) {
    this.#random = randomFrom(seed);
    this.#points = Array.from(
      { length: kills },
      () => 1 + Math.floor(this.#random() * progress * 0.8),
    )
      .sort((one, other) => one - other);
  }

  /** Adds one unit of progress. Calls `kill` for each kill that is due. */
  onProgress(kill: (choose: (names: readonly string[]) => string | undefined) => boolean): void {
    this.#progress++;
    while (this.#points[0] !== undefined && this.#points[0] <= this.#progress) {
      // If no process is ready, the kill is retried at the next unit of progress.
      if (!kill((names) => names[Math.floor(this.#random() * names.length)])) return;
      this.#points.shift();
    }
  }
}

/**
 * Returns a function that generates pseudorandom numbers between 0 and 1 that depend only on the
 * seed.
 */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
