/**
 * A worker that claims two runs and never finishes them, until the benchmark kills the worker. The
 * command-line argument is a PostgreSQL connection string.
 *
 * @module
 */

import process from "node:process";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { PgBoss } from "pg-boss";

const [connectionString = ""] = process.argv.slice(2);
const { queue } = await pgBossRuns({ PgBoss, connectionString, schema: "takeover" });
await queue.work([{ agent: "clerk", version: "1" }], { concurrency: 2 }, async (runId) => {
  process.stdout.write(`${runId}\n`);
  await new Promise(() => {});
});
