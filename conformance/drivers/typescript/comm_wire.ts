/**
 * `comm` operations on byte stream and WebSocket transports. The driver acts as the remote end of
 * the transport under test.
 *
 * @module
 */

import type { CommError, MessageTransport } from "@parley/comm";
import { streamTransport, webSocketTransport } from "@parley/comm/transport";
import {
  BadArgs,
  bytesOf,
  type Fields,
  type Handles,
  type Operation,
  pick,
  textOf,
} from "./operation.ts";
import { CONNECTING, FakeWebSocket } from "./fake_websocket.ts";

/** Implementations of the operations, keyed by operation name. */
export const WIRE_OPS: Readonly<Record<string, Operation>> = {
  "comm.stream.new": ({ args, handles }) => ({ handle: keep(new StreamEnd(args), handles) }),
  "comm.stream.feed": ({ on, args }) => endOf(on, StreamEnd).feed(args),
  "comm.stream.written": async ({ on, args }) => {
    const text = await endOf(on, StreamEnd).written(Number(args.lines));
    const lines = text.split("\n");
    const { invalid, isEnded } = endOf(on, StreamEnd);
    return { lines: lines.slice(0, -1), rest: lines.at(-1), invalid, isEnded };
  },
  "comm.stream.release": ({ on }) => endOf(on, StreamEnd).release(),
  "comm.websocket.new": ({ args, handles }) => ({ handle: keep(new SocketEnd(args), handles) }),
  "comm.websocket.feed": ({ on, args }) => endOf(on, SocketEnd).feed(args),
  "comm.websocket.sent": async ({ on, args }) => ({
    frames: await endOf(on, SocketEnd).sent(Number(args.frames)),
    closedWith: endOf(on, SocketEnd).closedWith,
    invalid: endOf(on, SocketEnd).invalid,
  }),
};

/**
 * Returns the options of a transport that a case sets. `invalid` receives the codes of invalid
 * messages.
 */
function optionsOf(args: Fields, invalid: string[]): Fields {
  return {
    ...pick(args, "maxMessageBytes", "capacity", "maxQueuedBytes", "onInvalid", "overflow"),
    ...pick(args, "maxBufferedBytes", "openTimeoutMs", "closeTimeoutMs"),
    ...(args.onInvalid === "report"
      ? { onInvalid: ({ code }: CommError) => void invalid.push(code) }
      : {}),
  };
}

function keep(end: StreamEnd | SocketEnd, handles: Handles): string {
  return handles.add(end, () => end.transport.close());
}

function endOf<T>(on: unknown, kind: new (args: Fields) => T): T {
  if (on instanceof kind) return on;
  throw new BadArgs('"on" must be the handle of a transport of the required kind');
}

/** Lets callers wait for a condition, which is checked again whenever data is added. */
class Growing {
  #waiting: (() => void)[] = [];

  grown(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async until(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** A byte stream transport and its remote end. */
class StreamEnd {
  readonly transport: MessageTransport;
  /** Codes of the invalid messages, if they are reported. */
  readonly invalid: string[] = [];
  /** Whether the transport has ended the stream that it writes. */
  isEnded = false;
  readonly #growing = new Growing();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #source: ReadableStreamDefaultController<Uint8Array> | undefined;
  #text = "";
  #released: Promise<void> = Promise.resolve();
  #release = (): void => {};

  constructor(args: Fields) {
    if (args.held === true) this.#released = new Promise((resolve) => this.#release = resolve);
    const readable = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#source = controller;
      },
    });
    const writable = new WritableStream<Uint8Array>({
      write: async (chunk) => {
        await this.#released;
        if (args.fails === true) throw new Error("the stream is broken");
        this.#text += this.#decoder.decode(chunk, { stream: true });
        this.#growing.grown();
      },
      close: () => {
        this.isEnded = true;
      },
    });
    this.transport = streamTransport({ readable, writable }, optionsOf(args, this.invalid));
  }

  /** Reads what the transport writes from now on. */
  release(): void {
    this.#release();
  }

  feed(args: Fields): void {
    const { repeat = 1, chunks, end } = args;
    if (args.fail === true) {
      this.#source?.error(new Error("the stream is broken"));
      return;
    }
    const bytes = args.textHex === undefined
      ? new TextEncoder().encode(textOf(args, "text").repeat(Number(repeat)))
      : bytesOf(args, "textHex");
    for (const chunk of cut(bytes, chunks)) this.#source?.enqueue(chunk);
    if (end === true) this.#source?.close();
  }

  /**
   * Waits until the transport has written the given number of lines. Returns all text written so
   * far.
   */
  async written(lines: number): Promise<string> {
    await this.#growing.until(() => this.#text.split("\n").length > lines);
    return this.#text;
  }
}

/**
 * Splits bytes into chunks of the given sizes, repeating the list of sizes as often as necessary.
 */
function cut(bytes: Uint8Array, sizes: unknown): readonly Uint8Array[] {
  if (!Array.isArray(sizes) || sizes.length === 0) return [bytes];
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Number(sizes[turn % sizes.length]);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

/** A WebSocket transport and its remote end. */
class SocketEnd {
  readonly transport: MessageTransport;
  /** Codes of the invalid messages, if they are reported. */
  readonly invalid: string[] = [];
  readonly #growing = new Growing();
  readonly #frames: Fields[] = [];
  readonly #socket = new FakeWebSocket((frame) => {
    this.#frames.push(frame);
    this.#growing.grown();
  });

  constructor(args: Fields) {
    this.#socket.bufferedAmount = Number(args.bufferedAmount ?? 0);
    if (args.opening === true) this.#socket.readyState = CONNECTING;
    this.transport = webSocketTransport(this.#socket, optionsOf(args, this.invalid));
  }

  /** The code that the transport has closed the WebSocket with, or null. */
  get closedWith(): number | null {
    return this.#socket.closedWith;
  }

  feed(args: Fields): void {
    if (args.bufferedAmount !== undefined) {
      this.#socket.bufferedAmount = Number(args.bufferedAmount);
    } else if (args.open === true) this.#socket.open();
    else if (typeof args.close === "number") this.#socket.end(args.close);
    else if (args.hex === undefined) this.#socket.deliver(textOf(args, "text"));
    else this.#socket.deliver(bytesOf(args, "hex").buffer);
  }

  /**
   * Waits until the transport has sent the given number of frames. Returns all frames sent so far.
   */
  async sent(frames: number): Promise<readonly Fields[]> {
    await this.#growing.until(() => this.#frames.length >= frames);
    return this.#frames;
  }
}
