/**
 * An in-process transport between two agents.
 *
 * @module
 */

import type { CommError } from "../shared/error.ts";
import { type AgentCommMessage, ensureMessage } from "../message/message.ts";
import { assertCount } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { BoundedQueue } from "@parley/internal/bounded-queue";
import { assertOverflow, QueueTransport } from "./queue_transport.ts";
import type { MessageTransport, TransportOptions } from "./transport.ts";

/** Options for {@linkcode createChannelPair}. */
export interface ChannelPairOptions {
  /**
   * Maximum number of queued messages in each direction. Messages are not serialized, so there is
   * no limit in bytes: both ends belong to the same program.
   *
   * @default {1000}
   */
  readonly capacity?: number;
  /**
   * Behavior of `send` when the queue is full: `wait` applies backpressure, and `error` rejects
   * with `capacity_exceeded`.
   *
   * @default {"wait"}
   */
  readonly overflow?: "wait" | "error";
}

const readOptions = optionsReader<ChannelPairOptions>("options")({
  capacity: withDefault(1000, assertCount),
  overflow: withDefault("wait", assertOverflow),
});

/**
 * One end of a channel pair. Messages are passed without serialization, because they are immutable.
 *
 * After one end closes, `send` rejects on both ends. The other end can still receive queued
 * messages.
 */
export interface ChannelTransport extends MessageTransport {
  /** Whether this end is closed, or the other end is closed and the queue is empty. */
  readonly isClosed: boolean;

  /**
   * Sends a message. Waits while the queue is full.
   *
   * @param message The message.
   * @param options An optional abort signal. If the signal aborts, the message is not sent.
   * @throws {CommError} With code "transport_closed" if either end is closed, even while waiting.
   * @throws {CommError} With code "capacity_exceeded" if the queue is full and `overflow` is
   *   `error`.
   * @throws The signal's reason if the signal is aborted.
   */
  send(message: AgentCommMessage, options?: TransportOptions): Promise<void>;

  /**
   * Sends a message synchronously. `trySend` and `tryReceive` are the fastest way to exchange
   * messages.
   *
   * @param message The message.
   * @returns `true` if the message was sent, `false` if the queue is full.
   * @throws {CommError} With code "transport_closed" if either end is closed.
   */
  trySend(message: AgentCommMessage): boolean;

  /** Receives a message synchronously. Returns `undefined` if the queue is empty. */
  tryReceive(): AgentCommMessage | undefined;
}

/**
 * Creates two connected transports. Each end receives the messages that the other end sends, in
 * order.
 *
 * @param options Capacity and overflow behavior.
 * @throws {RangeError} If `capacity` is not a positive integer.
 * @throws {TypeError} If `overflow` is neither `wait` nor `error`, or an option is unknown.
 *
 * @example Connect two agents in one process
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
  const { capacity, overflow } = readOptions(options);
  const forward = new BoundedQueue<AgentCommMessage, CommError>({ capacity });
  const backward = new BoundedQueue<AgentCommMessage, CommError>({ capacity });
  const common = {
    encode: ensureMessage,
    decode: (message: AgentCommMessage) => message,
    onInvalid: doNothing,
    overflow,
    finish: doNothing,
  } as const;
  return [
    new QueueTransport({ ...common, inbound: backward, outbound: forward }),
    new QueueTransport({ ...common, inbound: forward, outbound: backward }),
  ];
}

function doNothing(): Promise<void> {
  return Promise.resolve();
}
