/**
 * A transport over a message queue.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { type CommError, receiveFailed, transportClosed } from "../shared/error.ts";
import { toCommError } from "../shared/error_text.ts";
import { assertCount, assertMethods } from "@parley/internal/assert-argument";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { readSignal, toSignalOptions } from "@parley/internal/read-signal";
import { abortable } from "@parley/internal/abortable";
import { BoundedQueue } from "@parley/internal/bounded-queue";
import {
  type MessageTransport,
  receiveAll,
  type TransportOptions,
} from "../transport/transport.ts";
import type { MessageQueue, QueueDelivery } from "./message_queue.ts";
import { assertInbox } from "./queue_options.ts";

/** Options for {@linkcode toTransport}. */
export interface ToTransportOptions {
  /** Name of the inbox that the transport receives from. */
  readonly inbox: string;
  /**
   * Maximum number of messages that wait for a call to `receive`. Waiting messages have not been
   * acknowledged yet.
   *
   * @default {8}
   */
  readonly capacity?: number;
}

const readOptions = optionsReader<ToTransportOptions>("options")({
  inbox: required((name, value) => assertInbox(value, name)),
  capacity: withDefault(8, assertCount),
});

/** A delivery that waits for a call to `receive`. */
interface Waiting {
  readonly message: AgentCommMessage;
  readonly signal: AbortSignal;
  /** Acknowledges the message. */
  readonly take: () => void;
}

/**
 * Creates a transport that sends to a queue and receives from one of its inboxes. The transport
 * starts consuming the inbox on the first call to `receive`.
 *
 * A message is acknowledged when `receive` returns the message. If the process exits while the
 * message is being processed, the message is therefore lost: to process messages at least once,
 * call the queue's `consume` method. Closing the transport does not close the queue, and messages
 * that have not been received stay in the queue.
 *
 * @param queue The queue.
 * @param options Inbox and limit.
 * @throws {TypeError} If `queue` is not a message queue, if `inbox` is not a valid name, or an
 *   option is unknown.
 * @throws {RangeError} If `capacity` is not a positive integer.
 *
 * @example Ask an agent through a queue
 * ```ts
 * import { generateSigner } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { memoryQueue, toTransport } from "@parley/comm/queues";
 * import { createPeer } from "@parley/comm/requests";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * await using queue = memoryQueue({ inboxOf: (did) => did === ann.did ? "ann" : "bob" });
 * const [annPeer, bobPeer] = [[ann, "ann"] as const, [bob, "bob"] as const].map(
 *   ([signer, inbox]) =>
 *     createPeer({
 *       signer,
 *       verifier: createVerifier({ recipient: signer.did, replayGuard: new ReplayGuard() }),
 *       transport: toTransport(queue, { inbox }),
 *       protocol: "agent.task.v1",
 *     }),
 * );
 * bobPeer?.serve(({ payload }) => ({ echo: payload }));
 * assertEquals(await annPeer?.request(bob.did, "hello"), { echo: "hello" });
 * await Promise.all([annPeer?.close(), bobPeer?.close()]);
 * ```
 */
export function toTransport<Tx>(
  queue: MessageQueue<Tx>,
  options: ToTransportOptions,
): MessageTransport {
  assertMethods("queue", "a MessageQueue", queue, ["send", "consume"]);
  const { inbox, capacity } = readOptions(options);
  return new InboxTransport(queue, inbox, capacity);
}

class InboxTransport<Tx> implements MessageTransport {
  readonly #queue: MessageQueue<Tx>;
  readonly #inbox: string;
  readonly #waiting: BoundedQueue<Waiting, CommError>;
  readonly #stopping = new AbortController();
  #consuming: Promise<void> | undefined;

  constructor(queue: MessageQueue<Tx>, inbox: string, capacity: number) {
    this.#queue = queue;
    this.#inbox = inbox;
    this.#waiting = new BoundedQueue({ capacity });
  }

  async send(message: AgentCommMessage, options?: TransportOptions): Promise<void> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    if (this.#stopping.signal.aborted) throw transportClosed();
    await abortable(this.#queue.send(message, toSignalOptions(signal)), signal);
  }

  async receive(options?: TransportOptions): Promise<AgentCommMessage | undefined> {
    const signal = readSignal(options);
    signal?.throwIfAborted();
    if (!this.#stopping.signal.aborted) this.#consuming ??= this.#consume();
    for (;;) {
      const next = this.#waiting.tryShift() ?? await this.#waiting.waitToShift(signal);
      if (next === undefined) return undefined;
      if (next.signal.aborted) continue;
      next.take();
      return next.message;
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort(transportClosed());
    this.#waiting.cancel();
    await this.#consuming;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage> {
    return receiveAll(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Consumes the inbox until the transport or the queue is closed. The returned promise never
   * rejects.
   */
  async #consume(): Promise<void> {
    const { signal } = this.#stopping;
    const { capacity: concurrency } = this.#waiting;
    const handler = (delivery: QueueDelivery<Tx>): Promise<void> => this.#offer(delivery);
    try {
      await this.#queue.consume(this.#inbox, handler, { concurrency, signal });
      this.#waiting.end();
    } catch (cause) {
      this.#waiting.end(toCommError(cause, () => receiveFailed("the queue failed", { cause })));
    }
  }

  /** Waits until the message is received. Rejects if the delivery is aborted first. */
  #offer({ message, signal }: QueueDelivery<Tx>): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = (): void => {
        reject(signal.reason);
        this.#discardAborted();
      };
      const take = (): void => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
      // At most `concurrency` deliveries wait, so the list of waiting deliveries is never full, but
      // the list might have been closed.
      const failure = this.#waiting.tryPush({ message, signal, take });
      if (failure === undefined) signal.addEventListener("abort", abort, { once: true });
      else reject(transportClosed());
    });
  }

  /**
   * Removes deliveries aborted by the queue, for example when a message is delivered to a different
   * consumer.
   */
  #discardAborted(): void {
    const kept: Waiting[] = [];
    for (let next = this.#waiting.tryShift(); next; next = this.#waiting.tryShift()) {
      if (!next.signal.aborted) kept.push(next);
    }
    for (const each of kept) this.#waiting.tryPush(each);
  }
}
