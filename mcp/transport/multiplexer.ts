/**
 * Many exchanges over one pipe: answers find their requests by id, everything else finds its owner or the unsolicited
 * queue, an abort tells the other side.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
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
import type { Frame, InvalidFrame } from "../jsonrpc/read_frame.ts";
import {
  type Connection,
  type ExchangeOptions,
  type Pipe,
  type SendOptions,
  SENT,
} from "../jsonrpc/contracts.ts";

/** What a {@linkcode Multiplexer} has to know of the protocol above it. */
export interface MultiplexerOptions {
  /** The request under way that a notification belongs to, if any. */
  readonly ownerOf: (notification: RpcNotification) => unknown;
  /** The message that cancels a request, or undefined when it must not be cancelled. */
  readonly cancellation: (request: RpcRequest) => RpcNotification | undefined;
  /** Hears of what came in and means nothing to anybody. Does not throw. */
  readonly onError?: (error: unknown) => void;
  /** How many unsolicited messages may wait. More are dropped. Default 1000. */
  readonly maxWaiting?: number;
}

/** How many turns of the microtask queue somebody who reads may need for an item. */
const TICKS = 10;

/** A request under way. */
interface Pending {
  readonly request: RpcRequest;
  readonly options: ExchangeOptions;
  readonly resolve: (response: RpcResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly abort: () => void;
}

/** A connection over a pipe. */
export class Multiplexer implements Connection {
  /** What to call it in errors. */
  readonly label: string;
  /** Rings for those who wait for the peer. */
  readonly timeouts: TimeoutScheduler = new TimeoutScheduler();
  readonly #pipe: Pipe;
  readonly #options: MultiplexerOptions;
  readonly #pending = new Map<unknown, Pending>();
  readonly #unsolicited: Queue<RpcRequest | RpcNotification>;
  #ended: Error | undefined;

  /** Starts to read the pipe. */
  constructor(pipe: Pipe, options: MultiplexerOptions) {
    this.label = pipe.label;
    this.#pipe = pipe;
    this.#options = options;
    const { maxWaiting = 1000 } = options;
    this.#unsolicited = new Queue({ capacity: maxWaiting });
    forEach(pipe.frames, (frame) => this.#receive(frame)).then(
      () => this.#end(this.#lost("the other side closed it")),
      (cause) => this.#end(cause instanceof McpError ? cause : this.#lost(String(cause), cause)),
    );
  }

  /** What the peer sends of its own accord. */
  get unsolicited(): AsyncIterable<RpcRequest | RpcNotification> {
    return this.#unsolicited;
  }

  /** Why the connection has ended. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Sends a request and waits for its answer. */
  exchange(request: RpcRequest, options: ExchangeOptions): Promise<RpcResponse> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      this.#assertFree(request.id);
      const abort = (): void => this.#fail(pending, signal.reason);
      const pending: Pending = { request, options, resolve, reject, abort };
      signal.addEventListener("abort", abort);
      this.#pending.set(request.id, pending);
      const sent = this.#write(request, options);
      // Not awaited: a pipe that is stuck must not outlast the signal.
      if (sent !== SENT) sent.catch((error) => this.#fail(pending, error));
    });
  }

  /** Sends a notification or an answer. */
  send(message: RpcNotification | RpcResponse): Promise<void> {
    return this.#write(message);
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#end(this.#lost("closed"));
    await this.#pipe.close();
  }

  /** Sends a message. A pipe of somebody's own may throw where it should reject. */
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
      throw new RangeError(`Cannot send request "${id}": it is under way`);
    }
  }

  #receive(frame: Frame): Promise<void> | undefined {
    switch (frame.kind) {
      case "batch":
        return void frame.frames.forEach((each) => this.#receive(each));
      case "response":
        return this.#answer(frame.message);
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

  /** Passes on what belongs to no request. Whoever reads gets the time for it; where nobody does, it is dropped. */
  #pass(message: RpcRequest | RpcNotification): Promise<void> | undefined {
    return this.#unsolicited.tryPush(message) ? undefined : this.#retryPush(message);
  }

  async #retryPush(message: RpcRequest | RpcNotification): Promise<void> {
    for (let tick = 0; tick < TICKS; tick++) {
      await undefined;
      if (this.#unsolicited.tryPush(message)) return;
    }
  }

  #answer(response: RpcResponse): undefined {
    const pending = this.#find(response.id);
    if (pending !== undefined && this.#settle(pending)) pending.resolve(response);
  }

  /**
   * Fails the request that a broken message names: nothing better will come for it. One without an id fails the only
   * request under way, but only if it is an answer.
   */
  #reject({ id, isAnswer, reason }: InvalidFrame): undefined {
    const error = McpError.protocolError(reason);
    const pending = id === null && !isAnswer ? undefined : this.#find(id);
    if (pending === undefined) this.#options.onError?.(error);
    else this.#fail(pending, error);
  }

  /** The request that an answer belongs to. Some servers write the number of a request as a string. */
  #find(id: McpRequestId): Pending | undefined {
    if (id !== null) return this.#pending.get(id) ?? this.#pending.get(Number(id));
    const [only, other] = this.#pending.values();
    return other === undefined ? only : undefined;
  }

  /** Ends a request; says whether it was under way. */
  #settle({ request, options, abort }: Pending): boolean {
    options.signal.removeEventListener("abort", abort);
    return this.#pending.delete(request.id);
  }

  #fail(pending: Pending, error: unknown): void {
    if (!this.#settle(pending)) return;
    pending.reject(error);
    this.#cancel(pending.request);
  }

  #cancel(request: RpcRequest): void {
    const message = this.#options.cancellation(request);
    if (message === undefined || this.#ended !== undefined) return;
    // The exchange is over either way, and a pipe that fails ends the connection itself.
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
