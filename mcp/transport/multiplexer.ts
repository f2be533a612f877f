/**
 * Multiplexes requests over one pipe. Responses are matched by id, and the peer is notified when a
 * request is aborted.
 *
 * @module
 */

import { McpError, McpErrorCode } from "../shared/error.ts";
import { TimeoutScheduler } from "../shared/timeout_scheduler.ts";
import { forEach, Queue } from "../shared/bounded_queue.ts";
import type {
  McpRequestId,
  RequestId,
  RpcMessage,
  RpcNotification,
  RpcRequest,
  RpcResponse,
} from "../jsonrpc/message.ts";
import type { Frame, InvalidFrame, MessageFrame, ResponseFrame } from "../jsonrpc/read_frame.ts";
import {
  type ExchangeOptions,
  type Pipe,
  type PipeConnection,
  type SendOptions,
  SENT,
} from "../jsonrpc/contracts.ts";
import type { Tolerance } from "../jsonrpc/deviation.ts";

/** Protocol-specific options for a {@linkcode Multiplexer}. */
export interface MultiplexerOptions {
  /** Returns the id of the request that a notification belongs to, if any. */
  readonly ownerOf: (notification: RpcNotification) => unknown;
  /**
   * Returns the notification that cancels a request, or `undefined` if the request must not be
   * cancelled.
   */
  readonly cancellation: (request: RpcRequest) => RpcNotification | undefined;
  /** Called with deviations in responses. If omitted, they are accepted. */
  readonly tolerance?: Tolerance;
  /**
   * Called with the error if a received frame is invalid and belongs to no pending request, and
   * once each time the queue of unsolicited messages overflows. `onError` must not throw.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Maximum number of queued unsolicited messages. Messages beyond `maxWaiting` are dropped, and
   * the first dropped message is reported.
   *
   * @default {1000}
   */
  readonly maxWaiting?: number;
}

/** Default maximum number of queued unsolicited messages. */
const MAX_WAITING = 1000;

/** Maximum number of requests whose late responses are recognized. */
const MAX_UNANSWERED = 1000;

/** The deviation of a response that contains a numeric request id as text. */
const TEXT_ID = { what: '"id" is text instead of a number' };

/** Number of microtasks to wait for a reader to make room in the queue. */
const TICKS = 10;

/** A request in flight. */
interface Pending {
  readonly request: RpcRequest;
  readonly options: ExchangeOptions;
  readonly resolve: (response: RpcResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly abort: () => void;
}

/** A connection over a pipe. */
export class Multiplexer implements PipeConnection {
  /** Name of the connection in error messages. */
  readonly label: string;
  /** Scheduler for request timeouts. */
  readonly timeouts: TimeoutScheduler = new TimeoutScheduler();
  readonly #pipe: Pipe;
  readonly #options: MultiplexerOptions;
  readonly #pending = new Map<unknown, Pending>();
  /** Functions to call when a late response arrives, keyed by the id of the request. */
  readonly #unanswered = new Map<unknown, () => void>();
  /** Stands for the late responses that are not recognized. */
  #never: Promise<void> | undefined;
  readonly #unsolicited: Queue<RpcRequest | RpcNotification>;
  /** Whether the last unsolicited message was dropped. */
  #isDropping = false;
  #ended: Error | undefined;

  /** Creates a connection and starts to read the pipe. */
  constructor(pipe: Pipe, options: MultiplexerOptions) {
    this.label = pipe.label;
    this.#pipe = pipe;
    this.#options = options;
    const { maxWaiting = MAX_WAITING } = options;
    this.#unsolicited = new Queue({ capacity: maxWaiting });
    forEach(pipe.frames, (frame) => this.#receive(frame)).then(
      () => this.#end(this.#lost("closed by the peer")),
      (cause) => this.#end(cause instanceof McpError ? cause : this.#lost(String(cause), cause)),
    );
  }

  /** Requests and notifications from the peer that are unrelated to any outgoing request. */
  get unsolicited(): AsyncIterable<RpcRequest | RpcNotification> {
    return this.#unsolicited;
  }

