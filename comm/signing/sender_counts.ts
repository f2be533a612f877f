/**
 * The share of each sender in a replay store that is in a database.
 *
 * @module
 */

/**
 * Time after which the entries of a sender are counted again, in milliseconds. In between, the
 * counts do not include the entries that other processes add and that expire.
 */
const RECOUNT_MS = 60_000;

/** Maximum number of senders whose entries are counted. */
const MAX_SENDERS = 1000;

/** Number of entries of a sender. */
interface Count {
  readonly startMs: number;
  /** Resolves when the entries in the database are counted. */
  readonly counted: Promise<void>;
  entries: number;
}

/**
 * Limits the number of entries per sender. Counting the entries in the database for each message
 * would take time in proportion to their number, so the entries of a sender are counted at most
 * once a minute.
 */
export class SenderCounts {
  readonly #max: number;
  readonly #counts = new Map<string, Count>();

  /**
   * Creates counts without entries.
   *
   * @param maxEntries Maximum number of entries of all senders.
   * @param share Maximum share per sender. Every sender may have at least one entry.
   */
  constructor(maxEntries: number, share: number) {
    this.#max = Math.max(Math.floor(maxEntries * share), 1);
  }

  /**
   * Adds an entry of a sender. Returns `false` if the sender has no capacity left.
   *
   * @param sender Digest of the sender.
   * @param nowMs Current time.
   * @param count Counts the entries of the sender in the database.
   */
  async take(
    sender: string,
    nowMs: number,
    count: () => number | Promise<number>,
  ): Promise<boolean> {
    const known = this.#find(sender, nowMs) ?? this.#start(sender, nowMs, count);
    await known.counted;
    if (known.entries >= this.#max) return false;
    known.entries++;
    return true;
  }

  /** Removes an entry of a sender. */
  release(sender: string): void {
    const known = this.#counts.get(sender);
    if (known !== undefined && known.entries > 0) known.entries--;
  }

  #find(sender: string, nowMs: number): Count | undefined {
    const known = this.#counts.get(sender);
    if (known === undefined || Math.abs(nowMs - known.startMs) < RECOUNT_MS) return known;
    this.#counts.delete(sender);
    return undefined;
  }

  #start(sender: string, startMs: number, count: () => number | Promise<number>): Count {
    const counting = async (): Promise<void> => {
      try {
        known.entries += await count();
      } catch (error) {
        this.#counts.delete(sender);
        throw error;
      }
    };
    const known: Count = { startMs, entries: 0, counted: Promise.resolve().then(counting) };
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size < MAX_SENDERS) break;
      this.#counts.delete(oldest);
    }
    this.#counts.set(sender, known);
    return known;
  }
}
