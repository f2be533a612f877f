import { assert, assertEquals } from "@std/assert";
import { ToolLoopAgent } from "@parley/runtime";
import { openRuns, readRunResult, type RunFilter, type RunPosition } from "@parley/runtime/runs";
import { pgBossRuns, type PgBossRunsOptions } from "@parley/runtime/pgboss";
import { scriptedModel } from "@parley/runtime/testing";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

/**
 * Tables of version 3: r1 waits for an approval and has two signals, r2 is done and was approved,
 * r3 waits for a signal, and r4 has failed. The digest of a signal is that of the JSON text of the
 * run id, the key and the value.
 */
const VERSION_3 = `
create schema older;
create table older.run (
  run_id text collate "C" primary key, agent text not null, version text not null,
  input text not null, status text not null default 'queued', epoch integer not null default 0,
  waiting_for text not null default '[]', awaited text[] not null default '{}',
  signals text[] not null default '{}', due text, result text, error text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(), party text collate "C"
);
create index run_status on older.run (status, agent, run_id);
create index run_ended on older.run (updated_at) where status in ('done', 'failed', 'cancelled');
create index run_party on older.run (party, updated_at, run_id) where party is not null;
create table older.entry (
  run_id text collate "C" not null, id uuid not null,
  position bigint generated always as identity, is_signal boolean not null, key text not null,
  content text not null, digest text not null, primary key (run_id, id)
);
create table older.fence (
  id boolean primary key default true check (id), epoch integer not null default 0
);
insert into older.fence default values;
comment on table older.run is 'Durable runs of @parley/runtime, schema version 3';
insert into older.run (run_id, agent, version, input, status, epoch, waiting_for, awaited, signals,
  result, error, updated_at, party) values
  ('r1', 'clerk', '1', '"Go"', 'waiting', 1,
    '[{"kind":"approval","key":"r1/i0/approval/0","path":["clerk"],"reason":"approval","toolName":"pay","input":{"euros":5}}]',
    '{r1/i0/approval/0}', '{b,a}', null, null, '2026-01-01T00:00:07.000Z', 'ann'),
  ('r2', 'clerk', '1', '"Go"', 'done', 2, '[]', '{}', '{r2/i0/approval/0}',
    '{"finalText":"Old","hasAnswer":true,"stopReason":"model_stop","totalUsage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}}',
    null, '2026-01-01T00:00:09.000Z', null),
  ('r3', 'clerk', '1', '"Go"', 'waiting', 1,
    '[{"kind":"signal","key":"paid","path":["clerk"],"toolName":"ship"}]', '{paid}', '{}',
    null, null, '2026-01-01T00:00:07.000Z', null),
  ('r4', 'clerk', '1', '"Go"', 'failed', 1, '[]', '{}', '{}', null,
    '{"code":"core","message":"no"}', '2026-01-01T00:00:08.000Z', null);
insert into older.entry (run_id, id, is_signal, key, content, digest) values
  ('r1', '00000000-0000-0000-0000-000000000001', true, 'b', '1', 'NmcrjnnatqiZTaUOMYon-curZ-vX97Hk2D6c6fVG9yg'),
  ('r1', '00000000-0000-0000-0000-000000000002', true, 'a', '[2]', 'uvijJFMwyBg6uEVrTQmrlO-BMx2YZ15TUvqCzOsfH-k'),
  ('r2', '00000000-0000-0000-0000-000000000003', true, 'r2/i0/approval/0',
    '{"decision":"approve"}', 'vw8TuRkVboGjf2k6GwFlX8eTWzX9r4tYKH4LeEj5It4');
`;

