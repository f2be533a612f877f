/**
 * A list from which any item can be removed in constant time.
 *
 * @module
 */

/** An item of a {@linkcode LinkedList}. Only the list changes its neighbors. */
export interface ListEntry<T> {
  readonly value: T;
  previous?: ListEntry<T> | undefined;
  next?: ListEntry<T> | undefined;
}

/**
 * A list in insertion order. A `Map` and a `Set` keep removed entries until they are resized, and
 * each search for their first entry passes over the removed ones: with 300,000 entries, removing
 * the first entry takes several times as long as here.
 */
export class LinkedList<T> {
  #first: ListEntry<T> | undefined;
  #last: ListEntry<T> | undefined;

  /** The oldest entry, or `undefined` if the list is empty. */
  get first(): ListEntry<T> | undefined {
    return this.#first;
  }

  /** Adds an item at the end. Returns its entry, with which the item can be removed. */
  push(value: T): ListEntry<T> {
    const entry: ListEntry<T> = { value, previous: this.#last };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    return this.#last = entry;
  }

  /** Removes an entry of this list. An entry must be removed at most once. */
  remove({ previous, next }: ListEntry<T>): void {
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
  }
}
