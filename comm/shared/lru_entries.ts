/**
 * Entries with limits, of which the party that uses most loses its least recently used one.
 *
 * @module
 */

/** An entry with its size. */
export interface SizedEntry {
  /** Size of the entry, for example its estimated memory in bytes. */
  readonly bytes: number;
}

/** Limits of {@linkcode LruEntries}. */
export interface LruLimits {
  readonly maxEntries: number;
  /** Maximum total size of the entries. */
  readonly maxBytes: number;
}

/** Number and total size of the entries of one party. */
interface Usage {
  readonly party: string;
  entries: number;
  bytes: number;
}

interface Owned<Entry> {
  readonly entry: Entry;
  readonly usage: Usage;
}

/**
 * Entries by key. The least recently used entry is the first one in the map.
 *
 * Each entry belongs to a party. If a new entry does not fit, the party that uses most loses its
 * least recently used entry, so that a party cannot evict the entries of parties that use less. One
 * party can use all capacity that no other party needs.
 */
export class LruEntries<Entry extends SizedEntry> {
  readonly #limits: LruLimits;
  readonly #entries = new Map<string, Owned<Entry>>();
  readonly #usages = new Map<string, Usage>();
  #bytes = 0;
  /** Key of the most recently used entry, which is the last entry in the map. */
  #lastUsed: string | undefined;

  constructor(limits: LruLimits) {
    this.#limits = limits;
  }

  /** Keys of all entries, the least recently used first. */
  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Whether there is an entry. Does not make it the most recently used one. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Returns an entry and makes it the most recently used one. */
  use(key: string): Entry | undefined {
    const owned = this.#entries.get(key);
    // Fast path: in a conversation, most lookups are for the most recently used entry.
    if (owned === undefined || key === this.#lastUsed) return owned?.entry;
    this.#entries.delete(key);
    this.#entries.set(key, owned);
    this.#lastUsed = key;
    return owned.entry;
  }

  /**
   * Adds an entry of a party, unless it exceeds `maxBytes` alone. Evicts entries that leave no
   * capacity for it.
   */
  add(key: string, entry: Entry, party: string): void {
    this.delete(key);
    const { maxEntries, maxBytes } = this.#limits;
    if (entry.bytes > maxBytes) return;
    while (this.#entries.size >= maxEntries) this.#evict("entries");
    while (this.#bytes + entry.bytes > maxBytes) this.#evict("bytes");
    const usage = this.#usages.get(party) ?? { party, entries: 0, bytes: 0 };
    this.#usages.set(party, usage);
    this.#entries.set(key, { entry, usage });
    this.#count(usage, 1, entry.bytes);
    this.#lastUsed = key;
  }

  delete(key: string): void {
    const owned = this.#entries.get(key);
    if (owned === undefined) return;
    const { usage, entry } = owned;
    this.#entries.delete(key);
    this.#count(usage, -1, -entry.bytes);
    if (usage.entries === 0) this.#usages.delete(usage.party);
  }

  #count(usage: Usage, entries: number, bytes: number): void {
    usage.entries += entries;
    usage.bytes += bytes;
    this.#bytes += bytes;
  }

  /**
   * Evicts the least recently used entry of the party that uses most. The search takes time in
   * proportion to the number of entries, but an entry is added only after slower work, such as a
   * request to a server.
   */
  #evict(unit: "entries" | "bytes"): void {
    let evicted: string | undefined;
    let most = -1;
    for (const [key, { usage }] of this.#entries) {
      if (usage[unit] <= most) continue;
      most = usage[unit];
      evicted = key;
    }
    if (evicted !== undefined) this.delete(evicted);
  }
}
