/**
 * A consumer of an inbox on pg-boss.
 *
 * @module
 */

import { deliver, type DeliveryOutcome, reasonOf } from "./delivery.ts";
import { deadQueueOf, queueOf, readData, toDeadJob } from "./pgboss_inbox.ts";
import type { PgBossLimits } from "./pgboss_options.ts";
import type {
  PgBossInstance,
  PgBossJob,
  PgBossJobResult,
  PgBossTransaction,
} from "./pgboss_types.ts";
import { type ConsumeCall, untilAborted } from "./stored_queue.ts";
import type { SqlClient } from "../shared/sql_client.ts";
import { fromPgBossDatabase } from "@parley/internal/sql-client";

/** Options for {@linkcode PgBossConsumer}. */
export interface PgBossConsumerInit extends ConsumeCall<SqlClient> {
  readonly boss: PgBossInstance;
  readonly inbox: string;
  readonly settings: PgBossLimits;
  readonly report: (error: unknown) => void;
}

/** A consumer of an inbox. */
export class PgBossConsumer {
  readonly #init: PgBossConsumerInit;

  constructor(init: PgBossConsumerInit) {
    this.#init = init;
  }

  /** Delivers messages until the consumer is stopped. */
  async run(): Promise<void> {
    const { boss, inbox, concurrency, settings: { batchSize }, stopped } = this.#init;
    const name = queueOf(inbox);
    const workers: string[] = [];
    for (let left = concurrency; left > 0 && !stopped.aborted; left -= batchSize) {
      workers.push(await this.#startWorker(name, Math.min(batchSize, left)));
    }
    await untilAborted(stopped);
    await Promise.all(workers.map((id) => boss.offWork(name, { id, wait: true })));
  }

  async #startWorker(name: string, batchSize: number): Promise<string> {
    const { boss } = this.#init;
    const options = {
      perJobResults: true,
      batchSize,
      pollingIntervalSeconds: 1,
      // Notifications start a fetch immediately. Polling finds messages whose retry is due.
      notifyPollingIntervalSeconds: 1,
      heartbeatRefreshSeconds: 2,
    } as const;
    const worker = boss.work(name, options, async (jobs) => {
      const results = await Promise.all(jobs.map((job) => this.#handle(job)));
      // The worker fetches again without a delay: there can be more messages, and in an ordered
      // inbox a fetch returns only one message from each sender.
      boss.notifyWorker(await worker);
      return results;
    });
    return await worker;
  }

  /** Handles one message. The returned promise never rejects. */
  async #handle(job: PgBossJob): Promise<PgBossJobResult> {
    try {
      const outcome = this.#init.transactional
        ? await this.#deliverInTransaction(job)
        : await this.#deliver(job);
      if (outcome.type === "acknowledged") return { id: job.id, status: "completed" };
      // An error after the consumer is stopped is a consequence of stopping.
      if (!this.#init.stopped.aborted) this.#init.report(outcome.error);
      if (outcome.type === "rejected") {
        await this.#moveToDeadLetters(job, outcome.reason);
        return { id: job.id, status: "completed" };
      }
      return { id: job.id, status: "failed", output: { reason: reasonOf(outcome.error) } };
    } catch (error) {
      this.#init.report(error);
      return { id: job.id, status: "failed", output: { reason: reasonOf(error) } };
    }
  }

  #deliver(job: PgBossJob, tx?: SqlClient): Promise<DeliveryOutcome> {
    const { handler, settings, stopped } = this.#init;
    const attempt = job.retryCount + 1;
    const { json } = readData(job.data);
    return deliver(json, { handler, settings, attempt, stopped, lost: job.signal, tx });
  }

  async #deliverInTransaction(job: PgBossJob): Promise<DeliveryOutcome> {
    const transaction = await this.#begin();
    try {
      const outcome = await this.#deliver(job, fromPgBossDatabase(transaction.db));
      if (outcome.type === "acknowledged") await this.#completeIn(transaction, job, null);
      return outcome;
    } finally {
      // A rollback has no effect after a commit.
      await transaction.rollback();
    }
  }

  /**
   * Completes the job and stores the dead letter in one transaction. A failed pg-boss job would
   * hold back all later messages from its sender in an ordered inbox.
   */
  async #moveToDeadLetters(job: PgBossJob, reason: string): Promise<void> {
    const { boss, inbox } = this.#init;
    const transaction = await this.#begin();
    try {
      const { json, lane } = readData(job.data);
      const dead = { id: crypto.randomUUID(), json, lane, reason, attempts: job.retryCount + 1 };
      await boss.insert(deadQueueOf(inbox), [toDeadJob(dead)], { db: transaction.db });
      await this.#completeIn(transaction, job, { reason });
    } finally {
      await transaction.rollback();
    }
  }

  /**
   * Completes the job and commits the transaction, unless another consumer now holds the message.
   */
  async #completeIn(
    { db, commit }: PgBossTransaction,
    { id, retryCount }: PgBossJob,
    data: object | null,
  ): Promise<void> {
    const response = await this.#init.boss.complete(
      queueOf(this.#init.inbox),
      { id, retryCount },
      data,
      {
        db,
      },
    );
    if (readAffected(response) !== 1) {
      throw new Error("Cannot acknowledge message: the queue has delivered the message again");
    }
    await commit();
  }

  async #begin(): Promise<PgBossTransaction> {
    const transaction = await this.#init.boss.getDb().beginTransaction?.();
    if (transaction !== undefined) return transaction;
    throw new TypeError('"PgBoss" must be the class of pg-boss 12.38 or later');
  }
}

function readAffected(response: unknown): unknown {
  return typeof response === "object" && response !== null
    ? Reflect.get(response, "affected")
    : undefined;
}
