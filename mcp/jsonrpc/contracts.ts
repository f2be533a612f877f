/**
 * How messages travel: the transport of the specification, and the two richer shapes that client and server work with.
 *
 * @module
 */

import type { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import type { AbortSignalLike } from "../shared/abort_signal_like.ts";
import type { Frame } from "./read_frame.ts";
import type {
  McpRequest,
  McpResponse,
  RpcMessage,
  RpcNotification,
  RpcRequest,
  RpcResponse,
} from "./message.ts";

/**
 * Sends requests and receives responses, first in first out.
 *
 * After `close()` nothing can be sent or received: both reject with a `transport_error`, a waiting `receive` too.
 */
export interface McpTransport {
  /**
   * Sends one request.
   *
   * @throws {McpError} `transport_error` when the transport is closed or broken
   */
  send(request: McpRequest): Promise<void>;
  /**
   * Waits for the next response.
   *
   * @throws {McpError} `transport_error` when the transport is closed, broken or at its end
   */
  receive(): Promise<McpResponse>;
  /** Ends the transport. May be called again. */
  close(): Promise<void>;
}

/** Where a line comes from: standard input, a test, an embedded runtime. */
export interface StdioLineReader {
  /** The next line without its end, or `null` at the clean end of the input. */
  readLine(): Promise<string | null>;
}

/** Where a line goes. */
export interface StdioLineWriter {
  /** Writes one line and its end. */
  writeLine(line: string): Promise<void>;
}

/** Which transport to use, as data. */
export type TransportConfig =
  /** Newline-delimited JSON over this process's own standard streams. */
  | { readonly type: "stdio" }
  /** HTTP, where an event stream is asked for first. */
  | { readonly type: "sse"; readonly url: string }
  /** HTTP, where each request is a POST. */
  | { readonly type: "http"; readonly url: string };

/**
 * What `send` gives for a message that is on its way at once, as most are: whoever knows it need not wait. Any other
 * promise does as well.
 */
export const SENT: Promise<void> = Promise.resolve();

/** How one message is to be sent. */
export interface SendOptions {
  /** Stops the clock of whoever waits until the promise settles: a person is at work, such as at a login. */
  readonly pauseTimeout?: (until: Promise<unknown>) => void;
}

/**
 * A two-way channel of messages of every kind: what lines over standard streams or a pair in memory give.
 */
export interface Pipe {
  /** What to call it in errors, such as `stdio`. */
  readonly label: string;
  /** What comes in, until the other side or `close()` ends it; throws when the pipe breaks. For one consumer. */
  readonly frames: AsyncIterable<Frame>;
  /**
   * Sends one message, or a batch where the revision allows it.
   *
   * @throws {McpError} `transport_error` when the pipe is closed or broken, `serialization_error` when it is not JSON,
   * `core` when too much waits until the other side reads
   */
  send(message: RpcMessage | readonly RpcMessage[], options?: SendOptions): Promise<void>;
  /** Ends the pipe on both sides. May be called again. */
  close(): Promise<void>;
}

/** Something that can open a pipe: a started process, standard streams, a pair in memory. */
export interface PipeSource {
  /** What to call it in errors, such as a command line. */
  readonly label: string;
  /** Whether `openPipe` may be called again for a fresh connection once a pipe has ended. */
  readonly canReopen: boolean;
  /**
   * Opens the pipe.
   *
   * @throws {McpError} `connection_failed` when it cannot be opened
   */
  openPipe(): Promise<Pipe>;
}

/** How one exchange is to be made. */
export interface ExchangeOptions extends SendOptions {
  /** Cancels the exchange; it then rejects with the signal's reason. */
  readonly signal: AbortSignalLike;
  /** Hears of the notifications that belong to the request; all of them before the answer. Does not throw. */
  readonly onNotification?: (notification: RpcNotification) => void;
}

/**
 * One peer, reached. Requests become exchanges, however the transport carries them.
 */
export interface Connection {
  /** What to call it in errors. */
  readonly label: string;
  /** Rings for those who wait for the peer; stops with the connection. */
  readonly timeouts: TimeoutScheduler;
  /** What the peer sends of its own accord, until the connection ends. For one consumer. */
  readonly unsolicited: AsyncIterable<RpcRequest | RpcNotification>;
  /** Why the connection has ended, or undefined as long as it has not. */
  readonly ended: Error | undefined;
  /** Sends a request and waits for its answer. Ids have to be unique among the requests under way. */
  exchange(request: RpcRequest, options: ExchangeOptions): Promise<RpcResponse>;
  /** Sends a notification, or an answer to a request of the peer. */
  send(message: RpcNotification | RpcResponse): Promise<void>;
  /** Ends the connection and every exchange on it. May be called again. */
  close(): Promise<void>;
}
