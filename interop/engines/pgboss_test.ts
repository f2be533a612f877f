import { runJournalChecks, runQueueChecks } from "@parley/runtime/testing";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { PgBoss } from "pg-boss";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const ignore = !HAS_POSTGRES;

Deno.test("pgBossRuns() passes the checks of engines on PostgreSQL 18", { ignore }, async (t) => {
  await using server = await startPostgres({
    program: POSTGRES_RELEASES[18],
    settings: { fsync: "off" },
  });
  const open = () =>
    pgBossRuns({ PgBoss, connectionString: server.url, retryDelayMs: 1, maxConnections: 4 });
  for (const check of [...runJournalChecks, ...runQueueChecks]) {
    await t.step(check.name, () => check.run(open, { timeoutMs: 60_000 }));
  }
});