  /** Reason the connection ended, or `undefined` while it is open. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Sends a request and returns its response. */
  exchange(request: RpcRequest, options: ExchangeOptions): Promise<RpcResponse> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      this.#assertFree(request.id);
      const abort = (): void => this.#abandon(pending, signal.reason);
      const pending: Pending = { request, options, resolve, reject, abort };
      signal.addEventListener("abort", abort);
      this.#pending.set(request.id, pending);
      let isAccepted = false;
      const sent = this.#write(request, {
        pauseTimeout: options.pauseTimeout,
        onAccepted: () => isAccepted = true,
      });
      // The write is not awaited, so the signal can abort the request while the pipe is blocked.
      if (sent !== SENT) {
        sent.catch((error) => {
          if (isAccepted || !isRefused(error)) this.#abandon(pending, error);
          else if (error.httpStatus !== undefined) this.#fail(pending, error);
          // A request that was not sent is not cancelled: the peer does not know it.
          else if (this.#settle(pending)) pending.reject(error);
        });
      }
    });
  }

  /** Sends a notification or a response. */
  send(message: RpcNotification | RpcResponse, options?: SendOptions): Promise<void> {
    return this.#write(message, options);
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    this.#end(this.#lost("closed"));
    await this.#pipe.close();
  }

  /**
   * Sends a message. Returns a rejected promise even if a custom pipe throws instead of rejecting.
   */
  #write(message: RpcMessage, options?: SendOptions): Promise<void> {
    try {
      return this.#pipe.send(message, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #assertFree(id: RequestId): void {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#pending.get(id) !== undefined) {
      throw new RangeError(`Cannot send request "${id}": a request with this id is in flight`);
    }
  }

  #receive(frame: Frame): Promise<void> | undefined {
    switch (frame.kind) {
      case "batch":
        return this.#receiveAll(frame.frames);
      case "response":
        return this.#answer(frame);
      case "invalid":
        return this.#reject(frame);
      case "request":
        return this.#pass(frame.message);
      case "notification": {
        const owner = this.#pending.get(this.#options.ownerOf(frame.message));
        if (owner === undefined) return this.#pass(frame.message);
        return void owner.options.onNotification?.(frame.message);
      }
      default:
        return frame satisfies never;
    }
  }

  /**
   * Handles the members of a batch one after the other, like separate frames. The responses come
   * last, because the order in a batch has no meaning, and a message that does not name its request
   * belongs to a request whose response has not arrived.
   */
  async #receiveAll(frames: readonly MessageFrame[]): Promise<void> {
    const isLast = ({ kind }: MessageFrame): boolean => kind === "response" || kind === "invalid";
    const ordered = [...frames.filter((each) => !isLast(each)), ...frames.filter(isLast)];
    for (const each of ordered) await this.#receive(each);
  }

  /**
   * Queues a message that is unrelated to any outgoing request, and lets a waiting reader receive
   * the message before the next frame is handled, so notifications are delivered in the order in
   * which they arrive. If the queue is full, waits briefly for the reader to make room. If the
   * queue is still full, the message is dropped.
   */
  async #pass(message: RpcRequest | RpcNotification): Promise<void> {
    if (!this.#unsolicited.tryPush(message)) return await this.#retryPush(message);
    this.#isDropping = false;
    await undefined;
  }

  async #retryPush(message: RpcRequest | RpcNotification): Promise<void> {
    for (let tick = 0; tick < TICKS; tick++) {
      await undefined;
      if (this.#unsolicited.tryPush(message)) return;
    }
    if (this.#isDropping || this.#ended !== undefined) return;
    this.#isDropping = true;
    const { maxWaiting = MAX_WAITING, onError } = this.#options;
    onError?.(McpError.core(`messages are dropped while ${maxWaiting} messages are queued`));
  }

  #answer({ message, deviation }: ResponseFrame): undefined {
    const pending = this.#find(message.id);
    if (pending === undefined) return this.#answerLate(message.id);
    const { id, method } = pending.request;
    try {
      if (message.id !== null && message.id !== id) this.#options.tolerance?.(TEXT_ID, method);
      if (deviation !== undefined) this.#options.tolerance?.(deviation, method);
    } catch (error) {
      return this.#fail(pending, error);
    }
    if (this.#settle(pending)) pending.resolve(message);
  }

  #answerLate(id: McpRequestId): undefined {
    const key = this.#unanswered.has(id) ? id : Number(id);
    this.#unanswered.get(key)?.();
    this.#unanswered.delete(key);
  }

  /**
   * Rejects the request that an invalid frame belongs to, because no valid response will follow. An
   * invalid response without an id rejects the request in flight if there is only one. Only an
   * invalid response with the id of the request shows that the peer has processed the request.
   */
  #reject({ id, isResponse, reason }: InvalidFrame): undefined {
    const pending = id === null && !isResponse ? undefined : this.#find(id);
    if (pending === undefined) {
      if (isResponse && id !== null) this.#answerLate(id);
      const message = `Cannot read a message from the server: ${reason}`;
      this.#options.onError?.(new McpError(McpErrorCode.ProtocolError, { reason }, message));
    } else if (isResponse && id !== null) this.#fail(pending, McpError.protocolError(reason));
    else this.#abandon(pending, McpError.protocolError(reason));
  }

  /**
   * Returns the request that a response belongs to. Accepts a numeric request id that the server
   * returns as a string, as some servers do.
   */
  #find(id: McpRequestId): Pending | undefined {
    if (id !== null) return this.#pending.get(id) ?? this.#pending.get(numericId(id));
    const [only, other] = this.#pending.values();
    return other === undefined ? only : undefined;
  }

  /** Removes a request from the requests in flight. Returns `true` if the request was in flight. */
  #settle({ request, options, abort }: Pending): boolean {
    options.signal.removeEventListener("abort", abort);
    return this.#pending.delete(request.id);
  }

  /** Rejects a request that the peer may still process. */
  #abandon(pending: Pending, error: unknown): void {
    const { request: { id }, options: { onUnanswered } } = pending;
    if (onUnanswered !== undefined && this.#pending.get(id) === pending) {
      onUnanswered(this.#lateResponse(id));
    }
    this.#fail(pending, error);
  }

  /** Returns a promise that resolves when the response to an abandoned request arrives. */
  #lateResponse(id: RequestId): Promise<void> {
    if (this.#unanswered.size >= MAX_UNANSWERED) return this.#never ??= new Promise(() => {});
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#unanswered.set(id, resolve);
    return promise;
  }

  #fail(pending: Pending, error: unknown): undefined {
    if (!this.#settle(pending)) return;
    pending.reject(error);
    this.#cancel(pending.request);
  }

  #cancel(request: RpcRequest): void {
    const message = this.#options.cancellation(request);
    if (message === undefined || this.#ended !== undefined) return;
    // Errors from sending the cancellation are ignored: the request has already settled, and a
    // failed pipe ends the connection.
    this.#write(message).catch(() => {});
  }

  #end(error: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.timeouts.stop();
    for (const pending of this.#pending.values()) this.#fail(pending, error);
    this.#unsolicited.end();
  }

  #lost(reason: string, cause?: unknown): McpError {
    return McpError.transportError(this.label, reason, { cause });
  }
}

