/**
 * A consumer for the message chaos test. The consumer stores each message in the `effect` table, in the transaction
 * that acknowledges the message, and prints a line for each stored message. The consumer exits when its standard
 * input ends.
 *
 *     deno run -A message_chaos_worker.ts <connection string> <recipient> <ordered>
 *
 * @module
 */

import { createVerifier } from "@parley/comm/policy";
import { pgBossQueue, type SqlDatabase } from "@parley/comm/pgboss";
import { PostgresReplayStore } from "@parley/comm/postgres";
import { type QueueHandler, Reject, verified } from "@parley/comm/queues";
import { PgBoss } from "pg-boss";
import { CHAOS_INBOX, POISON } from "./message_chaos.ts";

const DAY_MS = 86_400_000;

async function main(
  [connectionString = "", recipient = "", ordered = ""]: string[],
): Promise<void> {
  const handler = verified<SqlDatabase>(({ tx }) => {
    if (tx === undefined) throw new Reject("the consumer must be transactional");
    return createVerifier({
      recipient,
      policy: { maxAgeMs: DAY_MS },
      replayGuard: new PostgresReplayStore({ db: tx, ttlMs: 2 * DAY_MS }),
    });
  }, async ({ message, tx }) => {
    const isFixed = (await tx?.executeSql("select 1 from fixed"))?.rows.length === 1;
    if (message.payload === POISON && !isFixed) throw new Reject("poison");
    const values = [message.sender, String(message.payload)];
    await tx?.executeSql("insert into effect (sender, payload) values ($1, $2)", values);
    console.log(message.payload);
  });
  for (;;) {
    // The database might be restarting.
    await consume(connectionString, ordered === "true", handler).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function consume(
  connectionString: string,
  isOrdered: boolean,
  handler: QueueHandler<SqlDatabase>,
): Promise<void> {
  await using queue = await pgBossQueue({
    PgBoss,
    connectionString,
    inboxOf: () => CHAOS_INBOX,
    orderedInboxes: isOrdered ? [CHAOS_INBOX] : [],
    maxAttempts: 100,
    retryDelayMs: 1000,
    maxRetryDelayMs: 1000,
    onError: () => {},
  });
  await queue.consume(CHAOS_INBOX, handler, { concurrency: 8, transactional: true });
}

if (import.meta.main) {
  void Deno.stdin.readable.pipeTo(new WritableStream()).finally(() => Deno.exit(0));
  await main(Deno.args);
}
