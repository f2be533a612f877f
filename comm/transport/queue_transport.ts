/**
 * Common implementation of the transports, with a queue in each direction.
 *
 * @module
 */

import { capacityExceeded, type CommError, transportClosed } from "../shared/error.ts";
import type { AgentCommMessage } from "../message/message.ts";
import type { BoundedQueue } from "./queue.ts";
import { type MessageTransport, receiveAll, type TransportOptions } from "./transport.ts";

/** Options for {@linkcode QueueTransport}. */
export interface QueueTransportInit<T> {
  /** Received messages, and errors for messages that could not be parsed. */
  readonly inbound: BoundedQueue<AgentCommMessage>;
  /** Messages to send. */
  readonly outbound: BoundedQueue<T>;
  /** Encodes a message for the outbound queue. Throws if the message cannot be sent. */
  readonly encode: (message: AgentCommMessage) => T;
  /** Behavior of `send` if `outbound` is full. */
  readonly overflow: "wait" | "error";
  /** Releases the resources of the transport. Called once, after `outbound` has ended. */
  readonly finish: () => Promise<void>;
}

/** A transport over two queues. */
export class QueueTransport<T> implements MessageTransport {
  readonly #init: QueueTransportInit<T>;
  #closing: Promise<void> | undefined;

  constructor(init: QueueTransportInit<T>) {
    this.#init = init;
  }

  get isClosed(): boolean {
    return this.#init.inbound.isDrained;
  }

  async send(message: AgentCommMessage, options: TransportOptions = {}): Promise<void> {
    const { outbound, overflow, encode } = this.#init;
    options.signal?.throwIfAborted();
    const item = encode(message);
    let failure = outbound.tryPush(item);
    if (failure === "full" && overflow === "wait") {
      failure = await outbound.waitToPush(item, options.signal);
    }
    if (failure === "full") throw capacityExceeded(outbound.capacity);
    if (failure === "ended") throw this.#failure ?? transportClosed();
  }

  trySend(message: AgentCommMessage): boolean {
    const { outbound, encode } = this.#init;
    const failure = outbound.tryPush(encode(message));
    if (failure === "ended") throw this.#failure ?? transportClosed();
    return failure === undefined;
  }

  /** The error with which the transport failed. `undefined` after a call to `close`. */
  get #failure(): CommError | undefined {
    return this.#closing === undefined ? this.#init.outbound.failure : undefined;
  }

  async receive(options: TransportOptions = {}): Promise<AgentCommMessage | undefined> {
    const { inbound } = this.#init;
    options.signal?.throwIfAborted();
    return inbound.tryShift() ?? await inbound.waitToShift(options.signal);
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
