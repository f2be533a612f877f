/**
 * What was sent on one event stream, so that a client whose connection broke can have the rest.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery Resumability}
 * @module
 */

/** One event of a stream. */
export interface LoggedEvent {
  /** Its number, from 1. */
  readonly number: number;
  /** The message as JSON text. */
  readonly data: string;
}

/** How much a log keeps. */
export interface EventLogOptions {
  /** How many events. The oldest go first. */
  readonly maxEvents: number;
}

/**
 * The events of one stream. It is written whether anybody reads or not; a reader that is further behind than the log is
 * long misses the oldest events. There is one reader at a time: a new one takes over from the one before.
 */
export class EventLog {
  readonly #maxEvents: number;
  readonly #events: LoggedEvent[] = [];
  #count = 0;
  #isEnded = false;
  #reader = 0;
  #wake = (): void => {};

  /** Makes an empty log. */
  constructor({ maxEvents }: EventLogOptions) {
    this.#maxEvents = maxEvents;
  }

  /** Whether nothing will follow. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The number of the last event. */
  get count(): number {
    return this.#count;
  }

  /** Adds an event. */
  append(data: string): void {
    this.#events.push({ number: ++this.#count, data });
    if (this.#events.length > this.#maxEvents) this.#events.shift();
    this.#wake();
  }

  /** Says that nothing will follow. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Sends the reader away, or a certain one if it is still there. The log goes on. */
  detachReader(reader: number = this.#reader): void {
    if (reader !== this.#reader) return;
    this.#reader++;
    this.#wake();
  }

  /** Sends the reader away for the next one, and says who that is. */
  replaceReader(): number {
    this.detachReader();
    return this.#reader;
  }

  /** The events after a number, those there are and those to come. */
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
