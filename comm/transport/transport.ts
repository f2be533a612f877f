/**
 * What every transport does.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";

/** Options of one `send` or `receive`. */
export interface TransportOptions {
  /** Ends the wait early; nothing is lost by it. */
  readonly signal?: AbortSignal;
}

/**
 * Carries messages between agents, in order. It neither signs nor verifies.
 *
 * @example Take messages until the other end closes
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
   * Hands a message over. Resolves once the transport has taken it, which says nothing about the recipient.
   *
   * @param message the message
   * @param options `signal`: when aborted the message was not sent
   * @throws {CommError} `transport_closed` when either end is closed; `send_failed` and others by transport
   * @throws the signal's reason, when aborted
   */
  send(message: AgentCommMessage, options?: TransportOptions): Promise<void>;

  /**
   * Waits for the next message. Of several waiting calls each gets one message, first come, first served.
   *
   * @param options `signal`: when aborted no message was taken
   * @returns undefined once this end is closed, or the other end is and all it sent was received
   * @throws {CommError} `receive_failed` and others by transport
   * @throws the signal's reason, when aborted
   */
  receive(options?: TransportOptions): Promise<AgentCommMessage | undefined>;

  /** Closes this end, again and again if you like: waiting calls end, messages not yet received are dropped. */
  close(): Promise<void>;

  /** Receives until `receive` answers undefined; leaving the loop closes nothing. */
  [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage>;

  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Receives until there is nothing more to come. An async generator would do the same at a third of the speed, and end at
 * the first error.
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
