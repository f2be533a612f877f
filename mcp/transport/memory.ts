/**
 * In-memory pipes between a client and a server in the same process.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { RpcMessage } from "../jsonrpc/message.ts";
import { type Frame, readMessage } from "../jsonrpc/read_frame.ts";
import { type Pipe, type PipeSource, SENT } from "../jsonrpc/contracts.ts";
import { Queue } from "../shared/bounded_queue.ts";

const LABEL = "memory";

/** Options for an in-memory transport. */
export interface MemoryTransportOptions {
  /**
   * Maximum number of messages that can wait in each direction while the reader's queue is full. Calls beyond this
   * limit reject with code `core`.
   *
   * @default {100_000}
   */
  readonly maxBufferedMessages?: number;
}

/** One end of a pipe pair. */
class MemoryPipe implements Pipe {
  readonly label = LABEL;
  readonly frames: Queue<Frame>;
  readonly #maxBufferedMessages: number;
  #other: MemoryPipe | undefined;

  constructor({ maxBufferedMessages = 100_000 }: MemoryTransportOptions) {
    this.#maxBufferedMessages = maxBufferedMessages;
    this.frames = new Queue({ maxHeld: maxBufferedMessages });
  }

  /** Connects this end of the pipe pair to the other end. */
  join(other: MemoryPipe): void {
    this.#other = other;
  }

  send(message: RpcMessage | readonly RpcMessage[]): Promise<void> {
    const other = this.#other;
    if (other === undefined || this.frames.isEnded) return Promise.reject(closed());
    const frame: Frame = isBatch(message)
      ? { kind: "batch", frames: message.map(readMessage) }
      : readMessage(message);
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
}

function closed(): McpError {
  return McpError.transportError(LABEL, "closed");
}

function isBatch(message: RpcMessage | readonly RpcMessage[]): message is readonly RpcMessage[] {
  return Array.isArray(message);
}

/**
 * Creates two connected pipes. Messages sent on one pipe are received on the other. A slow reader applies backpressure.
 */
export function createPipePair(options: MemoryTransportOptions = {}): readonly [Pipe, Pipe] {
  const pair = [new MemoryPipe(options), new MemoryPipe(options)] as const;
  pair[0].join(pair[1]);
  pair[1].join(pair[0]);
  return pair;
}

/**
 * Creates a client transport for a server in the same process.
 *
 * @param serve Called with the server end of a new pipe pair each time a client connects. The client's `disconnect()`
 * waits until the promise that `serve` returns settles.
 * @param options Limits for buffered messages.
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
  const openPipe = (): Promise<Pipe> => Promise.resolve(openServed(serve, options));
  return { label: LABEL, canReopen: true, openPipe };
}

function openServed(
  serve: (pipe: Pipe) => Promise<void>,
  options: MemoryTransportOptions,
): Pipe {
  const [client, server] = createPipePair(options);
  // A server error is not passed to the client, which only observes that the pipe has ended.
  const served = serve(server).catch(() => {}).finally(() => server.close());
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
