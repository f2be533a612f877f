/**
 * In-memory replay store.
 *
 * @module
 */

import { formatBase64url } from "../shared/base64url.ts";
import { askClock } from "@parley/internal/ask-clock";
import { assertCount, assertFunction, assertShare } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import {
  assertFiniteTime,
  durationOf,
  type ReplayBeginOptions,
  type ReplayBeginResult,
  type ReplayStore,
} from "./replay_store.ts";

/** Options for {@linkcode ReplayGuard}. */
export interface ReplayGuardOptions {
  /**
   * Maximum time to track a message, in milliseconds.
   *
   * @default {600_000}
   */
  readonly ttlMs?: number;
  /**
   * Maximum number of tracked messages. If the guard is full, new messages are rejected; no entry
   * is evicted before it expires.
   *
   * @default {100_000}
   */
  readonly maxEntries?: number;
  /**
   * Maximum total length of the stored keys, in characters. A key consists of sender and id. A key
   * of more than 256 characters is stored as a digest of 43 characters.
   *
   * @default {16_000_000}
   */
  readonly maxChars?: number;
  /**
   * Maximum share of `maxEntries` and of `maxChars` per sender, greater than 0 and at most 1. Every
   * sender may use at least one entry. DIDs are free to create, so the share does not limit an
   * attacker who signs with many keys; the policy can limit the senders.
   *
   * @default {0.1}
   */
  readonly maxSharePerSender?: number;
  /**
   * Returns the current time, in milliseconds. If the result is not a finite number, `begin`
   * rejects with a `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
}

const readOptions = optionsReader<ReplayGuardOptions>("options")({
  ttlMs: withDefault(600_000, assertFiniteTime),
  maxEntries: withDefault(100_000, assertCount),
  maxChars: withDefault(16_000_000, assertCount),
  maxSharePerSender: withDefault(0.1, assertShare),
  now: withDefault((): number => Date.now(), assertFunction),
});

/** Maximum length of a key that is stored unchanged, in characters. */
const MAX_KEY_CHARS = 256;

/**
 * Number of intervals into which `ttlMs` is divided. All entries that expire in one interval are
 * removed together, so that no call searches for expired entries.
 */
const SLICES = 16;

/** Number and total key length of a sender's entries. */
interface Usage {
  readonly sender: string;
  entries: number;
  chars: number;
}

interface Entry {
  readonly key: string;
  readonly usage: Usage;
  /** Number of the interval in which the entry expires. */
  slice: number;
  isCommitted: boolean;
}

/**
 * An in-memory replay store for one process. If the guard is full, new messages are rejected until
 * entries expire, because evicting an entry would allow its message to be replayed.
 *
 * Pass the guard to `createVerifier`, which adds only verified messages. If a forged message were
 * added, the guard would later reject the genuine message with the same sender and id. Replicas
 * that share a DID need a shared `ReplayStore`; otherwise, each replica would accept the same
 * message once.
 *
 * @example Track a message
 * ```ts
 * import { ReplayGuard } from "@parley/comm/policy";
 * import { assertEquals } from "@std/assert";
 *
 * const guard = new ReplayGuard();
 * const untilMs = Date.now() + 300_000;
 * assertEquals(await guard.begin("did:web:ann.example", "1", untilMs), true);
 * assertEquals(await guard.begin("did:web:ann.example", "1", untilMs), "reserved");
 * await guard.commit("did:web:ann.example", "1");
 * assertEquals(await guard.begin("did:web:ann.example", "1", untilMs), false);
 * assertEquals(await guard.begin("did:web:bob.example", "1", untilMs), true);
 * ```
 */
export class ReplayGuard implements ReplayStore {
  /** Maximum time to track a message, in milliseconds. */
  readonly ttlMs: number;
  readonly #maxEntries: number;
  readonly #maxChars: number;
  readonly #maxShare: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #slices = new Map<number, Set<Entry>>();
  readonly #usages = new Map<string, Usage>();
  #chars = 0;
  /** Number of the interval in which entries were last removed. */
  #sweptSlice = -Infinity;

  /**
   * Creates a guard that tracks no messages yet.
   *
   * @param options Limits and clock.
   * @throws {TypeError} If `now` is not a function, or an option is unknown.
   * @throws {RangeError} If `ttlMs` is not positive and finite, if `maxEntries` or `maxChars` is
   *   not a positive integer, or if `maxSharePerSender` is not greater than 0 and at most 1.
   */
  constructor(options: ReplayGuardOptions = {}) {
    const { ttlMs, maxEntries, maxChars, maxSharePerSender, now } = readOptions(options);
    this.ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
    this.#maxChars = maxChars;
    this.#maxShare = maxSharePerSender;
    this.#now = now;
  }

