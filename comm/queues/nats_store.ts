/**
 * The storage of a message queue on NATS JetStream.
 *
 * @module
 */

import { receiveFailed } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { reasonOf } from "./delivery.ts";
import { Inboxes } from "./inboxes.ts";
import { NatsInboxConsumer } from "./nats_consumer.ts";
import { type NatsInbox, openInbox } from "./nats_inbox.ts";
import { type NatsLimits, type NatsQueueOptions, readNatsOptions } from "./nats_options.ts";
import type { NatsJetStream, NatsManager } from "./nats_types.ts";
import { type Outgoing, SendBatches } from "./send_batches.ts";
import {
  type ConsumeCall,
  type QueueStore,
  type StoredDeadLetter,
  transactionsUnsupported,
} from "./stored_queue.ts";

/** A JetStream client and its manager, with the options of the queue. */
export interface OpenNats {
  readonly jetstream: NatsJetStream;
  readonly manager: NatsManager;
  readonly limits: NatsLimits;
  readonly report: (error: unknown) => void;
}

/** Opens a store. Checks that the server supports JetStream. */
export async function openNatsStore(options: NatsQueueOptions): Promise<NatsStore> {
  const { jetstream, onError, limits } = readNatsOptions(options);
  const report = createErrorReporter("natsQueue", onError);
  try {
    const manager = await jetstream.jetstreamManager();
    return new NatsStore({ jetstream, manager, limits, report });
  } catch (cause) {
    throw receiveFailed(`cannot open the queue: ${reasonOf(cause)}`, { cause });
  }
}

/** A store in NATS JetStream. */
export class NatsStore implements QueueStore<NatsInbox, never> {
  readonly settings: NatsLimits;
  readonly #report: (error: unknown) => void;
  readonly #inboxes: Inboxes<NatsInbox>;
  readonly #batches: SendBatches;

  constructor(nats: OpenNats) {
    const { limits, report } = nats;
    this.settings = limits;
    this.#report = report;
    this.#inboxes = new Inboxes(limits.maxInboxes, (name) => openInbox({ name, ...nats }));
    this.#batches = new SendBatches(limits, (inbox, batch) => this.#store(inbox, batch));
  }

  assertTransaction(): void {
    throw transactionsUnsupported("tx", "on NATS");
  }

  assertTransactional(): void {
    throw transactionsUnsupported("transactional", "on NATS");
  }

  send(
    inbox: string,
    outgoing: Outgoing,
    { signal }: { readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    return this.#batches.send(inbox, outgoing, signal);
  }

  open(inbox: string): Promise<NatsInbox> {
    return this.#inboxes.open(inbox);
  }

  consume(inbox: NatsInbox, call: ConsumeCall<never>): Promise<void> {
    const { settings: limits } = this;
    return new NatsInboxConsumer({ ...call, inbox, limits, report: this.#report }).run();
  }

  async deadLetters(inbox: NatsInbox, limit: number): Promise<readonly StoredDeadLetter[]> {
    const letters: StoredDeadLetter[] = [];
    for await (const letter of inbox.deadLetters(limit)) letters.push(letter);
    return letters;
  }

  redrive(inbox: NatsInbox, limit: number): Promise<number> {
    return inbox.redrive(limit);
  }

  close(): Promise<void> {
    return this.#batches.settle();
  }

  async #store(inbox: string, batch: readonly Outgoing[]): Promise<void> {
    const opened = await this.#inboxes.open(inbox);
    const results = await Promise.allSettled(batch.map((outgoing) => opened.store(outgoing)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }
}
