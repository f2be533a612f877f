/**
 * Runs the engine checks with pg-boss, and prints the failed checks as JSON. The command-line
 * argument is the connection string of a PostgreSQL database.
 *
 * @module
 */

import process from "node:process";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { runJournalChecks, runLogChecks, runQueueChecks } from "@parley/runtime/testing";
import { PgBoss } from "pg-boss";

const [connectionString = ""] = process.argv.slice(2);
const options = { timeoutMs: 60_000 };
const failed: string[] = [];

function open() {
  return pgBossRuns({ PgBoss, connectionString, retryDelayMs: 1, maxConnections: 4 });
}

async function openLog() {
  const { log, ...engine } = await open();
  if (log === undefined) throw new Error("The engine has no log");
  return { ...engine, log };
}

async function check(name: string, work: Promise<void>): Promise<void> {
  await work.catch((error) => void failed.push(`${name}: ${error}`));
}

const engineChecks = [...runJournalChecks, ...runQueueChecks];
for (const one of engineChecks) await check(one.name, one.run(open, options));
for (const one of runLogChecks) await check(one.name, one.run(openLog, options));
const checks = engineChecks.length + runLogChecks.length;
process.stdout.write(JSON.stringify({ checks, failed }));
