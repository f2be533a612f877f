/**
 * Uses message queues: the checks of queues with an SQLite file, a message in a transaction of the
 * program, and consumers that have nothing to do. A runtime exits if nothing keeps it running,
 * although a promise is pending, so the program must print its last line.
 *
 * @module
 */

import { rmSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers";
import { AgentCommMessage } from "@parley/comm";
import { memoryQueue, type MessageQueue } from "@parley/comm/queues";
import { sqliteQueue } from "@parley/comm/sqlite";
import { queueChecks } from "@parley/comm/testing";
import { checkEqual } from "./assertions.ts";

function removeFile(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

function inboxOf(): string {
  return "office";
}

/** Runs the checks of queues with a file. */
async function checkFile(path: string): Promise<void> {
  for (const check of queueChecks) await check.run((options) => sqliteQueue(path, options));
}

/** Stores a message in a transaction, and receives the message. */
async function useTransaction(path: string): Promise<void> {
  const database = new DatabaseSync(path);
  const queue = sqliteQueue(path, { inboxOf });
  const stopping = new AbortController();
  const payloads: unknown[] = [];
  for (const end of ["rollback", "commit"]) {
    database.exec("begin immediate");
    const message = new AgentCommMessage({
      sender: "did:web:ann.example",
      recipient: "did:web:bob.example",
      protocol: "agent.task.v1",
      messageType: "task_assign",
      payload: end,
    });
    await queue.send(message, { tx: database });
    database.exec(end);
  }
  await queue.consume("office", ({ message }) => {
    payloads.push(message.payload);
    stopping.abort();
  }, { signal: stopping.signal });
  await queue.close();
  database.close();
  checkEqual(payloads, ["commit"], "a transaction does not determine what is stored");
}

/** Consumes an empty inbox until a timer that does not keep the process running stops it. */
async function idle<Tx>(open: () => MessageQueue<Tx>, end: "abort" | "close"): Promise<void> {
  const queue = open();
  const stopping = new AbortController();
  setTimeout(() => end === "abort" ? stopping.abort() : queue.close(), 100).unref();
  await queue.consume("office", () => {}, { signal: stopping.signal });
  await queue.close();
}

async function main([path = ""]: readonly string[]): Promise<void> {
  removeFile(path);
  await checkFile(path);
  await useTransaction(path);
  removeFile(path);
  for (const end of ["abort", "close"] as const) {
    await idle(() => memoryQueue({ inboxOf }), end);
    await idle(() => sqliteQueue(":memory:", { inboxOf }), end);
  }
  process.stdout.write("queues work\n");
}

// With a top-level `await`, Deno and Bun wait for timers that do not keep the process running.
main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
