/**
 * The sessions that a process has read.
 *
 * @module
 */

import {
  encodeRunIdPrefix,
  loadRecords,
  noRecords,
  type ReadRecords,
  readRecords,
} from "./record.ts";
import type { SessionStore } from "./store.ts";

/** Limits of a cache. */
export interface SessionCacheLimits {
  readonly maxCachedSessions: number;
  /** Maximum total length of the records as JSON, in UTF-16 code units. */
  readonly maxCachedChars: number;
  /** Maximum number of records of a session. A session with more records is not kept. */
  readonly maxRecords: number;
  /** Maximum length of the records of a session. A longer session is not kept. */
  readonly maxChars: number;
}

/**
 * Keeps sessions that were read, so that a turn reads and validates only new records. Before a
 * session is used, its last record is compared with the storage: records are added at the end, and
 * only the last one can be removed, which is then replaced before other records are added.
 */
export class SessionCache {
  readonly #store: SessionStore;
  readonly #limits: SessionCacheLimits;
  /** The first entry is the least recently used session. */
  readonly #entries = new Map<string, ReadRecords>();
  #chars = 0;

  constructor(store: SessionStore, limits: SessionCacheLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** Returns the records of a session that are known. The storage may contain others. */
  known(sessionId: string): ReadRecords {
    return this.#entries.get(sessionId) ?? noRecords();
  }

  /**
   * Returns the records of a session, of which only those that are not known are read.
   *
   * @throws {TypeError} If a record is invalid.
   */
  async load(sessionId: string): Promise<ReadRecords> {
    const prefix = encodeRunIdPrefix(sessionId);
    const { added, known } = await loadRecords(this.#store, sessionId, this.known(sessionId));
    const read = readRecords(known, added, {
      maxChars: Infinity,
      maxRecords: Infinity,
      runIdAt: (index) => `${prefix}/${index}`,
    });
    this.keep(sessionId, read);
    return read;
  }

  /** Keeps the records of the session that was used last. */
  keep(sessionId: string, read: ReadRecords): void {
    const { maxCachedChars, maxCachedSessions, maxChars, maxRecords } = this.#limits;
    this.#remove(sessionId);
    const { chars, values: { length } } = read;
    if (length === 0 || length > maxRecords || chars > Math.min(maxChars, maxCachedChars)) return;
    this.#entries.set(sessionId, read);
    this.#chars += chars;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxCachedSessions && this.#chars <= maxCachedChars) return;
      this.#remove(oldest);
    }
  }

  #remove(sessionId: string): void {
    this.#chars -= this.#entries.get(sessionId)?.chars ?? 0;
    this.#entries.delete(sessionId);
  }
}
