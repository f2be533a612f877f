/**
 * Event buffer for one SSE stream, which allows a client to resume the stream with `Last-Event-ID`.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery Resumability}
 * @module
 */

import { Fifo } from "@parley/internal/fifo";
import type { DiscardableEvents, SessionStorage, StorageLimit } from "./memory_budget.ts";

/** An event in a stream. */
export interface LoggedEvent {
  /** Sequence number, starting at 1. */
  readonly number: number;
  /** Serialized JSON-RPC message. */
  readonly data: string;
}

/** Options for {@linkcode EventLog}. */
export interface EventLogOptions {
  /** Maximum number of stored events. When the log is full, the oldest event is discarded. */
  readonly maxEvents: number;
}

/** A call to {@linkcode EventLog.send} whose event has not been read. */
interface PendingSend {
  readonly number: number;
  readonly resolve: (isAccepted: boolean) => void;
}

/**
 * The latest events in one stream. {@linkcode EventLog.append} does not wait for the reader, so a
 * reader that falls too far behind misses the oldest events. {@linkcode EventLog.send} resolves
 * when the reader has read the event, so a caller that awaits each `send` cannot get ahead of the
 * reader. The log has at most one reader; a new reader replaces the previous one.
 */
export class EventLog implements DiscardableEvents {
  readonly #maxEvents: number;
  readonly #storage: SessionStorage;
  readonly #events = new Fifo<LoggedEvent>();
  readonly #pendingSends = new Fifo<PendingSend>();
  /**
   * An event that would exceed the storage limit, kept only for the reader that is waiting for it.
   */
  #unstored: LoggedEvent | undefined;
  #count = 0;
  #isEnded = false;
  #reader = 0;
  #hasReader = false;
  #isReaderWaiting = false;
  #wake = (): void => {};

  /** Creates an empty log. */
  constructor({ maxEvents }: EventLogOptions, storage: SessionStorage) {
    this.#maxEvents = maxEvents;
    this.#storage = storage;
  }

  /** Whether the stream has ended. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Sequence number of the last event. */
  get count(): number {
    return this.#count;
  }

  /**
   * Appends an event. An event that exceeds the storage limit is passed to a waiting reader but not
   * stored; if no reader is waiting, the event is dropped. Returns the exceeded limit if the event
   * is dropped, otherwise `undefined`.
   */
  append(data: string): StorageLimit | undefined {
    const event: LoggedEvent = { number: this.#count + 1, data };
    const exceeded = this.#storage.add(event, this);
    if (exceeded === undefined) this.#events.push(event);
    else if (this.#isReaderWaiting) this.#unstored = event;
    else return exceeded;
    this.#count++;
    this.#isReaderWaiting = false;
    if (this.#events.size > this.#maxEvents) this.#discard(1);
    this.#wake();
    return undefined;
  }

  /**
   * Appends an event. Resolves when the reader has read the event, or immediately if there is no
   * reader. Resolves to `false` if the event is dropped.
   */
  send(data: string): Promise<boolean> {
    if (this.append(data) !== undefined) return Promise.resolve(false);
    if (!this.#hasReader) return Promise.resolve(true);
    return new Promise((resolve) => this.#pendingSends.push({ number: this.#count, resolve }));
  }

  /** Ends the stream. */
  end(): void {
    this.#isEnded = true;
    this.#settleSends(Infinity);
    this.#wake();
  }

  /** Discards all events. */
  clear(): void {
    this.#discard(this.#events.size);
  }

  discardOldest(): void {
    this.#events.shift();
  }

  /**
   * Detaches the current reader, or the given reader if it is still attached. The log stays open
   * without a reader.
   */
  detachReader(reader: number = this.#reader): void {
    if (reader !== this.#reader) return;
    this.#reader++;
    this.#hasReader = false;
    this.#isReaderWaiting = false;
    this.#settleSends(Infinity);
    this.#wake();
  }

  /** Detaches the current reader, and returns the identifier to use for the next reader. */
  replaceReader(): number {
    this.detachReader();
    this.#hasReader = true;
    return this.#reader;
  }

  /**
   * Yields the events after the given sequence number, then every new event until the stream ends
   * or the reader is detached.
   */
  async *read(
    after: number,
    reader: number = this.replaceReader(),
  ): AsyncGenerator<LoggedEvent, void> {
    let last = after;
    try {
      while (this.#reader === reader) {
        const event = this.#eventAfter(last);
        if (event !== undefined) {
          last = event.number;
          yield event;
          if (this.#reader === reader) this.#settleSends(last);
        } else if (this.#isEnded) return;
        else {
          this.#isReaderWaiting = true;
          await new Promise<void>((resolve) => this.#wake = resolve);
        }
      }
    } finally {
      this.detachReader(reader);
    }
  }

  #eventAfter(last: number): LoggedEvent | undefined {
    const unstored = this.#unstored;
    this.#unstored = undefined;
    if (unstored !== undefined && unstored.number > last) return unstored;
    // The numbers increase, but they have gaps where events were not stored.
    let [low, high] = [0, this.#events.size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const number = this.#events.at(middle)?.number ?? Infinity;
      if (number <= last) low = middle + 1;
      else high = middle;
    }
    return this.#events.at(low);
  }

  #discard(count: number): void {
    for (let left = count; left > 0; left--) {
      const event = this.#events.shift();
      if (event !== undefined) this.#storage.remove(event);
    }
  }

  /** Resolves the calls to `send()` for the events up to the given sequence number. */
  #settleSends(last: number): void {
    let { first } = this.#pendingSends;
    while (first !== undefined && first.number <= last) {
      this.#pendingSends.shift();
      first.resolve(true);
      first = this.#pendingSends.first;
    }
  }
}
