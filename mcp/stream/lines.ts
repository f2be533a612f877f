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
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  options: SplitLinesOptions = {},
): AsyncGenerator<string | LineTooLong, void> {
  const line = new LineBuffer(options.maxBytes ?? MAX_LINE_BYTES);
  for await (const chunk of chunks) {
    let start = 0;
    for (
      let end = chunk.indexOf(NEWLINE);
      end !== -1;
      start = end + 1, end = chunk.indexOf(NEWLINE, start)
    ) {
      yield line.finish(chunk.subarray(start, end));
    }
    line.hold(chunk.subarray(start));
  }
  if (!line.isEmpty) yield line.finish(new Uint8Array());
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
