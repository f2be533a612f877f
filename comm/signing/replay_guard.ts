/**
 * Detection of replayed messages.
 *
 * @module
 */

/** Options for {@linkcode ReplayGuard}. */
export interface ReplayGuardOptions {
  /**
   * Time for which an accepted message is tracked, in milliseconds.
   *
   * @default {600_000}
   */
  readonly ttlMs?: number;
  /**
   * Maximum number of tracked messages. The oldest entry is evicted first.
   *
   * @default {100_000}
   */
  readonly maxEntries?: number;
  /** Returns the current time, in milliseconds. Defaults to `Date.now`. */
  readonly now?: () => number;
}

/**
 * A guard that detects replayed messages. The guard tracks accepted messages by sender and id, both
 * of which the signature covers.
 *
 * Pass only verified messages, as `createVerifier` does. If a forged message were passed, the guard
 * would later reject the genuine message with the same sender and id. A replay is detected only
 * while the original message is tracked, so `ttlMs` must be at least the sum of the policy's
 * `maxAgeMs` and `clockSkewMs`. `createVerifier` throws if `ttlMs` is too short.
 *
 * @example Accept a message only once
 * ```ts
 * import { ReplayGuard } from "@parley/comm/policy";
 * import { assert, assertFalse } from "@std/assert";
 *
 * const guard = new ReplayGuard();
 * assert(guard.accept("did:web:ann.example", "1"));
 * assertFalse(guard.accept("did:web:ann.example", "1"));
 * assert(guard.accept("did:web:bob.example", "1"));
 * ```
 */
export class ReplayGuard {
  /** Time for which an accepted message is tracked, in milliseconds. */
  readonly ttlMs: number;
  readonly #maxEntries: number;
  readonly #now: () => number;
  /** Expiration times by key, in order of acceptance. */
  readonly #accepted = new Map<string, number>();

  /**
   * Creates a guard that tracks no messages yet.
   *
   * @param options Limits and clock.
   * @throws {RangeError} If `ttlMs` is not positive, or if `maxEntries` is not a positive integer.
   */
  constructor(options: ReplayGuardOptions = {}) {
    const { ttlMs = 600_000, maxEntries = 100_000, now = Date.now } = options;
    if (!(ttlMs > 0)) throw new RangeError(`"ttlMs" must be positive, got ${ttlMs}`);
    if (!Number.isInteger(maxEntries) || maxEntries < 1) {
      throw new RangeError(`"maxEntries" must be a positive integer, got ${maxEntries}`);
    }
    this.ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  /** Number of tracked messages. */
  get size(): number {
    return this.#accepted.size;
  }

  /**
   * Returns `true` and tracks the message if it is new. Returns `false` if the message is a replay.
   *
   * @param sender DID of the sender.
   * @param id Id of the message, compared exactly.
   */
  accept(sender: string, id: string): boolean {
    const nowMs = this.#now();
    this.#evictExpired(nowMs);
    // A DID contains no spaces, so different pairs of sender and id have different keys.
    const key = `${sender} ${id}`;
    if (this.#accepted.has(key)) return false;
    const [oldest] = this.#accepted.keys();
    if (oldest !== undefined && this.size >= this.#maxEntries) this.#accepted.delete(oldest);
    this.#accepted.set(key, nowMs + this.ttlMs);
    return true;
  }

  #evictExpired(nowMs: number): void {
    for (const [key, untilMs] of this.#accepted) {
      if (untilMs >= nowMs) return;
      this.#accepted.delete(key);
    }
  }
}
