/**
 * A list of items from which parties take turns.
 *
 * @module
 */

import { Fifo } from "./fifo.ts";

/**
 * A list of items, each of which belongs to a party. Parties take turns, and the items of one party
 * are removed in the order in which they were added, so a party with many items does not delay the
 * others.
 */
export class Turns<T> {
  readonly #partyOf: (item: T) => string;
  /** Items by party, the party whose turn is next first. */
  readonly #byParty = new Map<string, Fifo<T>>();
  #size = 0;

  /**
   * Creates an empty list.
   *
   * @param partyOf Returns the party of an item.
   */
  constructor(partyOf: (item: T) => string) {
    this.#partyOf = partyOf;
  }

  /** Number of items. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item behind the other items of its party. */
  push(item: T): void {
    const party = this.#partyOf(item);
    const items = this.#byParty.get(party) ?? new Fifo();
    items.push(item);
    this.#byParty.set(party, items);
    this.#size++;
  }

  /**
   * Removes the oldest item of the next party and returns it, or `undefined` if there is none.
   *
   * @param hasCapacity Whether an item of a party can be removed. A party without capacity keeps
   * its turn. If omitted, all parties have capacity.
   */
  shift(hasCapacity: (party: string) => boolean = () => true): T | undefined {
    for (const [party, items] of this.#byParty) {
      if (!hasCapacity(party)) continue;
      const item = items.shift();
      this.#byParty.delete(party);
      if (items.size > 0) this.#byParty.set(party, items);
      this.#size--;
      return item;
    }
    return undefined;
  }
}
