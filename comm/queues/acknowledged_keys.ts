/**
 * The keys of acknowledged messages of a queue in memory.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";

/**
 * Keys of acknowledged messages, up to a limit of which each party may use a share. At a limit, the
 * oldest key is removed: of the same party if its share is used up, otherwise of all parties.
 */
export class AcknowledgedKeys {
  readonly #quota: Quota;
  /** The party of each key, the oldest key first. */
  readonly #partyOf = new Map<string, string>();
  /** Keys of each party, the oldest first. */
  readonly #byParty = new Map<string, Set<string>>();

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
    return this.#partyOf.has(key);
  }

  /** Adds a key of a party. */
  add(key: string, party: string): void {
    if (this.has(key)) return;
    while (!this.#quota.has(1, party)) {
      const isFull = !this.#quota.has(1, undefined);
      const [oldest] = isFull ? this.#partyOf.keys() : this.#byParty.get(party) ?? [];
      if (oldest === undefined) return;
      this.#delete(oldest);
    }
    this.#quota.take(1, party);
    this.#partyOf.set(key, party);
    const keys = this.#byParty.get(party) ?? new Set();
    this.#byParty.set(party, keys.add(key));
  }

  #delete(key: string): void {
    const party = this.#partyOf.get(key);
    if (party === undefined) return;
    this.#quota.take(-1, party);
    this.#partyOf.delete(key);
    const keys = this.#byParty.get(party);
    keys?.delete(key);
    if (keys?.size === 0) this.#byParty.delete(party);
  }
}
