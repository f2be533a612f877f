/**
 * A transport over a WebSocket: a message a text frame, as JSON.
 *
 * @module
 */

import {
  capacityExceeded,
  type CommError,
  deserializationFailed,
  receiveFailed,
  sendFailed,
  timedOut,
} from "../shared/error.ts";
import { DEFAULT_MAX_BYTES } from "../shared/json_parse.ts";
import type { AgentCommMessage } from "../message/message.ts";
import { BoundedQueue } from "./queue.ts";
import { QueueTransport } from "./queue_transport.ts";
import type { MessageTransport } from "./transport.ts";
import {
  assertPositive,
  delay,
  readMessage,
  settlesWithin,
  writeMessage,
} from "./message_codec.ts";

/** The part of the standard `WebSocket` that is used; that of the npm package ws has it too. */
export interface WebSocketLike {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  /** How many bytes wait to be sent. */
  readonly bufferedAmount: number;
  /** Sends a text frame. */
  send(data: string): void;
  /** Begins to close. */
  close(code?: number, reason?: string): void;
  /** Listens to `open`, `message` and `close`. */
  addEventListener(type: "open" | "message" | "close", listener: (event: Event) => void): void;
}

/** Options of {@linkcode webSocketTransport}. */
export interface WebSocketTransportOptions {
  /** How long a message may be in either direction, in bytes; the default is 1 MiB. */
  readonly maxMessageBytes?: number;
  /** How many messages may wait in each direction, at least 1; the default is 1000. */
  readonly capacity?: number;
  /**
   * What `send` does when that many wait: `wait` for room, or fail with the `error` `capacity_exceeded`; the default
   * is `wait`.
   */
  readonly overflow?: "wait" | "error";
  /** How many bytes the socket may buffer before messages wait; the default is 1 MiB. */
  readonly maxBufferedBytes?: number;
  /** How long a socket that is connecting may take; the default is 10,000. */
  readonly openTimeoutMs?: number;
  /** How long `close` waits, first for what was sent to leave, then for the other side; the default is 5000. */
  readonly closeTimeoutMs?: number;
}

/**
 * Creates a transport over a WebSocket, which it takes over: one that is connecting or open, on either side. Create it
 * in the same turn as the socket, or messages can be missed.
 *
 * `send` resolves when the message is queued, which it can be while the socket connects; a slow connection fills the
 * queue and `send` waits. A WebSocket cannot be told to wait: when `capacity` messages wait to be received here, the
 * connection is closed and `receive`, after those, fails with `capacity_exceeded`. A frame that is no message, a binary
 * one included, makes one `receive` fail with its error and the next go on.
 *
 * Errors beyond those: `timeout`, `send_failed` and `receive_failed` once the connection has failed or closed with
 * another code than 1000 and 1001, `message_too_large` from `send`.
 *
 * @param socket the socket
 * @param options limits
 * @throws {RangeError} when a limit is not positive
 * @see https://websockets.spec.whatwg.org/
 *
 * @example Both ends of a WebSocket
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { webSocketTransport } from "@parley/comm/transport";
 * import { assertEquals } from "@std/assert";
 *
 * const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
 *   const { socket, response } = Deno.upgradeWebSocket(request);
 *   echo(socket);
 *   return response;
 * });
 *
 * async function echo(socket: WebSocket): Promise<void> {
 *   const transport = webSocketTransport(socket);
 *   for await (const message of transport) {
 *     await transport.send(message.reply("response", message.payload));
 *   }
 *   await transport.close();
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
  const { maxMessageBytes = DEFAULT_MAX_BYTES, capacity = 1000, overflow = "wait" } = options;
  const { maxBufferedBytes = DEFAULT_MAX_BYTES, closeTimeoutMs = 5000 } = options;
  const { openTimeoutMs = 10_000 } = options;
  assertPositive({ maxMessageBytes, maxBufferedBytes, openTimeoutMs, closeTimeoutMs });
  const connection = new Connection(socket, { maxMessageBytes, maxBufferedBytes, capacity });
  const writing = connection.writeAll(openTimeoutMs);
  return new QueueTransport({
    inbound: connection.inbound,
    outbound: connection.outbound,
    overflow,
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
  readonly maxBufferedBytes: number;
  readonly capacity: number;
}

const OPEN = 1;
const CLOSED = 3;
const NORMAL = 1000;
const GOING_AWAY = 1001;
/** Scripts may close with 1000 or 3000 to 4999 only; this one says that the reader was too slow. */
const READER_TOO_SLOW = 4000;
/** The API tells nobody when its buffer drains, so one has to look. */
const DRAIN_POLL_MS = 5;

class Connection {
  readonly inbound: BoundedQueue<AgentCommMessage>;
  readonly outbound: BoundedQueue<string>;
  readonly closed: Promise<void>;
  readonly #socket: WebSocketLike;
  readonly #limits: ConnectionLimits;
  readonly #opened: Promise<void>;
  #wasOpen: boolean;

  constructor(socket: WebSocketLike, limits: ConnectionLimits) {
    this.inbound = new BoundedQueue(limits.capacity);
    this.outbound = new BoundedQueue(limits.capacity);
    this.#socket = socket;
    this.#limits = limits;
    socket.addEventListener("message", (event) => this.#onMessage(readMember(event, "data")));
    this.#wasOpen = socket.readyState === OPEN;
    this.closed = new Promise((resolve) => {
      const end = (code: unknown): void => {
        this.#onClose(code);
        resolve();
      };
      socket.addEventListener("close", (event) => end(readMember(event, "code")));
      // A socket that was closed before says so to nobody any more.
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

  /** Whether it is worth waiting before the socket closes. */
  get hasMoreToWrite(): boolean {
    return this.#socket.readyState === OPEN || !this.outbound.isDrained;
  }

  /** Moves messages from the queue into the socket, no faster than they leave it. */
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
    const failure = capacityExceeded(this.#limits.capacity);
    this.inbound.end(failure);
    this.outbound.cancel(failure);
    this.#socket.close(READER_TOO_SLOW, "reader too slow");
  }

  #read(data: unknown): AgentCommMessage | CommError {
    const { maxMessageBytes } = this.#limits;
    if (typeof data === "string") return readMessage(data, maxMessageBytes);
    return deserializationFailed("expected a text frame, got a binary frame", 0);
  }

  #onClose(code: unknown): void {
    if (code === NORMAL || code === GOING_AWAY) {
      this.inbound.end();
      this.outbound.cancel();
    } else {
      // Platforms disagree on the code of a connection that never was one.
      this.#fail(
        this.#wasOpen ? `connection closed with code ${code}` : "connection was not opened",
      );
    }
  }

  #fail(reason: string, options: { readonly cause?: unknown } = {}): void {
    this.inbound.end(receiveFailed(reason, options));
    if (this.outbound.failure === undefined) this.outbound.cancel(sendFailed(reason, options));
  }
}

function readMember(event: Event, name: string): unknown {
  return Reflect.get(event, name);
}
