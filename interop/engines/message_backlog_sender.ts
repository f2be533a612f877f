/**
 * Sends messages to an inbox without a consumer, and prints the heap size, in bytes, after one
 * fifth of the messages and at the end.
 *
 *     deno run -A --v8-flags=--expose-gc message_backlog_sender.ts <connection string> <messages>
 *
 * @module
 */

import { AgentCommMessage } from "@parley/comm";
import { pgBossQueue } from "@parley/comm/pgboss";
import { PgBoss } from "pg-boss";

const IN_FLIGHT = 64;

async function main([connectionString = "", messages = ""]: string[]): Promise<void> {
  await using queue = await pgBossQueue({ PgBoss, connectionString, inboxOf: () => "backlog" });
  const total = Number(messages);
  let next = 0;
  async function sendUpTo(end: number): Promise<void> {
    while (next < end) {
      await queue.send(
        new AgentCommMessage({
          sender: "did:web:ann.example",
          recipient: "did:web:bob.example",
          protocol: "agent.task.v1",
          messageType: "task_assign",
          payload: { number: next++, text: "x".repeat(1000) },
        }),
      );
    }
  }
  for (const end of [total / 5, total]) {
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => sendUpTo(end)));
    const gc: unknown = Reflect.get(globalThis, "gc");
    if (typeof gc === "function") gc();
    console.log(Deno.memoryUsage().heapUsed);
  }
}

await main(Deno.args);
