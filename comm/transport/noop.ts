/**
 * A transport to nowhere.
 *
 * @module
 */

import { transportClosed } from "../shared/error.ts";
import type { AgentCommMessage } from "../message/message.ts";
import { type MessageTransport, receiveAll, type TransportOptions } from "./transport.ts";

/**
 * Drops what is sent and receives nothing: for agents that need a transport but have nobody to talk to.
 *
 * @example Send into the void
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
   * Drops a message.
   *
   * @param _message the message
   * @param options `signal`
   * @throws {CommError} `transport_closed` after `close`
   * @throws the signal's reason, when aborted
   */
  // deno-lint-ignore require-await
  async send(_message: AgentCommMessage, options: TransportOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    if (this.#closed) throw transportClosed();
  }

  /**
   * Answers undefined at once.
   *
   * @param options `signal`
   * @throws the signal's reason, when aborted
   */
  // deno-lint-ignore require-await
  async receive(options: TransportOptions = {}): Promise<undefined> {
    options.signal?.throwIfAborted();
    return undefined;
  }

  /** Closes the transport: `send` fails from now on. */
  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  /** Ends at once. */
  [Symbol.asyncIterator](): AsyncIterableIterator<AgentCommMessage> {
    return receiveAll(this);
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
