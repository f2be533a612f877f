/**
 * Replay detection for DPoP proofs.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-11.1 RFC 9449, section 11.1}
 * @module
 */

import { Quota } from "../shared/quota.ts";

/** Limits for {@linkcode DpopReplayCache}. */
export interface DpopReplayCacheOptions {
  /** Maximum number of proofs. Beyond it, new proofs are rejected. */
  readonly maxProofs: number;
  /** Maximum share of `maxProofs` per principal, greater than 0 and at most 1. */
  readonly maxSharePerPrincipal: number;
}

/** A DPoP proof. */
export interface DpopProof {
  /** String that identifies the proof. */
  readonly key: string;
  /** Time until which the proof is valid, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  /** Subject of the access token that was presented with the proof. */
  readonly subject: string;
}

/** Length of the intervals in which proofs expire together, so that no call searches for expired proofs. */
const SLICE_MS = 10_000;

/** A cache of valid DPoP proofs. A proof is never evicted before it expires, because it could then be replayed. */
export class DpopReplayCache {
  readonly #quota: Quota;
  /** Subjects by proof, by the number of the interval in which the proofs expire. */
  readonly #slices = new Map<number, Map<string, string>>();

  /** Creates an empty cache. */
  constructor({ maxProofs, maxSharePerPrincipal }: DpopReplayCacheOptions) {
    this.#quota = new Quota(maxProofs, maxSharePerPrincipal);
  }

  /**
   * Adds a proof. Returns `true` if the proof is new, `false` if it is already in the cache, or `"full"` if a limit is
   * reached.
   */
  add({ key, expiresAt, subject }: DpopProof): boolean | "full" {
    this.#removeExpired();
    const slice = Math.floor(expiresAt / SLICE_MS);
    const proofs = this.#slices.get(slice) ?? new Map<string, string>();
    if (proofs.has(key)) return false;
    if (!this.#quota.has(1, subject)) return "full";
    this.#slices.set(slice, proofs.set(key, subject));
    this.#quota.take(1, subject);
    return true;
  }

  #removeExpired(): void {
    const current = Math.floor(Date.now() / SLICE_MS);
    for (const [slice, proofs] of this.#slices) {
      if (slice >= current) continue;
      this.#slices.delete(slice);
      for (const subject of proofs.values()) this.#quota.take(-1, subject);
    }
  }
}
