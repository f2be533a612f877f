/**
 * Common implementation of the transports, with a queue in each direction.
 *
 * @module
 */

import type { OptionCheck } from "@parley/internal/options";
import { capacityExceeded, CommError, transportClosed } from "../shared/error.ts";
import { readSignal } from "@parley/internal/read-signal";
import type { AgentCommMessage } from "../message/message.ts";
import { delay } from "./message_codec.ts";
import type { BoundedQueue } from "@parley/internal/bounded-queue";
import { oneOf } from "@parley/internal/option-checks";
import { type MessageTransport, receiveAll, type TransportOptions } from "./transport.ts";

/** Throws a `TypeError` unless the value is a behavior of `send` when the queue is full. */
export const assertOverflow: OptionCheck = oneOf("wait", "error");

/** Creates the error for a queue that is full. */
export function queueFull<T>({ capacity, maxBytes }: BoundedQueue<T, CommError>): CommError {
  return capacityExceeded(capacity, maxBytes);
}

/** Options for {@linkcode QueueTransport}. */
export interface QueueTransportInit<In, Out> {
  /** Queue of received items. If an error ends the queue, `receive` rejects with the error. */
  readonly inbound: BoundedQueue<In, CommError>;
  /**
   * Decodes a received item when the caller receives it. Queued items are encoded, because a parsed
   * message can use more than twenty times as much memory as its text.
   */
  readonly decode: (item: In) => AgentCommMessage | CommError;
  /** Called with each error that `decode` returns. If it throws, `receive` rejects. */
  readonly onInvalid: (error: CommError) => void;
  /** Queue of encoded messages to send. */
  readonly outbound: BoundedQueue<Out, CommError>;
  /** Encodes a message for the outbound queue. Throws if the message cannot be sent. */
  readonly encode: (message: AgentCommMessage) => Out;
  /** Behavior of `send` if `outbound` is full. */
  readonly overflow: "wait" | "error";
  /** Releases the transport's resources. Called once, after `outbound` has ended. */
  readonly finish: () => Promise<void>;
}

/**
 * Number of invalid messages that one call to `receive` skips before it lets other tasks run. A
 * peer can send invalid messages faster than they are parsed.
 */
const SKIPS_PER_TURN = 64;

/** A transport over two queues. */
export class QueueTransport<In, Out> implements MessageTransport {
  readonly #init: QueueTransportInit<In, Out>;
  #closing: Promise<void> | undefined;

  constructor(init: QueueTransportInit<In, Out>) {
    this.#init = init;
  }

  get isClosed(): boolean {
    return this.#init.inbound.isDrained;
  }

  get unread(): number {
    return this.#init.inbound.size;
  }

  whenUnread(): Promise<void> {
    return this.#init.inbound.whenQueued();
  }

  async send(message: AgentCommMessage, options?: TransportOptions): Promise<void> {
    const { outbound, overflow, encode } = this.#init;
    const signal = readSignal(options);
    signal?.throwIfAborted();
    const item = encode(message);
    let failure = outbound.tryPush(item);
    if (failure === "full" && overflow === "wait") {
      failure = await outbound.waitToPush(item, signal);
    }
    if (failure === "full") throw queueFull(outbound);
    if (failure === "ended") throw this.#failure ?? transportClosed();
  }

  trySend(message: AgentCommMessage): boolean {
    const { outbound, encode } = this.#init;
    const failure = outbound.tryPush(encode(message));
    if (failure === "ended") throw this.#failure ?? transportClosed();
    return failure === undefined;
  }

  /** The error that caused the transport to fail. `undefined` after a call to `close`. */
  get #failure(): CommError | undefined {
    return this.#closing === undefined ? this.#init.outbound.failure : undefined;
  }

  async receive(options?: TransportOptions): Promise<AgentCommMessage | undefined> {
    const { inbound } = this.#init;
    const signal = readSignal(options);
    for (let skipped = 0;; skipped++) {
      if (skipped % SKIPS_PER_TURN === SKIPS_PER_TURN - 1) await delay(0);
      signal?.throwIfAborted();
      const item = inbound.tryShift() ?? await inbound.waitToShift(signal);
      if (item === undefined) return undefined;
      const message = this.#decode(item);
      if (message !== undefined) return message;
    }
  }

  tryReceive(): AgentCommMessage | undefined {
    for (;;) {
      const item = this.#init.inbound.tryShift();
      if (item === undefined) return undefined;
      const message = this.#decode(item);
      if (message !== undefined) return message;
    }
  }

  /** Decodes an item. Returns `undefined` if the item is invalid and `onInvalid` does not throw. */
  #decode(item: In): AgentCommMessage | undefined {
    const { decode, onInvalid } = this.#init;
    const message = decode(item);
    if (!(message instanceof CommError)) return message;
    onInvalid(message);
    return undefined;
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
