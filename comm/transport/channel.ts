/**
 * A transport between two agents in one process.
 *
 * @module
 */

import { type AgentCommMessage, ensureMessage } from "../message/message.ts";
import { BoundedQueue } from "./queue.ts";
import { QueueTransport } from "./queue_transport.ts";
import type { MessageTransport, TransportOptions } from "./transport.ts";

/** Options of {@linkcode createChannelPair}. */
export interface ChannelPairOptions {
  /** How many messages may wait in each direction, at least 1; the default is 1000. */
  readonly capacity?: number;
  /**
   * What `send` does when that many wait: `wait` for room, or fail with the `error` `capacity_exceeded`; the default
   * is `wait`.
   */
  readonly overflow?: "wait" | "error";
}

/**
 * One end of a pair made by {@linkcode createChannelPair}. Messages go over as they are, since they are immutable.
 *
 * After either end closes, `send` fails on both; what was sent before can still be received from the other.
 */
export interface ChannelTransport extends MessageTransport {
  /** Whether this end can receive nothing any more: it is closed, or the other end is and all was received. */
  readonly isClosed: boolean;

  /**
   * Sends a message, waiting while the other end's queue is full.
   *
   * @param message the message
   * @param options `signal`: when aborted the message was not sent
   * @throws {CommError} `transport_closed` when either end is closed, also while waiting; `capacity_exceeded` when the
   *   queue is full and `overflow` is `error`
   * @throws the signal's reason, when aborted
   */
  send(message: AgentCommMessage, options?: TransportOptions): Promise<void>;

  /**
   * Sends a message without waiting. With `tryReceive` on the other side it is the quickest way: nothing is waited for
   * while there is room, or a message.
   *
   * @param message the message
   * @returns whether it was sent; if not, the other end's queue is full, and `send` waits for room
   * @throws {CommError} `transport_closed` when either end is closed
   */
  trySend(message: AgentCommMessage): boolean;

  /** Takes the next message without waiting; undefined when there is none. */
  tryReceive(): AgentCommMessage | undefined;
}

/**
 * Creates two connected transports: what one sends, the other receives, in order.
 *
 * @param options capacity, and what happens beyond
 * @throws {RangeError} when `capacity` is not an integer of at least 1
 *
 * @example Two agents in one process
 * ```ts
 * import { AgentCommMessage, createChannelPair } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = createChannelPair({ capacity: 10 });
 * await ann.send(
 *   new AgentCommMessage({
 *     sender: "did:web:ann.example",
 *     recipient: "did:web:bob.example",
 *     protocol: "agent.heartbeat.v1",
 *     messageType: "request",
 *     payload: "ping",
 *   }),
 * );
 * const message = await bob.receive();
 * assertEquals(message?.payload, "ping");
 * await Promise.all([ann.close(), bob.close()]);
 * ```
 */
export function createChannelPair(
  options: ChannelPairOptions = {},
): [ChannelTransport, ChannelTransport] {
  const { capacity = 1000, overflow = "wait" } = options;
  const forward = new BoundedQueue<AgentCommMessage>(capacity);
  const backward = new BoundedQueue<AgentCommMessage>(capacity);
  const common = { encode: ensureMessage, overflow, finish: doNothing };
  return [
    new QueueTransport({ ...common, inbound: backward, outbound: forward }),
    new QueueTransport({ ...common, inbound: forward, outbound: backward }),
  ];
}

function doNothing(): Promise<void> {
  return Promise.resolve();
}
