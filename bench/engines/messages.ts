/**
 * Measures the processor time per message of a queue in one table, of pg-boss alone and of
 * `pgBossQueue`. The messages are not signed. The program runs only on Linux.
 *
 * @module
 */

import { AgentCommMessage, formatMessage, parseMessage } from "@parley/comm";
import { pgBossQueue } from "@parley/comm/pgboss";
import pg from "pg";
import { PgBoss } from "pg-boss";
import type { Postgres } from "../../tools/testing/postgres.ts";
import { cpuUsedUs, median } from "../measure.ts";
import { handMadeMessages } from "./hand_made_messages.ts";

/** Number of messages per round, and number of rounds. */
const MESSAGES = Number(Deno.env.get("PARLEY_BENCH_MESSAGES") ?? "3000");
const ROUNDS = 5;
/** Number of messages that are sent at the same time, and number of messages per statement. */
const IN_FLIGHT = 64;

/** Linux counts processor time in hundredths of a second. */
const US_PER_TICK = 10_000;

/** Names of the contenders, as shown in the tables. */
export const MessageQueues = {
  HandMade: "hand-made table",
  PgBoss: "pg-boss alone",
  Parley: "@parley/comm on pg-boss",
} as const;

/** Processor times per message in microseconds, keyed by contender. */
export interface MessageCosts {
  readonly client: ReadonlyMap<string, number>;
  readonly server: ReadonlyMap<string, number>;
}

/** Sends the messages and receives all of them. */
type RoundTrip = (messages: readonly AgentCommMessage[]) => Promise<void>;

/** A contender with its connections. */
interface Opened {
  readonly roundTrip: RoundTrip;
  readonly close: () => Promise<void>;
}

/**
 * Measures the contenders, which take turns. The hand-made queue and pg-boss send and acknowledge
 * whole batches, so they have no per-message costs for promises, time limits and digests.
 */
export async function measureMessages(server: Postgres): Promise<MessageCosts> {
  const contenders: readonly (readonly [string, Opened])[] = [
    [MessageQueues.HandMade, await openHandMade(server.url)],
    [MessageQueues.PgBoss, await openPgBoss(server.url)],
    [MessageQueues.Parley, await openParley(server.url)],
  ];
  const client = new Map(contenders.map(([name]): [string, number[]] => [name, []]));
  const database = new Map(contenders.map(([name]): [string, number[]] => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, { roundTrip }] of contenders) {
      const messages = createMessages();
      const [clientBefore, serverBefore] = [cpuUsedUs(), await serverUs(server)];
      await roundTrip(messages);
      const [clientUs, serverTime] = [cpuUsedUs(), await serverUs(server)];
      // The first round warms up the code and the database.
      if (round === 0) continue;
      client.get(name)?.push((clientUs - clientBefore) / MESSAGES);
      database.get(name)?.push((serverTime - serverBefore) / MESSAGES);
    }
  }
  for (const [, { close }] of contenders) await close();
  const medians = (costs: ReadonlyMap<string, number[]>) =>
    new Map([...costs].map(([name, rounds]) => [name, median(rounds)]));
  return { client: medians(client), server: medians(database) };
}

function createMessages(): AgentCommMessage[] {
  return Array.from({ length: MESSAGES }, (_, number) =>
    new AgentCommMessage({
      sender: "did:web:ann.example",
      recipient: "did:web:bob.example",
      protocol: "agent.task.v1",
      messageType: "task_assign",
      payload: { number, text: "x".repeat(200) },
    }));
}

async function openHandMade(url: string): Promise<Opened> {
  const pool = new pg.Pool({ connectionString: url });
  const queue = await handMadeMessages(pool, IN_FLIGHT);
  return {
    async roundTrip(messages) {
      for (const batch of batchesOf(messages)) await queue.send(batch);
      for (let left = messages.length; left > 0;) left -= await queue.receive();
    },
    close: () => pool.end(),
  };
}

async function openPgBoss(connectionString: string): Promise<Opened> {
  const boss = new PgBoss({ connectionString, schema: "pgboss_alone", max: 10 });
  await boss.start();
  await boss.createQueue("bench");
  return {
    async roundTrip(messages) {
      for (const batch of batchesOf(messages)) {
        const jobs = batch.map((message) => ({
          id: message.id,
          data: { json: formatMessage(message) },
        }));
        await boss.insert("bench", jobs);
      }
      const received = Promise.withResolvers<void>();
      let left = messages.length;
      const options = { batchSize: IN_FLIGHT, burstWhenBatchFull: true };
      const id = await boss.work<{ readonly json: string }>("bench", options, (jobs) => {
        for (const { data: { json } } of jobs) parseMessage(json);
        left -= jobs.length;
        if (left === 0) received.resolve();
        return Promise.resolve();
      });
      await received.promise;
      await boss.offWork("bench", { id, wait: true });
    },
    close: () => boss.stop(),
  };
}

async function openParley(connectionString: string): Promise<Opened> {
  const queue = await pgBossQueue({
    PgBoss,
    connectionString,
    inboxOf: () => "bench",
    batchSize: IN_FLIGHT,
  });
  return {
    async roundTrip(messages) {
      const waiting = messages.values();
      await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
        for (const message of waiting) await queue.send(message);
      }));
      const stopping = new AbortController();
      let left = messages.length;
      await queue.consume("bench", () => {
        if (--left === 0) stopping.abort();
      }, { concurrency: IN_FLIGHT, signal: stopping.signal });
    },
    close: () => queue.close(),
  };
}

function* batchesOf(messages: readonly AgentCommMessage[]): Generator<readonly AgentCommMessage[]> {
  for (let start = 0; start < messages.length; start += IN_FLIGHT) {
    yield messages.slice(start, start + IN_FLIGHT);
  }
}

/** Returns the processor time of all server processes, in microseconds. */
async function serverUs({ folder }: Postgres): Promise<number> {
  const [main = ""] = (await Deno.readTextFile(`${folder}/data/postmaster.pid`)).split("\n");
  let ticks = 0;
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [parent, times] = [fields[1], fields.slice(11, 15).map(Number)];
    // The times of the main process include the times of child processes that have exited.
    if (name === main) ticks += times.reduce((sum, each) => sum + each, 0);
    else if (parent === main) ticks += (times[0] ?? 0) + (times[1] ?? 0);
  }
  return ticks * US_PER_TICK;
}
