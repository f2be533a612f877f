/**
 * Proofs that have been seen: each is good once.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-11.1 RFC 9449, section 11.1}
 * @module
 */

/** Remembers proofs for as long as they are good; when there are too many, the oldest are forgotten. */
export class DpopReplayCache {
  readonly #maxProofs: number;
  readonly #ttlMs: number;
  /** When each was seen, the oldest first. */
  readonly #seenAt = new Map<string, number>();

  /** Takes the limits. */
  constructor(maxProofs: number, ttlMs: number) {
    this.#maxProofs = maxProofs;
    this.#ttlMs = ttlMs;
  }

  /** Whether this is the first time; the next time it is not. */
  isNew(proof: string): boolean {
    const now = Date.now();
    for (const [old, seenAt] of this.#seenAt) {
      if (now - seenAt < this.#ttlMs && this.#seenAt.size < this.#maxProofs) break;
      this.#seenAt.delete(old);
    }
    if (this.#seenAt.has(proof)) return false;
    this.#seenAt.set(proof, now);
    return true;
  }
}
