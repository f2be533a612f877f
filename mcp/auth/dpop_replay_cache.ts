/**
 * Replay detection for DPoP proofs.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-11.1 RFC 9449, section 11.1}
 * @module
 */

import { assertCount, assertShare } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { Quota } from "@parley/internal/quota";

/** Options for {@linkcode DpopReplayCache}. */
export interface DpopReplayCacheOptions {
  /**
   * Maximum number of DPoP proofs in the replay cache. A proof is usually stored for 6 minutes, so
   * the default suffices for 1,380 requests per second. Beyond `maxProofs`, requests with DPoP are
   * rejected with HTTP 503 until proofs expire, because a proof that is no longer stored could be
   * replayed.
   *
   * @default {500_000}
   */
  readonly maxProofs?: number;
  /**
   * Maximum share of `maxProofs` per subject, greater than 0 and at most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
}

const readOptions = optionsReader<DpopReplayCacheOptions>("options")({
  maxProofs: withDefault(500_000, assertCount),
  maxSharePerPrincipal: withDefault(0.25, assertShare),
});

/** A DPoP proof. */
export interface DpopProof {
  /** String that identifies the proof: a SHA-256 digest, encoded as base64url. */
  readonly key: string;
  /**
   * Time until which the proof must be stored, in milliseconds since the Unix epoch: 60 seconds
   * after the proof has expired. A store may therefore use a clock that is ahead of the clock of
   * this process by less than 60 seconds.
   */
  readonly expiresAt: number;
  /** Subject of the access token that was presented with the proof. */
  readonly subject: string;
}

/**
 * A store of DPoP proofs that replicas can share, so that a proof accepted by one replica is
 * rejected by all others.
 *
 * @example Use a Redis store
 * ```ts
 * import type { DpopReplayStore } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for `redis.set(key, "1", { NX: true, PXAT: expiresAt })`.
 * const keys = new Set<string>();
 * const setIfAbsent = (key: string) => Promise.resolve(!keys.has(key) && keys.add(key) === keys);
 *
 * const replayStore: DpopReplayStore = {
 *   add: async ({ key }) => await setIfAbsent(`dpop:${key}`),
 * };
 * const proof = { key: "k", expiresAt: Date.now() + 60_000, subject: "ada" };
 * assertEquals([await replayStore.add(proof), await replayStore.add(proof)], [true, false]);
 * ```
 */
export interface DpopReplayStore {
  /**
   * Adds a proof. Returns `true` if the proof is new, `false` if the store contains it, or `"full"`
   * if a limit is reached. If `add` rejects, or resolves to anything except `true` or `false`, the
   * HTTP request is rejected with status 503.
   *
   * @param proof Proof to add. The store must keep the proof until `expiresAt`.
   */
  add(proof: DpopProof): boolean | "full" | Promise<boolean | "full">;
}

/**
 * Length of an expiration interval, in milliseconds. Proofs from one interval are deleted together,
 * so that no call searches for expired proofs.
 */
const SLICE_MS = 10_000;

/**
 * An in-memory store for valid DPoP proofs, for one process. A proof is never evicted before it
 * expires, because an evicted proof could be replayed.
 *
 * @example Limit the number of stored proofs
 * ```ts
 * import { DpopReplayCache, jwtVerifier } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const replayStore = new DpopReplayCache({ maxProofs: 10_000 });
 * const verify = jwtVerifier({
 *   issuer: "https://login.example.com",
 *   jwksUri: "https://login.example.com/keys",
 *   replayStore,
 * });
 * assertEquals(typeof verify, "function");
 * ```
 */
export class DpopReplayCache implements DpopReplayStore {
  readonly #quota: Quota;
  /** Subjects of the proofs that expire in each interval, keyed by interval number. */
  readonly #slices = new Map<number, Map<string, string>>();

  /**
   * Creates an empty cache.
   *
   * @param options Limits on the stored proofs.
   * @throws {RangeError} If `maxProofs` is not a positive integer, or if `maxSharePerPrincipal` is
   * not greater than 0 and at most 1.
   */
  constructor(options: DpopReplayCacheOptions = {}) {
    const { maxProofs, maxSharePerPrincipal } = readOptions(options);
    this.#quota = new Quota(maxProofs, maxSharePerPrincipal);
  }

  /**
   * Adds a proof. Returns `true` if the proof is new, `false` if it is already in the cache, or
   * `"full"` if a limit is reached.
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
