/**
 * A bounded first-in, first-out queue of messages between agents of one process.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { AgentMessage } from "./message.ts";

/** How long to wait. */
export interface ChannelWaitOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** Somebody who waits: a receiver, or a sender with its message. */
interface Waiter {
  readonly message: AgentMessage | undefined;
  /** What a receiver gets: undefined when the channel is closed. */
  readonly resolve: (message?: AgentMessage) => void;
  readonly reject: (error: unknown) => void;
}

const DEFAULT_CAPACITY = 1_000;

/**
 * A queue of messages. Messages are passed by reference, and in order; sending and receiving take the same time at any
 * depth.
 *
 * Decision: a full channel refuses a message with an error. Dropping it, or an older one, would be silent loss.
 *
 * @example Send, receive, drain
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
  /** How many messages it holds at most. */
  readonly capacity: number;
  #messages: (AgentMessage | undefined)[] = [];
  #head = 0;
  #isClosed = false;
  /** Both in the order of arrival. Messages are handed over directly, so that nobody can push in. */
  readonly #receivers: Set<Waiter> = new Set();
  readonly #senders: Set<Waiter> = new Set();

  /**
   * Makes a channel.
   *
   * @param capacity how many messages it holds at most; a positive integer
   * @throws {AgentError} code `channel_error`: the capacity is no positive integer
   */
  constructor(capacity: number = DEFAULT_CAPACITY) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw AgentError.channelError(`the capacity ${capacity} is no positive integer`);
    }
    this.capacity = capacity;
  }

  /** How many messages wait. */
  get size(): number {
    return this.#messages.length - this.#head;
  }

  /** Whether no message waits. */
  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** Whether the channel was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Puts a message at the end.
   *
   * @param message the message
   * @throws {AgentError} code `channel_error`: the channel is full or closed; the message is not taken, nothing is lost
   */
  send(message: AgentMessage): void {
    if (this.trySend(message)) return;
    throw this.#isClosed
      ? closedError()
      : AgentError.channelError(`it is full (capacity ${this.capacity})`);
  }

  /**
   * Puts a message at the end, if there is room.
   *
   * @param message the message
   * @returns whether it was taken: false when the channel is full or closed
   */
  trySend(message: AgentMessage): boolean {
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
   * Puts a message at the end as soon as there is room.
   *
   * @param message the message
   * @param options the signal
   * @throws {AgentError} code `channel_error`: the channel is closed
   * @throws the signal's reason, when it is aborted
   */
  async sendAsync(message: AgentMessage, options: ChannelWaitOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    if (this.trySend(message)) return;
    if (this.#isClosed) throw closedError();
    await waitIn(this.#senders, options, message);
  }

  /** Takes the oldest message; undefined when there is none. */
  receive(): AgentMessage | undefined {
    const message = this.#messages[this.#head];
    if (message === undefined) return undefined;
    this.#messages[this.#head++] = undefined;
    // Cutting off the read part when it is the larger one is O(1) on average; shift() is O(n) on long arrays.
    if (this.#head * 2 > this.#messages.length) {
      this.#messages = this.#messages.slice(this.#head);
      this.#head = 0;
    }
    this.#letIn();
    return message;
  }

  /**
   * Takes the oldest message, as soon as there is one.
   *
   * @param options the signal
   * @returns the message; undefined when the channel is closed and empty
   * @throws the signal's reason, when it is aborted
   */
  async receiveAsync(options: ChannelWaitOptions = {}): Promise<AgentMessage | undefined> {
    options.signal?.throwIfAborted();
    const message = this.receive();
    if (message !== undefined || this.#isClosed) return message;
    return await waitIn(this.#receivers, options);
  }

  /** The oldest message, left where it is; undefined when there is none. */
  peek(): AgentMessage | undefined {
    return this.#messages[this.#head];
  }

  /** Takes all messages that wait in the channel, oldest first. */
  drain(): AgentMessage[] {
    const waiting = this.#messages.slice(this.#head).filter((message) => message !== undefined);
    this.#messages = [];
    this.#head = 0;
    this.#letIn();
    return waiting;
  }

  /** Closes the channel: nothing can be sent any more, what waits can still be received. May be called again. */
  close(): void {
    this.#isClosed = true;
    for (const { resolve } of this.#receivers) resolve();
    for (const { reject } of this.#senders) reject(closedError());
    this.#receivers.clear();
    this.#senders.clear();
  }

  /** The same as {@linkcode AgentChannel.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  /** Takes messages as they come, until the channel is closed and empty. */
  async *[Symbol.asyncIterator](): AsyncIterator<AgentMessage> {
    for (;;) {
      const message = await this.receiveAsync();
      if (message === undefined) return;
      yield message;
    }
  }

  /** Takes the messages of waiting senders, as far as there is room. */
  #letIn(): void {
    while (this.size < this.capacity) {
      const sender = takeFirst(this.#senders);
      if (!sender?.message) return;
      this.#messages.push(sender.message);
      sender.resolve();
    }
  }
}

function closedError(): AgentError {
  return AgentError.channelError("it is closed");
}

function takeFirst(waiters: Set<Waiter>): Waiter | undefined {
  for (const waiter of waiters) {
    waiters.delete(waiter);
    return waiter;
  }
  return undefined;
}

/** Waits in a queue until somebody takes the waiter out and settles it, or the signal is aborted. */
async function waitIn(
  waiters: Set<Waiter>,
  { signal }: ChannelWaitOptions,
  message?: AgentMessage,
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
