/**
 * Newline-delimited JSON: lines in, lines out, as a pipe.
 *
 * @module
 */

import { McpError } from "../error.ts";
import { type LineTooLong, MAX_LINE_BYTES } from "../stream/lines.ts";
import { Queue } from "../stream/queue.ts";
import { RpcErrorCode } from "./codes.ts";
import type { RpcMessage } from "./message.ts";
import { type Frame, readFrame, type ReadFrameOptions } from "./parse.ts";
import { stringifyMessage } from "./stringify.ts";
import type { Pipe, StdioLineReader, StdioLineWriter } from "./transport.ts";

/** How a {@linkcode LinePipe} behaves. */
export interface LinePipeOptions extends ReadFrameOptions {
  /** What to call it in errors. Default `stdio`. */
  readonly label?: string;
  /** How many frames may wait to be looked at before reading pauses. Default 100. */
  readonly maxWaiting?: number;
  /** Ends what is behind the lines. */
  readonly close?: () => Promise<void>;
}

/** A pipe over lines. Blank lines are ignored; a line that is too long becomes an invalid frame. */
export class LinePipe implements Pipe {
  /** What to call it in errors. */
  readonly label: string;
  readonly #frames: Queue<Frame>;
  readonly #writer: StdioLineWriter;
  readonly #options: LinePipeOptions;
  #isClosed = false;
  #lastWrite: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** Starts to read the lines. */
  constructor(
    lines: AsyncIterable<string | LineTooLong>,
    writer: StdioLineWriter,
    options: LinePipeOptions = {},
  ) {
    const { label = "stdio", maxWaiting = 100 } = options;
    this.label = label;
    this.#frames = new Queue({ capacity: maxWaiting });
    this.#writer = writer;
    this.#options = options;
    this.#pump(lines).then(() => this.#frames.end(), (error) => this.#frames.end(error));
  }

  /** What comes in. */
  get frames(): AsyncIterable<Frame> {
    return this.#frames;
  }

  /** Writes one message, or a batch of them, as one line, after those before it. */
  async send(message: RpcMessage | readonly RpcMessage[]): Promise<void> {
    if (this.#isClosed) throw McpError.transportError(this.label, "closed");
    const line = stringifyMessage(message);
    const start = async (): Promise<void> => await this.#writer.writeLine(line);
    // Mostly nobody is before it, and the line goes out at once.
    const write = this.#lastWrite?.then(start, start) ?? start();
    this.#lastWrite = write;
    try {
      await write;
    } catch (cause) {
      throw McpError.transportError(this.label, reasonOf(cause), { cause });
    } finally {
      if (this.#lastWrite === write) this.#lastWrite = undefined;
    }
  }

  /** Ends reading and writing. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#frames.end();
    return this.#closing ??= this.#options.close?.() ?? Promise.resolve();
  }

  async #pump(lines: AsyncIterable<string | LineTooLong>): Promise<void> {
    for await (const line of lines) {
      if (line === "") continue;
      const frame = typeof line === "string" ? readFrame(line, this.#options) : tooLong(line);
      if (!this.#frames.tryPush(frame) && !await this.#frames.push(frame)) return;
    }
  }
}

/** The lines of an injected reader, cut off by the same cap as those of a stream. */
export async function* readLines(
  reader: StdioLineReader,
  options: { readonly maxBytes?: number } = {},
): AsyncGenerator<string | LineTooLong, void> {
  const { maxBytes = MAX_LINE_BYTES } = options;
  for (let line = await reader.readLine(); line !== null; line = await reader.readLine()) {
    // A character takes at least one byte, so a longer text is longer in bytes too.
    yield line.length > maxBytes ? { maxBytes } : line;
  }
}

function tooLong({ maxBytes }: LineTooLong): Frame {
  const reason = `Invalid request: the line is longer than ${maxBytes} bytes`;
  return { kind: "invalid", code: RpcErrorCode.InvalidRequest, reason, id: null, isAnswer: false };
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
