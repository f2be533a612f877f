/**
 * Bytes into lines, in linear time and bounded memory.
 *
 * @module
 */

/** A line that was longer than the limit and was thrown away. */
export interface OversizedLine {
  /** How many bytes of it were seen when it was given up. */
  readonly bytes: number;
}

/** Splits chunks of bytes at line feeds; a line longer than the limit is skipped up to its end. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The line so far and room for more. Chunks are copied: many small ones would cost far more than their bytes. */
  #line = new Uint8Array();
  #length = 0;
  #isSkipping = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next chunk; answers the lines that it completes, without their line feeds. */
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

  /** Takes the end of the bytes; answers the last line when it has no line feed. */
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
      // Doubling keeps the cost of a byte constant on average.
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