/**
 * Returns `true` if a request was not sent or the peer has rejected it, so the peer does not
 * process it. After any other HTTP status, such as 504 from a proxy, the peer may process the
 * request. An error with an `rpcCode` is the peer's own response.
 */
function isRefused(error: unknown): error is McpError {
  if (!(error instanceof McpError)) return false;
  const { code, httpStatus, rpcCode } = error;
  if (httpStatus === undefined) return NOT_SENT.has(code);
  return REFUSALS.has(httpStatus) || (rpcCode !== undefined && CLIENT_ERRORS.has(httpStatus));
}

const NOT_SENT: ReadonlySet<string> = new Set([
  McpErrorCode.SerializationError,
  McpErrorCode.Core,
  McpErrorCode.AuthError,
]);

/** HTTP statuses of a server or proxy that has not processed the request. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 413, 429]);

/** HTTP statuses of a server that has rejected the request, if the body is a JSON-RPC error. */
const CLIENT_ERRORS: ReadonlySet<number> = new Set([400, 404]);

/**
 * Returns the number whose decimal form is the given id, or `undefined` if there is none. Other
 * forms of a number, such as `0x1` or an empty string, are different ids.
 */
function numericId(id: RequestId): number | undefined {
  const number = Number(id);
  return String(number) === id ? number : undefined;
}
