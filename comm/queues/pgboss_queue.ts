/**
 * A message queue on pg-boss.
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
import { PgBossConsumer } from "./pgboss_consumer.ts";
import { deadQueueOf, openInbox, queueOf, readData, toJob } from "./pgboss_inbox.ts";
import { type PgBossLimits, type PgBossQueueOptions, readPgBossOptions } from "./pgboss_options.ts";
import type { PgBossInstance } from "./pgboss_types.ts";
import { assertInbox, inboxOfMessage, keyOf, laneOf } from "./queue_options.ts";
import { type Outgoing, SendBatches } from "./send_batches.ts";
import { assertDatabase, type SqlDatabase } from "../shared/sql.ts";
import { escapeText } from "@parley/internal/escape-text";

/** A pg-boss instance that has been started, with the options of the queue. */
export interface OpenPgBoss {
  readonly boss: PgBossInstance;
  readonly limits: PgBossLimits;
  readonly report: (error: unknown) => void;
}

/** Connects to the database and creates the tables. */
export async function openPgBoss(options: PgBossQueueOptions): Promise<OpenPgBoss> {
  const { PgBoss, connectionString, onError, limits } = readPgBossOptions(options);
  const report = createErrorReporter("pgBossQueue", onError);
  const boss = new PgBoss({
    connectionString,
    schema: limits.schema,
    max: limits.maxConnections,
    // A dead consumer's message is delivered again after its 10-second heartbeat expires and
    // pg-boss detects the expiry. The default detection interval of pg-boss, 60 seconds, would delay the delivery
    // by up to a minute.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    useListenNotify: true,
    registerInstance: false,
    schedule: false,
  });
  boss.on("error", (error) => report(toError(error)));
  boss.on("warning", ({ message }) => report(new Error(escapeText(`pg-boss: ${message}`))));
  try {
    await boss.start();
  } catch (cause) {
    await boss.stop({ graceful: false }).catch(report);
    throw receiveFailed(`cannot open the queue: ${reasonOf(cause)}`, { cause });
  }
  return { boss, limits, report };
}

/**
 * Returns a reported error as an `Error` object. For worker failures, pg-boss reports plain objects
 * with the members of an error.
 */
function toError(reported: unknown): unknown {
  if (reported instanceof Error) return reported;
  const message: unknown = Reflect.get(Object(reported), "message");
  return new Error(escapeText(`pg-boss: ${message}`), { cause: reported });
}

