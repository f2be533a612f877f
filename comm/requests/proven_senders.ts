/**
 * Senders whose keys were available recently.
 *
 * @module
 */

import { ownerOf, partyOf } from "../shared/party.ts";

/** Maximum number of tracked senders. */
const MAX_SENDERS = 1000;

/**
 * Maximum total length of the tracked DIDs, in characters. The length of a DID is limited only by
 * the size of a message.
 */
const MAX_CHARS = 200_000;

/** Maximum number of owners and parties that are barred. */
const MAX_BARRED = 1000;

/** Time for which the senders of a slow owner are not added, in milliseconds. */
const BARRED_MS = 60_000;

/**
 * A set of senders, of which the least recently added is removed first. Only senders of verified
 * messages are added, so forged messages do not remove any.
 */
export class ProvenSenders {
  readonly #senders = new Set<string>();
  /** Owners and parties that are barred, with the time since when. */
  readonly #barred = new Map<string, number>();
  #chars = 0;

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
    this.delete(sender);
    this.#senders.add(sender);
    this.#chars += sender.length;
    for (const oldest of this.#senders) {
      if (this.#senders.size <= MAX_SENDERS && this.#chars <= MAX_CHARS) break;
      this.delete(oldest);
    }
    return true;
  }

  /**
   * Bars the owner and the party of a sender for a minute. Removes all senders of the owner, and
   * adds none of them while the owner is barred.
   */
  bar(sender: string): void {
    const owner = ownerOf(sender);
    for (const each of this.#senders) {
      if (ownerOf(each) === owner) this.delete(each);
    }
    for (const name of new Set([owner, partyOf(sender)])) {
      this.#barred.delete(name);
      this.#barred.set(name, Date.now());
    }
    for (const oldest of this.#barred.keys()) {
      if (this.#barred.size <= MAX_BARRED) break;
      this.#barred.delete(oldest);
    }
  }

  /** Removes a sender. */
  delete(sender: string): void {
    if (this.#senders.delete(sender)) this.#chars -= sender.length;
  }

  /** Whether an owner or a party is barred, because one of its senders was slow. */
  isBarred(name: string): boolean {
    const sinceMs = this.#barred.get(name);
    if (sinceMs === undefined) return false;
    const ageMs = Date.now() - sinceMs;
    // The system clock may have been set back.
    if (ageMs >= 0 && ageMs < BARRED_MS) return true;
    this.#barred.delete(name);
    return false;
  }
}
