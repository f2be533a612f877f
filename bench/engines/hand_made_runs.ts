/**
 * A queue in an SQL table, as a program might implement it without pg-boss. The benchmark uses this
 * queue as its reference.
 *
 * @module
 */

import type { QueueWorkOptions, RunAddress, RunEngine, RunQueue } from "@parley/runtime/runs";
import pg from "pg";
import { PostgresRunJournal } from "../../runtime/runs/postgres_journal.ts";
import { prepareSchema } from "../../runtime/runs/postgres_schema.ts";

const LEASE_SECONDS = 10;
const POLL_MS = 100;
const RENEW_MS = 1000;

/** Opens an engine that combines the `pgBossRuns` journal with a queue in one table. */
export async function handMadeRuns(connectionString: string): Promise<RunEngine> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await prepareSchema(pool, "hand_made", { migrate: true });
  await pool.query(
    `create table if not exists hand_made.job (
       run_id text primary key, leased_until timestamptz not null default '-infinity',
       added_at timestamptz not null default now()
     )`,
  );
  return {
    journal: new PostgresRunJournal(pool, "hand_made", { maxPartyRuns: 1000, maxSignals: 1000 }),
    queue: new TableQueue(pool),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

class TableQueue implements RunQueue {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async wake({ runId }: RunAddress): Promise<void> {
    const sql = "insert into hand_made.job (run_id) values ($1) on conflict do nothing";
    await this.#pool.query(sql, [runId]);
  }

  async drop({ runId }: RunAddress): Promise<void> {
    await this.#pool.query("delete from hand_made.job where run_id = $1", [runId]);
  }

  async work(
    _agents: unknown,
    { concurrency, signal = new AbortController().signal }: QueueWorkOptions,
    handle: Parameters<RunQueue["work"]>[2],
  ): Promise<void> {
    await Promise.all(Array.from({ length: concurrency }, async () => {
      while (!signal.aborted) {
        const { rows: [job] } = await this.#pool.query(
          `update hand_made.job set leased_until = now() + interval '${LEASE_SECONDS} seconds'
           where run_id = (
             select run_id from hand_made.job where leased_until < now()
             order by added_at limit 1 for update skip locked
           ) returning run_id`,
        );
        if (job === undefined) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        else await this.#deliver(job.run_id, signal, handle);
      }
    }));
  }

  async #deliver(
    runId: string,
    signal: AbortSignal,
    handle: Parameters<RunQueue["work"]>[2],
  ): Promise<void> {
    const timer = setInterval(() => {
      const sql =
        "update hand_made.job set leased_until = now() + interval '10 seconds' where run_id = $1";
      void this.#pool.query(sql, [runId]);
    }, RENEW_MS);
    try {
      await handle(runId, { attempt: 1, signal });
      await this.drop({ runId, agent: "", version: "" });
    } finally {
      clearInterval(timer);
    }
  }
}
