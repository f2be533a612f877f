/**
 * Processes that consume a queue in an SQLite file, and a process that sends messages and kills
 * them. The commands are:
 *
 * - `send KILLS MESSAGES`: sends MESSAGES messages of 40 senders while three processes consume
 *   them, kills one of the processes KILLS times, and prints what happened as JSON.
 * - `consume FOLDER`: consumes messages until the process is killed. The `log` file in the folder
 *   contains the payload of each message that was handled.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { formatMessage } from "../../message/message_json.ts";
import { AgentCommMessage } from "../../mod.ts";
import { sqliteQueue } from "../../sqlite.ts";

const SENDERS = 40;
const WORKERS = 3;

function open(folder: string) {
  return sqliteQueue(join(folder, "queue.db"), {
    inboxOf: () => "office",
    orderedInboxes: ["office"],
    leaseMs: 800,
    pollIntervalMs: 20,
  });
}

async function consume(folder: string): Promise<void> {
  await open(folder).consume("office", async ({ message: { payload } }) => {
    await setTimeout(5);
    // The operating system writes short lines of several processes one after the other.
    appendFileSync(join(folder, "log"), `${payload}\n`);
  });
}

function start(folder: string): Deno.ChildProcess {
  const args = ["run", "--quiet", "--no-check", "-A", import.meta.filename ?? ""];
  return new Deno.Command("deno", { args: [...args, "consume", folder], stdout: "null" }).spawn();
}

function readLog(folder: string): readonly number[] {
  return readFileSync(join(folder, "log"), "utf8").split("\n").slice(0, -1).map(Number);
}

/** Returns the first column of the rows of a query. */
function select(database: DatabaseSync, sql: string): readonly unknown[] {
  return database.prepare(sql).all().map((row) => Object.values(row)[0]);
}

/** Returns the id under which the queue tracks a message. */
function digest(message: AgentCommMessage): string {
  const text = `${message.sender} ${message.id} ${formatMessage(message)}`;
  return createHash("sha256").update(text).digest("base64url");
}

/** Returns the number of messages that were first handled after a later one of their sender. */
function countDisordered(log: readonly number[]): number {
  const last = new Map<number, number>();
  let disordered = 0;
  for (const payload of new Set(log)) {
    if ((last.get(payload % SENDERS) ?? -1) > payload) disordered++;
    last.set(payload % SENDERS, payload);
  }
  return disordered;
}

async function send(folder: string, kills: number, count: number): Promise<object> {
  await using queue = open(folder);
  using database = new DatabaseSync(join(folder, "queue.db"));
  database.exec("pragma busy_timeout = 5000");
  writeFileSync(join(folder, "log"), "");
  const workers = Array.from({ length: WORKERS }, () => start(folder));
  const payloadOf = new Map<string, number>();
  let sent = 0;
  let repeatedAfterAcknowledgment = 0;
  /** Acknowledged messages at the time of a kill, and the length of the log after it. */
  const checkpoints: { readonly done: ReadonlySet<number>; readonly length: number }[] = [];
  for (let kill = 0; kill < kills; kill++) {
    for (let n = 0; n < count / kills; n++) {
      const message = new AgentCommMessage({
        sender: `did:web:s${sent % SENDERS}.example`,
        recipient: "did:web:bob.example",
        protocol: "agent.task.v1",
        messageType: "task_assign",
        payload: sent,
      });
      payloadOf.set(digest(message), sent++);
      await queue.send(message);
    }
    // Kills are spread over the work instead of the start of the processes.
    const target = Math.max(readLog(folder).length, 1) + 7 * (kill % 5);
    while (readLog(folder).length < Math.min(target, sent)) await setTimeout(1);
    const index = kill % WORKERS;
    workers[index]?.kill("SIGKILL");
    await workers[index]?.status;
    workers[index] = start(folder);
    const ids = select(database, "select id from parley_queue_done");
    // A message whose id is read here was acknowledged before the log is read.
    const done = new Set(ids.map((id) => payloadOf.get(String(id)) ?? -1));
    checkpoints.push({ done, length: readLog(folder).length });
  }
  const left = () => Number(select(database, "select count(*) from parley_queue_message")[0]);
  while (left() > 0) await setTimeout(20);
  for (const worker of workers) worker.kill("SIGKILL");
  await Promise.all(workers.map(({ status }) => status));
  const log = readLog(folder);
  for (const { done, length } of checkpoints) {
    repeatedAfterAcknowledgment += log.slice(length).filter((payload) => done.has(payload)).length;
  }
  const handled = new Set(log).size;
  return {
    handled,
    left: left(),
    dead: Number(select(database, "select count(*) from parley_queue_dead")[0]),
    disordered: countDisordered(log),
    repeated: log.length - handled,
    repeatedAfterAcknowledgment,
    integrity: select(database, "pragma integrity_check")[0],
  };
}

const [command = "", first = "", second = ""] = Deno.args;
if (command === "consume") {
  await consume(first);
} else {
  const folder = mkdtempSync(join(tmpdir(), "parley-queue-"));
  try {
    console.log(JSON.stringify(await send(folder, Number(first), Number(second))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
