/**
 * The transport interface.
 *
 * @module
 */

import { assertMethods } from "@parley/internal/assert-argument";
import type { AgentCommMessage } from "../message/message.ts";

/** Options for `send` and `receive`. */
export interface TransportOptions {
  /**
   * Aborts the operation. An aborted `send` sends nothing, and an aborted `receive` removes no
   * message.
   */
  readonly signal?: AbortSignal;
}

/**
 * Sends and receives messages in order. A transport neither signs nor verifies messages.
 *
 * @example Receive messages until the other end closes
 * ```ts
 * import { AgentCommMessage, createChannelPair, type MessageTransport } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * async function count(transport: MessageTransport): Promise<number> {
 *   let received = 0;
 *   while (await transport.receive() !== undefined) received++;
 *   return received;
 * }
 *
 * const [ann, bob] = createChannelPair();
 * await ann.send(
 *   new AgentCommMessage({
 *     sender: "did:web:ann.example",
 *     recipient: "did:web:bob.example",
 *     protocol: "agent.heartbeat.v1",
 *     messageType: "notification",
 *     payload: null,
 *   }),
 * );
 * await ann.close();
 * assertEquals(await count(bob), 1);
 * ```
 */
export interface MessageTransport {
  /**
   * Sends a message. Resolves when the transport has accepted the message, not when it is
   * delivered.
   *
   * @param message The message.
   * @param options An optional abort signal. If the signal aborts, the message is not sent.
   * @throws {CommError} With code "transport_closed" if either end is closed.
   * @throws {CommError} With a code such as "send_failed", depending on the transport.
   * @throws The signal's reason if the signal is aborted.
   */
  send(message: AgentCommMessage, options?: TransportOptions): Promise<void>;

  /**
   * Waits for the next message. Concurrent calls receive one message each, in call order.
   *
   * @param options An optional abort signal. If the signal aborts, no message is removed from the
   *   queue.
   * @returns The message, or `undefined` if this end is closed, or if the other end is closed and
   *   all its messages have been received.
   * @throws {CommError} With a code such as "receive_failed", depending on the transport.
   * @throws The signal's reason if the signal is aborted.
   */
  receive(options?: TransportOptions): Promise<AgentCommMessage | undefined>;

  /**
   * Number of received messages that are waiting for a call to `receive`. A transport that does not
   * know the number omits the member.
   */
  readonly unread?: number;

  /**
   * Waits until a received message is waiting for a call to `receive`. A transport that does not
   * know the number of unread messages omits the method.
   */
  whenUnread?(): Promise<void>;

  /**
   * Releases the resources that the transport holds for replies to a message. For a received
   * message, no further reply will be sent: the message has failed verification, or its processing
   * has ended. For a message that was sent, no further reply is needed. A transport without such
   * resources omits the method. Must not throw.
   *
   * @param message The message, as returned by `receive`, or a message with the `recipient` and
   *   `id` of the message that was passed to `send`.
   */
  release?(message: AgentCommMessage): void;

  /**
   * Closes this end, settles pending calls, and discards queued messages that have not been
   * received. Closing the transport again has no effect.
   */
  close(): Promise<void>;

  /**
   * Receives messages until `receive` returns `undefined`. Breaking out of a `for await` loop does
   * not close the transport.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage>;

  /** Closes this end, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Throws a `TypeError` unless a value has the methods of a transport that a peer calls. */
export function assertTransport(name: string, value: unknown): void {
  assertMethods(name, "a MessageTransport", value, ["send", "receive", "close"]);
}

/**
 * Creates an iterator over received messages, which is not an async generator: a generator would
 * take three times as long and would end after the first error.
 */
export function receiveAll(
  transport: Pick<MessageTransport, "receive">,
): AsyncIterableIterator<AgentCommMessage> {
  let isDone = false;
  return {
    async next(): Promise<IteratorResult<AgentCommMessage, undefined>> {
      const message = isDone ? undefined : await transport.receive();
      return message === undefined
        ? { done: true, value: undefined }
        : { done: false, value: message };
    },
    return(): Promise<IteratorResult<AgentCommMessage, undefined>> {
      isDone = true;
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage> {
      return this;
    },
  };
}