  /**
   * Number of tracked messages. Expired messages are removed in groups, at most `ttlMs / 16` after
   * they expire.
   */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Reserves the sender and id of a message, in constant time on average.
   *
   * @param sender DID of the sender.
   * @param id Id of the message, of any length, compared exactly.
   * @param untilMs Time until which the entry is kept, in milliseconds since the Unix epoch, at
   *   most `ttlMs` from now. If `untilMs` is already in the past, the entry is kept for `ttlMs`,
   *   because the caller's clock and the guard's clock differ.
   * @param options The caller's time, if the caller's clock is not the guard's clock.
   * @returns `true` if this call reserved the sender and id, `false` if they are committed,
   * `"reserved"` if they are already reserved, or `"full"` if a limit is reached.
   * @throws {TypeError} If `now` does not return a finite number.
   */
  async begin(
    sender: string,
    id: string,
    untilMs: number,
    options: ReplayBeginOptions = {},
  ): Promise<ReplayBeginResult> {
    const key = await toKey(sender, id);
    const owner = await shorten(sender);
    const nowMs = askClock(this.#now);
    this.#removeExpired(nowMs);
    const entry = this.#entries.get(key);
    if (entry !== undefined) return entry.isCommitted ? false : "reserved";
    const usage = this.#usages.get(owner) ?? { sender: owner, entries: 0, chars: 0 };
    if (!this.#hasCapacity(usage, key.length)) return "full";
    const { ttlMs } = this;
    const keptMs = durationOf(untilMs, { nowMs: options.nowMs ?? nowMs, ttlMs });
    this.#add(usage, key, this.#sliceOf(nowMs + keptMs));
    return true;
  }

  /**
   * Marks a reserved entry as accepted.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   */
  async commit(sender: string, id: string): Promise<void> {
    const entry = this.#entries.get(await toKey(sender, id));
    if (entry !== undefined) entry.isCommitted = true;
  }

  /**
   * Removes a reserved entry. Does not change a committed entry.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   */
  async abort(sender: string, id: string): Promise<void> {
    const entry = this.#entries.get(await toKey(sender, id));
    if (entry === undefined || entry.isCommitted) return;
    this.#slices.get(entry.slice)?.delete(entry);
    this.#forget(entry);
  }

  #hasCapacity(usage: Usage, chars: number): boolean {
    if (this.#entries.size >= this.#maxEntries || this.#chars + chars > this.#maxChars) {
      return false;
    }
    if (usage.entries === 0) return true;
    return usage.entries + 1 <= this.#maxEntries * this.#maxShare &&
      usage.chars + chars <= this.#maxChars * this.#maxShare;
  }

  /** Returns the number of the interval that contains a time. */
  #sliceOf(timeMs: number): number {
    return Math.floor(timeMs * SLICES / this.ttlMs);
  }

  #add(usage: Usage, key: string, slice: number): void {
    const entry = { key, usage, slice, isCommitted: false };
    this.#schedule(entry);
    this.#entries.set(key, entry);
    this.#usages.set(usage.sender, usage);
    usage.entries++;
    usage.chars += key.length;
    this.#chars += key.length;
  }

  #schedule(entry: Entry): void {
    const entries = this.#slices.get(entry.slice) ?? new Set();
    this.#slices.set(entry.slice, entries.add(entry));
  }

  #forget({ key, usage }: Entry): void {
    this.#entries.delete(key);
    this.#chars -= key.length;
    usage.entries--;
    usage.chars -= key.length;
    if (usage.entries === 0) this.#usages.delete(usage.sender);
  }

  #removeExpired(nowMs: number): void {
    const current = this.#sliceOf(nowMs);
    if (current === this.#sweptSlice) return;
    this.#sweptSlice = current;
    const latest = current + SLICES + 1;
    for (const [slice, entries] of this.#slices) {
      if (slice >= current && slice <= latest) continue;
      this.#slices.delete(slice);
      for (const entry of entries) {
        if (slice < current) {
          this.#forget(entry);
        } else {
          // The clock has been set back. Without rescheduling, the entry would take up space until
          // the clock reaches the original expiry time again.
          entry.slice = latest;
          this.#schedule(entry);
        }
      }
    }
  }
}

/**
 * Returns the key of a sender and id: both strings, or their SHA-256 digest if the strings are
 * long. A DID contains no spaces and a digest contains no colons, so different pairs have different
 * keys. The key is a new string, so it does not keep the text of the message in memory.
 */
function toKey(sender: string, id: string): string | Promise<string> {
  return shorten(`${sender} ${id}`);
}

/**
 * Returns a string of at most 256 characters unchanged, and the SHA-256 digest of a longer string.
 */
function shorten(text: string): string | Promise<string> {
  return text.length <= MAX_KEY_CHARS ? text : digest(text);
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return formatBase64url(new Uint8Array(bytes));
}
