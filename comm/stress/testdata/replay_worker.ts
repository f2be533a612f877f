/**
 * A process that accepts messages with a replay store in an SQLite file, for a test that kills it.
 * The commands are:
 *
 * - `accept FOLDER COUNT NOW_MS KILL_AT`: begins each of COUNT messages, and commits it if it was
 *   reserved. NOW_MS is the time of the store. The process kills itself at step KILL_AT: before a
 *   step of the store if KILL_AT is odd, and after it if KILL_AT is even. If KILL_AT is 0, the
 *   process does not kill itself.
 * - `remove FOLDER`: removes the folder.
 *
 * The `log` file in the folder contains a line for each reserved and for each committed message.
 *
 * @module
 */

import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import process from "node:process";
import { SqliteReplayStore } from "../../sqlite.ts";

const [command = "", folder = "", count = "0", nowMs = "0", killAt = "0"] = process.argv.slice(2);
const SENDER = "did:web:ann.example";
const TTL_MS = 1_000_000;
let steps = 0;

async function step<Value>(perform: () => Promise<Value>): Promise<Value> {
  const isLast = ++steps === Number(killAt);
  if (isLast && steps % 2 === 1) process.kill(process.pid, "SIGKILL");
  const value = await perform();
  if (isLast) process.kill(process.pid, "SIGKILL");
  return value;
}

async function accept(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await using store = new SqliteReplayStore(`${folder}/replay.db`, {
    ttlMs: TTL_MS,
    reservationMs: 1000,
    busyTimeoutMs: 10_000,
    now: () => Number(nowMs),
  });
  for (let index = 0; index < Number(count); index++) {
    const id = `m${index}`;
    const isReserved = await step(() => store.begin(SENDER, id, TTL_MS));
    if (isReserved !== true) continue;
    appendFileSync(`${folder}/log`, `reserved ${id}\n`);
    await step(() => store.commit(SENDER, id));
    appendFileSync(`${folder}/log`, `committed ${id}\n`);
  }
}

if (command === "accept") await accept();
else rmSync(folder, { recursive: true, force: true });
