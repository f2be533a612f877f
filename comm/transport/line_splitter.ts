/**
 * Splitting of a byte stream into lines, in linear time and with bounded memory.
 *
 * @module
 */

/** A discarded line that exceeded the limit. */
export interface OversizedLine {
  /** Number of bytes received when the line was discarded. */
  readonly bytes: number;
}

/** Splits chunks of bytes at line feeds. A line that exceeds the limit is skipped. */
export class LineSplitter {
  readonly #maxBytes: number;
  /**
   * Buffer for the incomplete line. Chunks are copied, because retaining many small chunks would
   * use more memory.
   */
  #line = new Uint8Array();
  #length = 0;
  #isSkipping = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a chunk. Returns the completed lines without their line feeds. */
  push(chunk: Uint8Array): (Uint8Array | OversizedLine)[] {
    const lines: (Uint8Array | OversizedLine)[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      lines.push(...this.#add(chunk.subarray(start, end < 0 ? chunk.length : end)));
      if (end < 0) return lines;
      lines.push(...this.#complete());
      start = end + 1;
    }
  }

  /** Ends the input. Returns the last line if no line feed terminates it. */
  end(): (Uint8Array | OversizedLine)[] {
    return this.#length === 0 ? [] : this.#complete();
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
    const line = this.#isSkipping ? [] : [this.#line.subarray(0, this.#length)];
    this.#clear();
    this.#isSkipping = false;
    return line;
  }

  #clear(): void {
    this.#line = new Uint8Array();
    this.#length = 0;
  }
}
