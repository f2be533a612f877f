/**
 * Cached entries with limits, of which the least recently used is evicted first.
 *
 * @module
 */

/** An entry with its size. */
export interface SizedEntry {
  /** Estimated memory of the entry, in bytes. */
  readonly bytes: number;
}

/** Limits of {@linkcode LruEntries}. */
export interface LruLimits {
  readonly maxEntries: number;
  /** Maximum total size of the entries, in bytes. */
  readonly maxBytes: number;
}

/** Entries by key. The least recently used entry is the first one in the map. */
export class LruEntries<Entry extends SizedEntry> {
  readonly #limits: LruLimits;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  /** Key of the most recently used entry, which is the last entry in the map. */
  #lastUsed: string | undefined;

  constructor(limits: LruLimits) {
    this.#limits = limits;
  }

  /** Returns an entry and makes it the most recently used one. */
  use(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    // Fast path: in a conversation, most lookups are for the most recently used entry.
    if (entry === undefined || key === this.#lastUsed) return entry;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#lastUsed = key;
    return entry;
  }

  /** Adds an entry, unless it exceeds `maxBytes` alone. Evicts entries above the limits. */
  add(key: string, entry: Entry): void {
    this.delete(key);
    const { maxEntries, maxBytes } = this.#limits;
    if (entry.bytes > maxBytes) return;
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    this.#lastUsed = key;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#bytes <= maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
