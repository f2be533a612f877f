/**
 * Common implementation of the transports: a queue in each direction.
 *
 * @module
 */

import { capacityExceeded, type CommError, transportClosed } from "../shared/error.ts";
import type { AgentCommMessage } from "../message/message.ts";
import type { BoundedQueue, PushFailure } from "./queue.ts";
import { type MessageTransport, receiveAll, type TransportOptions } from "./transport.ts";

/** Options for {@linkcode QueueTransport}. */
export interface QueueTransportInit<T> {
  /** Received messages, and errors of messages that could not be parsed. */
  readonly inbound: BoundedQueue<AgentCommMessage>;
  /** Messages to send. */
  readonly outbound: BoundedQueue<T>;
  /** Encodes a message for the outbound queue. Throws if it cannot be sent. */
  readonly encode: (message: AgentCommMessage) => T;
  /** Behavior of `send` if `outbound` is full. */
  readonly overflow: "wait" | "error";
  /** Releases the resources of the transport. Called once, after `outbound` has ended. */
  readonly finish: () => Promise<void>;
}

/** Result of a `send` that need not wait. */
const DONE: Promise<void> = Promise.resolve();

/**
 * A transport over two queues.
 *
 * `send` and `receive` are not async functions: this saves a promise when they need not wait.
 */
export class QueueTransport<T> implements MessageTransport {
  readonly #init: QueueTransportInit<T>;
  #closing: Promise<void> | undefined;

  constructor(init: QueueTransportInit<T>) {
    this.#init = init;
  }

  get isClosed(): boolean {
    return this.#init.inbound.isDrained;
  }

  send(message: AgentCommMessage, options?: TransportOptions): Promise<void> {
    const { outbound, encode } = this.#init;
    try {
      options?.signal?.throwIfAborted();
      const item = encode(message);
      const failure = outbound.tryPush(item);
      return failure === undefined ? DONE : this.#waitToSend(item, failure, options?.signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  trySend(message: AgentCommMessage): boolean {
    const { outbound, encode } = this.#init;
    const failure = outbound.tryPush(encode(message));
    if (failure === "ended") throw this.#failure ?? transportClosed();
    return failure === undefined;
  }

  async #waitToSend(item: T, failure: PushFailure, signal: AbortSignal | undefined): Promise<void> {
    const { outbound, overflow } = this.#init;
    const mayWait = failure === "full" && overflow === "wait";
    const outcome = mayWait ? await outbound.waitToPush(item, signal) : failure;
    if (outcome === "full") throw capacityExceeded(outbound.capacity);
    if (outcome === "ended") throw this.#failure ?? transportClosed();
  }

  /** Why the transport has failed. `undefined` after a call of `close`. */
  get #failure(): CommError | undefined {
    return this.#closing === undefined ? this.#init.outbound.failure : undefined;
  }

  receive(options?: TransportOptions): Promise<AgentCommMessage | undefined> {
    const { inbound } = this.#init;
    try {
      options?.signal?.throwIfAborted();
      const message = inbound.tryShift();
      return message === undefined
        ? this.#waitToReceive(options?.signal)
        : Promise.resolve(message);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Resumes one microtask later than necessary, so that a sender that awaits each message runs
   * first and queues the next message.
   */
  async #waitToReceive(signal: AbortSignal | undefined): Promise<AgentCommMessage | undefined> {
    return await this.#init.inbound.waitToShift(signal);
  }

  tryReceive(): AgentCommMessage | undefined {
    return this.#init.inbound.tryShift();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#init.inbound.cancel();
    this.#init.outbound.end();
    await this.#init.finish();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage> {
    return receiveAll(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
