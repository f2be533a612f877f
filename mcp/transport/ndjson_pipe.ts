/**
 * Newline-delimited JSON over a line reader and a line writer.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import {
  isBlank,
  type Line,
  type LineReader,
  type LineTooLong,
  MAX_LINE_BYTES,
} from "@parley/internal/split-lines";
import { Queue } from "../shared/bounded_queue.ts";
import { EventLoopYielder } from "../shared/event_loop_yielder.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { type RpcMessage, stringifyMessage } from "../jsonrpc/message.ts";
import {
  type Frame,
  type InvalidFrame,
  readDamagedFrame,
  readFrame,
  type ReadFrameOptions,
} from "../jsonrpc/read_frame.ts";
import { type Pipe, SENT, type StdioLineReader } from "../jsonrpc/contracts.ts";
import { excerpt } from "@parley/internal/escape-text";

/**
 * Destination for the lines of a {@linkcode LinePipe}: a custom writer, or a writer that can write
 * synchronously.
 */
export interface LineWriter {
  /**
   * Writes a line and a line terminator. Returns `undefined` if the line was written synchronously,
   * otherwise a promise.
   */
  writeLine(line: string): Promise<void> | undefined;
}

/** Options for a {@linkcode LinePipe}. */
export interface LinePipeOptions extends ReadFrameOptions {
  /**
   * Name of the pipe in error messages.
   *
   * @default {"stdio"}
   */
  readonly label?: string;
  /**
   * Maximum number of unread frames. Once `maxWaiting` frames are unread, reading pauses until a
   * frame is consumed.
   *
   * @default {100}
   */
  readonly maxWaiting?: number;
  /**
   * Maximum number of characters to buffer while the peer is not reading. Calls beyond
   * `maxBufferedChars` reject with code `core`. A line may exceed `maxBufferedChars` if it is the
   * only buffered line.
   *
   * @default {134_217_728}
   */
  readonly maxBufferedChars?: number;
  /**
   * Maximum number of consecutive lines that are not messages. Beyond `maxJunkLines`, the pipe
   * fails with code `transport_error` and closes the streams. If omitted, the number of lines that
   * are not messages is unlimited, because a server responds to each invalid line with an error.
   */
  readonly maxJunkLines?: number;
  /**
   * Returns text that helps explain why no session could be opened, for example the standard error
   * output.
   */
  readonly diagnose?: () => string | undefined;
  /** Closes the underlying streams. */
  readonly close?: () => Promise<void>;
}

/**
 * Default maximum number of buffered characters, enough for 100 concurrent calls of one megabyte
 * each.
 */
export const MAX_BUFFERED_CHARS: number = 128 * 1024 * 1024;

/** Default maximum number of consecutive lines from a server that are not messages. */
export const MAX_JUNK_LINES = 1000;

/** Number of lines that are read without a pause, so that occasional messages are not delayed. */
const MIN_LINES = 32;

/** Maximum number of lines in a diagnosis, and their maximum length in characters. */
const MAX_SHOWN_LINES = 3;
const MAX_SHOWN_CHARS = 200;

