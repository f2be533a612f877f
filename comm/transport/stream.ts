/**
 * A transport over two byte streams: newline-delimited JSON.
 *
 * @module
 */

import { type CommError, messageTooLarge, receiveFailed, sendFailed } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { DEFAULT_MAX_BYTES } from "../shared/json_parse.ts";
import { assertCount, assertPositiveNumber } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { LineSplitter, type OversizedLine } from "./line_splitter.ts";
import { BoundedQueue } from "@parley/internal/bounded-queue";
import { assertOnInvalid, type OnInvalid, toInvalidHandler } from "./on_invalid.ts";
import { assertOverflow, QueueTransport } from "./queue_transport.ts";
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
 * The subset of `ReadableStream<Uint8Array>` that the transport uses. `Readable.toWeb()` in Node.js
 * returns a stream with this interface, although its type differs from the global type.
 */
export interface ByteReadable {
  /** Whether the stream has a reader. */
  readonly locked: boolean;
  /** Locks the stream and returns its reader. */
  getReader(): {
    /** Reads a chunk of bytes. */
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    /** Cancels the stream. */
    cancel(reason?: unknown): Promise<void>;
  };
}

/**
 * The subset of `WritableStream<Uint8Array>` that the transport uses. `Writable.toWeb()` in Node.js
 * returns a stream with this interface, although its type differs from the global type.
 */
export interface ByteWritable {
  /** Whether the stream has a writer. */
  readonly locked: boolean;
  /** Locks the stream and returns its writer. */
  getWriter(): {
    /** Writes a chunk of bytes. */
    write(chunk: Uint8Array): Promise<void>;
    /** Closes the stream after all chunks are written. */
    close(): Promise<void>;
    /** Closes the stream and discards unwritten chunks. */
    abort(reason?: unknown): Promise<void>;
  };
}

/**
 * Two byte streams, such as a TCP or TLS connection, a pipe, two `TransformStream` objects, or the
 * result of `Duplex.toWeb()` in Node.js.
 */
export interface ByteStreamPair {
  /** Bytes from the other end. */
  readonly readable: ByteReadable;
  /** Bytes to the other end. */
  readonly writable: ByteWritable;
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
   * Maximum total size of queued messages in each direction, in bytes. A message that alone exceeds
   * the limit is queued if the queue is empty.
   *
   * @default {8_388_608}
   */
  readonly maxQueuedBytes?: number;
  /**
   * Handling of a line that is not a valid message: `throw` rejects a call to `receive` with the
   * error, `skip` ignores the line, and a function is called with the error before the line is
   * ignored. With `skip` or a function, `for await` loops continue after an invalid line.
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
   * Timeout for writing queued messages on `close`, in milliseconds. Messages that are still
   * unwritten after the timeout are discarded.
   *
   * @default {5000}
   */
  readonly closeTimeoutMs?: number;
}

const readOptions = optionsReader<StreamTransportOptions>("options")({
  maxMessageBytes: withDefault(DEFAULT_MAX_BYTES, assertCount),
  capacity: withDefault(100, assertCount),
  maxQueuedBytes: withDefault(DEFAULT_MAX_QUEUED_BYTES, assertCount),
  onInvalid: withDefault("throw", assertOnInvalid),
  overflow: withDefault("wait", assertOverflow),
  closeTimeoutMs: withDefault(5000, assertPositiveNumber),
});

