import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "@parley/runtime";
import {
  openRuns,
  readRunResult,
  type RunEngine,
  type RunRecord,
  type Runs,
} from "@parley/runtime/runs";
import { pgBossRuns, type PgBossRunsOptions } from "@parley/runtime/pgboss";
import { createGate } from "@parley/runtime/testing";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { prepareSchema } from "../../runtime/runs/postgres_schema.ts";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { answerOf, chaosAgents, type ChaosRun, runOf } from "./chaos/agents.ts";
import { interrupt } from "./chaos/interrupt.ts";
import { IS_FULL } from "./full_size.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const ignore = !HAS_POSTGRES;
const agents = chaosAgents(true, () => {});
const run = { agent: "clerk", version: "1", input: "Hi" };

/** Connects a client. */
async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Returns the final answer of a run. */
function textOf(run: RunRecord): string {
  return readRunResult(run)?.finalText ?? "";
}

/** Waits until a run is waiting for a decision, and returns the key of the decision. */
async function untilWaiting(runs: Runs, runId: string): Promise<string> {
  for (;;) {
    const [wait] = (await runs.get(runId))?.waitingFor ?? [];
    if (wait !== undefined) return wait.key;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

Deno.test("pgBossRuns()", { ignore }, async (t) => {
  await using server = await startPostgres({
    program: POSTGRES_RELEASES[18],
    settings: { fsync: "off" },
  });
  const { url: connectionString } = server;
  await using client = await connect(connectionString);
  const open = (options: Partial<PgBossRunsOptions> = {}) =>
    pgBossRuns({ PgBoss, connectionString, maxConnections: 4, retryDelayMs: 1, ...options });
  await t.step("creates its tables once if several processes start at the same time", async () => {
    const engines = await Promise.all([1, 2, 3].map(() => open({ schema: "shared" })));
    assertEquals(await engines[0]?.journal.create({ ...run, runId: "r" }), true);
    assertEquals(await engines[2]?.journal.create({ ...run, runId: "r" }), false);
    for (const engine of engines) await engine[Symbol.asyncDispose]();
    const { rows } = await client.query(
      "select table_name as name from information_schema.tables where table_schema = 'shared' order by 1",
    );
    const log = ["run_earlier", "run_entry", "run_fence", "run_head"];
    assertEquals(rows.map(({ name }) => name), ["entry", "fence", "run", ...log]);
  });

  await t.step(
    "creates its tables once if several connected processes continue at the same time",
    async () => {
      const clients = await Promise.all(Array.from({ length: 4 }, () => connect(connectionString)));
      for (const schema of ["a", "b", "c", "d", "e"]) {
        await Promise.all(clients.map((each) => prepareSchema(each, schema, { migrate: true })));
      }
      for (const each of clients) await each.end();
    },
  );

  await t.step("limits the runs of a party and the signals of a run", async () => {
    await using engine = await open({ schema: "limits", maxPartyRuns: 2, maxSignals: 2 });
    const { journal } = engine;
    const party = "did:web:eve.example";
    const add = (runId: string, of: string = party) => journal.create({ ...run, runId, party: of });
    assertEquals([await add("a"), await add("b"), await add("b")], [true, true, false]);
    await assertRejects(() => add("c"), AgentError, "has 2 runs that have not ended");
    await journal.append("a", 1, { v: 1, key: "k", kind: "tool", value: 1 });
    await journal.cancel("a");
    assertEquals([await add("b"), await add("c"), await add("d", "ann")], [false, true, true]);
    assertEquals((await journal.list()).map(({ runId }) => runId), ["b", "c", "d"]);
    assertEquals((await journal.get("c"))?.party, party);

    const opened = await journal.open("b");
    await journal.close("b", opened?.run.epoch ?? 0, {
      status: "waiting",
      waitingFor: ["paid", "sent", "b/decision", "left"].map((key) => {
        return { kind: "signal", key, path: ["clerk"], toolName: "t" } as const;
      }),
    });
    const outcomes: string[] = [];
    for (const key of ["j1", "j2", "j3", "b/x", "b/y", "b/z", "paid", "sent"]) {
      outcomes.push(await journal.signal("b", key, 1));
    }
    const kind = ["stored", "stored", "full"];
    // After the first signal, the run no longer waits, but it waited for the second one, too.
    assertEquals(outcomes, [...kind, ...kind, "stored", "stored"]);
    assertEquals((await journal.get("b"))?.status, "queued");
    const { epoch = 0 } = (await journal.open("b"))?.run ?? {};
    assertEquals(await journal.signal("b", "b/decision", 1), "stored");
    await journal.close("b", epoch, { status: "queued" });
    assertEquals(await journal.signal("b", "left", 1), "stored");
    const again = (await journal.open("b"))?.run.epoch ?? 0;
    await journal.close("b", again, { status: "waiting", waitingFor: [] });
    assertEquals(await journal.signal("b", "b/other", 1), "full");
  });

  await t.step("fences the worker of a deleted run from a run with the same id", async () => {
    await using engine = await open({ schema: "fences", maxPartyRuns: 1 });
    const { journal } = engine;
    const add = (runId: string) => journal.create({ ...run, runId, party: "eve" });
    for (const way of ["purge", "room"]) {
      const runId = `run-${way}`;
      await add(runId);
      const old = (await journal.open(runId))?.run.epoch ?? NaN;
      await journal.cancel(runId);
      if (way === "purge") await journal.purge(new Date(Date.now() + 60_000));
      else {
        await add("other");
        await journal.cancel("other");
      }
      assertEquals(await add(runId), true);
      const { epoch = NaN } = (await journal.open(runId))?.run ?? {};
      assertEquals(epoch > old + 1, true);
      const step = { v: 1, key: "k", kind: "model", value: 1 } as const;
      assertEquals(await journal.append(runId, old, step), "fenced");
      assertEquals(await journal.close(runId, old, { status: "done", result: 1 }), "fenced");
      assertEquals(await journal.append(runId, epoch, step), "stored");
      await journal.cancel(runId);
    }
  });

  await t.step("delivers the runs of the parties in turns", async () => {
    const order: string[] = [];
    const engine = await open({ schema: "turns" });
    const openRun = engine.journal.open.bind(engine.journal);
    engine.journal.open = (runId) => {
      order.push(runId);
      return openRun(runId);
    };
    await using runs = openRuns(engine, agents);
    const started = { agent: "clerk", input: "plain" };
    for (const runId of ["m0", "m1", "m2"]) {
      await runs.start({ ...started, runId, party: "mallory" });
    }
    await runs.start({ ...started, runId: "a0", party: "ann" });
    await runs.start({ ...started, runId: "a1", party: "ann" });
    await runs.start({ ...started, runId: "own" });
    const working = runs.work({ concurrency: 1 });
    for (const runId of ["m2", "a1", "own"]) await runs.result(runId);
    assertEquals(order, ["m0", "a0", "own", "m1", "a1", "m2"]);
    await runs.close();
    await working;
  });

  await t.step("migrates the tables of an older version", async () => {
    await using engine = await open({ schema: "older" });
    await engine.journal.create({ ...run, runId: "r" });
    await client.query(`alter table older.run drop column party, drop column metadata;
      drop index older.run_updated; drop table older.fence;
      comment on table older.run is 'Durable runs of @parley/runtime, schema version 1'`);
    await using migrated = await open({ schema: "older" });
    assertEquals((await migrated.journal.get("r"))?.status, "queued");
    assertEquals(await migrated.journal.create({ ...run, runId: "s", party: "ann" }), true);
  });

  await t.step("starts a run if and when the transaction of the caller is committed", async () => {
    await using runs = openRuns(open(), agents);
    await client.query("create table orders (id text)");
    for (const end of ["rollback", "commit"]) {
      await client.query("begin");
      await client.query("insert into orders values ('o1')");
      await runs.start({ runId: "order", agent: "clerk", input: "plain", tx: client });
      assertEquals(await runs.get("order"), undefined);
      await client.query(end);
      const { rows: [row] } = await client.query(
        "select (select count(*)::int from orders) as orders, (select count(*)::int from parley_pgboss.job) as jobs",
      );
      const count = end === "commit" ? 1 : 0;
      assertEquals([row.orders, row.jobs], [count, count]);
    }
    assertEquals((await runs.get("order"))?.status, "queued");
    const working = runs.work();
    assertEquals((await runs.result("order")).status, "done");
    await runs.close();
    await working;
    await assertRejects(
      () => openRuns(open(), agents).start({ runId: "x", agent: "clerk", input: "Hi", tx: 5 }),
      TypeError,
      '"tx"',
    );
  });

  await t.step("keeps one of two contrary decisions from different processes", async () => {
    await using one = openRuns(open(), agents);
    await using other = openRuns(open(), agents);
    const chosen: ChaosRun = { ...runOf(3), runId: "decision" };
    await one.start(chosen);
    const working = one.work();
    const key = await untilWaiting(other, chosen.runId);
    const outcomes = await Promise.all([
      one.signal(chosen.runId, key, { decision: "approve" }),
      other.signal(chosen.runId, key, { decision: "deny" }),
    ]);
    const names = outcomes.map(({ outcome }) => outcome);
    assertEquals(names.toSorted(), ["conflict", "stored"]);
    const ended = await other.result(chosen.runId);
    assertEquals(ended.status, "done");
    assertEquals(textOf(ended).includes("r1.0"), names[0] === "stored");
    assertEquals((await other.signal(chosen.runId, "late", 1)).outcome, "ended");
    await one.close();
    await working;
  });

  await t.step("aborts a run that another process cancels within about a second", async () => {
    await using worker = await open();
    await using other = await open();
    const started = createGate();
    const stopping = new AbortController();
    let abortedAt = 0;
    await worker.journal.create({ ...run, runId: "cancelled" });
    await worker.queue.wake({ ...run, runId: "cancelled" }, { id: "0" });
    const working = worker.queue.work(
      [run],
      { concurrency: 1, signal: stopping.signal },
      async (runId, { signal }) => {
        await worker.journal.open(runId);
        const aborted = new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => resolve())
        );
        started.release();
        void started.wait();
        await aborted;
        abortedAt = performance.now();
        stopping.abort();
      },
    );
    await started.reached;
    const cancelledAt = performance.now();
    assert(await other.journal.cancel("cancelled"));
    await other.queue.drop({ ...run, runId: "cancelled" });
    await working;
    // The worker detects the cancellation with its next heartbeat, which it sends every second.
    assert(abortedAt - cancelledAt < 5000, `${abortedAt - cancelledAt} ms`);
  });

  for (const isDamaged of [false, true]) {
    const kind = isDamaged ? "damaged run" : "run";
    await t.step(`lets a ${kind} fail whose workers crash or hang again and again`, async () => {
      const schema = isDamaged ? "damaged_poison" : "poison";
      const errors: string[] = [];
      const buried = createGate();
      const onError = (error: unknown): void => {
        errors.push(String(error));
        void buried.wait();
      };
      await using engine = await open({ schema, maxDeliveries: 1, onError });
      const stopping = new AbortController();
      await using runs = openRuns(shared(engine), agents);
      await runs.start({ runId: "poison", agent: "clerk", input: "Hi" });
      if (isDamaged) await client.query(`update ${schema}.run set input = '{'`);
      // pg-boss takes an expired job away from its worker, as it does after a worker crash.
      const expire = `update ${schema}_pgboss.job set expire_seconds = 0 where state = 'active'`;
      const working = engine.queue.work(
        [{ agent: "clerk", version: "1" }],
        { concurrency: 1, signal: stopping.signal },
        async (_runId, { signal }) => {
          await client.query(expire);
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        },
      );
      buried.release();
      await buried.reached;
      const { error, status } = await runs.result("poison");
      stopping.abort();
      await working;
      assertEquals([status, error?.code], ["failed", isDamaged ? "run_damaged" : "run_limit"]);
      const report = isDamaged ? "input was changed" : "1 workers crashed";
      assert(errors.some((text) => text.includes(report)), errors.join("\n"));
      // The failed job would hold back the jobs of a later run with the same id.
      const { rows } = await client.query(
        `select name from ${schema}_pgboss.job where name = 'clerk.1'`,
      );
      assertEquals(rows, []);
    });
  }

  await t.step("delivers a run whose id was used by a purged run", async () => {
    await using runs = openRuns(open({ schema: "again" }), agents);
    const working = runs.work();
    for (const input of ["plain", "again"]) {
      assert(await runs.start({ runId: "again", agent: "clerk", input }));
      assertEquals((await runs.result("again")).status, "done");
      assertEquals(await runs.purge(new Date(Date.now() + 60_000)), 1);
    }
    await runs.close();
    await working;
  });

  await t.step("counts runs by status and purges many runs", async () => {
    await using engine = await open({ schema: "counts" });
    const empty = { queued: 0, running: 0, waiting: 0, done: 0, failed: 0, cancelled: 0 };
    assertEquals(await engine.countRuns(), empty);
    await client.query(
      `insert into counts.run (run_id, agent, version, input, status)
       select 'r' || n, 'clerk', '1', '"Hi"', case when n <= 2500 then 'done' else 'waiting' end
       from generate_series(1, 2510) as n`,
    );
    await client.query(
      `insert into counts.entry (run_id, id, is_signal, key, content, digest)
       select run_id, gen_random_uuid(), false, 'k', 'null', '' from counts.run`,
    );
    assertEquals(await engine.countRuns(), { ...empty, done: 2500, waiting: 10 });
    assertEquals(await engine.journal.purge(new Date(Date.now() + 60_000)), 2500);
    assertEquals(await engine.countRuns(), { ...empty, waiting: 10 });
    const { rows } = await client.query("select count(*)::int as n from counts.entry");
    assertEquals(rows, [{ n: 10 }]);
  });

  await t.step("lets a run fail that another program has damaged", async () => {
    await using engine = await open({ schema: "damaged" });
    const { journal } = engine;
    await journal.create({ ...run, runId: "r1" });
    await journal.open("r1");
    await journal.append("r1", 1, { v: 1, key: "a", kind: "tool", value: 1 });
    await journal.signal("r1", "s", 1);
    const cases = [
      [
        "update damaged.entry set content = replace(content, '1}', '2}') where key = 'a'",
        'step "a"',
      ],
      ["update damaged.entry set content = '2' where key = 's'", 'signal "s"'],
      ["update damaged.run set input = '{'", "input"],
      ["update damaged.run set metadata = '{'", "metadata"],
      ["update damaged.run set waiting_for = '[1]'", "the row of the run"],
    ];
    for (const [sql = "", place = ""] of cases) {
      await client.query(sql);
      if (place !== "the row of the run") {
        await assertRejects(() => journal.open("r1"), Error, `${place} was changed`);
        assertEquals(await journal.open("r1"), undefined);
      }
      const { error, status } = await journal.get("r1") ?? {};
      assertEquals([status, error?.code], ["failed", "run_damaged"]);
      assert(error?.message.includes(`${place} was changed`), error?.message);
      await client.query(
        "update damaged.run set status = 'running', input = '\"Hi\"', metadata = null, error = null",
      );
      await client.query("delete from damaged.entry where content = '2' or content like '%2}'");
    }
    await client.query("update damaged.run set status = 'lost', waiting_for = '[]'");
    const { error, status } = await journal.get("r1") ?? {};
    assertEquals([status, error?.code], ["failed", "run_damaged"]);
    assertEquals([await journal.open("r1"), await journal.cancel("r1")], [undefined, false]);
    assertEquals(await journal.signal("r1", "t", 1), "ended");
  });

  await t.step("reports a damaged run once, and executes other runs", async () => {
    const errors: string[] = [];
    const onError = (error: unknown): void => void errors.push(String(error));
    await using runs = openRuns(open({ schema: "once" }), agents, { onError });
    for (const runId of ["r1", "r2"]) await runs.start({ runId, agent: "clerk", input: "plain" });
    await client.query("update once.run set input = '{' where run_id = 'r1'");
    const working = runs.work({ concurrency: 1 });
    assertEquals((await runs.result("r2")).status, "done");
    const { error, status } = await runs.result("r1");
    assertEquals([status, error?.code], ["failed", "run_damaged"]);
    // The worker may have requested another delivery of run r1 before the run failed. That delivery
    // ends without an error.
    const jobs = `select id from once_pgboss.job
      where data->>'runId' = 'r1' and state in ('created', 'retry', 'active')`;
    while (errors.length < 2 && (await client.query(jobs)).rows.length > 0);
    await runs.close();
    await working;
    assertEquals(errors, [`AgentError: ${error?.message}`]);
  });

  await t.step("rejects tables of a newer version and of another program", async () => {
    await (await open({ schema: "newer" }))[Symbol.asyncDispose]();
    await client.query(
      "comment on table newer.run is 'Durable runs of @parley/runtime, schema version 5'",
    );
    const prefix = "Cannot open the runs in the database: ";
    await assertRejects(
      () => open({ schema: "newer" }),
      Error,
      `${prefix}schema "newer" has version 5, but this version of @parley/runtime requires 4`,
    );
    await client.query("create schema other; create table other.run (id text)");
    await assertRejects(
      () => open({ schema: "other" }),
      Error,
      `${prefix}schema "other" contains a table "run" that belongs to another program`,
    );
    const wrong = connectionString.replace(/:[^:@]*@/, ":secret-1@");
    const error = await assertRejects(() => open({ connectionString: wrong }), Error, prefix);
    assert(!error.message.includes("secret-1"), error.message);
  });

  await t.step("uses the database of the caller", async () => {
    const pool = new pg.Pool({ connectionString, max: 4 });
    await using runs = openRuns(pgBossRuns({ PgBoss, db: pool, schema: "pooled" }), agents);
    const working = runs.work({ concurrency: 1 });
    await runs.start({ runId: "r1", agent: "clerk", input: "plain" });
    assertEquals((await runs.result("r1")).status, "done");
    await runs.close();
    await working;
    await pool.query("select 1");
    await pool.end();
  });
});

