/**
 * A list of items from which parties take turns.
 *
 * @module
 */

import { Fifo } from "./fifo.ts";
import { LinkedList } from "./linked_list.ts";

/** The items of a party. */
interface PartyItems<T> {
  readonly party: string;
  readonly items: Fifo<T>;
}

/**
 * A list of items, each of which belongs to a party. Parties take turns, and the items of one party
 * are removed in the order in which they were added, so a party with many items does not delay the
 * others.
 */
export class Turns<T> {
  readonly #partyOf: (item: T) => string;
  readonly #byParty = new Map<string, PartyItems<T>>();
  /** Parties that have items, the party whose turn is next first. */
  readonly #turns = new LinkedList<PartyItems<T>>();
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
    const known = this.#byParty.get(party);
    const owned = known ?? { party, items: new Fifo() };
    owned.items.push(item);
    if (known === undefined) {
      this.#byParty.set(party, owned);
      this.#turns.push(owned);
    }
    this.#size++;
  }

  /**
   * Removes the oldest item of the next party and returns it, or `undefined` if there is none.
   *
   * @param hasCapacity Whether an item of a party can be removed. A party without capacity keeps
   * its turn. If omitted, all parties have capacity.
   */
  shift(hasCapacity: (party: string) => boolean = () => true): T | undefined {
    for (let turn = this.#turns.first; turn !== undefined; turn = turn.next) {
      const { party, items } = turn.value;
      if (!hasCapacity(party)) continue;
      const item = items.shift();
      this.#turns.remove(turn);
      if (items.size > 0) this.#turns.push(turn.value);
      else this.#byParty.delete(party);
      this.#size--;
      return item;
    }
    return undefined;
  }
}
