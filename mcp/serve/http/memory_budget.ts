/**
 * Memory budget for the strings that legacy sessions store: events for resumption, and resource
 * subscriptions.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";

/** Name of the option whose limit is exceeded. */
export type StorageLimit = "maxChars" | "maxTotalChars";

/** Options for {@linkcode SharedStorage}. */
export interface SharedStorageOptions {
  /** Maximum number of characters per session. */
  readonly maxChars: number;
  /** Maximum number of characters across all sessions. */
  readonly maxTotalChars: number;
  /** Maximum share of `maxTotalChars` per principal, greater than 0 and at most 1. */
  readonly maxSharePerPrincipal: number;
}

/** A stored event. */
export interface StoredEvent {
  /** Text of the event. */
  readonly data: string;
}

/** A list of events whose oldest event can be discarded. */
export interface DiscardableEvents {
  /** Discards the oldest event, after the storage has released the event's capacity. */
  discardOldest(): void;
}

/**
 * Characters added to the length of each event or URI to account for the memory of the objects that
 * hold it.
 */
const ITEM_CHARS = 128;

/** Storage shared by all sessions. */
export class SharedStorage {
  /** Maximum number of characters per session. */
  readonly maxChars: number;
  readonly #used: Quota;
  /**
   * Capacity for subscriptions, which cannot be discarded. Subscriptions use at most half of the
   * storage.
   */
  readonly #reserved: Quota;
  readonly #sessions = new Set<SessionStorage>();

  /**
   * Creates an empty storage.
   *
   * @throws {RangeError} If `maxTotalChars` is less than twice `maxChars`.
   */
  constructor({ maxChars, maxTotalChars, maxSharePerPrincipal }: SharedStorageOptions) {
    if (maxTotalChars < 2 * maxChars) {
      throw new RangeError(
        `"sessions.maxTotalChars" must be at least ${2 * maxChars} (2 * "sessions.maxChars"), ` +
          `got ${maxTotalChars}`,
      );
    }
    this.maxChars = maxChars;
    this.#used = new Quota(maxTotalChars, maxSharePerPrincipal);
    this.#reserved = new Quota(Math.floor(maxTotalChars / 2), maxSharePerPrincipal);
  }

  /** Creates the storage for one session. */
  open(subject: string | undefined): SessionStorage {
    const session = new SessionStorage(this, subject);
    this.#sessions.add(session);
    return session;
  }

  /** Removes the storage for a session that has ended. */
  remove(session: SessionStorage): void {
    this.#sessions.delete(session);
  }

  /** Whether the given number of characters can be reserved for subscriptions. */
  canReserve(chars: number, subject: string | undefined): boolean {
    return this.#reserved.has(chars, subject);
  }

  /**
   * Adds to the number of characters that subscriptions use. A negative number of characters
   * releases capacity.
   */
  reserve(chars: number, subject: string | undefined): void {
    this.#reserved.take(chars, subject);
  }

  /** Adds to the number of characters in use. A negative number of characters releases capacity. */
  take(chars: number, subject: string | undefined): void {
    this.#used.take(chars, subject);
  }

  /**
   * Discards events until the given number of characters is available. In each round, the session
   * with the most characters loses its oldest events, so that sessions with few events lose none.
   * Returns `false` if discarding all events would not be enough.
   */
  makeCapacity(chars: number, subject: string | undefined): boolean {
    while (!this.#used.has(chars, subject)) {
      // If all sessions together have capacity left, the principal's share is exhausted.
      const isShare = this.#used.has(chars, undefined);
      const largest = this.#largest(isShare ? subject : undefined);
      if (largest === undefined) return false;
      // Discard at most half of the session's events at a time, because another session may then
      // have the most characters.
      largest.discard(Math.min(chars, Math.ceil(largest.eventChars / 2)));
    }
    return true;
  }

  #largest(subject: string | undefined): SessionStorage | undefined {
    let largest: SessionStorage | undefined;
    for (const session of this.#sessions) {
      if (subject !== undefined && session.subject !== subject) continue;
      if (session.eventChars > (largest?.eventChars ?? 0)) largest = session;
    }
    return largest;
  }
}

/** The storage of one session. */
export class SessionStorage {
  /** Subject of the session's principal. */
  readonly subject: string | undefined;
  readonly #shared: SharedStorage;
  /** Events from all of the session's streams, oldest first. */
  readonly #events = new Map<StoredEvent, DiscardableEvents>();
  #eventChars = 0;
  #reserved = 0;
  #isClosed = false;

  /** Creates an empty storage. */
  constructor(shared: SharedStorage, subject: string | undefined) {
    this.#shared = shared;
    this.subject = subject;
  }

  /** Total number of characters counted for the stored events. */
  get eventChars(): number {
    return this.#eventChars;
  }

  /**
   * Reserves capacity for a URI, and discards events to free capacity if necessary. Returns the
   * exceeded limit, or `undefined` if the capacity is reserved.
   */
  reserve(uri: string): StorageLimit | undefined {
    const chars = uri.length + ITEM_CHARS;
    const exceeded = this.#makeCapacity(chars);
    if (exceeded !== undefined) return exceeded;
    if (!this.#shared.canReserve(chars, this.subject)) return "maxTotalChars";
    this.#reserve(chars);
    return undefined;
  }

  /** Releases the capacity for a URI. */
  release(uri: string): void {
    this.#reserve(-uri.length - ITEM_CHARS);
  }

  /**
   * Adds an event, and discards older events to free capacity if necessary. Returns the exceeded
   * limit, or `undefined` if the event is counted.
   */
  add(event: StoredEvent, events: DiscardableEvents): StorageLimit | undefined {
    const chars = event.data.length + ITEM_CHARS;
    const exceeded = this.#makeCapacity(chars);
    if (exceeded !== undefined) return exceeded;
    this.#events.set(event, events);
    this.#takeEvent(chars);
    return undefined;
  }

  /** Releases the capacity for an event. */
  remove(event: StoredEvent): void {
    if (this.#events.delete(event)) this.#takeEvent(-event.data.length - ITEM_CHARS);
  }

  /**
   * Discards the oldest events until at least the given number of characters, if it is positive, is
   * released.
   */
  discard(chars: number): void {
    const target = this.#eventChars - chars;
    for (const [event, events] of this.#events) {
      if (this.#eventChars <= target) return;
      this.remove(event);
      events.discardOldest();
    }
  }

  /**
   * Releases the session's entire capacity. No events or URIs can be added after the storage is
   * closed.
   */
  close(): void {
    this.#isClosed = true;
    for (const event of this.#events.keys()) this.remove(event);
    this.#reserve(-this.#reserved);
    this.#shared.remove(this);
  }

  #makeCapacity(chars: number): StorageLimit | undefined {
    const { maxChars } = this.#shared;
    if (this.#isClosed || this.#reserved + chars > maxChars) return "maxChars";
    this.discard(this.#reserved + this.#eventChars + chars - maxChars);
    return this.#shared.makeCapacity(chars, this.subject) ? undefined : "maxTotalChars";
  }

  #takeEvent(chars: number): void {
    this.#eventChars += chars;
    this.#shared.take(chars, this.subject);
  }

  #reserve(chars: number): void {
    this.#reserved += chars;
    this.#shared.reserve(chars, this.subject);
    this.#shared.take(chars, this.subject);
  }
}
