/**
 * The interface of message queues.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";

/**
 * Error with which a {@linkcode QueueHandler} rejects a message permanently: the message becomes a
 * dead letter and is not delivered again. If a handler throws any other error, the message is
 * delivered again later.
 *
 * @example Turn a message into a dead letter
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { memoryQueue, Reject } from "@parley/comm/queues";
 * import { assertEquals } from "@std/assert";
 *
 * await using queue = memoryQueue({ inboxOf: () => "office" });
 * await queue.send(
 *   new AgentCommMessage({
 *     sender: "did:web:ann.example",
 *     recipient: "did:web:bob.example",
 *     protocol: "agent.chat.v1",
 *     messageType: "notification",
 *     payload: null,
 *   }),
 * );
 * const stopping = new AbortController();
 * await queue.consume("office", ({ message }) => {
 *   stopping.abort();
 *   throw new Reject(`unknown protocol ${message.protocol}`);
 * }, { signal: stopping.signal });
 * const [letter] = await queue.deadLetters("office");
 * assertEquals(letter?.reason, "unknown protocol agent.chat.v1");
 * ```
 */
export class Reject extends Error {
  /**
   * Creates the error.
   *
   * @param reason Why the message cannot be processed. The dead letter contains the reason.
   * @param options An optional cause.
   */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "Reject";
  }
}

/**
 * A delivery of a message to a handler.
 *
 * @typeParam Tx Type of a transaction of the queue's database.
 */
export interface QueueDelivery<Tx = never> {
  /** The message. A queue does not verify messages: see `verified`. */
  readonly message: AgentCommMessage;
  /** Number of this delivery of the message, starting at 1. */
  readonly attempt: number;
  /**
   * Aborts when the consumer stops, the handler exceeds the queue's `handlerTimeoutMs`, or the queue
   * delivers the message to another consumer. Work after that can be done twice.
   */
  readonly signal: AbortSignal;
  /**
   * Transaction in which the message is acknowledged, if the consumer is transactional. Statements
   * that the handler executes in the transaction take effect only if the message is acknowledged.
   */
  readonly tx?: Tx;
}

/**
 * Handles a message. If the handler returns, or its promise resolves, the message is acknowledged.
 * If the handler throws a {@linkcode Reject}, the message becomes a dead letter. If the handler
 * throws any other error, the message is delivered again after a delay that grows with each attempt.
 */
export type QueueHandler<Tx = never> = (delivery: QueueDelivery<Tx>) => void | Promise<void>;

/** Options for `send` of a {@linkcode MessageQueue}. */
export interface QueueSendOptions<Tx = never> {
  /**
   * Transaction of the caller. The message is stored if the transaction is committed. The database
   * must be the queue's database. If omitted, the message is stored immediately.
   */
  readonly tx?: Tx;
  /**
   * Aborts the operation. The message might be stored if storing it has already started.
   */
  readonly signal?: AbortSignal;
}

/** Options for `consume` of a {@linkcode MessageQueue}. */
export interface ConsumeOptions {
  /**
   * Maximum number of messages that the handler processes at the same time.
   *
   * @default {8}
   */
  readonly concurrency?: number;
  /**
   * Whether each message is acknowledged in a transaction that the handler can use, as `tx` of the
   * delivery. Supported only by queues in a database.
   *
   * @default {false}
   */
  readonly transactional?: boolean;
  /** Stops the consumer. The signals of the deliveries in progress are then aborted. */
  readonly signal?: AbortSignal;
}

/** A message that could not be processed. */
export interface DeadLetter {
  /** The message, or `undefined` if `json` is not a valid message. */
  readonly message: AgentCommMessage | undefined;
  /** The stored JSON text of the message. */
  readonly json: string;
  /** Why the message was rejected: the message of the last error. */
  readonly reason: string;
  /** Number of deliveries. */
  readonly attempts: number;
}

