/**
 * Names that are remembered for a minute.
 *
 * @module
 */

/** Maximum number of names. */
const MAX_NAMES = 1000;

/** Time for which a name is remembered, in milliseconds. */
const REMEMBERED_MS = 60_000;

/** A set of names, each for a minute. If it is full, the oldest name is removed. */
export class RecentNames {
  /** The names, the oldest first, with the time at which they were added. */
  readonly #names = new Map<string, number>();

  /** Adds a name for a minute from now. */
  add(name: string): void {
    this.#names.delete(name);
    this.#names.set(name, Date.now());
    for (const oldest of this.#names.keys()) {
      if (this.#names.size <= MAX_NAMES) break;
      this.#names.delete(oldest);
    }
  }

  /** Whether a name was added in the last minute. */
  has(name: string): boolean {
    const sinceMs = this.#names.get(name);
    if (sinceMs === undefined) return false;
    const ageMs = Date.now() - sinceMs;
    // The system clock may have been set back.
    if (ageMs >= 0 && ageMs < REMEMBERED_MS) return true;
    this.#names.delete(name);
    return false;
  }
}
