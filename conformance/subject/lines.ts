/**
 * Splits bytes into lines of a limited length, in linear time.
 *
 * @module
 */

/** Receiver of lines: bytes or text. */
export interface LineSink<Line> {
  /** Called with each line, without its line ending. */
  line(line: Line): void;
  /**
   * Called once if a line exceeds the maximum length, after which the splitter ignores all further
   * input.
   */
  overflow(bytes: number): void;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Splits chunks of bytes into lines that end with a line feed, without decoding the lines. */
export class ByteLineSplitter {
  readonly #sink: LineSink<Uint8Array>;
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #full = false;

  /**
   * Creates a splitter.
   *
   * @param sink Callbacks that receive the lines.
   * @param maxBytes Maximum length of a line, in bytes.
   */
  constructor(sink: LineSink<Uint8Array>, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  /** Adds a chunk. */
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

  /** Flushes the last line if it has no line feed. */
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
    // The chunk is copied, because the runtime can reuse its buffer after the callback returns.
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
    this.#sink.line(bytes);
  }
}

/**
 * Splits chunks of UTF-8 text into lines that end with a line feed or with a carriage return and a
 * line feed.
 */
export class LineSplitter extends ByteLineSplitter {
  /**
   * Creates a splitter.
   *
   * @param sink Callbacks that receive the lines.
   * @param maxBytes Maximum length of a line, in bytes.
   */
  constructor(sink: LineSink<string>, maxBytes: number) {
    super({
      line: (bytes) => sink.line(decodeLine(bytes)),
      overflow: (bytes) => sink.overflow(bytes),
    }, maxBytes);
  }
}

/** Decodes a line, without a carriage return at its end. */
export function decodeLine(bytes: Uint8Array): string {
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