/**
 * Creates a transport that sends messages as newline-delimited JSON over two byte streams. The
 * transport locks both streams.
 *
 * `send` resolves when the message is queued. If the other end reads slowly, the queue fills up and
 * `send` waits. If this end does not call `receive`, at most `capacity` messages with at most
 * `maxQueuedBytes` bytes are read from the stream. Lines are parsed when they are received. For
 * each invalid line, one call to `receive` rejects with the error, such as `message_too_large` or
 * `duplicate_member`, unless `onInvalid` is set. Blank lines are ignored. When the other end closes
 * its stream, `receive` returns `undefined` after the last message, and `send` still works.
 *
 * `send` also rejects with `message_too_large` if the message exceeds the limit. After a stream
 * error, `send` rejects with `send_failed`, and `receive` with `receive_failed`.
 *
 * @param streams The streams, which must not be locked.
 * @param options Limits and overflow behavior.
 * @throws {RangeError} If a limit is not a positive integer, or `closeTimeoutMs` is not positive.
 * @throws {TypeError} If a stream is locked or is not a web stream, if `onInvalid` or `overflow` is
 *   invalid, or an option is unknown.
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
  assertHasMethod("streams.readable", READABLE, streams?.readable, "getReader");
  assertHasMethod("streams.writable", WRITABLE, streams?.writable, "getWriter");
  const settings = readOptions(options);
  const { maxMessageBytes, capacity, maxQueuedBytes, onInvalid, overflow, closeTimeoutMs } =
    settings;
  const inbound = new BoundedQueue<Uint8Array | OversizedLine, CommError>({
    capacity,
    maxBytes: maxQueuedBytes,
    sizeOf: (line) => line instanceof Uint8Array ? line.length : 0,
  });
  const outbound = new BoundedQueue<Uint8Array, CommError>({
    capacity,
    maxBytes: maxQueuedBytes,
    sizeOf: (line) => line.length,
  });
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
    onInvalid: toInvalidHandler(onInvalid),
    decode: (line) =>
      line instanceof Uint8Array
        ? readMessage(line, maxMessageBytes)
        : messageTooLarge(maxMessageBytes, line.bytes),
    encode: (message) => ENCODER.encode(`${writeMessage(message, maxMessageBytes)}\n`),
    finish: async () => {
      const work = [reader.cancel().catch(ignoreFailedStream), reading, writing];
      if (await settlesWithin(Promise.all(work), closeTimeoutMs)) return;
      // Do not wait: the sink might never complete the abort.
      writer.abort().catch(ignoreFailedStream);
    },
  });
}

type ByteReader = ReturnType<ByteReadable["getReader"]>;
type ByteWriter = ReturnType<ByteWritable["getWriter"]>;

const READABLE = "a ReadableStream of bytes (Readable.toWeb() converts a Node.js stream)";
const WRITABLE = "a WritableStream of bytes (Writable.toWeb() converts a Node.js stream)";

const ENCODER = new TextEncoder();

/**
 * Ignores a rejection of `cancel` or `abort`. The transport is closing, so a stream failure makes
 * no difference.
 */
function ignoreFailedStream(): void {}

/**
 * Number of bytes to read before other tasks can run. Without a limit, a stream that always has
 * data, such as a flood of blank lines, would block timers and other connections.
 */
const BYTES_PER_TURN = 1024 * 1024;

/** Moves lines from the stream into the queue. Waits while the queue is full. */
async function readAll(
  reader: ByteReader,
  inbound: BoundedQueue<Uint8Array | OversizedLine, CommError>,
  maxBytes: number,
): Promise<void> {
  const splitter = new LineSplitter(maxBytes);
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      for (const line of done ? splitter.end() : splitter.push(asBytes(value))) {
        if (inbound.tryPush(line) === "full") await inbound.waitToPush(line);
      }
      if (done) break;
      bytes += asBytes(value).length;
      if (bytes < BYTES_PER_TURN) continue;
      bytes = 0;
      await delay(0);
    }
    inbound.end();
  } catch (cause) {
    inbound.end(receiveFailed("stream failed", { cause }));
  }
}

function asBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError(`Cannot read from stream: expected bytes, got ${formatValue(chunk)}`);
}

/** Writes lines from the queue to the stream, and waits for each write. */
async function writeAll(
  writer: ByteWriter,
  outbound: BoundedQueue<Uint8Array, CommError>,
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
