/**
 * Measures the processor time per message of `natsQueue` and of the NATS client without a queue, in
 * one run. The messages are not signed. Linux only.
 *
 *     deno run -A --config interop/deno.json interop/engines/nats_bench.ts [messages]
 *
 * The program without a queue stores the same JSON strings, each with its message id for
 * deduplication, and confirms each acknowledgment. The NATS server discards the message ids after
 * two minutes and when it restarts.
 *
 * @module
 */

import process from "node:process";
import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { AgentCommMessage, formatMessage, parseMessage } from "@parley/comm";
import { natsQueue } from "@parley/comm/nats";
import type { MessageQueue } from "@parley/comm/queues";
import { type NatsServer, startNats } from "./nats_server.ts";

const IN_FLIGHT = 64;
const ROUNDS = 5;

/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** Processor time per message, in milliseconds. */
interface Cost {
  readonly client: number;
  readonly server: number;
}

/** Sends the messages and receives all of them. */
type RoundTrip = (messages: readonly AgentCommMessage[]) => Promise<void>;

/** Calls a function for each item, `IN_FLIGHT` calls at a time. */
async function forEach<T>(items: readonly T[], call: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await call(item);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}

async function withoutQueue(
  client: JetStreamClient,
  messages: readonly AgentCommMessage[],
): Promise<void> {
  await forEach(messages, (message) =>
    client.publish("raw", formatMessage(message), {
      msgID: `${message.sender} ${message.id}`,
    }));
  const consumer = await client.consumers.get("raw", "raw");
  const source = await consumer.consume({ max_messages: IN_FLIGHT });
  const acknowledging: Promise<boolean>[] = [];
  for await (const message of source) {
    parseMessage(message.string());
    acknowledging.push(message.ackAck());
    if (acknowledging.length === messages.length) break;
  }
  await Promise.all(acknowledging);
}

async function withQueue(
  queue: MessageQueue,
  messages: readonly AgentCommMessage[],
): Promise<void> {
  await forEach(messages, (message) => queue.send(message));
  let received = 0;
  const stopping = new AbortController();
  await queue.consume("bench", () => {
    if (++received === messages.length) stopping.abort();
  }, { concurrency: IN_FLIGHT, signal: stopping.signal });
}

async function main([count = "3000"]: string[]): Promise<void> {
  await using server = await startNats();
  const connection = await connect({ servers: server.url });
  const client = jetstream(connection);
  const manager = await client.jetstreamManager();
  await manager.streams.add({ name: "raw", subjects: ["raw"], retention: "workqueue" });
  await manager.consumers.add("raw", { durable_name: "raw", ack_policy: "explicit" });
  const costs: { readonly raw: Cost[]; readonly queue: Cost[] } = { raw: [], queue: [] };
  const queue = await natsQueue({ jetstream: client, inboxOf: () => "bench" });
  for (let round = 0; round < ROUNDS; round++) {
    costs.raw.push(await measure(server, Number(count), (all) => withoutQueue(client, all)));
    costs.queue.push(await measure(server, Number(count), (all) => withQueue(queue, all)));
  }
  report(costs);
  await queue.close();
  await connection.close();
}

function messagesOf(count: number): readonly AgentCommMessage[] {
  return Array.from({ length: count }, (_, number) =>
    new AgentCommMessage({
      sender: "did:web:ann.example",
      recipient: "did:web:bob.example",
      protocol: "agent.task.v1",
      messageType: "task_assign",
      payload: { number, text: "x".repeat(200) },
    }));
}

async function measure(server: NatsServer, count: number, roundTrip: RoundTrip): Promise<Cost> {
  const messages = messagesOf(count);
  const [serverBefore, clientBefore] = [await serverMs(server), process.cpuUsage()];
  await roundTrip(messages);
  const { user, system } = process.cpuUsage(clientBefore);
  const serverTime = await serverMs(server) - serverBefore;
  return { client: (user + system) / 1000 / count, server: serverTime / count };
}

/** Returns the processor time of the server, in milliseconds. */
async function serverMs({ pid }: NatsServer): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

function report({ raw, queue }: { readonly raw: Cost[]; readonly queue: Cost[] }): void {
  for (const side of ["client", "server"] as const) {
    const [without, ours] = [medianOf(raw, side), medianOf(queue, side)];
    console.log(
      `${side}: NATS client ${without.toFixed(3)} ms, natsQueue ${
        ours.toFixed(3)
      } ms per message, ` +
        `ratio ${(ours / without).toFixed(2)}`,
    );
  }
}

function medianOf(costs: readonly Cost[], side: keyof Cost): number {
  const values = costs.map((cost) => cost[side]).sort((first, second) => first - second);
  return values[Math.floor(values.length / 2)] ?? NaN;
}

await main(Deno.args);
