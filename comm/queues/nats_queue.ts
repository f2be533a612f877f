/**
 * A message queue on NATS JetStream.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { abortable, settlesBefore } from "@parley/internal/abortable";
import { CommError, receiveFailed, sendFailed, transportClosed } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { assertFunction } from "@parley/internal/assert-argument";
import {
  type ConsumeSettings,
  readConsumeOptions,
  readDeadLetterOptions,
  readSendOptions,
} from "./call_options.ts";
import { writeMessage } from "../transport/message_codec.ts";
import { readStored, reasonOf } from "./delivery.ts";
import { Inboxes } from "./inboxes.ts";
import type {
  ConsumeOptions,
  DeadLetter,
  DeadLetterOptions,
  MessageQueue,
  QueueHandler,
  QueueSendOptions,
} from "./message_queue.ts";
import { NatsInboxConsumer } from "./nats_consumer.ts";
import { type NatsInbox, openInbox } from "./nats_inbox.ts";
import { type NatsLimits, type NatsQueueOptions, readNatsOptions } from "./nats_options.ts";
import type { NatsJetStream, NatsManager } from "./nats_types.ts";
import { assertInbox, inboxOfMessage, keyOf, laneOf } from "./queue_options.ts";
import { type Outgoing, SendBatches } from "./send_batches.ts";

/** A JetStream client and its manager, with the options of the queue. */
export interface OpenNats {
  readonly jetstream: NatsJetStream;
  readonly manager: NatsManager;
  readonly limits: NatsLimits;
  readonly report: (error: unknown) => void;
}

/** Checks that the server supports JetStream. */
export async function openNats(options: NatsQueueOptions): Promise<OpenNats> {
  const { jetstream, onError, limits } = readNatsOptions(options);
  try {
    const manager = await jetstream.jetstreamManager();
    return {
      jetstream,
      manager,
      limits,
      report: createErrorReporter("natsQueue", onError),
    };
  } catch (cause) {
    throw receiveFailed(`cannot open the queue: ${reasonOf(cause)}`, { cause });
  }
}

/** A message queue on NATS JetStream. */
export class NatsQueue implements MessageQueue {
  readonly #nats: OpenNats;
  readonly #inboxes: Inboxes<NatsInbox>;
  readonly #batches: SendBatches;
  readonly #consumers = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(nats: OpenNats) {
    this.#nats = nats;
    const { maxPendingMessages: maxPending, maxPendingBytes } = nats.limits;
    this.#inboxes = new Inboxes(nats.limits.maxInboxes, (name) => openInbox({ name, ...nats }));
    const store = (inbox: string, batch: readonly Outgoing[]) => this.#store(inbox, batch);
    this.#batches = new SendBatches({ maxPending, maxPendingBytes, store });
  }

  async send(message: AgentCommMessage, options?: QueueSendOptions): Promise<void> {
    const { tx, signal } = readSendOptions(options);
    signal?.throwIfAborted();
    if (tx !== undefined) {
      throw new TypeError('"tx" must be omitted: a queue on NATS has no transactions');
    }
    this.#assertOpen();
    const { limits } = this.#nats;
    const json = writeMessage(message, limits.maxMessageBytes);
    const inbox = inboxOfMessage(message, limits);
    const lane = limits.orderedInboxes.has(inbox) ? laneOf(message) : undefined;
    await this.#batches.send(inbox, { key: keyOf(message), lane, json }, signal);
  }

  async consume(
    inbox: string,
    handler: QueueHandler,
    options: ConsumeOptions = {},
  ): Promise<void> {
    const { concurrency, transactional, signal } = readConsumeOptions(options);
    assertInbox(inbox);
    assertFunction("handler", handler);
    if (transactional) {
      throw new TypeError('"transactional" must be false: a queue on NATS has no transactions');
    }
    this.#assertOpen();
    const consuming = this.#consume(inbox, handler, { concurrency, signal });
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
    return await this.#callDead(inbox, options, async (opened, limit) => {
      const letters: DeadLetter[] = [];
      for await (const letter of opened.deadLetters(limit)) {
        const message = readStored(letter.json, this.#nats.limits.maxMessageBytes);
        letters.push({ ...letter, message: message instanceof Error ? undefined : message });
      }
      return letters;
    });
  }

  async redrive(inbox: string, options: DeadLetterOptions = {}): Promise<number> {
    return await this.#callDead(inbox, options, (opened, limit) => opened.redrive(limit));
  }

  async close(): Promise<void> {
    this.#closing.abort(transportClosed());
    await Promise.allSettled(this.#consumers);
    await this.#batches.settle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw transportClosed();
  }

  async #store(inbox: string, batch: readonly Outgoing[]): Promise<void> {
    try {
      const opened = await this.#inboxes.open(inbox);
      const results = await Promise.allSettled(batch.map((outgoing) => opened.store(outgoing)));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    } catch (cause) {
      if (cause instanceof CommError) throw cause;
      throw sendFailed(reasonOf(cause), { cause });
    }
  }

  async #consume(
    name: string,
    handler: QueueHandler,
    { concurrency, signal }: Pick<ConsumeSettings, "concurrency" | "signal">,
  ): Promise<void> {
    const stopping = new AbortController();
    const stop = (): void => stopping.abort(transportClosed());
    const sources = [signal, this.#closing.signal];
    if (sources.some((source) => source?.aborted === true)) return;
    for (const source of sources) source?.addEventListener("abort", stop, { once: true });
    const { limits, report } = this.#nats;
    const { signal: stopped } = stopping;
    try {
      const opening = this.#inboxes.open(name);
      if (!await settlesBefore(opening, stopped)) return;
      const inbox = await opening;
      const init = { inbox, handler, limits, concurrency, stopped, report };
      await new NatsInboxConsumer(init).run();
    } catch (cause) {
      if (cause instanceof CommError) throw cause;
      throw receiveFailed(reasonOf(cause), { cause });
    } finally {
      for (const source of sources) source?.removeEventListener("abort", stop);
    }
  }

  async #callDead<T>(
    name: string,
    options: DeadLetterOptions,
    call: (inbox: NatsInbox, limit: number) => Promise<T>,
  ): Promise<T> {
    const { limit, signal } = readDeadLetterOptions(options);
    assertInbox(name);
    signal?.throwIfAborted();
    this.#assertOpen();
    try {
      const inbox = await abortable(this.#inboxes.open(name), signal);
      return await abortable(call(inbox, limit), signal);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof CommError) throw cause;
      throw receiveFailed(reasonOf(cause), { cause });
    }
  }
}