/** Options for `deadLetters` and `redrive` of a {@linkcode MessageQueue}. */
export interface DeadLetterOptions {
  /**
   * Maximum number of dead letters, the oldest first.
   *
   * @default {1000}
   */
  readonly limit?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/**
 * A queue that stores messages until they are processed. Messages are delivered at least once: a
 * message whose consumer ends without acknowledging it is delivered again.
 *
 * Messages are stored in inboxes. The option `inboxOf` of each queue maps the DIDs of recipients to
 * few inboxes, because an inbox costs resources in an engine: use one inbox for each service, not
 * for each DID.
 *
 * @typeParam Tx Type of a transaction of the queue's database.
 *
 * @example Send and consume a message with any queue
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { memoryQueue, type MessageQueue } from "@parley/comm/queues";
 * import { assertEquals } from "@std/assert";
 *
 * async function roundTrip<Tx>(queue: MessageQueue<Tx>): Promise<unknown> {
 *   await queue.send(
 *     new AgentCommMessage({
 *       sender: "did:web:ann.example",
 *       recipient: "did:web:bob.example",
 *       protocol: "agent.task.v1",
 *       messageType: "task_assign",
 *       payload: "file the report",
 *     }),
 *   );
 *   const stopping = new AbortController();
 *   let payload: unknown;
 *   await queue.consume("office", ({ message }) => {
 *     payload = message.payload;
 *     stopping.abort();
 *   }, { signal: stopping.signal });
 *   return payload;
 * }
 *
 * await using queue = memoryQueue({ inboxOf: () => "office" });
 * assertEquals(await roundTrip(queue), "file the report");
 * ```
 */
export interface MessageQueue<Tx = never> extends AsyncDisposable {
  /**
   * Stores a message. When the promise resolves, the message is stored durably, as far as the engine
   * stores durably. A message whose sender and id are already stored is not stored again, for the
   * queue's deduplication time.
   *
   * @param message The message. A queue neither signs nor verifies messages.
   * @param options Transaction and abort signal.
   * @throws {CommError} With code "capacity_exceeded" if the queue is full.
   * @throws {CommError} With code "message_too_large" if the message exceeds `maxMessageBytes`.
   * @throws {CommError} With code "send_failed" if the engine fails. The message might be stored, so
   *   send the same message again.
   * @throws {CommError} With code "transport_closed" if the queue is closed.
   * @throws {TypeError} If `inboxOf` does not return a valid name, or `tx` is not supported.
   * @throws The signal's reason if the signal is aborted.
   */
  send(message: AgentCommMessage, options?: QueueSendOptions<Tx>): Promise<void>;
  /**
   * Delivers the messages of an inbox to a handler, until the signal aborts or the queue is closed.
   * Several consumers, also in other processes, share the messages of an inbox.
   *
   * @param inbox Name of the inbox.
   * @param handler Handles each message.
   * @param options Concurrency, transactions and abort signal.
   * @returns A promise that resolves when the consumer has stopped and no handler is running.
   * @throws {CommError} With code "receive_failed" if the consumer cannot be started.
   * @throws {CommError} With code "transport_closed" if the queue is closed.
   * @throws {TypeError} If `inbox` is not a valid name, `handler` is not a function, or
   *   `transactional` is not supported.
   * @throws {RangeError} If `concurrency` is not a positive integer.
   */
  consume(inbox: string, handler: QueueHandler<Tx>, options?: ConsumeOptions): Promise<void>;
  /**
   * Returns the dead letters of an inbox, the oldest first.
   *
   * @param inbox Name of the inbox.
   * @param options Limit and abort signal.
   * @throws {CommError} With code "receive_failed" if the engine fails.
   * @throws {CommError} With code "transport_closed" if the queue is closed.
   */
  deadLetters(inbox: string, options?: DeadLetterOptions): Promise<readonly DeadLetter[]>;
  /**
   * Moves dead letters back to their inbox, with a new series of attempts. In an ordered inbox, the
   * messages follow the messages that are already stored.
   *
   * @param inbox Name of the inbox.
   * @param options Limit and abort signal.
   * @returns Number of messages that were moved.
   * @throws {CommError} With code "receive_failed" if the engine fails.
   * @throws {CommError} With code "transport_closed" if the queue is closed.
   */
  redrive(inbox: string, options?: DeadLetterOptions): Promise<number>;
  /**
   * Stops all consumers and releases the resources of the queue. Waits until the handlers have
   * returned. Closing again has no effect.
   */
  close(): Promise<void>;
}
