/**
 * Event buffer for one SSE stream, which allows a client to resume the stream with `Last-Event-ID`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery Resumability}
 * @module
 */

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

/**
 * The latest events in one stream. Appending does not wait for the reader, so a reader that falls more than `maxEvents`
 * events behind misses the oldest events. The log has at most one reader; a new reader replaces the previous one.
 */
export class EventLog {
  readonly #maxEvents: number;
  readonly #events: LoggedEvent[] = [];
  #count = 0;
  #isEnded = false;
  #reader = 0;
  #wake = (): void => {};

  /** Creates an empty log. */
  constructor({ maxEvents }: EventLogOptions) {
    this.#maxEvents = maxEvents;
  }

  /** Whether the stream has ended. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Sequence number of the last event. */
  get count(): number {
    return this.#count;
  }

  /** Appends an event. */
  append(data: string): void {
    this.#events.push({ number: ++this.#count, data });
    if (this.#events.length > this.#maxEvents) this.#events.shift();
    this.#wake();
  }

  /** Ends the stream. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Detaches the current reader, or the given reader if it is still attached. The log stays open. */
  detachReader(reader: number = this.#reader): void {
    if (reader !== this.#reader) return;
    this.#reader++;
    this.#wake();
  }

  /** Detaches the current reader, and returns the identifier to use for the next reader. */
  replaceReader(): number {
    this.detachReader();
    return this.#reader;
  }

  /** Yields the events after the given number, then every new event until the stream ends or the reader is detached. */
  async *read(
    after: number,
    reader: number = this.replaceReader(),
  ): AsyncGenerator<LoggedEvent, void> {
    let last = after;
    while (true) {
      while (last < this.#count && this.#reader === reader) {
        const lost = this.#count - this.#events.length;
        const event = this.#events[Math.max(last - lost, 0)];
        if (event === undefined) break;
        last = event.number;
        yield event;
      }
      if (this.#reader !== reader) return;
      if (last < this.#count) continue;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
