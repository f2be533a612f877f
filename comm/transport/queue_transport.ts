/**
 * What the transports have in common: a queue in each direction.
 *
 * @module
 */

import { capacityExceeded, type CommError, transportClosed } from "../shared/error.ts";
import type { AgentCommMessage } from "../message/message.ts";
import type { BoundedQueue, PushFailure } from "./queue.ts";
import { type MessageTransport, receiveAll, type TransportOptions } from "./transport.ts";

/** The parts of a {@linkcode QueueTransport}. */
export interface QueueTransportInit<T> {
  /** What came in: messages, and what could not be read as one. */
  readonly inbound: BoundedQueue<AgentCommMessage>;
  /** What is to go out. */
  readonly outbound: BoundedQueue<T>;
  /** Turns a message into what goes out; throws when it cannot go. */
  readonly encode: (message: AgentCommMessage) => T;
  /** What `send` does when `outbound` is full. */
  readonly overflow: "wait" | "error";
  /** Ends what fills and empties the queues; called once, after `outbound` ended. */
  readonly finish: () => Promise<void>;
}

/** What `send` answers when there is nothing to wait for. */
const DONE: Promise<void> = Promise.resolve();

/**
 * A transport over two queues that something else fills and empties.
 *
 * `send` and `receive` are no async functions, for the sake of speed: when nothing has to wait, that saves a promise.
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

  /** What ended this transport, unless it was closed. */
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

  /** Takes a turn longer than need be: so a sender who awaits each message gets ahead, and the next ones are there. */
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
