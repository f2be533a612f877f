/**
 * Runs the engine checks with pg-boss, and prints the failed checks as JSON. The command-line
 * argument is the connection string of a PostgreSQL database.
 *
 * @module
 */

import process from "node:process";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { runJournalChecks, runQueueChecks } from "@parley/runtime/testing";
import { PgBoss } from "pg-boss";

const [connectionString = ""] = process.argv.slice(2);
const checks = [...runJournalChecks, ...runQueueChecks];
const failed: string[] = [];
for (const check of checks) {
  const open = () => pgBossRuns({ PgBoss, connectionString, retryDelayMs: 1, maxConnections: 4 });
  await check.run(open, { timeoutMs: 60_000 }).catch((error) => {
    failed.push(`${check.name}: ${error}`);
  });
}
process.stdout.write(JSON.stringify({ checks: checks.length, failed }));