Deno.test("pgBossRuns() migrates tables and reads lists from indexes", {
  ignore: !HAS_POSTGRES,
}, async (t) => {
  await using server = await startPostgres({
    program: POSTGRES_RELEASES[18],
    settings: { fsync: "off" },
  });
  const { url: connectionString } = server;
  const pool = new pg.Pool({ connectionString, max: 4 });
  await using _ = { [Symbol.asyncDispose]: () => pool.end() };
  const open = (options: Partial<PgBossRunsOptions> = {}) =>
    pgBossRuns({ PgBoss, db: pool, retryDelayMs: 1, ...options });

  await t.step("continues and reads the runs of version 3", async () => {
    await pool.query(VERSION_3);
    const make = () =>
      new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Done" }]) });
    await using runs = openRuns(open({ schema: "older" }), { clerk: { version: "1", make } });
    const updated = await runs.list({ order: "updated" });
    assertEquals(updated.map(({ runId }) => runId), ["r2", "r4", "r3", "r1"]);
    const [, , waiting, approving] = updated;
    assertEquals(waiting?.waitingFor, [
      { kind: "signal", key: "paid", path: ["clerk"], toolName: "ship" },
    ]);
    assertEquals(approving?.waitingFor, [{
      kind: "approval",
      key: "r1/i0/approval/0",
      path: ["clerk"],
      reason: "approval",
      toolName: "pay",
      input: { euros: 5 },
    }]);
    const [done] = updated;
    assertEquals(done && readRunResult(done), {
      finalText: "Old",
      hasAnswer: true,
      stopReason: "model_stop",
      totalUsage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    });
    await runs.signal("r1", "0", "new");
    assertEquals(await Array.fromAsync(runs.signals("r1")), [
      { key: "b", value: 1 },
      { key: "a", value: [2] },
      { key: "0", value: "new" },
    ]);
    assertEquals(await Array.fromAsync(runs.signals("r2")), [
      { key: "r2/i0/approval/0", value: { decision: "approve" } },
    ]);
    await runs.signal("r3", "paid", 1);
    const working = runs.work();
    assertEquals((await runs.result("r3")).status, "done");
    const start = { runId: "r5", agent: "clerk", input: "Go" };
    await runs.start({ ...start, metadata: { user: "ann" } });
    assertEquals((await runs.get("r5"))?.metadata, { user: "ann" });
    await runs.close();
    await working;
    // The tables have the new version, so they need no migration.
    await (await open({ schema: "older", migrate: false }))[Symbol.asyncDispose]();
  });

  await t.step("reads each run once if many changed in the same millisecond", async () => {
    await using engine = await open({ schema: "pages" });
    const { journal } = engine;
    await pool.query(
      `insert into pages.run (run_id, agent, version, input, updated_at)
       select 'r' || lpad(n::text, 2, '0'), 'clerk', '1', '"Hi"',
         case when n in (3, 20) then '2026-01-01T00:00:00.002Z'
           else '2026-01-01T00:00:00.001Z' end::timestamptz
       from generate_series(0, 24) as n`,
    );
    const ids = Array.from({ length: 25 }, (_, n) => `r${String(n).padStart(2, "0")}`);
    const rest = ids.filter((runId) => runId !== "r03" && runId !== "r20").toReversed();
    for (const limit of [1, 4, 25]) {
      const found: string[] = [];
      let after: RunPosition | undefined;
      do {
        const page = await journal.list({ order: "updated", limit, after });
        found.push(...page.map(({ runId }) => runId));
        after = page.at(-1);
      } while (after !== undefined);
      assertEquals(found, ["r20", "r03", ...rest]);
    }
  });

  await t.step("reads a page of many runs from an index", async () => {
    const queries: (readonly [text: string, values: readonly unknown[] | undefined])[] = [];
    const db = {
      query: (text: string, values?: unknown[]) => {
        queries.push([text, values]);
        return pool.query(text, values);
      },
    };
    await using engine = await open({ schema: "many", db });
    const { journal } = engine;
    await pool.query(
      `insert into many.run (run_id, agent, version, input, updated_at)
       select 'user-' || n % 100 || '/' || n, 'clerk', '1', '"Hi"', now() - n * interval '1 ms'
       from generate_series(1, 20000) as n`,
    );
    await pool.query("analyze many.run");
    const planOf = async (filter: RunFilter): Promise<string> => {
      queries.length = 0;
      await journal.list(filter);
      const [text = "", values = []] = queries.find(([sql]) => sql.includes("limit")) ?? [];
      const { rows } = await pool.query(`explain ${text}`, [...values]);
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    };
    const [, last] = await journal.list({ order: "updated", limit: 2 });
    for (const filter of [{}, { after: last }]) {
      const plan = await planOf({ order: "updated", limit: 100, ...filter });
      assert(plan.includes("Index Scan Backward using run_updated"), plan);
      assert(!plan.includes("Sort"), plan);
    }
    const plan = await planOf({ prefix: "user-7/" });
    const range = "Index Cond: ((run_id >= 'user-7/'::text) AND (run_id < 'user-70'::text))";
    assert(plan.includes(range), plan);
    assertEquals((await journal.list({ prefix: "user-7/", limit: 1000 })).length, 200);
  });
});
