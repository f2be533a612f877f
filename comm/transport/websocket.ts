/**
 * A transport over a WebSocket: one JSON text frame per message.
 *
 * @module
 */

import {
  type CommError,
  messageTooLarge,
  receiveFailed,
  sendFailed,
  timedOut,
} from "../shared/error.ts";
import { deserializationFailed } from "../shared/json_error.ts";
import { DEFAULT_MAX_BYTES } from "../shared/json_parse.ts";
import { errorText } from "../shared/error_text.ts";
import { assertCount, assertPositiveNumber, holds } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { BoundedQueue } from "@parley/internal/bounded-queue";
import { assertOnInvalid, type OnInvalid, toInvalidHandler } from "./on_invalid.ts";
import { assertOverflow, queueFull, QueueTransport } from "./queue_transport.ts";
import type { MessageTransport } from "./transport.ts";
import {
  assertHasMethod,
  DEFAULT_MAX_QUEUED_BYTES,
  delay,
  readMessage,
  settlesWithin,
  writeMessage,
} from "./message_codec.ts";

/**
 * The subset of the standard `WebSocket` interface that the transport uses. Sockets from the npm
 * package `ws` also implement this interface.
 */
export interface WebSocketLike {
  /** State of the connection: 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  /** Number of bytes that have not been sent yet. */
  readonly bufferedAmount: number;
  /** Sends a text frame. */
  send(data: string): void;
  /** Starts the closing handshake. */
  close(code?: number, reason?: string): void;
  /** Registers a listener for `open`, `message`, `close` or `error`. */
  addEventListener(
    type: "open" | "message" | "close" | "error",
    listener: (event: object) => void,
  ): void;
}

/** Options for {@linkcode webSocketTransport}. */
export interface WebSocketTransportOptions {
  /**
   * Maximum size of a message in either direction, in bytes.
   *
   * @default {1_048_576}
   */
  readonly maxMessageBytes?: number;
  /**
   * Maximum number of queued messages in each direction.
   *
   * @default {1000}
   */
  readonly capacity?: number;
  /**
   * Maximum total size of queued messages in each direction, in bytes. Each UTF-16 code unit of a
   * message counts as one byte. A larger message is queued if the queue is empty.
   *
   * @default {8_388_608}
   */
  readonly maxQueuedBytes?: number;
  /**
   * Handling of a frame that is binary or not a valid message: `throw` rejects a call to `receive`
   * with the error, `skip` ignores the frame, and a function is called with the error before the
   * frame is ignored. With `skip` or a function, `for await` loops continue after an invalid frame.
   *
   * @default {"throw"}
   */
  readonly onInvalid?: OnInvalid;
  /**
   * Behavior of `send` when the queue is full: `wait` applies backpressure, and `error` rejects
   * with `capacity_exceeded`.
   *
   * @default {"wait"}
   */
  readonly overflow?: "wait" | "error";
  /**
   * Maximum number of bytes that the socket may buffer. While the socket buffers more bytes,
   * messages remain in the transport's queue.
   *
   * @default {1_048_576}
   */
  readonly maxBufferedBytes?: number;
  /**
   * Timeout for opening the connection, in milliseconds.
   *
   * @default {10_000}
   */
  readonly openTimeoutMs?: number;
  /**
   * Timeout on `close`, in milliseconds. The timeout applies to sending queued messages and then,
   * separately, to the closing handshake.
   *
   * @default {5000}
   */
  readonly closeTimeoutMs?: number;
}

const readOptions = optionsReader<WebSocketTransportOptions>("options")({
  maxMessageBytes: withDefault(DEFAULT_MAX_BYTES, assertCount),
  capacity: withDefault(1000, assertCount),
  maxQueuedBytes: withDefault(DEFAULT_MAX_QUEUED_BYTES, assertCount),
  onInvalid: withDefault("throw", assertOnInvalid),
  overflow: withDefault("wait", assertOverflow),
  maxBufferedBytes: withDefault(DEFAULT_MAX_BYTES, assertCount),
  openTimeoutMs: withDefault(10_000, assertPositiveNumber),
  closeTimeoutMs: withDefault(5000, assertPositiveNumber),
});

