/**
 * Senders whose keys were available recently.
 *
 * @module
 */

import { LruEntries } from "../shared/lru_entries.ts";
import { ownerOf, partyOf } from "../shared/party.ts";
import { RecentNames } from "./recent_names.ts";

/** Maximum number of tracked senders. */
const MAX_SENDERS = 1000;

/**
 * Maximum total length of the tracked DIDs, in characters. The length of a DID is limited only by
 * the size of a message.
 */
const MAX_CHARS = 200_000;

/**
 * A set of senders, of which the party with the most senders loses its least recently added one
 * first. Only senders of verified messages are added, so forged messages do not remove any.
 */
export class ProvenSenders {
  readonly #senders = new LruEntries({ maxEntries: MAX_SENDERS, maxBytes: MAX_CHARS });
  /** Owners and parties that are barred. */
  readonly #barred = new RecentNames();

  /** Whether the set contains the sender. */
  has(sender: string): boolean {
    return this.#senders.has(sender);
  }

  /**
   * Adds a sender as the most recent one. Returns `false` if the sender was not added because its
   * owner is barred.
   */
  add(sender: string): boolean {
    if (this.isBarred(ownerOf(sender))) return false;
    this.#senders.add(sender, { bytes: sender.length }, partyOf(sender));
    return true;
  }

  /**
   * Bars the owner and the party of a sender for a minute. Removes all senders of the owner, and
   * adds none of them while the owner is barred.
   */
  bar(sender: string): void {
    const owner = ownerOf(sender);
    for (const each of this.#senders.keys()) {
      if (ownerOf(each) === owner) this.delete(each);
    }
    for (const name of new Set([owner, partyOf(sender)])) this.#barred.add(name);
  }

  /** Removes a sender. */
  delete(sender: string): void {
    this.#senders.delete(sender);
  }

  /** Whether an owner or a party is barred, because one of its senders was slow. */
  isBarred(name: string): boolean {
    return this.#barred.has(name);
  }
}
