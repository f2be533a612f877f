/**
 * The storage of a message queue on pg-boss.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { receiveFailed } from "../shared/error.ts";
import { errorText } from "../shared/error_text.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { openWithErrorListeners } from "@parley/internal/pool-errors";
import { reasonOf } from "./delivery.ts";
import { Inboxes } from "./inboxes.ts";
import { PgBossConsumer } from "./pgboss_consumer.ts";
import { deadQueueOf, openInbox, queueOf, readData, toJob } from "./pgboss_inbox.ts";
import { type PgBossLimits, type PgBossQueueOptions, readPgBossOptions } from "./pgboss_options.ts";
import type { PgBossInstance } from "./pgboss_types.ts";
import { type Outgoing, SendBatches } from "./send_batches.ts";
import type { ConsumeCall, QueueStore, StoredDeadLetter } from "./stored_queue.ts";
import { assertSqlClient, toPgBossDatabase } from "@parley/internal/sql-client";
import type { SqlClient } from "../shared/sql_client.ts";
import { escapeText } from "@parley/internal/escape-text";
import { defined } from "@parley/internal/json";

/** A pg-boss instance that has been started, with the options of the queue. */
export interface OpenPgBoss {
  readonly boss: PgBossInstance;
  readonly limits: PgBossLimits;
  readonly report: (error: unknown) => void;
}

/** Opens a store. Connects to the database and creates the tables. */
export async function openPgBossStore(options: PgBossQueueOptions): Promise<PgBossStore> {
  const { PgBoss, connectionString, db, onError, limits } = readPgBossOptions(options);
  const report = createErrorReporter("pgBossQueue", onError);
  const boss = new PgBoss({
    ...defined({ connectionString, db: db && toPgBossDatabase(db) }),
    schema: limits.schema,
    // One connection receives the notifications.
    max: limits.maxConnections + 1,
    // A dead consumer's message is delivered again after its 10-second heartbeat expires and
    // pg-boss detects the expiry. The default detection interval of pg-boss, 60 seconds, would
    // delay the delivery by up to a minute.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    useListenNotify: true,
    registerInstance: false,
    schedule: false,
  });
  boss.on("error", (error) => report(toError(error)));
  boss.on("warning", ({ message }) => report(new Error(escapeText(`pg-boss: ${message}`))));
  try {
    await openWithErrorListeners(boss.getDb());
    await boss.start();
  } catch (cause) {
    await boss.stop({ graceful: false }).catch(report);
    throw receiveFailed(`cannot open the queue: ${reasonOf(cause)}`, { cause });
  }
  return new PgBossStore({ boss, limits, report });
}

/**
 * Returns a reported error as an `Error` object. For worker failures, pg-boss reports plain objects
 * with the members of an error.
 */
function toError(reported: unknown): unknown {
  if (reported instanceof Error) return reported;
  const message = errorText(Reflect.get(Object(reported), "message"));
  return new Error(escapeText(`pg-boss: ${message}`), { cause: reported });
}

/** A store in the database of pg-boss. An opened inbox is represented by its name. */
export class PgBossStore implements QueueStore<string, SqlClient> {
  readonly settings: PgBossLimits;
  readonly #boss: PgBossInstance;
  readonly #report: (error: unknown) => void;
  readonly #inboxes: Inboxes<string>;
  readonly #batches: SendBatches;

  constructor({ boss, limits, report }: OpenPgBoss) {
    this.settings = limits;
    this.#boss = boss;
    this.#report = report;
    this.#inboxes = new Inboxes(limits.maxInboxes, (inbox) => openInbox(boss, inbox, limits));
    this.#batches = new SendBatches(limits, (inbox, batch) => this.#store(inbox, batch));
  }

  assertTransaction(tx: SqlClient): void {
    assertSqlClient("tx", tx);
  }

  assertTransactional(concurrency: number): void {
    // Heartbeats and sends need connections even while each handler holds one.
    const max = this.settings.maxConnections - 2;
    if (concurrency <= max) return;
    throw new RangeError(
      `"concurrency" must be at most ${max} if "transactional" is true, because of the number of ` +
        `connections ("maxConnections", or the size of the pool), got ${concurrency}`,
    );
  }

  send(
    inbox: string,
    outgoing: Outgoing,
    { tx, signal }: {
      readonly tx: SqlClient | undefined;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<void> {
    return tx === undefined
      ? this.#batches.send(inbox, outgoing, signal)
      : abortable(this.#store(inbox, [outgoing], tx), signal);
  }

  open(inbox: string): Promise<string> {
    return this.#inboxes.open(inbox);
  }

  consume(inbox: string, call: ConsumeCall<SqlClient>): Promise<void> {
    const { settings } = this;
    const init = { ...call, inbox, settings, boss: this.#boss, report: this.#report };
    return new PgBossConsumer(init).run();
  }

  async deadLetters(inbox: string, limit: number): Promise<readonly StoredDeadLetter[]> {
    const jobs = await this.#boss.findJobs(deadQueueOf(inbox), { queued: true, limit });
    return jobs.map(({ data }) => toDeadLetter(data));
  }

  redrive(inbox: string, limit: number): Promise<number> {
    return this.#boss.redrive(deadQueueOf(inbox), { destination: queueOf(inbox), limit });
  }

  async close(): Promise<void> {
    await this.#batches.settle();
    await this.#boss.stop({ graceful: true });
  }

  async #store(inbox: string, batch: readonly Outgoing[], tx?: SqlClient): Promise<void> {
    await this.#inboxes.open(inbox);
    const jobs = batch.map(toJob);
    await this.#boss.insert(
      queueOf(inbox),
      jobs,
      tx === undefined ? {} : { db: toPgBossDatabase(tx) },
    );
  }
}

function toDeadLetter(data: unknown): StoredDeadLetter {
  const { json, reason, attempts } = readData(data);
  return {
    json: typeof json === "string" ? json : JSON.stringify(data) ?? "",
    reason: typeof reason === "string" ? reason : "",
    attempts: typeof attempts === "number" ? attempts : 0,
  };
}
