/**
 * A message queue over a store: validates arguments, tracks consumers, and wraps the errors of the
 * store.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { abortable, settlesBefore } from "@parley/internal/abortable";
import { type CommError, receiveFailed, sendFailed, transportClosed } from "../shared/error.ts";
import { toCommError } from "../shared/error_text.ts";
import { assertFunction } from "@parley/internal/assert-argument";
import { keepProcessRunning } from "@parley/internal/timers";
import {
  type ConsumeSettings,
  type DeadLetterSettings,
  readConsumeOptions,
  readDeadLetterOptions,
  readSendOptions,
} from "./call_options.ts";
import { writeMessage } from "../transport/message_codec.ts";
import { readStored, reasonOf } from "./delivery.ts";
import type {
  ConsumeOptions,
  DeadLetter,
  DeadLetterOptions,
  MessageQueue,
  QueueHandler,
  QueueSendOptions,
} from "./message_queue.ts";
import { assertInbox, inboxOfMessage, keyOf, laneOf, type QueueSettings } from "./queue_options.ts";
import type { Outgoing } from "./send_batches.ts";

/** A dead letter in its stored form. */
export type StoredDeadLetter = Omit<DeadLetter, "message">;

/** A call to `consume`. */
export interface ConsumeCall<Tx> {
  readonly handler: QueueHandler<Tx>;
  readonly concurrency: number;
  readonly transactional: boolean;
  /** Stops the consumer. */
  readonly stopped: AbortSignal;
}

/**
 * The storage of a message queue.
 *
 * @typeParam Inbox An opened inbox.
 * @typeParam Tx Type of a transaction in the queue's database.
 */
export interface QueueStore<Inbox, Tx> {
  readonly settings: QueueSettings;
  /** Throws unless messages can be stored in the given transaction. */
  assertTransaction(tx: Tx): void;
  /** Throws unless the given number of handlers can acknowledge messages in transactions. */
  assertTransactional(concurrency: number): void;
  /** Stores a message. */
  send(
    inbox: string,
    outgoing: Outgoing,
    options: { readonly tx: Tx | undefined; readonly signal: AbortSignal | undefined },
  ): Promise<void>;
  /** Opens an inbox, which is created on first use. */
  open(inbox: string): Promise<Inbox>;
  /** Delivers messages until the consumer is stopped and its handlers have ended. */
  consume(inbox: Inbox, call: ConsumeCall<Tx>): Promise<void>;
  /** Returns dead letters, the oldest first. */
  deadLetters(inbox: Inbox, limit: number): Promise<readonly StoredDeadLetter[]>;
  /** Moves dead letters back to their inbox. Returns the number of dead letters that were moved. */
  redrive(inbox: Inbox, limit: number): Promise<number>;
  /** Releases resources. Called once, after all consumers have stopped. */
  close(): Promise<void>;
}

/**
 * Creates the error for a queue without transactions.
 *
 * @param option Option that requires transactions.
 * @param place Place of the stored messages, for example `in memory`.
 */
export function transactionsUnsupported(
  option: "tx" | "transactional",
  place: string,
): TypeError {
  const requirement = option === "tx" ? "omitted" : "false";
  return new TypeError(`"${option}" must be ${requirement}: a queue ${place} has no transactions`);
}

/** A message queue whose messages are in a store. */
export class StoredQueue<Inbox, Tx> implements MessageQueue<Tx> {
  readonly #store: QueueStore<Inbox, Tx>;
  readonly #consumers = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(store: QueueStore<Inbox, Tx>) {
    this.#store = store;
  }

  async send(message: AgentCommMessage, options?: QueueSendOptions<Tx>): Promise<void> {
    const { tx, signal } = readSendOptions(options);
    signal?.throwIfAborted();
    if (tx !== undefined) this.#store.assertTransaction(tx);
    this.#assertOpen();
    const { settings } = this.#store;
    const json = writeMessage(message, settings.maxMessageBytes);
    const inbox = inboxOfMessage(message, settings);
    const lane = settings.orderedInboxes.has(inbox) ? laneOf(message) : undefined;
    const outgoing = { key: keyOf(message), lane, json };
    try {
      await this.#store.send(inbox, outgoing, { tx, signal });
    } catch (cause) {
      signal?.throwIfAborted();
      throw wrapError(cause, sendFailed);
    }
  }

  async consume(
    inbox: string,
    handler: QueueHandler<Tx>,
    options: ConsumeOptions = {},
  ): Promise<void> {
    const settings = readConsumeOptions(options);
    assertInbox(inbox);
    assertFunction("handler", handler);
    if (settings.transactional) this.#store.assertTransactional(settings.concurrency);
    this.#assertOpen();
    const consuming = this.#consume(inbox, handler, settings);
    this.#consumers.add(consuming);
    try {
      await consuming;
    } finally {
      this.#consumers.delete(consuming);
    }
  }

  async deadLetters(
    inbox: string,
    options: DeadLetterOptions = {},
  ): Promise<readonly DeadLetter[]> {
    const { limit, signal } = readDeadLetterOptions(options);
    const letters = await this.#callOpened(
      inbox,
      signal,
      (opened) => this.#store.deadLetters(opened, limit),
    );
    const { maxMessageBytes } = this.#store.settings;
    return letters.map(({ json, reason, attempts }) => {
      const message = readStored(json, maxMessageBytes);
      return { message: message instanceof Error ? undefined : message, json, reason, attempts };
    });
  }

  async redrive(inbox: string, options: DeadLetterOptions = {}): Promise<number> {
    const { limit, signal } = readDeadLetterOptions(options);
    return await this.#callOpened(inbox, signal, (opened) => this.#store.redrive(opened, limit));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#closing.abort(transportClosed());
    await Promise.allSettled(this.#consumers);
    await this.#store.close();
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw transportClosed();
  }

  /** Consumes an inbox until the caller's signal aborts or the queue is closed. */
  async #consume(
    inbox: string,
    handler: QueueHandler<Tx>,
    { concurrency, transactional, signal }: ConsumeSettings,
  ): Promise<void> {
    if (signal?.aborted) return;
    const stopping = new AbortController();
    const stop = (): void => stopping.abort(transportClosed());
    const sources = [signal, this.#closing.signal];
    for (const source of sources) source?.addEventListener("abort", stop, { once: true });
    const { signal: stopped } = stopping;
    const release = keepProcessRunning();
    try {
      const opening = this.#store.open(inbox);
      if (!await settlesBefore(opening, stopped)) return;
      await this.#store.consume(await opening, { handler, concurrency, transactional, stopped });
    } catch (cause) {
      throw wrapError(cause, receiveFailed);
    } finally {
      release();
      for (const source of sources) source?.removeEventListener("abort", stop);
    }
  }

  async #callOpened<T>(
    inbox: string,
    signal: DeadLetterSettings["signal"],
    call: (opened: Inbox) => Promise<T>,
  ): Promise<T> {
    assertInbox(inbox);
    signal?.throwIfAborted();
    this.#assertOpen();
    try {
      const opened = await abortable(this.#store.open(inbox), signal);
      return await abortable(call(opened), signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw wrapError(cause, receiveFailed);
    }
  }
}

/** Wraps an error of the store, unless it is a `CommError`. */
function wrapError(cause: unknown, wrap: typeof sendFailed): CommError {
  return toCommError(cause, () => wrap(reasonOf(cause), { cause }));
}

/** Resolves when a signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
