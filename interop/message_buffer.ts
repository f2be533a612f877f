/**
 * Keeps what arrives until somebody asks for it.
 *
 * @module
 */

/** A list of arrivals that can be waited for. */
export class MessageBuffer<T> {
  readonly #all: T[] = [];
  readonly #waiting = new Set<() => void>();

  /** Everything that has arrived. */
  get all(): readonly T[] {
    return this.#all;
  }

  /** Takes in what has arrived. */
  readonly push = (value: T): void => {
    this.#all.push(value);
    for (const wake of this.#waiting) wake();
  };

  /** The first arrival that fits, now or later. */
  async find(fits: (value: T) => boolean): Promise<T> {
    for (;;) {
      const found = this.#all.find(fits);
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
      this.#waiting.delete(resolve);
    }
  }
}
