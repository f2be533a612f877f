/**
 * The interface of message queues.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";

/**
 * Error that a {@linkcode QueueHandler} throws to reject a message permanently: the message becomes
 * a dead letter and is not delivered again. If a handler throws an error that is not a `Reject`,
 * the message is delivered again later.
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
   * @param reason Reason why the message cannot be processed. The dead letter contains the reason.
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
 * @typeParam Tx Type of a transaction in the queue's database.
 */
export interface QueueDelivery<Tx = never> {
  /**
   * The message. A queue does not verify messages; to verify them, wrap the handler in `verified`.
   */
  readonly message: AgentCommMessage;
  /** Number of this delivery of the message, starting at 1. */
  readonly attempt: number;
  /**
   * Aborts when the consumer stops, the handler exceeds the queue's `handlerTimeoutMs`, or the
   * queue delivers the message to another consumer. Work done after the signal aborts might be
   * repeated.
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
 * throws an error that is not a `Reject`, the message is delivered again after a delay that grows
 * with each attempt.
 */
export type QueueHandler<Tx = never> = (delivery: QueueDelivery<Tx>) => void | Promise<void>;

/** Options for the `send` method of a {@linkcode MessageQueue}. */
export interface QueueSendOptions<Tx = never> {
  /**
   * The caller's transaction. The message is stored only if the transaction is committed. The
   * transaction must belong to the queue's database. If omitted, the message is stored immediately.
   */
  readonly tx?: Tx;
  /**
   * Aborts the operation. The message might still be stored if the operation has already started.
   */
  readonly signal?: AbortSignal;
}

/** Options for the `consume` method of a {@linkcode MessageQueue}. */
export interface ConsumeOptions {
  /**
   * Maximum number of messages that the handler processes at the same time.
   *
   * @default {8}
   */
  readonly concurrency?: number;
  /**
   * Whether each message is acknowledged in a transaction that the handler can use, through the
   * delivery's `tx` member. Supported only by queues that store messages in a database.
   *
   * @default {false}
   */
  readonly transactional?: boolean;
  /** Stops the consumer. Stopping also aborts the signals of deliveries in progress. */
  readonly signal?: AbortSignal;
}

/** A message that could not be processed. */
export interface DeadLetter {
  /** The message, or `undefined` if `json` is not a valid message. */
  readonly message: AgentCommMessage | undefined;
  /** The stored JSON text of the message. */
  readonly json: string;
  /** Reason why the message was rejected: the `message` property of the last error. */
  readonly reason: string;
  /** Number of deliveries. */
  readonly attempts: number;
}

/** Options for the `deadLetters` and `redrive` methods of a {@linkcode MessageQueue}. */
export interface DeadLetterOptions {
  /**
   * Maximum number of dead letters to return or to move, the oldest first.
   *
   * @default {1000}
   */
  readonly limit?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/**
 * A queue that stores messages until they are processed. Messages are delivered at least once: if a
 * consumer exits without acknowledging a message, the message is delivered again.
 *
 * Messages are stored in inboxes. Each queue's `inboxOf` option maps recipient DIDs to a small
 * number of inboxes. Each inbox consumes resources of the queue's engine, so use one inbox per
 * service, not one per DID.
 *
 * @typeParam Tx Type of a transaction in the queue's database.
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
   * Stores a message. When the promise resolves, the message is stored as durably as the engine
   * allows. During the queue's deduplication time, a message that is already stored is not stored
   * again. A message with the same sender and id but another content is stored, because one of the
   * two can be forged, unless a queue in memory has acknowledged the other one; the handler that
   * `verified` returns processes only the genuine one.
   *
   * @param message The message. A queue neither signs nor verifies messages.
   * @param options Transaction and abort signal.
   * @throws {CommError} With code "capacity_exceeded" if the queue is full.
   * @throws {CommError} With code "message_too_large" if the message exceeds `maxMessageBytes`.
   * @throws {CommError} With code "send_failed" if the engine fails. The message might have been
   *   stored; to retry, send the same message again.
   * @throws {CommError} With code "transport_closed" if the queue is closed.
   * @throws {TypeError} If `inboxOf` does not return a valid name, or `tx` is not supported.
   * @throws The signal's reason if the signal is aborted.
   */
  send(message: AgentCommMessage, options?: QueueSendOptions<Tx>): Promise<void>;
  /**
   * Delivers the messages in an inbox to a handler, until the signal aborts or the queue is closed.
   * Multiple consumers, even in different processes, share the messages in an inbox. The process
   * keeps running while a consumer runs.
   *
   * @param inbox Name of the inbox.
   * @param handler Handles each message.
   * @param options Concurrency, transactions and abort signal.
   * @returns A promise that resolves when the consumer has stopped and all of its handlers have
   *   returned or have exceeded their time limit.
   * @throws {CommError} With code "receive_failed" if the consumer cannot be started.
   * @throws {CommError} With code "transport_closed" if the queue is closed.
   * @throws {TypeError} If `inbox` is not a valid name, `handler` is not a function, or
   *   `transactional` is not supported.
   * @throws {RangeError} If `concurrency` is not a positive integer.
   */
  consume(inbox: string, handler: QueueHandler<Tx>, options?: ConsumeOptions): Promise<void>;
  /**
   * Returns the dead letters in an inbox, the oldest first.
   *
   * @param inbox Name of the inbox.
   * @param options Limit and abort signal.
   * @throws {CommError} With code "receive_failed" if the engine fails.
   * @throws {CommError} With code "transport_closed" if the queue is closed.
   */
  deadLetters(inbox: string, options?: DeadLetterOptions): Promise<readonly DeadLetter[]>;
  /**
   * Moves dead letters back to their inbox and restarts their delivery attempts. In an ordered
   * inbox, redriven messages are placed after the messages that are already stored.
   *
   * @param inbox Name of the inbox.
   * @param options Limit and abort signal.
   * @returns Number of dead letters that were moved.
   * @throws {CommError} With code "receive_failed" if the engine fails.
   * @throws {CommError} With code "transport_closed" if the queue is closed.
   */
  redrive(inbox: string, options?: DeadLetterOptions): Promise<number>;
  /**
   * Stops all consumers and releases the queue's resources. Waits until the handlers have returned
   * or have exceeded their time limit. Closing the queue again has no effect.
   */
  close(): Promise<void>;
}