/** A message queue on pg-boss. */
export class PgBossQueue implements MessageQueue<SqlDatabase> {
  readonly #boss: PgBossInstance;
  readonly #limits: PgBossLimits;
  readonly #report: (error: unknown) => void;
  readonly #inboxes: Inboxes<void>;
  readonly #batches: SendBatches;
  readonly #consumers = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor({ boss, limits, report }: OpenPgBoss) {
    this.#boss = boss;
    this.#limits = limits;
    this.#report = report;
    const { maxPendingMessages: maxPending, maxPendingBytes } = limits;
    this.#inboxes = new Inboxes(limits.maxInboxes, (inbox) => openInbox(boss, inbox, limits));
    const store = (inbox: string, batch: readonly Outgoing[]) => this.#store(inbox, batch);
    this.#batches = new SendBatches({ maxPending, maxPendingBytes, store });
  }

  async send(
    message: AgentCommMessage,
    options?: QueueSendOptions<SqlDatabase>,
  ): Promise<void> {
    const { tx, signal } = readSendOptions(options);
    signal?.throwIfAborted();
    this.#assertOpen();
    if (tx !== undefined) assertDatabase("tx", tx);
    const json = writeMessage(message, this.#limits.maxMessageBytes);
    const inbox = inboxOfMessage(message, this.#limits);
    const isOrdered = this.#limits.orderedInboxes.has(inbox);
    const outgoing = {
      key: keyOf(message),
      lane: isOrdered ? laneOf(message) : undefined,
      json,
    };
    if (tx === undefined) await this.#batches.send(inbox, outgoing, signal);
    else await abortable(this.#store(inbox, [outgoing], tx), signal);
  }

  async consume(
    inbox: string,
    handler: QueueHandler<SqlDatabase>,
    options: ConsumeOptions = {},
  ): Promise<void> {
    const { concurrency, transactional, signal } = readConsumeOptions(options);
    assertInbox(inbox);
    assertFunction("handler", handler);
    const { maxConnections } = this.#limits;
    // Heartbeats and sends need connections even while each handler holds one.
    if (transactional && concurrency > maxConnections - 2) {
      throw new RangeError(
        `"concurrency" must be at most "maxConnections" - 2 (${
          maxConnections - 2
        }) if "transactional" is true, got ${concurrency}`,
      );
    }
    this.#assertOpen();
    const consuming = this.#consume(inbox, handler, { concurrency, transactional, signal });
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
    const jobs = await this.#callDead(
      inbox,
      signal,
      () => this.#boss.findJobs(deadQueueOf(inbox), { queued: true, limit }),
    );
    return jobs.map(({ data }) => this.#toDeadLetter(data));
  }

  async redrive(inbox: string, options: DeadLetterOptions = {}): Promise<number> {
    const { limit, signal } = readDeadLetterOptions(options);
    const destination = queueOf(inbox);
    return await this.#callDead(
      inbox,
      signal,
      () => this.#boss.redrive(deadQueueOf(inbox), { destination, limit }),
    );
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
    await this.#batches.settle();
    await this.#boss.stop({ graceful: true });
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw transportClosed();
  }

  async #store(inbox: string, batch: readonly Outgoing[], tx?: SqlDatabase): Promise<void> {
    try {
      await this.#inboxes.open(inbox);
      const jobs = batch.map(toJob);
      await this.#boss.insert(queueOf(inbox), jobs, tx === undefined ? {} : { db: tx });
    } catch (cause) {
      if (cause instanceof CommError) throw cause;
      throw sendFailed(reasonOf(cause), { cause });
    }
  }

  async #consume(
    inbox: string,
    handler: QueueHandler<SqlDatabase>,
    { concurrency, transactional, signal }: ConsumeSettings,
  ): Promise<void> {
    const stopping = new AbortController();
    const stop = (): void => stopping.abort(transportClosed());
    const sources = [signal, this.#closing.signal];
    if (sources.some((source) => source?.aborted === true)) return;
    for (const source of sources) source?.addEventListener("abort", stop, { once: true });
    try {
      if (!await settlesBefore(this.#inboxes.open(inbox), stopping.signal)) return;
      const consumer = new PgBossConsumer({
        boss: this.#boss,
        inbox,
        handler,
        transactional,
        settings: this.#limits,
        stopped: stopping.signal,
        report: this.#report,
      });
      await consumer.run(concurrency);
    } catch (cause) {
      if (cause instanceof CommError) throw cause;
      throw receiveFailed(reasonOf(cause), { cause });
    } finally {
      for (const source of sources) source?.removeEventListener("abort", stop);
    }
  }

  async #callDead<T>(
    inbox: string,
    signal: AbortSignal | undefined,
    call: () => Promise<T>,
  ): Promise<T> {
    assertInbox(inbox);
    signal?.throwIfAborted();
    this.#assertOpen();
    try {
      await abortable(this.#inboxes.open(inbox), signal);
      return await abortable(call(), signal);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof CommError) throw cause;
      throw receiveFailed(reasonOf(cause), { cause });
    }
  }

  #toDeadLetter(data: unknown): DeadLetter {
    const stored = readData(data);
    const json = typeof stored.json === "string" ? stored.json : JSON.stringify(data) ?? "";
    const message = readStored(json, this.#limits.maxMessageBytes);
    return {
      message: message instanceof Error ? undefined : message,
      json,
      reason: String(stored.reason ?? ""),
      attempts: typeof stored.attempts === "number" ? stored.attempts : 0,
    };
  }
}
