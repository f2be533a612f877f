/** Tests that one database client can be passed to the stores of all packages. */

import { assertEquals } from "@std/assert";
import { AgentCommMessage } from "@parley/comm";
import { pgBossQueue } from "@parley/comm/pgboss";
import { createVerifier } from "@parley/comm/policy";
import { fromPostgres, PostgresReplayStore, type SqlClient } from "@parley/comm/postgres";
import {
  createTables,
  postgresChangeBus,
  postgresDpopReplayStore,
  postgresTaskStore,
} from "@parley/mcp/postgres";
import type { ChangeAnnouncement } from "@parley/mcp/server";
import { ToolLoopAgent } from "@parley/runtime";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { postgresStorage } from "@parley/runtime/postgres";
import { openRuns } from "@parley/runtime/runs";
import { openSessions } from "@parley/runtime/session";
import { runJournalChecks, runQueueChecks, scriptedModel } from "@parley/runtime/testing";
import pg from "pg";
import { PgBoss } from "pg-boss";
import postgres from "postgres";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const ignore = !HAS_POSTGRES;

function createAgent(): ToolLoopAgent {
  return new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Done" }]) });
}

const message = new AgentCommMessage({
  sender: "did:web:ann.example",
  recipient: "did:web:bob.example",
  protocol: "agent.task.v1",
  messageType: "task_assign",
  payload: "report",
});

/** Uses the stores that accept every client. */
async function useStores(db: SqlClient): Promise<void> {
  const replayGuard = new PostgresReplayStore({ db });
  await replayGuard.createTable();
  createVerifier({ recipient: "did:web:bob.example", replayGuard });
  const [ann, untilMs] = ["did:web:ann.example", Date.now() + 60_000];
  assertEquals(await replayGuard.begin(ann, "1", untilMs), true);
  assertEquals(await replayGuard.begin(ann, "1", untilMs), "reserved");

  await createTables(db);
  assertEquals(await postgresTaskStore(db).get("t"), undefined);
  const proof = { key: "k", expiresAt: untilMs, subject: "ada" };
  assertEquals(await postgresDpopReplayStore(db).add(proof), true);
  const changeBus = postgresChangeBus(db);
  const received = Promise.withResolvers<ChangeAnnouncement>();
  const stop = await changeBus.subscribe(received.resolve);
  await changeBus.publish({ origin: "a", change: { kind: "tools" } });
  assertEquals(await received.promise, { origin: "a", change: { kind: "tools" } });
  await stop();

  await using sessions = openSessions({ storage: postgresStorage(db), agent: createAgent });
  await Array.fromAsync(await sessions.send("chat-1", "Hi"));
  assertEquals((await sessions.state("chat-1")).runs.length, 1);

  await using runs = openRuns(pgBossRuns({ PgBoss, db }), {
    clerk: { version: "1", make: createAgent },
  });
  const working = runs.work();
  await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
  assertEquals((await runs.result("r1")).status, "done");
  await runs.close();
  await working;
}

Deno.test("all stores work with one pool of the package pg", { ignore }, async () => {
  const program = POSTGRES_RELEASES[18];
  await using server = await startPostgres({ program, settings: { fsync: "off" } });
  const pool = new pg.Pool({ connectionString: server.url, max: 20 });
  await useStores(pool);
  {
    await using queue = await pgBossQueue({ PgBoss, db: pool, inboxOf: () => "office" });
    const client = await pool.connect();
    await client.query("begin");
    await queue.send(message, { tx: client });
    await client.query("commit");
    client.release();
    const stopping = new AbortController();
    const seen: unknown[] = [];
    const replayGuard = new PostgresReplayStore({ db: pool });
    await queue.consume("office", async (delivery) => {
      const { id, sender } = delivery.message;
      if (delivery.tx === undefined) throw new Error("the consumer must be transactional");
      const store = replayGuard.inTransaction(delivery.tx);
      seen.push(delivery.message.payload, await store.begin(sender, id, Date.now() + 60_000));
      stopping.abort();
    }, { transactional: true, signal: stopping.signal });
    assertEquals(seen, ["report", true]);
    assertEquals(await replayGuard.begin(message.sender, message.id, Date.now()), "reserved");
  }
  assertEquals((await pool.query("select 1 as one")).rows, [{ one: 1 }]);
  await pool.end();
});

Deno.test("the stores work with one client of the package postgres", { ignore }, async () => {
  const program = POSTGRES_RELEASES[18];
  await using server = await startPostgres({ program, settings: { fsync: "off" } });
  const sql = postgres(server.url, { onnotice: () => {} });
  await useStores(fromPostgres(sql));
  {
    await using runs = openRuns(pgBossRuns({ PgBoss, db: fromPostgres(sql) }), {
      clerk: { version: "1", make: createAgent },
    });
    await sql.begin(async (tx) => {
      const run = { runId: "r2", agent: "clerk", input: "Hi", tx: fromPostgres(tx) };
      await runs.start(run);
      throw new Error("rolled back");
    }).catch(() => {});
    assertEquals(await runs.get("r2"), undefined);
  }
  await sql.end();
});

Deno.test("pgBossRuns() passes the checks of engines with the client of the caller", {
  ignore,
}, async (t) => {
  const program = POSTGRES_RELEASES[18];
  await using server = await startPostgres({ program, settings: { fsync: "off" } });
  const pool = new pg.Pool({ connectionString: server.url, max: 10 });
  const sql = postgres(server.url, { onnotice: () => {} });
  for (const [name, db] of Object.entries({ pg: pool, postgres: fromPostgres(sql) })) {
    for (const check of [...runJournalChecks, ...runQueueChecks]) {
      await t.step(`${name}: ${check.name}`, () => {
        const open = () => pgBossRuns({ PgBoss, db, schema: `runs_${name}`, retryDelayMs: 1 });
        return check.run(open, { timeoutMs: 60_000 });
      });
    }
  }
  await pool.end();
  await sql.end();
});
