/**
 * The engine of the chaos tests.
 *
 * @module
 */

import { pgBossRuns } from "@parley/runtime/pgboss";
import type { RunEngine } from "@parley/runtime/runs";
import { sqliteRuns } from "@parley/runtime/sqlite";
import { PgBoss } from "pg-boss";

/**
 * Opens an engine. With SQLite, the leases are short, so that the runs of a killed worker continue
 * soon.
 *
 * @param url URL of a PostgreSQL database, or path of an SQLite file.
 * @param onError Called with errors that do not reject a promise.
 */
export async function openEngine(
  url: string,
  onError: (error: unknown) => void,
): Promise<RunEngine> {
  if (url.startsWith("postgres")) {
    return await pgBossRuns({ PgBoss, connectionString: url, maxConnections: 4, onError });
  }
  return sqliteRuns(url, { leaseMs: 3000, pollIntervalMs: 50, busyTimeoutMs: 20_000, onError });
}
