/**
 * Bytes to lines: linear in the input, safe for characters that are split over chunks, and capped.
 *
 * @module
 */

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** A line that was longer than allowed. It was skipped up to its end; the lines after it are whole. */
export interface LineTooLong {
  /** The cap that it went over. */
  readonly maxBytes: number;
}

/** Limits of {@linkcode splitLines}. */
export interface SplitLinesOptions {
  /** How long a line may be, in bytes, without its end. Default 10 MiB. */
  readonly maxBytes?: number;
}

/** The default cap on a line, in bytes. */
export const MAX_LINE_BYTES: number = 10 * 1024 * 1024;

/**
 * Splits a byte stream at line feeds. A carriage return before the line feed belongs to the line's end, a byte order
 * mark is dropped, bytes that are no UTF-8 become U+FFFD. A last line without an end is a line.
 */
export function splitLines(
  chunks: AsyncIterable<Uint8Array>,
  options: SplitLinesOptions = {},
): AsyncIterable<string | LineTooLong> {
  const { maxBytes = MAX_LINE_BYTES } = options;
  return { [Symbol.asyncIterator]: () => new Lines(chunks[Symbol.asyncIterator](), maxBytes) };
}

type LineResult = IteratorResult<string | LineTooLong, void>;

const NOTHING = new Uint8Array();

/** The lines of a run of chunks. By hand, for a generator takes more steps for each than a quick answer takes. */
class Lines implements AsyncIterator<string | LineTooLong, void> {
  readonly #chunks: AsyncIterator<Uint8Array, unknown>;
  readonly #line: LineBuffer;
  #chunk: Uint8Array = NOTHING;
  #start = 0;

  constructor(chunks: AsyncIterator<Uint8Array, unknown>, maxBytes: number) {
    this.#chunks = chunks;
    this.#line = new LineBuffer(maxBytes);
  }

  next(): Promise<LineResult> {
    const value = this.#take();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    return this.#chunks.next().then(this.#goOn);
  }

  async return(): Promise<LineResult> {
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  readonly #goOn = (
    result: IteratorResult<Uint8Array, unknown>,
  ): LineResult | Promise<LineResult> => {
    if (result.done) {
      if (this.#line.isEmpty) return { done: true, value: undefined };
      return { done: false, value: this.#line.finish(NOTHING) };
    }
    this.#chunk = result.value;
    const value = this.#take();
    return value === undefined ? this.next() : { done: false, value };
  };

  /** The next line that ends in the chunk; once there is none, the rest of the chunk is put by. */
  #take(): string | LineTooLong | undefined {
    const end = this.#chunk.indexOf(NEWLINE, this.#start);
    if (end !== -1) {
      const last = this.#chunk.subarray(this.#start, end);
      this.#start = end + 1;
      return this.#line.finish(last);
    }
    this.#line.hold(this.#chunk.subarray(this.#start));
    this.#chunk = NOTHING;
    this.#start = 0;
    return undefined;
  }
}

/** The pieces of the line that has not ended yet. Kept apart, so that each byte is copied once. */
class LineBuffer {
  readonly #decoder = new TextDecoder();
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Keeps a piece for later, or only its length once the line is too long. */
  hold(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    // The producer may use the memory of its chunk again.
    else this.#pieces.push(piece.slice());
  }

  /** Ends the line with its last piece. */
  finish(last: Uint8Array): string | LineTooLong {
    const length = this.#length + last.length;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    if (length > this.#maxBytes) return { maxBytes: this.#maxBytes };
    const bytes = pieces.length === 0 ? last : join([...pieces, last], length);
    const end = bytes.at(-1) === RETURN ? length - 1 : length;
    return this.#decoder.decode(bytes.subarray(0, end));
  }
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
