/**
 * Splits a byte stream into lines, in linear time and with a maximum line length. Characters that
 * are split across chunks are decoded correctly.
 *
 * @module
 */

import { decodeUtf8 } from "./decode_utf8.ts";
import type { ChunkReader } from "./read_chunks.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/** A character that makes a line non-blank. */
const NOT_BLANK = /[^ \t\r]/;

/**
 * Placeholder for a line that exceeded the limit. A line that exceeds the limit is skipped; the
 * lines that follow it are returned unchanged.
 */
export interface LineTooLong {
  /** Limit that the line exceeded, in bytes. */
  readonly maxBytes: number;
}

/** Placeholder for a line that is not UTF-8. */
export interface LineNotUtf8 {
  /** Text of the line, with U+FFFD in place of each invalid sequence. */
  readonly damagedText: string;
}

/** A line, or the placeholder for a line that cannot be used. */
export type Line = string | LineTooLong | LineNotUtf8;

/** Options for {@linkcode splitLines}. */
export interface SplitLinesOptions {
  /**
   * Maximum length of a line, in bytes, without the line terminator; by default,
   * {@linkcode MAX_LINE_BYTES}.
   */
  readonly maxBytes?: number;
}

/** Default maximum length of a line, in bytes. */
export const MAX_LINE_BYTES: number = 10 * 1024 * 1024;

/**
 * Function that consumes a line, or the placeholder for a line that cannot be used. The return
 * value has the same meaning as for {@linkcode TakeChunk}.
 */
export type TakeLine = (line: Line) => Promise<boolean> | undefined;

/**
 * Passes lines to a consumer in order. Resolves at the end of the input and rejects if reading
 * fails.
 */
export type LineReader = (take: TakeLine) => Promise<void>;

/**
 * Splits bytes at line feeds. Removes carriage returns before line feeds, and byte order marks at
 * the start of lines. A line that is not UTF-8 becomes a placeholder. A final line without a line
 * feed is treated as a line. Blank lines are skipped.
 *
 * @param read Reader of the byte stream. A chunk must stay unchanged until all of its lines are
 * consumed.
 * @param options Limits.
 */
export function splitLines(read: ChunkReader, options: SplitLinesOptions = {}): LineReader {
  const { maxBytes = MAX_LINE_BYTES } = options;
  return async (take) => {
    const lines = new Lines(take, maxBytes);
    await read((chunk) => lines.split(chunk));
    await lines.end();
  };
}

/** Returns `true` if a line contains only spaces, tabs and carriage returns. */
export function isBlank(line: string): boolean {
  return !NOT_BLANK.test(line);
}

const NOTHING = new Uint8Array();

/** Splits chunks into lines and passes the lines to a consumer. */
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

  /** Passes all lines that end in the chunk to the consumer. */
  split(chunk: Uint8Array): Promise<boolean> | undefined {
    this.#chunk = chunk;
    this.#start = 0;
    const waited = this.#giveAll();
    return waited && this.#resume(waited);
  }

  /** Passes the final line to the consumer if the line has no line feed. */
  async end(): Promise<void> {
    if (!this.#isWanted || this.#line.isEmpty) return;
    const line = this.#line.finish(NOTHING, 0, 0);
    if (!isSkipped(line)) await this.#take(line);
  }

  /**
   * Passes lines to the consumer until it has no capacity or the chunk has no more complete lines.
   */
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

  /**
   * Returns the next line that ends in the chunk. If no more lines end in the chunk, stores the
   * remaining bytes and returns `undefined`.
   */
  #next(): Line | undefined {
    const chunk = this.#chunk;
    let start = this.#start;
    for (;;) {
      if (this.#line.isEmpty) start = skipBlankLines(chunk, start);
      // Skip the search if the chunk has been consumed, which is the usual case, because most
      // chunks contain exactly one line.
      const end = start === chunk.length ? -1 : chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      const line = this.#line.finish(chunk, start, end);
      start = end + 1;
      if (isSkipped(line)) continue;
      this.#start = start;
      return line;
    }
    if (start < chunk.length) this.#line.hold(chunk.subarray(start));
    this.#chunk = NOTHING;
    this.#start = 0;
    return undefined;
  }
}

function isSkipped(line: Line): boolean {
  return typeof line === "string" && isBlank(line);
}

/**
 * Skips blank lines. Returns the offset of the first line that is incomplete or not blank. Nothing
 * is allocated for the skipped lines, because a peer can send millions of them per second.
 */
function skipBlankLines(chunk: Uint8Array, from: number): number {
  let start = from;
  for (let index = from; index < chunk.length; index++) {
    const byte = chunk[index];
    if (byte === NEWLINE) start = index + 1;
    else if (byte !== SPACE && byte !== TAB && byte !== RETURN) break;
  }
  return start;
}

/**
 * The chunks of an incomplete line. The chunks are joined only when the line ends, so each byte is
 * joined only once.
 */
class LineBuffer {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Stores part of an incomplete line, or only its length once the line is too long. */
  hold(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    // Copy the bytes, because the producer can reuse the chunk's memory.
    else this.#pieces.push(piece.slice());
  }

  /** Completes an incomplete line with its last part. */
  finish(chunk: Uint8Array, start: number, end: number): Line {
    const pieces = this.#pieces;
    const length = this.#length + end - start;
    if (this.#length > 0) {
      this.#pieces = [];
      this.#length = 0;
    }
    if (length > this.#maxBytes) return { maxBytes: this.#maxBytes };
    if (pieces.length === 0) return decode(chunk, start, end);
    return decode(join([...pieces, chunk.subarray(start, end)], length), 0, length);
  }
}

function decode(bytes: Uint8Array, start: number, end: number): string | LineNotUtf8 {
  const last = end > start && bytes[end - 1] === RETURN ? end - 1 : end;
  const line = bytes.subarray(start, last);
  return decodeUtf8(line) ?? { damagedText: new TextDecoder().decode(line) };
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
