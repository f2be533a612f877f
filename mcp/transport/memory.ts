/**
 * In-memory pipes between a client and a server in the same process.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { assertCount, assertOptionalBoolean } from "@parley/internal/assert-argument";
import { optionsReader, type Settings, withDefault } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { type RpcMessage, stringifyMessage } from "../jsonrpc/message.ts";
import { type Frame, readFrame, readMessage } from "../jsonrpc/read_frame.ts";
import { type Pipe, type PipeSource, SENT } from "../jsonrpc/contracts.ts";
import { Queue } from "../shared/bounded_queue.ts";

const LABEL = "memory";

/** Options for an in-memory transport. */
export interface MemoryTransportOptions {
  /**
   * Maximum number of messages that can wait in each direction while the reader's queue is full.
   * Calls beyond `maxBufferedMessages` reject with code `core`.
   *
   * @default {100_000}
   */
  readonly maxBufferedMessages?: number;
  /**
   * Whether messages are passed as objects instead of as JSON text. Passing objects is faster, but
   * both sides then share the objects, and a value that JSON cannot represent is accepted in memory
   * but fails over stdio or HTTP.
   *
   * @default {false}
   */
  readonly passObjects?: boolean;
}

type MemorySettings = Settings<MemoryTransportOptions, keyof MemoryTransportOptions>;

const readOptions = optionsReader<MemoryTransportOptions>("options")({
  maxBufferedMessages: withDefault(100_000, assertCount),
  passObjects: withDefault(false, assertOptionalBoolean),
});

/** One end of a pipe pair. */
class MemoryPipe implements Pipe {
  readonly label = LABEL;
  readonly frames: Queue<Frame>;
  readonly #maxBufferedMessages: number;
  readonly #passObjects: boolean;
  #other: MemoryPipe | undefined;
  #ended: McpError | undefined;

  constructor({ maxBufferedMessages, passObjects }: MemorySettings) {
    this.#maxBufferedMessages = maxBufferedMessages;
    this.#passObjects = passObjects;
    this.frames = new Queue({ maxHeld: maxBufferedMessages });
  }

  /** Connects the two ends of a pipe pair. */
  join(other: MemoryPipe): void {
    this.#other = other;
  }

  send(message: RpcMessage | readonly RpcMessage[]): Promise<void> {
    const other = this.#other;
    if (other === undefined || this.frames.isEnded) return Promise.reject(this.#ended ?? closed());
    let frame: Frame;
    try {
      frame = this.#passObjects ? toFrame(message) : readFrame(stringifyMessage(message));
    } catch (error) {
      return Promise.reject(error);
    }
    if (other.frames.tryPush(frame)) return SENT;
    return other.frames.push(frame).then((isTaken) => {
      if (isTaken) return;
      if (other.frames.isEnded) throw closed();
      throw McpError.core(`more than ${this.#maxBufferedMessages} messages are buffered`);
    });
  }

  close(): Promise<void> {
    this.frames.end();
    this.#other?.frames.end();
    return Promise.resolve();
  }

  /** Ends this pipe with an error, unless the pipe has already ended. */
  fail(error: McpError): void {
    if (this.frames.isEnded) return;
    this.#ended = error;
    this.frames.end(error);
  }
}

function closed(): McpError {
  return McpError.transportError(LABEL, "closed");
}

function toFrame(message: RpcMessage | readonly RpcMessage[]): Frame {
  return isBatch(message)
    ? { kind: "batch", frames: message.map(readMessage) }
    : readMessage(message);
}

function isBatch(message: RpcMessage | readonly RpcMessage[]): message is readonly RpcMessage[] {
  return Array.isArray(message);
}

/**
 * Creates two connected pipes. Messages sent on one pipe are received on the other. A slow reader
 * applies backpressure.
 */
export function createPipePair(options: MemoryTransportOptions = {}): readonly [Pipe, Pipe] {
  return connectedPipes(readOptions(options));
}

function connectedPipes(options: MemorySettings): readonly [MemoryPipe, MemoryPipe] {
  const pair = [new MemoryPipe(options), new MemoryPipe(options)] as const;
  pair[0].join(pair[1]);
  pair[1].join(pair[0]);
  return pair;
}

/**
 * Creates a client transport for a server in the same process. Messages are passed as JSON text, so
 * that an in-memory test fails if the same calls would fail over stdio or HTTP.
 *
 * @param serve Called with the server end of a new pipe pair each time a client connects. The
 * client's `disconnect()` waits until the promise that `serve` returns settles.
 * @param options Limits for buffered messages, and whether messages are passed as JSON.
 * @throws {TypeError} If `serve` is not a function.
 * @throws {RangeError} If `maxBufferedMessages` is less than 1.
 *
 * @example Connect a client and a server in one process
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "empty", version: "1.0.0" });
 * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
 * const client = new McpClient({ transport });
 * await client.connect();
 * assertEquals(await client.listTools(), []);
 * await client.disconnect();
 * ```
 */
export function createMemoryTransport(
  serve: (pipe: Pipe) => Promise<void>,
  options: MemoryTransportOptions = {},
): PipeSource {
  if (typeof serve !== "function") {
    throw new TypeError(`"serve" must be a function, got ${formatValue(serve)}`);
  }
  const settings = readOptions(options);
  const openPipe = (): Promise<Pipe> => Promise.resolve(openServed(serve, settings));
  return { label: LABEL, canReopen: true, openPipe };
}

function openServed(
  serve: (pipe: Pipe) => Promise<void>,
  options: MemorySettings,
): Pipe {
  const [client, server] = connectedPipes(options);
  // If the server fails, no response reports the failure, so the client's calls reject with the
  // server's error.
  const served = run(serve, server).catch((cause) => {
    const reason = `the server failed: ${cause instanceof Error ? cause.message : String(cause)}`;
    client.fail(McpError.transportError(LABEL, reason, { cause }));
  }).finally(() => server.close());
  return {
    label: LABEL,
    frames: client.frames,
    send: (message) => client.send(message),
    close: async () => {
      await client.close();
      await served;
    },
  };
}

/**
 * Runs a server until the promise that `serve` returns settles. Rejects if `serve` throws or does
 * not return a promise, or if the promise rejects.
 */
async function run(serve: (pipe: Pipe) => Promise<void>, pipe: Pipe): Promise<void> {
  const serving: unknown = serve(pipe);
  if (typeof serving !== "object" || serving === null || !("then" in serving)) {
    throw new TypeError(`"serve" must return a promise, got ${formatValue(serving)}`);
  }
  await serving;
}
