/**
 * Splits a byte stream into lines, in linear time and with bounded memory.
 *
 * @module
 */

/** A discarded line that exceeded the limit. */
export interface OversizedLine {
  /** Number of bytes received when the line was discarded. */
  readonly bytes: number;
}

/**
 * Splits chunks of bytes at line feeds. A line that exceeds the limit is skipped, and so is a line
 * that contains only spaces, tabs and carriage returns. Peers can send blank lines as a keep-alive.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /**
   * Buffer for the incomplete line. The bytes of the line are copied from the chunks into the
   * buffer, because retaining many small chunks would use more memory.
   */
  #line = new Uint8Array();
  #length = 0;
  #isSkipping = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds a chunk. Yields the completed lines without their line feeds. The lines are created one at
   * a time, because a chunk can contain as many lines as bytes. The chunk must not change until the
   * last line has been yielded.
   */
  *push(chunk: Uint8Array): Generator<Uint8Array | OversizedLine> {
    let start = 0;
    for (;;) {
      if (this.#length === 0 && !this.#isSkipping) start = skipBlankLines(chunk, start);
      const end = chunk.indexOf(0x0a, start);
      yield* this.#add(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end < 0) return;
      yield* this.#complete();
      start = end + 1;
    }
  }

  /** Ends the input. Yields the last line if no line feed terminates it. */
  *end(): Generator<Uint8Array | OversizedLine> {
    if (this.#length > 0) yield* this.#complete();
  }

  #add(piece: Uint8Array): OversizedLine[] {
    if (this.#isSkipping || piece.length === 0) return [];
    const bytes = this.#length + piece.length;
    if (bytes <= this.#maxBytes) {
      this.#append(piece, bytes);
      return [];
    }
    this.#clear();
    this.#isSkipping = true;
    return [{ bytes }];
  }

  #append(piece: Uint8Array, length: number): void {
    if (length > this.#line.length) {
      // Doubling the buffer makes the amortized cost per byte constant.
      const larger = new Uint8Array(Math.max(length, this.#line.length * 2));
      larger.set(this.#line);
      this.#line = larger;
    }
    this.#line.set(piece, this.#length);
    this.#length = length;
  }

  #complete(): Uint8Array[] {
    const line = this.#line.subarray(0, this.#length);
    const isSkipped = this.#isSkipping || line.every(isSpace);
    this.#clear();
    this.#isSkipping = false;
    return isSkipped ? [] : [line];
  }

  #clear(): void {
    this.#line = new Uint8Array();
    this.#length = 0;
  }
}

/**
 * Returns the offset of the first line that is non-blank or incomplete. No memory is allocated for
 * blank lines, because a peer can send millions of blank lines per second.
 */
function skipBlankLines(chunk: Uint8Array, from: number): number {
  let start = from;
  for (let index = from; index < chunk.length; index++) {
    const byte = chunk[index] ?? 0;
    if (byte === 0x0a) start = index + 1;
    else if (!isSpace(byte)) break;
  }
  return start;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
