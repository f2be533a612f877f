/**
 * A first-in, first-out list whose operations take constant time.
 *
 * @module
 */

/**
 * A first-in, first-out list. Removing the first item of an array takes time proportional to its
 * length, about 1 µs if the array has 20,000 items; here, removal takes constant time.
 */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  /** Number of items. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  /** The first item, or `undefined` if the list is empty. */
  get first(): T | undefined {
    return this.#items[this.#head];
  }

  /** Returns an item, or `undefined` if the list is shorter. The first item has the index 0. */
  at(index: number): T | undefined {
    return this.#items[this.#head + index];
  }

  /** Adds an item at the end. */
  push(item: T): void {
    this.#items.push(item);
  }

  /** Removes the first item and returns it, or `undefined` if the list is empty. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      // Copying only when half of the list is unused makes the amortized cost constant.
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /**
   * Removes an item, wherever it is in the list. Takes time proportional to the number of items.
   */
  remove(item: T): void {
    const index = this.#items.indexOf(item, this.#head);
    if (index >= 0) this.#items.splice(index, 1);
  }

  /** Removes all items and returns them. */
  clear(): T[] {
    const items: T[] = [];
    // The cast is safe: the size shows that there is an item, which may be `undefined`.
    while (this.size > 0) items.push(this.shift() as T);
    return items;
  }
}