/**
 * Creates a transport over a WebSocket that is connecting or open. Call `webSocketTransport`
 * synchronously after creating the socket; otherwise, messages can be lost.
 *
 * `send` resolves when the message is queued, even if the socket is still connecting, so a resolved
 * `send` does not mean that the message was delivered. On a slow connection, the queue fills up and
 * `send` waits.
 *
 * A WebSocket has no backpressure for received messages: if more than `capacity` messages or
 * `maxQueuedBytes` bytes are queued, the connection is closed with code 4000, and `receive` rejects
 * with `capacity_exceeded` after the queued messages. Messages that were sent but not yet queued by
 * the receiver are lost, even though `send` has resolved. If messages must not be lost, have the
 * receiver acknowledge them, and limit the number of unacknowledged messages.
 *
 * Frames are parsed when they are received. For each frame that is binary or not a valid message,
 * one call to `receive` rejects with the error, unless `onInvalid` is set.
 *
 * `send` also rejects with `message_too_large` if the message exceeds the limit. Calls to `send`
 * and `receive` reject with `timeout` if the connection does not open within `openTimeoutMs`. If
 * the connection fails or closes with a code other than 1000, 1001 or 1005, `send` rejects with
 * `send_failed`, and `receive` with `receive_failed`; the error of the socket's `error` event is
 * the `cause`.
 *
 * @param socket The socket.
 * @param options Limits, timeouts and overflow behavior.
 * @throws {RangeError} If a limit is not a positive integer, or a timeout is not positive.
 * @throws {TypeError} If `socket` is not a WebSocket, if `onInvalid` or `overflow` is invalid, or
 *   an option is unknown.
 * @see https://websockets.spec.whatwg.org/
 *
 * @example Connect a client and a server
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { webSocketTransport } from "@parley/comm/transport";
 * import { assertEquals } from "@std/assert";
 *
 * const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
 *   const { socket, response } = Deno.upgradeWebSocket(request);
 *   echo(socket).catch((error) => console.error("connection failed:", error.message));
 *   return response;
 * });
 *
 * async function echo(socket: WebSocket): Promise<void> {
 *   await using transport = webSocketTransport(socket, { onInvalid: "skip" });
 *   for await (const message of transport) {
 *     await transport.send(message.reply("response", message.payload));
 *   }
 * }
 *
 * const transport = webSocketTransport(new WebSocket(`ws://127.0.0.1:${server.addr.port}`));
 * try {
 *   await transport.send(
 *     new AgentCommMessage({
 *       sender: "did:web:ann.example",
 *       recipient: "did:web:bob.example",
 *       protocol: "agent.heartbeat.v1",
 *       messageType: "request",
 *       payload: "ping",
 *     }),
 *   );
 *   assertEquals((await transport.receive())?.payload, "ping");
 * } finally {
 *   await transport.close();
 *   await server.shutdown();
 * }
 * ```
 */
export function webSocketTransport(
  socket: WebSocketLike,
  options: WebSocketTransportOptions = {},
): MessageTransport {
  assertHasMethod("socket", "a WebSocket", socket, "addEventListener");
  const { onInvalid, overflow, openTimeoutMs, closeTimeoutMs, ...limits } = readOptions(options);
  const { maxMessageBytes } = limits;
  const connection = new Connection(socket, limits);
  const writing = connection.writeAll(openTimeoutMs);
  return new QueueTransport({
    inbound: connection.inbound,
    outbound: connection.outbound,
    overflow,
    onInvalid: toInvalidHandler(onInvalid),
    decode: (frame) => typeof frame === "string" ? readMessage(frame, maxMessageBytes) : frame,
    encode: (message) => writeMessage(message, maxMessageBytes),
    finish: async () => {
      if (connection.hasMoreToWrite) await settlesWithin(writing, closeTimeoutMs);
      socket.close(NORMAL);
      await settlesWithin(connection.closed, closeTimeoutMs);
    },
  });
}

interface ConnectionLimits {
  readonly maxMessageBytes: number;
  readonly maxQueuedBytes: number;
  readonly maxBufferedBytes: number;
  readonly capacity: number;
}

const OPEN = 1;
const CLOSED = 3;
const NORMAL = 1000;
const GOING_AWAY = 1001;
/** Reported for a closing handshake without a code, which `socket.close()` starts. */
const NO_CODE = 1005;
/**
 * Close code for a reader that is too slow. Applications may use the close codes 1000 and 3000 to
 * 4999.
 */
const READER_TOO_SLOW = 4000;
/**
 * Poll interval, in milliseconds. Polling is needed because WebSocket has no event for a drained
 * buffer.
 */
const DRAIN_POLL_MS = 5;

class Connection {
  readonly inbound: BoundedQueue<string | CommError, CommError>;
  readonly outbound: BoundedQueue<string, CommError>;
  readonly closed: Promise<void>;
  readonly #socket: WebSocketLike;
  readonly #limits: ConnectionLimits;
  readonly #opened: Promise<void>;
  #wasOpen: boolean;
  /** The error of the most recent `error` event, which precedes `close`. */
  #error: unknown;

