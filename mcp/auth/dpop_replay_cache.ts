/**
 * Replay detection for DPoP proofs.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-11.1 RFC 9449, section 11.1}
 * @module
 */

/** A cache of DPoP proofs. Entries expire after `ttlMs`. When the cache is full, the oldest entry is evicted. */
export class DpopReplayCache {
  readonly #maxProofs: number;
  readonly #ttlMs: number;
  /** Time at which each proof was first used, in insertion order. */
  readonly #seenAt = new Map<string, number>();

  /**
   * Creates a cache.
   *
   * @param maxProofs Maximum number of entries.
   * @param ttlMs Lifetime of an entry, in milliseconds.
   */
  constructor(maxProofs: number, ttlMs: number) {
    this.#maxProofs = maxProofs;
    this.#ttlMs = ttlMs;
  }

  /** Adds a proof. Returns `false` if the proof is already in the cache. */
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
