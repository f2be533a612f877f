/**
 * A buffer of received messages.
 *
 * @module
 */

/** Stores received messages, and waits for a message that matches a condition. */
export class MessageBuffer<T> {
  readonly #all: T[] = [];
  readonly #waiting = new Set<() => void>();

  /** All received messages. */
  get all(): readonly T[] {
    return this.#all;
  }

  /** Adds a message. */
  readonly push = (value: T): void => {
    this.#all.push(value);
    for (const wake of this.#waiting) wake();
  };

  /**
   * Returns the first message that matches a condition. Waits if no received message matches yet.
   */
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
