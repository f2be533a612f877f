/**
 * A limit on the number and the total size of items, of which each party may use only a share.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";

/** Limits of an {@linkcode ItemQuota}. */
export interface ItemLimits {
  /** Maximum number of items. */
  readonly maxItems: number;
  /** Maximum total size of the items, in bytes. */
  readonly maxBytes: number;
  /**
   * Maximum share of both limits per party, greater than 0 and at most 1. Every party may use at
   * least one item of any size.
   */
  readonly share: number;
}

/**
 * Reason why an item was not added: all capacity is in use, or the party has used its share of it.
 */
export type QuotaFailure = "full" | "share_used";

/**
 * Tracks the items that parties have in use. A party is known before its messages are verified, and
 * is, for example, the sender that a message claims.
 */
export class ItemQuota {
  readonly #items: Quota;
  readonly #bytes: Quota;
  readonly #maxBytesPerParty: number;

  constructor({ maxItems, maxBytes, share }: ItemLimits) {
    this.#items = new Quota(maxItems, share);
    this.#bytes = new Quota(maxBytes, share);
    this.#maxBytesPerParty = Math.max(Math.floor(maxBytes * share), 1);
  }

  /**
   * Adds an item. Returns a function that removes the item, or the reason why the item was not
   * added. An item that is larger than the share of a party counts as the entire share, because it
   * could otherwise never be added.
   */
  take(party: string, bytes: number): (() => void) | QuotaFailure {
    const size = Math.min(bytes, this.#maxBytesPerParty);
    if (!this.#items.has(1, undefined) || !this.#bytes.has(size, undefined)) return "full";
    if (!this.#items.has(1, party) || !this.#bytes.has(size, party)) return "share_used";
    this.#add(1, size, party);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(-1, -size, party);
      isTaken = false;
    };
  }

  #add(items: number, bytes: number, party: string): void {
    this.#items.take(items, party);
    this.#bytes.take(bytes, party);
  }
}
