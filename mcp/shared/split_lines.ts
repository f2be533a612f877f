/**
 * Bytes to lines: linear in the input, safe for characters that are split over chunks, and capped.
 *
 * @module
 */

import type { ChunkReader } from "./read_chunks.ts";

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

/** Takes a line, or what stands for one that was too long. What it returns is as with {@linkcode TakeChunk}. */
export type TakeLine = (line: string | LineTooLong) => Promise<boolean> | undefined;

/** Gives somebody one line after the other. Resolves at the end of the lines; rejects with what broke them off. */
export type LineReader = (take: TakeLine) => Promise<void>;

/**
 * Splits bytes at line feeds. A carriage return before the line feed belongs to the line's end, a byte order mark is
 * dropped, bytes that are no UTF-8 become U+FFFD. A last line without an end is a line.
 *
 * @param read gives the bytes, which are looked at again until there is room for all lines in them
 */
export function splitLines(read: ChunkReader, options: SplitLinesOptions = {}): LineReader {
  const { maxBytes = MAX_LINE_BYTES } = options;
  return async (take) => {
    const lines = new Lines(take, maxBytes);
    await read((chunk) => lines.split(chunk));
    await lines.end();
  };
}

const NOTHING = new Uint8Array();

/** The lines of a run of chunks. */
class Lines {
  readonly #take: TakeLine;
  readonly #line: LineBuffer;
  #chunk: Uint8Array = NOTHING;
  #start = 0;
  #isWanted = true;

  constructor(take: TakeLine, maxBytes: number) {
    this.#take = take;
    this.#line = new LineBuffer(maxBytes);
  }

  /** Gives the lines that end in a chunk. */
  split(chunk: Uint8Array): Promise<boolean> | undefined {
    this.#chunk = chunk;
    this.#start = 0;
    const waited = this.#giveAll();
    return waited && this.#resume(waited);
  }

  /** Gives the line that has no end. */
  async end(): Promise<void> {
    if (this.#isWanted && !this.#line.isEmpty) await this.#take(this.#line.finish(NOTHING, 0, 0));
  }

  /** Gives lines until there is no room for more, or no more of them. */
  #giveAll(): Promise<boolean> | undefined {
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      const waited = this.#take(line);
      if (waited !== undefined) return waited;
    }
    return undefined;
  }

  async #resume(first: Promise<boolean>): Promise<boolean> {
    for (let waited: Promise<boolean> | undefined = first; waited; waited = this.#giveAll()) {
      this.#isWanted = await waited;
      if (!this.#isWanted) return false;
    }
    return true;
  }

  /** The next line that ends in the chunk; once there is none, the rest of the chunk is put by. */
  #next(): string | LineTooLong | undefined {
    const chunk = this.#chunk;
    const start = this.#start;
    // Mostly a chunk is a line with its end, and there is nothing to look for after it.
    const end = start === chunk.length ? -1 : chunk.indexOf(NEWLINE, start);
    if (end !== -1) {
      this.#start = end + 1;
      return this.#line.finish(chunk, start, end);
    }
    if (start < chunk.length) this.#line.hold(chunk.subarray(start));
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
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    // The producer may use the memory of its chunk again.
    else this.#pieces.push(piece.slice());
  }

  /** Ends the line with its last piece. */
  finish(chunk: Uint8Array, start: number, end: number): string | LineTooLong {
    const pieces = this.#pieces;
    const length = this.#length + end - start;
    if (this.#length > 0) {
      this.#pieces = [];
      this.#length = 0;
    }
    if (length > this.#maxBytes) return { maxBytes: this.#maxBytes };
    if (pieces.length === 0) return this.#decode(chunk, start, end);
    return this.#decode(join([...pieces, chunk.subarray(start, end)], length), 0, length);
  }

  #decode(bytes: Uint8Array, start: number, end: number): string {
    const last = end > start && bytes[end - 1] === RETURN ? end - 1 : end;
    return this.#decoder.decode(bytes.subarray(start, last));
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