/** Start of a line that can contain a message or a batch. */
const MESSAGE_START = /^\s*[{[]/;

/**
 * A pipe over lines, which ignores blank lines. A line that exceeds the length limit becomes an
 * invalid frame.
 */
export class LinePipe implements Pipe {
  /** Name of the pipe in error messages. */
  readonly label: string;
  readonly #frames: Queue<Frame>;
  readonly #writer: LineWriter;
  readonly #options: LinePipeOptions;
  #isClosed = false;
  #lastWrite: Promise<void> | undefined;
  /** Number of buffered characters, including those that are being written. */
  #buffered = 0;
  #closing: Promise<void> | undefined;
  /** The first received lines that are not messages. */
  readonly #junk: string[] = [];
  /** Number of consecutive lines that are not messages. */
  #junkInARow = 0;
  /**
   * Lets timers and I/O run while lines are read. A peer that writes faster than the lines are
   * processed would otherwise keep timers, such as timeouts, from running.
   */
  readonly #yielder = new EventLoopYielder(MIN_LINES);

  /** Creates a pipe and starts to read the lines. */
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
    lines(this.#take).then(() => this.#frames.end(), (error) => this.#frames.end(error))
      .finally(() => this.#yielder.stop());
  }

  /** Received frames. */
  get frames(): AsyncIterable<Frame> {
    return this.#frames;
  }

  /** The first received lines that are not messages, and the output of `diagnose`. */
  get diagnosis(): string | undefined {
    const lines = this.#junk.map((line) => JSON.stringify(line)).join(", ");
    const junk = lines === "" ? undefined : `expected JSON-RPC messages, got the lines ${lines}`;
    return [junk, this.#options.diagnose?.()].filter((part) => part).join("; ") || undefined;
  }

  /** Writes a message or a batch as one line, after all earlier lines. */
  send(message: RpcMessage | readonly RpcMessage[]): Promise<void> {
    try {
      if (this.#isClosed) throw McpError.transportError(this.label, "closed");
      const line = stringifyMessage(message);
      // In most calls, no earlier line is buffered, so the new line is written immediately.
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
        `more than ${maxBufferedChars} characters are buffered for "${this.label}"`,
      );
    }
    return last.then(() => this.#write(line));
  }

  #write(line: string): Promise<void> | undefined {
    try {
      const written = this.#writer.writeLine(line);
      if (written === undefined) return undefined;
      // `Promise.resolve()` accepts any value that a custom writer returns, such as the boolean
      // that Node.js streams return for backpressure.
      return Promise.resolve(written).catch((cause) => this.#fail(cause));
    } catch (cause) {
      return this.#fail(cause);
    }
  }

  #fail(cause: unknown): never {
    throw McpError.transportError(this.label, reasonOf(cause), { cause });
  }

  /** Delays later writes until the given write succeeds or fails. */
  #written(write: Promise<void>, { length }: string): Promise<void> {
    this.#buffered += length;
    // `end` runs before the sender's promise settles, so the sender can write its next line
    // immediately.
    const end = (): void => {
      this.#buffered -= length;
      if (this.#lastWrite === ended) this.#lastWrite = undefined;
    };
    const ended = write.then(end, end);
    this.#lastWrite = ended;
    return write;
  }

  /** Closes the pipe for reading and writing. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#frames.end();
    this.#yielder.stop();
    return this.#closing ??= this.#options.close?.() ?? Promise.resolve();
  }

  readonly #take = (line: Line): Promise<boolean> | undefined => {
    const isMessage = typeof line !== "string" || !isBlank(line);
    const waited = isMessage ? this.#push(this.#read(line)) : undefined;
    const turn = this.#yielder.yieldIfDue();
    return turn === undefined ? waited : turn.then(() => waited ?? !this.#frames.isEnded);
  };

  #push(frame: Frame): Promise<boolean> | undefined {
    return this.#frames.tryPush(frame) ? undefined : this.#frames.push(frame);
  }

  /**
   * Reads a line. If lines that are not messages are limited, ends the pipe once the limit is
   * exceeded.
   */
  #read(line: Line): Frame {
    const { maxJunkLines } = this.#options;
    if (maxJunkLines === undefined) return this.#parse(line);
    // `JSON.parse()` is slow for text that is not JSON, so a line that cannot be a message is not
    // parsed.
    const isText = typeof line === "string" && !MESSAGE_START.test(line);
    const frame = isText ? NOT_JSON : this.#parse(line);
    if (frame.kind !== "invalid" || frame.id !== null) {
      this.#junkInARow = 0;
      return frame;
    }
    const text = typeof line === "object" && "damagedText" in line ? line.damagedText : line;
    const shown = typeof text === "string"
      ? excerpt(text, MAX_SHOWN_CHARS)
      : `(a line of more than ${text.maxBytes} bytes)`;
    if (this.#junk.length < MAX_SHOWN_LINES) this.#junk.push(shown);
    this.#junkInARow++;
    if (this.#junkInARow > maxJunkLines) {
      const reason = `more than ${maxJunkLines} consecutive lines are not JSON-RPC messages`;
      const last = JSON.stringify(shown);
      this.#frames.end(McpError.transportError(this.label, `${reason}, the last one: ${last}`));
      // Without `close()`, the process would keep writing, and its output would have to be read. If
      // closing fails, later calls to `close()` reject with the error.
      this.close().catch(() => {});
    }
    // A line that is too long is not kept, so its error cannot contain it.
    if (typeof text !== "string") return frame;
    const reason = typeof line === "string" && frame.code === RpcErrorCode.ParseError
      ? printedText(shown)
      : `${frame.reason}, got ${JSON.stringify(shown)}`;
    return { ...frame, reason };
  }

  #parse(line: Line): Frame {
    if (typeof line === "string") return readFrame(line, this.#options);
    return "damagedText" in line ? readDamagedFrame(line.damagedText) : tooLong(line);
  }
}

/**
 * Returns a line reader over a custom reader. The default maximum line length is the same as for
 * byte streams.
 */
export function readLines(
  reader: StdioLineReader,
  options: { readonly maxBytes?: number } = {},
): LineReader {
  const { maxBytes = MAX_LINE_BYTES } = options;
  return async (take) => {
    for (let line = await reader.readLine(); line !== null; line = await reader.readLine()) {
      // Each character takes at least one byte, so a line with more than `maxBytes` characters also
      // exceeds `maxBytes` bytes.
      const waited = take(line.length > maxBytes ? { maxBytes } : line);
      if (waited !== undefined && !await waited) return;
    }
  };
}

function tooLong({ maxBytes }: LineTooLong): InvalidFrame {
  const reason = `Invalid Request: line is longer than ${maxBytes} bytes`;
  return {
    kind: "invalid",
    code: RpcErrorCode.InvalidRequest,
    reason,
    id: null,
    isResponse: false,
  };
}

const NOT_JSON: InvalidFrame = {
  kind: "invalid",
  code: RpcErrorCode.ParseError,
  reason: "Parse error: invalid JSON",
  id: null,
  isResponse: false,
};

/** Returns the reason for a line that is not JSON. */
function printedText(shown: string): string {
  return `the server printed the line ${JSON.stringify(shown)} to standard output, which must ` +
    "contain only MCP messages; print logs to standard error (a Parley server with " +
    '"redirectConsole: true" does)';
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
