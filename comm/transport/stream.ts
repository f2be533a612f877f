/**
 * A transport over two byte streams: newline-delimited JSON.
 *
 * @module
 */

import { type CommError, messageTooLarge, receiveFailed, sendFailed } from "../shared/error.ts";
import { DEFAULT_MAX_BYTES } from "../shared/json_parse.ts";
import type { AgentCommMessage } from "../message/message.ts";
import { LineSplitter, type OversizedLine } from "./line_splitter.ts";
import { BoundedQueue } from "./queue.ts";
import { QueueTransport } from "./queue_transport.ts";
import type { MessageTransport } from "./transport.ts";
import { assertPositive, readMessage, settlesWithin, writeMessage } from "./message_codec.ts";

/** Two byte streams, such as a TCP or TLS connection, a pipe, or two `TransformStream` objects. */
export interface ByteStreamPair {
  /** Bytes from the other end. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Bytes to the other end. */
  readonly writable: WritableStream<Uint8Array>;
}

/** Options for {@linkcode streamTransport}. */
export interface StreamTransportOptions {
  /**
   * Maximum size of a message in either direction, in bytes.
   *
   * @default {1_048_576}
   */
  readonly maxMessageBytes?: number;
  /**
   * Maximum number of queued messages in each direction.
   *
   * @default {100}
   */
  readonly capacity?: number;
  /**
   * Behavior of `send` when the queue is full: `wait` applies backpressure, and `error` rejects
   * with `capacity_exceeded`.
   *
   * @default {"wait"}
   */
  readonly overflow?: "wait" | "error";
  /**
   * Timeout for writing queued messages on `close`, in milliseconds. Messages that are still
   * unwritten after the timeout are discarded.
   *
   * @default {5000}
   */
  readonly closeTimeoutMs?: number;
}

/**
 * Creates a transport that sends messages as newline-delimited JSON over two byte streams. The
 * transport locks both streams.
 *
 * `send` resolves when the message is queued. If the other end reads slowly, the queue fills up and
 * `send` waits. If this end does not call `receive`, at most `capacity` messages are read from the
 * stream. For each invalid line, one call to `receive` rejects with the error, such as
 * `message_too_large` or `duplicate_member`. When the other end closes its stream, `receive`
 * returns `undefined` after the last message, and `send` still works.
 *
 * `send` also rejects with `message_too_large` if the message exceeds the limit. After a stream
 * error, `send` rejects with `send_failed`, and `receive` with `receive_failed`.
 *
 * @param streams The streams, which must not be locked.
 * @param options Limits and overflow behavior.
 * @throws {RangeError} If a limit is not positive.
 * @throws {TypeError} If a stream is locked.
 *
 * @example Connect two agents over byte streams
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { streamTransport } from "@parley/comm/transport";
 * import { assertEquals } from "@std/assert";
 *
 * const there = new TransformStream<Uint8Array, Uint8Array>();
 * const back = new TransformStream<Uint8Array, Uint8Array>();
 * const ann = streamTransport({ readable: back.readable, writable: there.writable });
 * const bob = streamTransport({ readable: there.readable, writable: back.writable });
 *
 * await ann.send(
 *   new AgentCommMessage({
 *     sender: "did:web:ann.example",
 *     recipient: "did:web:bob.example",
 *     protocol: "agent.heartbeat.v1",
 *     messageType: "request",
 *     payload: "ping",
 *   }),
 * );
 * assertEquals((await bob.receive())?.payload, "ping");
 * await Promise.all([ann.close(), bob.close()]);
 * ```
 */
export function streamTransport(
  streams: ByteStreamPair,
  options: StreamTransportOptions = {},
): MessageTransport {
  const { maxMessageBytes = DEFAULT_MAX_BYTES, capacity = 100 } = options;
  const { overflow = "wait", closeTimeoutMs = 5000 } = options;
  assertPositive({ maxMessageBytes, closeTimeoutMs });
  const inbound = new BoundedQueue<AgentCommMessage>(capacity);
  const outbound = new BoundedQueue<Uint8Array>(capacity);
  if (streams.readable.locked || streams.writable.locked) {
    throw new TypeError("Cannot create transport: stream is locked");
  }
  const reader = streams.readable.getReader();
  const writer = streams.writable.getWriter();
  const reading = readAll(reader, inbound, maxMessageBytes);
  const writing = writeAll(writer, outbound);
  return new QueueTransport({
    inbound,
    outbound,
    overflow,
    encode: (message) => ENCODER.encode(`${writeMessage(message, maxMessageBytes)}\n`),
    finish: async () => {
      const work = [reader.cancel().catch(ignoreFailedStream), reading, writing];
      if (await settlesWithin(Promise.all(work), closeTimeoutMs)) return;
      // Do not wait: the sink might never complete the abort.
      writer.abort().catch(ignoreFailedStream);
    },
  });
}

const ENCODER = new TextEncoder();

/** Ignores a rejection of `cancel` or `abort`. The transport is closing, so a stream that has failed makes no difference. */
function ignoreFailedStream(): void {}

/** Parses lines from the stream into the queue. Waits while the queue is full. */
async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  inbound: BoundedQueue<AgentCommMessage>,
  maxBytes: number,
): Promise<void> {
  const splitter = new LineSplitter(maxBytes);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      await pushAll(done ? splitter.end() : splitter.push(value), inbound, maxBytes);
      if (done) break;
    }
    inbound.end();
  } catch (cause) {
    inbound.end(receiveFailed("stream failed", { cause }));
  }
}

async function pushAll(
  lines: readonly (Uint8Array | OversizedLine)[],
  inbound: BoundedQueue<AgentCommMessage>,
  maxBytes: number,
): Promise<void> {
  for (const line of lines) {
    const item = readLine(line, maxBytes);
    if (item !== undefined && inbound.tryPush(item) === "full") await inbound.waitToPush(item);
  }
}

/** Parses a line. Returns `undefined` for a blank line, which peers can send as a keep-alive. */
function readLine(
  line: Uint8Array | OversizedLine,
  maxBytes: number,
): AgentCommMessage | CommError | undefined {
  if (!(line instanceof Uint8Array)) return messageTooLarge(maxBytes, line.bytes);
  return line.every(isSpace) ? undefined : readMessage(line, maxBytes);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/** Writes lines from the queue to the stream. Waits for each write. */
async function writeAll(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  outbound: BoundedQueue<Uint8Array>,
): Promise<void> {
  try {
    for (;;) {
      const line = outbound.tryShift() ?? await outbound.waitToShift();
      if (line === undefined) break;
      await writer.write(line);
    }
    await writer.close();
  } catch (cause) {
    outbound.cancel(sendFailed("stream failed", { cause }));
  }
}
