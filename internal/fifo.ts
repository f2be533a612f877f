/**
 * A first-in, first-out list whose operations take constant time.
 *
 * @module
 */

/**
 * Number of places that a list keeps when it becomes shorter, 8 kB. The queues of transports hold
 * 1,000 items by default. If they kept fewer places, each item would take half as long again.
 */
const KEPT_PLACES = 1024;

/**
 * A first-in, first-out list. Removing the first item of an array takes time proportional to its
 * length, about 1 µs if the array has 20,000 items; here, removal takes constant time. The list is
 * a ring of places: an array that becomes empty and grows again takes twice as long.
 */
export class Fifo<T> {
  /** The places, of which there are none or a power of two. Unused places are `undefined`. */
  #places: (T | undefined)[] = [];
  /** Place of the first item. */
  #head = 0;
  #size = 0;

  /** Number of items. */
  get size(): number {
    return this.#size;
  }

  /** The first item, or `undefined` if the list is empty. */
  get first(): T | undefined {
    return this.#places[this.#head];
  }

  /** Returns an item, or `undefined` if the list is shorter. The first item has the index 0. */
  at(index: number): T | undefined {
    if (index >= this.#size) return undefined;
    return this.#places[(this.#head + index) & (this.#places.length - 1)];
  }

  /** Adds an item at the end. */
  push(item: T): void {
    const { length } = this.#places;
    if (this.#size === length) this.#resize(Math.max(8, length * 2));
    this.#places[(this.#head + this.#size) & (this.#places.length - 1)] = item;
    this.#size++;
  }

  /** Removes the first item and returns it, or `undefined` if the list is empty. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const places = this.#places;
    const item = places[this.#head];
    places[this.#head] = undefined;
    this.#head = (this.#head + 1) & (places.length - 1);
    this.#size--;
    // A quarter, and not half, of the places is left, so that a list does not grow and shrink with
    // every item.
    if (places.length > KEPT_PLACES && this.#size * 4 <= places.length) {
      this.#resize(places.length / 2);
    }
    return item;
  }

  /**
   * Removes an item, wherever it is in the list. Takes time proportional to the number of items.
   */
  remove(item: T): void {
    const items = this.clear();
    const index = items.indexOf(item);
    if (index >= 0) items.splice(index, 1);
    for (const each of items) this.push(each);
  }

  /** Removes all items and returns them. */
  clear(): T[] {
    const items = this.#toArray();
    this.#places = [];
    this.#head = 0;
    this.#size = 0;
    return items;
  }

  /** Moves the items to the first of a number of places. */
  #resize(length: number): void {
    const items: (T | undefined)[] = this.#toArray();
    this.#places = items.concat(new Array<undefined>(length - items.length).fill(undefined));
    this.#head = 0;
  }

  #toArray(): T[] {
    const places = this.#places;
    const end = this.#head + this.#size;
    const items = places.slice(this.#head, end)
      .concat(places.slice(0, Math.max(0, end - places.length)));
    // The cast is safe: `items` consists of the places that contain items.
    return items as T[];
  }
}