  constructor(socket: WebSocketLike, limits: ConnectionLimits) {
    const { capacity, maxQueuedBytes: maxBytes } = limits;
    this.inbound = new BoundedQueue({
      capacity,
      maxBytes,
      sizeOf: (frame) => typeof frame === "string" ? frame.length : 0,
    });
    this.outbound = new BoundedQueue({ capacity, maxBytes, sizeOf: (text) => text.length });
    this.#socket = socket;
    this.#limits = limits;
    socket.addEventListener("message", (event) => this.#onMessage(readMember(event, "data")));
    // Without an `error` listener, an error on a socket from the npm package `ws` terminates the
    // process, and the connection can fail at any time, for example because of an invalid frame.
    socket.addEventListener("error", (event) => {
      this.#error = readMember(event, "error");
    });
    this.#wasOpen = socket.readyState === OPEN;
    this.closed = new Promise((resolve) => {
      const end = (code: unknown): void => {
        this.#onClose(code);
        resolve();
      };
      socket.addEventListener("close", (event) => end(readMember(event, "code")));
      // A socket that is already closed does not emit `close`.
      if (socket.readyState === CLOSED) end(undefined);
    });
    this.#opened = new Promise((resolve) => {
      if (this.#wasOpen) resolve();
      socket.addEventListener("open", () => {
        this.#wasOpen = true;
        resolve();
      });
    });
  }

  /** Whether `close` should wait for queued messages to be sent. */
  get hasMoreToWrite(): boolean {
    return this.#socket.readyState === OPEN || !this.outbound.isDrained;
  }

  /** Sends queued messages. Waits while the socket buffer is full. */
  async writeAll(openTimeoutMs: number): Promise<void> {
    if (!await settlesWithin(Promise.race([this.#opened, this.closed]), openTimeoutMs)) {
      const failure = timedOut("open WebSocket", openTimeoutMs);
      this.inbound.end(failure);
      this.outbound.cancel(failure);
      this.#socket.close();
      return;
    }
    try {
      while (await this.#writeNext()) await this.#waitForBuffer();
    } catch (cause) {
      this.#fail("connection failed", { cause });
    }
  }

  async #writeNext(): Promise<boolean> {
    const text = this.outbound.tryShift() ?? await this.outbound.waitToShift();
    if (text === undefined || this.#socket.readyState !== OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  async #waitForBuffer(): Promise<void> {
    const { maxBufferedBytes } = this.#limits;
    while (this.#socket.readyState === OPEN && this.#socket.bufferedAmount > maxBufferedBytes) {
      await delay(DRAIN_POLL_MS);
    }
  }

  #onMessage(data: unknown): void {
    if (this.inbound.tryPush(this.#read(data)) !== "full") return;
    const failure = queueFull(this.inbound);
    this.inbound.end(failure);
    this.outbound.cancel(failure);
    this.#socket.close(READER_TOO_SLOW, "reader too slow");
  }

  /** Returns the text of a frame. Replaces a frame that is binary or too large with an error. */
  #read(data: unknown): string | CommError {
    if (typeof data !== "string") {
      return deserializationFailed("expected a text frame, got a binary frame", 0);
    }
    const { maxMessageBytes } = this.#limits;
    // A UTF-16 code unit takes at least one byte of UTF-8.
    return data.length > maxMessageBytes ? messageTooLarge(maxMessageBytes, data.length) : data;
  }

  #onClose(code: unknown): void {
    const isNormal = code === NORMAL || code === GOING_AWAY || code === NO_CODE;
    const error = this.#error === undefined ? {} : { cause: this.#error };
    // Platforms report different close codes if the connection was never open.
    if (!this.#wasOpen) {
      const target = targetOf(this.#socket);
      this.#fail(`connection${target} was not opened${reasonOf(this.#error)}`, error);
    } else if (isNormal) {
      this.inbound.end();
      this.outbound.cancel();
    } else {
      this.#fail(`connection closed with code ${code}`, error);
    }
  }

  #fail(reason: string, options: { readonly cause?: unknown } = {}): void {
    this.inbound.end(receiveFailed(reason, options));
    if (this.outbound.failure === undefined) this.outbound.cancel(sendFailed(reason, options));
  }
}

/** Returns the message of an error after a colon, or an empty string for other values. */
function reasonOf(error: unknown): string {
  const isError = holds(() => error instanceof Error && error.message !== "");
  return isError ? `: ${errorText(error)}` : "";
}

/**
 * Describes the socket's URL without the user name, the password and the query, which can contain
 * secrets.
 */
function targetOf(socket: WebSocketLike): string {
  const url = readMember(socket, "url");
  if (typeof url !== "string" || !URL.canParse(url)) return "";
  const { protocol, host, pathname } = new URL(url);
  return ` to ${protocol}//${host}${pathname}`;
}

function readMember(object: object, name: string): unknown {
  return Reflect.get(object, name);
}
