/**
 * A bounded FIFO queue for messages between agents in one process.
 *
 * @module
 */

import { assertRecord } from "@parley/internal/assert-argument";
import { readSignal } from "@parley/internal/read-signal";
import { AgentError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import type { AgentMessage } from "./message.ts";

/** Options for channel operations that wait. */
export interface ChannelWaitOptions {
  /** Signal that aborts the wait. */
  readonly signal?: AbortSignal;
}

/** A waiting receiver, or a waiting sender with its message. */
interface Waiter {
  readonly message: AgentMessage | undefined;
  /**
   * Ends the wait of a receiver or sender. A waiting receiver receives the message, or `undefined`
   * if the channel is closed.
   */
  readonly resolve: (message?: AgentMessage) => void;
  readonly reject: (error: unknown) => void;
}

const DEFAULT_CAPACITY = 1_000;

/**
 * A bounded FIFO queue of messages. Messages are passed by reference, and sending and receiving
 * take constant time.
 *
 * If the channel is full, {@linkcode AgentChannel.send} throws. No message is dropped silently.
 *
 * @example Send, receive and drain messages
 * ```ts
 * import { AgentChannel, createAgentMessage } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const channel = new AgentChannel();
 * for (const payload of [1, 2, 3]) {
 *   channel.send(createAgentMessage("did:example:a", "did:example:b", payload));
 * }
 * assertEquals(channel.receive()?.payload, 1);
 * assertEquals(channel.drain().map(({ payload }) => payload), [2, 3]);
 * assertEquals(channel.receive(), undefined);
 * ```
 */
export class AgentChannel implements AsyncDisposable, AsyncIterable<AgentMessage> {
  /** Maximum number of queued messages. */
  readonly capacity: number;
  #messages: (AgentMessage | undefined)[] = [];
  #head = 0;
  #isClosed = false;
  /**
   * Waiting receivers, in order of arrival. A new message is passed directly to the first waiting
   * receiver and is not queued.
   */
  readonly #receivers: Set<Waiter> = new Set();
  readonly #senders: Set<Waiter> = new Set();

  /**
   * Creates an empty channel.
   *
   * @param capacity Maximum number of queued messages; a positive integer (default: 1000).
   * @throws {AgentError} With code `channel_error` if `capacity` is not a positive integer.
   */
  constructor(capacity: number = DEFAULT_CAPACITY) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw AgentError.channelError(
        `"capacity" must be a positive integer, got ${formatValue(capacity)}`,
      );
    }
    this.capacity = capacity;
  }

  /** Number of queued messages. */
  get size(): number {
    return this.#messages.length - this.#head;
  }

  /** Whether the queue is empty. */
  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** Whether the channel is closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends a message.
   *
   * @param message Message to send.
   * @throws {AgentError} With code `channel_error`, without sending the message, if the channel is
   * full or closed.
   */
  send(message: AgentMessage): void {
    if (this.trySend(message)) return;
    throw this.#isClosed
      ? closedError()
      : AgentError.channelError(`channel is full (capacity ${this.capacity})`);
  }

  /**
   * Sends a message if the channel has capacity.
   *
   * @param message Message to send.
   * @returns `true` if the message was queued or received, `false` if the channel is full or
   * closed.
   */
  trySend(message: AgentMessage): boolean {
    assertRecord("message", message);
    if (this.#isClosed) return false;
    const receiver = takeFirst(this.#receivers);
    if (receiver) {
      receiver.resolve(message);
      return true;
    }
    if (this.size >= this.capacity) return false;
    this.#messages.push(message);
    return true;
  }

  /**
   * Sends a message, waiting until the channel has capacity.
   *
   * @param message Message to send.
   * @param options Signal that aborts the wait.
   * @throws {AgentError} With code `channel_error` if the channel is closed.
   * @throws The signal's reason if the signal is aborted.
   */
  async sendAsync(message: AgentMessage, options?: ChannelWaitOptions): Promise<void> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    if (this.trySend(message)) return;
    if (this.#isClosed) throw closedError();
    await waitIn(this.#senders, { signal, message });
  }

  /** Removes and returns the oldest message, or returns `undefined` if the channel is empty. */
  receive(): AgentMessage | undefined {
    const message = this.#messages[this.#head];
    if (message === undefined) return undefined;
    this.#messages[this.#head++] = undefined;
    // Received messages are removed from the array once they occupy more than half of it, so
    // `receive()` takes amortized O(1) time. `Array.prototype.shift()` takes O(n) time for long
    // arrays.
    if (this.#head * 2 > this.#messages.length) {
      this.#messages = this.#messages.slice(this.#head);
      this.#head = 0;
    }
    this.#admitWaiting();
    return message;
  }

  /**
   * Removes and returns the oldest message, waiting until a message is available.
   *
   * @param options Signal that aborts the wait.
   * @returns The message, or `undefined` if the channel is closed and empty.
   * @throws The signal's reason if the signal is aborted.
   */
  async receiveAsync(options?: ChannelWaitOptions): Promise<AgentMessage | undefined> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    const message = this.receive();
    if (message !== undefined || this.#isClosed) return message;
    return await waitIn(this.#receivers, { signal });
  }

  /** Returns the oldest message without removing it, or `undefined` if the channel is empty. */
  peek(): AgentMessage | undefined {
    return this.#messages[this.#head];
  }

  /** Removes and returns all queued messages, oldest first. */
  drain(): AgentMessage[] {
    const waiting = this.#messages.slice(this.#head).filter((message) => message !== undefined);
    this.#messages = [];
    this.#head = 0;
    this.#admitWaiting();
    return waiting;
  }

  /**
   * Closes the channel. A closed channel accepts no messages, but queued messages can still be
   * received. Idempotent.
   */
  close(): void {
    this.#isClosed = true;
    for (const { resolve } of this.#receivers) resolve();
    for (const { reject } of this.#senders) reject(closedError());
    this.#receivers.clear();
    this.#senders.clear();
  }

  /** Calls {@linkcode AgentChannel.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  /** Receives messages until the channel is closed and empty. */
  async *[Symbol.asyncIterator](): AsyncIterator<AgentMessage> {
    for (;;) {
      const message = await this.receiveAsync();
      if (message === undefined) return;
      yield message;
    }
  }

  /** Queues the messages of waiting senders while the channel has capacity. */
  #admitWaiting(): void {
    while (this.size < this.capacity) {
      const sender = takeFirst(this.#senders);
      if (!sender?.message) return;
      this.#messages.push(sender.message);
      sender.resolve();
    }
  }
}

function closedError(): AgentError {
  return AgentError.channelError("channel is closed");
}

function takeFirst(waiters: Set<Waiter>): Waiter | undefined {
  for (const waiter of waiters) {
    waiters.delete(waiter);
    return waiter;
  }
  return undefined;
}

/**
 * Adds a waiting sender or receiver to the set, and waits until the sender or receiver can proceed
 * or the signal is aborted.
 */
async function waitIn(
  waiters: Set<Waiter>,
  { signal, message }: {
    readonly signal: AbortSignal | undefined;
    readonly message?: AgentMessage;
  },
): Promise<AgentMessage | undefined> {
  let onAbort = (): void => {};
  try {
    return await new Promise((resolve, reject) => {
      const waiter: Waiter = { message, resolve, reject };
      onAbort = () => {
        waiters.delete(waiter);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort);
      waiters.add(waiter);
    });
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