Deno.test("pgBossRuns() waits for a database that starts later", { ignore }, async () => {
  await using server = await startPostgres({ program: POSTGRES_RELEASES[18] });
  await server.kill();
  const refused = createGate();
  const opening = pgBossRuns({
    PgBoss,
    connectionString: server.url,
    onError: () => void refused.wait(),
  });
  refused.release();
  await refused.reached;
  await server.restart();
  await (await opening)[Symbol.asyncDispose]();
});

for (const seconds of [0, 30]) {
  Deno.test(`A run loses nothing while the database is down for ${seconds} s`, {
    ignore: ignore || seconds > 0 && !IS_FULL,
  }, async () => {
    await using server = await startPostgres({ program: POSTGRES_RELEASES[18] });
    const inModel = createGate();
    const begun: string[] = [];
    const waiting = chaosAgents(true, (key) => {
      if (key.endsWith("/i3/model")) void inModel.wait();
      begun.push(key);
    });
    const connectionString = server.url;
    const opening = pgBossRuns({ PgBoss, connectionString, onError: () => {} });
    await using runs = openRuns(opening, waiting, { onError: () => {} });
    await runs.start({ runId: "down", agent: "clerk", input: "plain" });
    inModel.release();
    const working = runs.work({ concurrency: 1 });
    await inModel.reached;
    await interrupt(server, 1000 * seconds);
    const ended = await runs.result("down");
    assertEquals(ended.status, "done");
    assertEquals(textOf(ended).split(","), answerOf({ ...runOf(0), input: "plain" }));
    assertEquals(new Set(begun).size, 16);
    // The worker records the interrupted step when the database is available again. If the run was
    // redelivered in the meantime, the worker repeats the step.
    assert(begun.length <= (seconds === 0 ? 16 : 17), begun.join("\n"));
    await runs.close();
    await working;
  });
}

/** Returns an engine that is not disposed when the runs are. */
function shared({ journal, queue }: RunEngine): RunEngine {
  return { journal, queue, [Symbol.asyncDispose]: () => Promise.resolve() };
}
