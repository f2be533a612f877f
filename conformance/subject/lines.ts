/**
 * Bytes to lines: linear in cost, capped in length, safe for split UTF-8.
 *
 * @module
 */

/** Where lines go. */
export interface LineSink {
  /** A whole line, without its end. */
  line(text: string): void;
  /** Called once, when a line outgrows the limit; nothing follows. */
  overflow(bytes: number): void;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Collects chunks of bytes and hands on lines. */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #full = false;

  /**
   * Makes a splitter.
   *
   * @param sink where lines go
   * @param maxBytes the longest line accepted
   */
  constructor(sink: LineSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes. */
  push(chunk: Uint8Array): void {
    let start = 0;
    while (!this.#full) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      this.#add(chunk.subarray(start, end));
      this.#flush();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  /** Hands on what has no line feed after it. */
  end(): void {
    if (this.#length > 0 && !this.#full) this.#flush();
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#full) return;
    this.#length += bytes.length;
    if (this.#length > this.#maxBytes) {
      this.#full = true;
      this.#parts = [];
      this.#sink.overflow(this.#length);
      return;
    }
    // A chunk may be reused by the runtime once the callback returns.
    this.#parts.push(bytes.slice());
  }

  #flush(): void {
    if (this.#full) return;
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#length = 0;
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    this.#sink.line(new TextDecoder().decode(bytes.subarray(0, end)));
  }
}
