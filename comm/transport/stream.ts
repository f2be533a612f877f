/**
 * A transport over two byte streams: a message a line, as JSON.
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

/** Two byte streams: a TCP or TLS connection, a pipe to a process, a pair of TransformStreams. */
export interface ByteStreamPair {
  /** What the other side wrote. */
  readonly readable: ReadableStream<Uint8Array>;
  /** What the other side reads. */
  readonly writable: WritableStream<Uint8Array>;
}

/** Options of {@linkcode streamTransport}. */
export interface StreamTransportOptions {
  /** How long a message may be in either direction, in bytes; the default is 1 MiB. */
  readonly maxMessageBytes?: number;
  /** How many messages may wait in each direction, at least 1; the default is 100. */
  readonly capacity?: number;
  /**
   * What `send` does when that many wait: `wait` for room, or fail with the `error` `capacity_exceeded`; the default
   * is `wait`.
   */
  readonly overflow?: "wait" | "error";
  /** How long `close` waits for what was sent to be written, before it is dropped; the default is 5000. */
  readonly closeTimeoutMs?: number;
}

/**
 * Creates a transport over two byte streams, which it takes over: messages as newline-delimited JSON.
 *
 * `send` resolves when the message is queued; a slow reader on the other side fills the queue and `send` waits. When
 * nobody receives here, no more than `capacity` messages are read. A line that is no message, or too long, makes one
 * `receive` fail with its error (`message_too_large`, `duplicate_member`, …) and the next go on. When the other side
 * ends its stream, `receive` answers undefined after the last message, and `send` still works.
 *
 * Errors beyond those: `send_failed` and `receive_failed` once a stream has failed, `message_too_large` from `send`.
 *
 * @param streams the streams, neither of them locked
 * @param options limits
 * @throws {RangeError} when a limit is not positive
 * @throws {TypeError} when a stream is locked
 *
 * @example A transport over two streams
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
      // The sink may never answer, not even this, so there is nothing to wait for.
      writer.abort().catch(ignoreFailedStream);
    },
  });
}

const ENCODER = new TextEncoder();

/** A stream that failed cannot be cancelled or aborted, and does not need it. */
function ignoreFailedStream(): void {}

/** Moves messages from the stream into the queue, no faster than they are taken. */
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

/** Undefined for a line without anything in it, which keeps connections alive. */
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

/** Moves lines from the queue into the stream, no faster than they are written. */
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
