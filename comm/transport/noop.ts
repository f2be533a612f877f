/**
 * A transport that discards messages.
 *
 * @module
 */

import { transportClosed } from "../shared/error.ts";
import { readSignal } from "@parley/internal/read-signal";
import type { AgentCommMessage } from "../message/message.ts";
import { type MessageTransport, receiveAll, type TransportOptions } from "./transport.ts";

/**
 * A transport that discards sent messages and never receives any, for agents that run alone.
 *
 * @example Discard a message
 * ```ts
 * import { AgentCommMessage, NoopTransport } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const transport = new NoopTransport();
 * await transport.send(
 *   new AgentCommMessage({
 *     sender: "did:web:ann.example",
 *     recipient: "did:web:bob.example",
 *     protocol: "agent.heartbeat.v1",
 *     messageType: "notification",
 *     payload: null,
 *   }),
 * );
 * assertEquals(await transport.receive(), undefined);
 * await transport.close();
 * ```
 */
export class NoopTransport implements MessageTransport {
  #closed = false;

  /**
   * Discards a message.
   *
   * @param _message The message.
   * @param options An optional abort signal.
   * @throws {CommError} With code "transport_closed" if the transport is closed.
   * @throws The signal's reason if the signal is aborted.
   */
  // deno-lint-ignore require-await -- specified as asynchronous, so errors become rejections
  async send(_message: AgentCommMessage, options?: TransportOptions): Promise<void> {
    readSignal(options)?.throwIfAborted();
    if (this.#closed) throw transportClosed();
  }

  /**
   * Returns `undefined`, because there are no messages to receive.
   *
   * @param options An optional abort signal.
   * @throws The signal's reason if the signal is aborted.
   */
  // deno-lint-ignore require-await -- specified as asynchronous, so errors become rejections
  async receive(options?: TransportOptions): Promise<undefined> {
    readSignal(options)?.throwIfAborted();
    return undefined;
  }

  /** Closes the transport, after which calls to `send` reject. */
  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  /** Returns an iterator that yields no messages. */
  [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage> {
    return receiveAll(this);
  }

  /** Closes the transport. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
