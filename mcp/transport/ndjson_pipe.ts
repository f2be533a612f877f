/**
 * Newline-delimited JSON: lines in, lines out, as a pipe.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { type LineReader, type LineTooLong, MAX_LINE_BYTES } from "../shared/split_lines.ts";
import { Queue } from "../shared/bounded_queue.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { type RpcMessage, stringifyMessage } from "../jsonrpc/message.ts";
import { type Frame, readFrame, type ReadFrameOptions } from "../jsonrpc/read_frame.ts";
import { type Pipe, SENT, type StdioLineReader } from "../jsonrpc/contracts.ts";

/** Where a {@linkcode LinePipe} writes: an injected writer, or one that has nothing to wait for. */
export interface LineWriter {
  /** Writes one line and its end. Returns nothing when that is done, and a promise when it takes longer. */
  writeLine(line: string): Promise<void> | undefined;
}

/** How a {@linkcode LinePipe} behaves. */
export interface LinePipeOptions extends ReadFrameOptions {
  /** What to call it in errors. Default `stdio`. */
  readonly label?: string;
  /** How many frames may wait to be looked at before reading pauses. Default 100. */
  readonly maxWaiting?: number;
  /**
   * How much may wait until the other side reads, in characters; more is refused with `core`. A line that nobody is
   * before may be longer. Default 128 Mi.
   */
  readonly maxBufferedChars?: number;
  /** Ends what is behind the lines. */
  readonly close?: () => Promise<void>;
}

/** As much as a hundred calls at once with a megabyte each. */
const MAX_BUFFERED_CHARS = 128 * 1024 * 1024;

/** A pipe over lines. Blank lines are ignored; a line that is too long becomes an invalid frame. */
export class LinePipe implements Pipe {
  /** What to call it in errors. */
  readonly label: string;
  readonly #frames: Queue<Frame>;
  readonly #writer: LineWriter;
  readonly #options: LinePipeOptions;
  #isClosed = false;
  #lastWrite: Promise<void> | undefined;
  /** How many characters wait, those included that are being written. */
  #buffered = 0;
  #closing: Promise<void> | undefined;

  /** Starts to read the lines. */
  constructor(
    lines: LineReader,
    writer: LineWriter,
    options: LinePipeOptions = {},
  ) {
    const { label = "stdio", maxWaiting = 100 } = options;
    this.label = label;
    this.#frames = new Queue({ capacity: maxWaiting });
    this.#writer = writer;
    this.#options = options;
    lines(this.#take).then(() => this.#frames.end(), (error) => this.#frames.end(error));
  }

  /** What comes in. */
  get frames(): AsyncIterable<Frame> {
    return this.#frames;
  }

  /** Writes one message, or a batch of them, as one line, after those before it. */
  send(message: RpcMessage | readonly RpcMessage[]): Promise<void> {
    try {
      if (this.#isClosed) throw McpError.transportError(this.label, "closed");
      const line = stringifyMessage(message);
      // Mostly nobody is before it, and the line goes out at once.
      const write = this.#lastWrite === undefined
        ? this.#write(line)
        : this.#writeAfter(this.#lastWrite, line);
      return write === undefined ? SENT : this.#written(write, line);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #writeAfter(last: Promise<void>, line: string): Promise<void> {
    const { maxBufferedChars = MAX_BUFFERED_CHARS } = this.#options;
    if (this.#buffered + line.length > maxBufferedChars) {
      throw McpError.core(
        `more than ${maxBufferedChars} characters wait until "${this.label}" reads`,
      );
    }
    return last.then(() => this.#write(line));
  }

  #write(line: string): Promise<void> | undefined {
    try {
      const written = this.#writer.writeLine(line);
      if (written === undefined) return undefined;
      // A writer of somebody's own may return what a stream does: whether there is room for more.
      return Promise.resolve(written).catch((cause) => this.#fail(cause));
    } catch (cause) {
      return this.#fail(cause);
    }
  }

  #fail(cause: unknown): never {
    throw McpError.transportError(this.label, reasonOf(cause), { cause });
  }

  /** Lets the writes that follow wait for this one, however it ends. */
  #written(write: Promise<void>, { length }: string): Promise<void> {
    this.#buffered += length;
    // Before whoever has sent it goes on: there is room for the next then.
    const end = (): void => {
      this.#buffered -= length;
      if (this.#lastWrite === ended) this.#lastWrite = undefined;
    };
    const ended = write.then(end, end);
    this.#lastWrite = ended;
    return write;
  }

  /** Ends reading and writing. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#frames.end();
    return this.#closing ??= this.#options.close?.() ?? Promise.resolve();
  }

  readonly #take = (line: string | LineTooLong): Promise<boolean> | undefined => {
    if (line === "") return undefined;
    const frame = typeof line === "string" ? readFrame(line, this.#options) : tooLong(line);
    return this.#frames.tryPush(frame) ? undefined : this.#frames.push(frame);
  };
}

/** The lines of an injected reader, cut off by the same cap as those of a stream. */
export function readLines(
  reader: StdioLineReader,
  options: { readonly maxBytes?: number } = {},
): LineReader {
  const { maxBytes = MAX_LINE_BYTES } = options;
  return async (take) => {
    for (let line = await reader.readLine(); line !== null; line = await reader.readLine()) {
      // A character takes at least one byte, so a longer text is longer in bytes too.
      const waited = take(line.length > maxBytes ? { maxBytes } : line);
      if (waited !== undefined && !await waited) return;
    }
  };
}

function tooLong({ maxBytes }: LineTooLong): Frame {
  const reason = `Invalid request: the line is longer than ${maxBytes} bytes`;
  return { kind: "invalid", code: RpcErrorCode.InvalidRequest, reason, id: null, isAnswer: false };
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
