/**
 * A consumer for the message chaos test. The consumer stores each message in the `effect` table,
 * and prints a line for each stored message. With pg-boss, the transaction that stores the effect
 * also acknowledges the message. The consumer exits when its standard input ends.
 *
 *     deno run -A message_chaos_worker.ts <engine> <URL of the engine> <URL of the effects> <recipient> <ordered>
 *
 * @module
 */

import type { SqlClient } from "@parley/comm/pgboss";
import { createVerifier } from "@parley/comm/policy";
import { PostgresReplayStore } from "@parley/comm/postgres";
import { type QueueHandler, Reject, verified } from "@parley/comm/queues";
import pg from "pg";
import { POISON } from "./message_chaos.ts";
import { CHAOS_INBOX, type ChaosQueueOptions, openChaosQueue } from "./message_chaos_queue.ts";

const DAY_MS = 86_400_000;

async function main(
  [engine = "", url = "", effects = "", recipient = "", ordered = ""]: string[],
): Promise<void> {
  const handler = verified<SqlClient>(({ tx }) => {
    if (tx === undefined) throw new Reject("the consumer must be transactional");
    return createVerifier({
      recipient,
      policy: { maxAgeMs: DAY_MS },
      replayGuard: new PostgresReplayStore({ db: tx, ttlMs: 2 * DAY_MS }),
    });
  }, async ({ message, tx }) => {
    const isFixed = (await tx?.query("select 1 from fixed"))?.rows.length === 1;
    if (message.payload === POISON && !isFixed) throw new Reject("poison");
    const values = [message.sender, String(message.payload)];
    await tx?.query("insert into effect (sender, payload) values ($1, $2)", values);
    console.log(message.payload);
  });
  const isOrdered = ordered === "true";
  const pool = new pg.Pool({ connectionString: effects });
  pool.on("error", () => {});
  for (;;) {
    // The engine might be restarting.
    await (engine === "nats"
      ? consume({ engine, url, isOrdered }, inTransaction(pool, handler))
      : consume({ engine: "pgboss", url, isOrdered }, handler)).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function consume(
  options: ChaosQueueOptions,
  handler: QueueHandler<SqlClient>,
): Promise<void> {
  await using opened = await openChaosQueue(options);
  const transactional = options.engine === "pgboss";
  await opened.queue.consume(CHAOS_INBOX, handler, { concurrency: 8, transactional });
}

/** Returns a handler whose effect is one transaction, separate from the acknowledgment. */
function inTransaction(
  pool: pg.Pool,
  handler: QueueHandler<SqlClient>,
): QueueHandler<SqlClient> {
  return async (delivery) => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await handler({ ...delivery, tx: client });
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  };
}

if (import.meta.main) {
  void Deno.stdin.readable.pipeTo(new WritableStream()).finally(() => Deno.exit(0));
  await main(Deno.args);
}
