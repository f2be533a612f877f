import { ToolLoopAgent } from "@parley/runtime";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { postgresStorage } from "@parley/runtime/postgres";
import { openRuns, type RunContext } from "@parley/runtime/runs";
import { type ServedAgent, serveSessions, toServedContext } from "@parley/runtime/serve";
import { createGate, type Gate } from "@parley/runtime/testing";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { createCheckAgent } from "../../runtime/serve/testdata/check_agent.ts";
import { serveWithWorker } from "../../runtime/serve/testdata/serve_with_worker.ts";
import { SERVED_CHECKS } from "../../runtime/serve/testdata/served_checks.ts";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

type Opened = ServedAgent & AsyncDisposable;

function openSessionsOf(db: pg.Pool, schema: string, gate: Gate): Opened {
  return serveSessions({
    storage: postgresStorage(db, { schema }),
    make: (run) => createCheckAgent(run, gate),
    flushMs: 0,
    drainMs: 0,
    onError: () => {},
  });
}

function openRunsOf(db: pg.Pool, schema: string, gate: Gate): Opened {
  const make = (run: RunContext): ToolLoopAgent => createCheckAgent(toServedContext(run), gate);
  const options = { storeEvents: true, flushMs: 0, pollIntervalMs: 50, onError: () => {} };
  const runs = openRuns(pgBossRuns({ PgBoss, db, schema }), { a: { version: "1", make } }, options);
  return serveWithWorker(runs, "a");
}

for (
  const [name, open] of [["serveSessions", openSessionsOf], ["serveRuns", openRunsOf]] as const
) {
  Deno.test(`${name}() passes the checks of served agents on PostgreSQL`, {
    ignore: !HAS_POSTGRES,
  }, async (t) => {
    await using server = await startPostgres({
      program: POSTGRES_RELEASES[18],
      settings: { fsync: "off" },
    });
    const pool = new pg.Pool({ connectionString: server.url, max: 8 });
    await using _ = { [Symbol.asyncDispose]: () => pool.end() };
    for (const [index, check] of SERVED_CHECKS.entries()) {
      await t.step(check.name, async () => {
        const gate = createGate();
        await using served = open(pool, `check_${index}`, gate);
        await check.run({ served, gate });
      });
    }
  });
}
