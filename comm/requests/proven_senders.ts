/**
 * Senders whose keys were available recently.
 *
 * @module
 */

/** Maximum number of tracked senders. */
const MAX_SENDERS = 1000;

/**
 * Maximum total length of the tracked DIDs, in characters. The length of a DID is limited only by
 * the size of a message.
 */
const MAX_CHARS = 200_000;

/**
 * A set of senders, of which the least recently added is removed first. Only senders of verified
 * messages are added, so forged messages do not remove any.
 */
export class ProvenSenders {
  readonly #senders = new Set<string>();
  #chars = 0;

  /** Whether the set contains the sender. */
  has(sender: string): boolean {
    return this.#senders.has(sender);
  }

  /** Adds a sender as the most recent one. */
  add(sender: string): void {
    this.delete(sender);
    this.#senders.add(sender);
    this.#chars += sender.length;
    for (const oldest of this.#senders) {
      if (this.#senders.size <= MAX_SENDERS && this.#chars <= MAX_CHARS) break;
      this.delete(oldest);
    }
  }

  /** Removes a sender. */
  delete(sender: string): void {
    if (this.#senders.delete(sender)) this.#chars -= sender.length;
  }
}
