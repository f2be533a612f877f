/**
 * Measures the processor time per message of `pgBossQueue` and of a hand-written queue with one table, in one run.
 * The messages are not signed. Linux only.
 *
 *     deno run -A --config interop/deno.json interop/engines/message_bench.ts [messages]
 *
 * The limits are 1.4 times the hand-written queue's time for the client, and 3 times for the server. The hand-written
 * queue sends and acknowledges whole batches, so it has no per-message costs for promises, time limits and digests.
 *
 * @module
 */

import { AgentCommMessage, formatMessage, parseMessage } from "@parley/comm";
import { pgBossQueue } from "@parley/comm/pgboss";
import process from "node:process";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { POSTGRES_RELEASES } from "./postgres_releases.ts";

const IN_FLIGHT = 64;
const ROUNDS = 5;
const MAX_CLIENT_RATIO = 1.4;
const MAX_SERVER_RATIO = 3;

/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** Processor time per message, in milliseconds. */
interface Cost {
  readonly client: number;
  readonly server: number;
}

/** Sends the messages and receives all of them. */
type RoundTrip = (messages: readonly AgentCommMessage[]) => Promise<void>;

const TABLE = `
  create table bench (
    id bigserial primary key, key text not null unique, json text not null,
    attempts int not null default 0, due_at timestamptz not null default now(), done_at timestamptz
  );
  create index bench_due on bench (due_at, id) where done_at is null;
`;
const INSERT = `insert into bench (key, json)
  select * from unnest($1::text[], $2::text[]) on conflict do nothing`;
const CLAIM = `update bench set attempts = attempts + 1, due_at = now() + interval '10 seconds'
  where id in (
    select id from bench where done_at is null and due_at <= now()
    order by due_at, id limit ${IN_FLIGHT} for update skip locked
  ) returning id, json, attempts`;
const ACKNOWLEDGE =
  `update bench set done_at = now() from unnest($1::bigint[], $2::int[]) as done (id, attempts)
  where bench.id = done.id and bench.attempts = done.attempts and done_at is null`;

/**
 * A queue in one table with the guarantees of `pgBossQueue`. Messages are stored only once, even after they are
 * acknowledged. Messages are claimed for a limited time, so a consumer can take over the messages of a dead consumer.
 */
async function byHand(pool: pg.Pool, messages: readonly AgentCommMessage[]): Promise<void> {
  for (let start = 0; start < messages.length; start += IN_FLIGHT) {
    const batch = messages.slice(start, start + IN_FLIGHT);
    const keys = batch.map(({ sender, id }) => `${sender} ${id}`);
    await pool.query(INSERT, [keys, batch.map(formatMessage)]);
  }
  let received = 0;
  while (received < messages.length) {
    const { rows } = await pool.query(CLAIM);
    for (const { json } of rows) parseMessage(json);
    await pool.query(ACKNOWLEDGE, [
      rows.map(({ id }) => id),
      rows.map(({ attempts }) => attempts),
    ]);
    received += rows.length;
  }
}

async function main([count = "3000"]: string[]): Promise<void> {
  await using server = await startPostgres({ program: POSTGRES_RELEASES[18] });
  const pool = new pg.Pool({ connectionString: server.url });
  await pool.query(TABLE);
  await using queue = await pgBossQueue({
    PgBoss,
    connectionString: server.url,
    inboxOf: () => "bench",
    batchSize: IN_FLIGHT,
  });
  const onPgBoss: RoundTrip = async (messages) => {
    let next = 0;
    const sender = async (): Promise<void> => {
      for (let each = messages[next++]; each !== undefined; each = messages[next++]) {
        await queue.send(each);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
    let received = 0;
    const stopping = new AbortController();
    await queue.consume("bench", () => {
      if (++received === messages.length) stopping.abort();
    }, { concurrency: IN_FLIGHT, signal: stopping.signal });
  };
  const costs: { readonly table: Cost[]; readonly pgBoss: Cost[] } = { table: [], pgBoss: [] };
  for (let round = 0; round < ROUNDS; round++) {
    costs.table.push(await measure(server, Number(count), (all) => byHand(pool, all)));
    costs.pgBoss.push(await measure(server, Number(count), onPgBoss));
  }
  await pool.end();
  report(costs);
}

async function measure(server: Postgres, count: number, roundTrip: RoundTrip): Promise<Cost> {
  const messages = Array.from({ length: count }, (_, number) =>
    new AgentCommMessage({
      sender: "did:web:ann.example",
      recipient: "did:web:bob.example",
      protocol: "agent.task.v1",
      messageType: "task_assign",
      payload: { number, text: "x".repeat(200) },
    }));
  const [serverBefore, clientBefore] = [await serverMs(server), process.cpuUsage()];
  await roundTrip(messages);
  const { user, system } = process.cpuUsage(clientBefore);
  const serverTime = await serverMs(server) - serverBefore;
  return { client: (user + system) / 1000 / count, server: serverTime / count };
}

/** Returns the processor time of all server processes, in milliseconds. */
async function serverMs({ folder }: Postgres): Promise<number> {
  const [main = ""] = (await Deno.readTextFile(`${folder}/data/postmaster.pid`)).split("\n");
  let ticks = 0;
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [parent, times] = [fields[1], fields.slice(11, 15).map(Number)];
    if (name === main) ticks += times.reduce((sum, each) => sum + each, 0);
    else if (parent === main) ticks += (times[0] ?? 0) + (times[1] ?? 0);
  }
  return ticks * MS_PER_TICK;
}

function report({ table, pgBoss }: { readonly table: Cost[]; readonly pgBoss: Cost[] }): void {
  const bars = { client: MAX_CLIENT_RATIO, server: MAX_SERVER_RATIO };
  for (const side of ["client", "server"] as const) {
    const [hand, ours] = [medianOf(table, side), medianOf(pgBoss, side)];
    const ratio = ours / hand;
    console.log(
      `${side}: table ${hand.toFixed(3)} ms, pgBossQueue ${ours.toFixed(3)} ms per message, ` +
        `ratio ${ratio.toFixed(2)} (target ${bars[side]})`,
    );
  }
}

function medianOf(costs: readonly Cost[], side: keyof Cost): number {
  const values = costs.map((cost) => cost[side]).sort((first, second) => first - second);
  return values[Math.floor(values.length / 2)] ?? NaN;
}

await main(Deno.args);
