/**
 * Transport contracts: {@linkcode McpTransport} from the package specification, and the pipes and
 * connections that clients and servers use internally.
 *
 * @module
 */

import type { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import type { AbortSignalLike } from "@parley/internal/abortable";
import type { Tolerance } from "./deviation.ts";
import type { Frame } from "./read_frame.ts";
import type {
  McpRequest,
  McpResponse,
  RpcMessage,
  RpcNotification,
  RpcRequest,
  RpcResponse,
} from "./message.ts";

/** Functions to which a connection reports what no caller receives. */
export interface ConnectionReports {
  /** Called with errors that reject no request. */
  readonly onError: (error: unknown) => void;
  /** Called with deviations in responses. If omitted, they are accepted. */
  readonly tolerance?: Tolerance | undefined;
}

/**
 * A transport that sends requests and receives responses in first-in, first-out order.
 *
 * After `close()`, `send()` and `receive()` reject with code `transport_error`. Closing the
 * transport also rejects a pending `receive()`.
 */
export interface McpTransport {
  /**
   * Sends a request.
   *
   * @throws {McpError} With code `transport_error` if the transport is closed or the connection is
   * lost.
   */
  send(request: McpRequest): Promise<void>;
  /**
   * Waits for the next response.
   *
   * @throws {McpError} With code `transport_error` if the transport is closed, the connection is
   * lost or the input has ended.
   */
  receive(): Promise<McpResponse>;
  /** Closes the transport. Closing a closed transport has no effect. */
  close(): Promise<void>;
}

/** A source of lines, such as standard input. */
export interface StdioLineReader {
  /**
   * Reads the next line without its line terminator. Resolves with `null` at the end of the input.
   */
  readLine(): Promise<string | null>;
}

/** A destination for lines, such as standard output. */
export interface StdioLineWriter {
  /** Writes a line and a line terminator. */
  writeLine(line: string): Promise<void>;
}

/** Configuration of a built-in transport. */
export type TransportConfig =
  /** Newline-delimited JSON over the standard streams of the current process. */
  | { readonly type: "stdio" }
  /**
   * An HTTP server. The client tries the HTTP+SSE transport of protocol version 2024-11-05 first.
   */
  | { readonly type: "sse"; readonly url: string }
  /** An HTTP server. The client tries Streamable HTTP first. */
  | { readonly type: "http"; readonly url: string };

/**
 * The promise that `send()` returns if the message was accepted immediately. A caller that receives
 * the `SENT` promise can skip the `await`.
 */
export const SENT: Promise<void> = Promise.resolve();

/** Options for sending a message. */
export interface SendOptions {
  /** Pauses the request timeout until the promise settles, for example while the user logs in. */
  readonly pauseTimeout?: ((until: Promise<unknown>) => void) | undefined;
  /**
   * Called when the peer has accepted a request whose response has not arrived, so the peer may
   * process the request even if `send` rejects. A pipe that does not know does not call it.
   */
  readonly onAccepted?: () => void;
}

/**
 * A bidirectional message channel, such as the standard streams of a process or an in-memory pair.
 */
export interface Pipe {
  /** Name of the channel in error messages, such as `stdio`. */
  readonly label: string;
  /**
   * Received frames. Iteration ends when the peer or `close()` ends the pipe, and throws if the
   * pipe fails. Only one consumer can iterate over `frames`.
   */
  readonly frames: AsyncIterable<Frame>;
  /**
   * Text that helps explain why no session could be opened, such as received lines that are not
   * messages. If there is nothing to report, `diagnosis` is `undefined`.
   */
  readonly diagnosis?: string | undefined;
  /**
   * Sends a message, or a batch if the protocol version supports batches.
   *
   * @throws {McpError} With code `transport_error` if the pipe is closed or has failed.
   * @throws {McpError} With code `serialization_error` if the message cannot be serialized as JSON.
   * @throws {McpError} With code `core` if the send buffer is full because the peer does not read.
   */
  send(message: RpcMessage | readonly RpcMessage[], options?: SendOptions): Promise<void>;
  /** Closes the pipe in both directions. Closing a closed pipe has no effect. */
  close(): Promise<void>;
}

/**
 * Opens pipes, for example by starting a process, using the standard streams or creating an
 * in-memory pair.
 */
export interface PipeSource {
  /** Name of the source in error messages, such as a command line. */
  readonly label: string;
  /** Whether `openPipe()` can be called again after a pipe has ended. */
  readonly canReopen: boolean;
  /**
   * Opens a pipe.
   *
   * @throws {McpError} With code `connection_failed` if the pipe cannot be opened.
   */
  openPipe(): Promise<Pipe>;
}

/** Options for `Connection.exchange()`. */
export interface ExchangeOptions extends SendOptions {
  /**
   * Signal that cancels the request when aborted. A cancelled request rejects with the signal's
   * reason.
   */
  readonly signal: AbortSignalLike;
  /**
   * Called with each notification that belongs to the request, always before the response is
   * returned. `onNotification` must not throw.
   */
  readonly onNotification?: (notification: RpcNotification) => void;
  /**
   * Called if the exchange rejects although the peer may still process the request, for example
   * because the request was cancelled. `answered` resolves if the response arrives after all.
   * Connections that assign all messages of the peer to requests do not call `onUnanswered`.
   */
  readonly onUnanswered?: ((answered: Promise<void>) => void) | undefined;
}

/**
 * A connection to a peer. On every transport, each request is matched with its response and
 * notifications.
 */
export interface Connection {
  /** Name of the connection in error messages. */
  readonly label: string;
  /** Scheduler for request timeouts. The scheduler stops when the connection ends. */
  readonly timeouts: TimeoutScheduler;
  /**
   * Requests and notifications from the peer that do not belong to any request sent over this
   * connection. Iteration ends when the connection ends. Only one consumer can iterate over
   * `unsolicited`.
   */
  readonly unsolicited: AsyncIterable<RpcRequest | RpcNotification>;
  /** Reason the connection has ended, or `undefined` while it is open. */
  readonly ended: Error | undefined;
  /**
   * Sends a request and waits for its response. The request id must be unique among the in-flight
   * requests.
   */
  exchange(request: RpcRequest, options: ExchangeOptions): Promise<RpcResponse>;
  /**
   * Closes the connection and rejects every in-flight request. Closing a closed connection has no
   * effect.
   */
  close(): Promise<void>;
}

/** A connection that can send messages other than requests. Modern HTTP has no such messages. */
export interface PipeConnection extends Connection {
  /** Sends a notification, or the response to a request from the peer. */
  send(message: RpcNotification | RpcResponse, options?: SendOptions): Promise<void>;
}
