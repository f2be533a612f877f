/**
 * The keys of acknowledged messages of a queue in memory.
 *
 * @module
 */

import { LinkedList, type ListEntry } from "@parley/internal/linked-list";
import { Quota } from "@parley/internal/quota";

/** A key of a party, and its entries in two lists. */
interface Acknowledged {
  readonly party: string;
  readonly inAll: ListEntry<string>;
  readonly inOwn: ListEntry<string>;
}

/**
 * Keys of acknowledged messages, up to a limit of which each party may use a share. At a limit, the
 * oldest key is removed: of the same party if its share is used up, otherwise of all parties.
 */
export class AcknowledgedKeys {
  readonly #quota: Quota;
  readonly #byKey = new Map<string, Acknowledged>();
  /** Keys of all parties, the oldest first. */
  readonly #all = new LinkedList<string>();
  /** Keys of each party, the oldest first. */
  readonly #byParty = new Map<string, LinkedList<string>>();

  /**
   * Creates an empty set.
   *
   * @param max Maximum number of keys.
   * @param share Maximum share of the keys per party. Every party may use at least one key.
   */
  constructor(max: number, share: number) {
    this.#quota = new Quota(max, share);
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Adds a key of a party. */
  add(key: string, party: string): void {
    if (this.has(key)) return;
    while (!this.#quota.has(1, party)) {
      const isFull = !this.#quota.has(1, undefined);
      const oldest = isFull ? this.#all.first : this.#byParty.get(party)?.first;
      if (oldest === undefined) return;
      this.#delete(oldest.value);
    }
    this.#quota.take(1, party);
    const own = this.#byParty.get(party) ?? new LinkedList();
    this.#byParty.set(party, own);
    this.#byKey.set(key, { party, inAll: this.#all.push(key), inOwn: own.push(key) });
  }

  #delete(key: string): void {
    const acknowledged = this.#byKey.get(key);
    if (acknowledged === undefined) return;
    const { party, inAll, inOwn } = acknowledged;
    this.#quota.take(-1, party);
    this.#byKey.delete(key);
    this.#all.remove(inAll);
    const own = this.#byParty.get(party);
    own?.remove(inOwn);
    if (own?.first === undefined) this.#byParty.delete(party);
  }
}
