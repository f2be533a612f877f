/**
 * Remembering which messages were accepted.
 *
 * @module
 */

/** Limits of a {@linkcode ReplayGuard}. */
export interface ReplayGuardOptions {
  /** How long a message is remembered, in milliseconds; the default is 10 minutes. */
  readonly ttlMs?: number;
  /** How many messages are remembered, the oldest being forgotten first; the default is 100,000. */
  readonly maxEntries?: number;
  /** The clock, in milliseconds; the default is `Date.now`. */
  readonly now?: () => number;
}

/**
 * Remembers accepted messages by sender and id, which a signature covers; a timestamp, which it does not, could be moved.
 *
 * Offer it verified messages only, or a forgery could suppress the message it imitates: `createVerifier` does that. A
 * message is safe from replay as long as it is remembered, so `ttlMs` must reach from `clockSkewMs` ahead to `maxAgeMs`
 * back: `createVerifier` refuses a guard that forgets sooner.
 *
 * @example Accept a message once
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
  /** How long a message is remembered, in milliseconds. */
  readonly ttlMs: number;
  readonly #maxEntries: number;
  readonly #now: () => number;
  /** When each message is forgotten, in the order in which they were accepted. */
  readonly #accepted = new Map<string, number>();

  /**
   * Creates a guard that remembers nothing yet.
   *
   * @param options limits
   * @throws {RangeError} when `ttlMs` is not positive or `maxEntries` not an integer of at least 1
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

  /** How many messages are remembered. */
  get size(): number {
    return this.#accepted.size;
  }

  /**
   * Whether a message is new; if it is, it is remembered.
   *
   * @param sender the sender's DID
   * @param id the message's id, compared exactly
   */
  accept(sender: string, id: string): boolean {
    const nowMs = this.#now();
    this.#evictExpired(nowMs);
    // A DID holds no space, so no two pairs make one key.
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
