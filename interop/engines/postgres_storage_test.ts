import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentError, type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import {
  fromPostgres,
  postgresStorage,
  type PostgresStorageOptions,
  type SqlClient,
} from "@parley/runtime/postgres";
import { openSessions, type RunHead, type SessionStorage } from "@parley/runtime/session";
import { createGate, scriptedModel, sessionStorageChecks } from "@parley/runtime/testing";
import pg from "pg";
import postgres from "postgres";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const ignore = !HAS_POSTGRES;
const NEVER = new AbortController().signal;
const CLAIM = {
  runId: "r/0",
  isNew: true,
  turn: "Hi",
  turnId: undefined,
  leaseMs: 60_000,
  seenEpoch: 0,
  metadata: {},
  keepRuns: 10,
};

interface Database extends AsyncDisposable {
  readonly db: SqlClient;
}

const DRIVERS: Readonly<Record<string, (url: string) => Database>> = {
  pg: (url) => {
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    pool.on("error", () => {});
    return { db: pool, [Symbol.asyncDispose]: () => pool.end() };
  },
  postgres: (url) => {
    const sql = postgres(url, { onnotice: () => {}, max: 4 });
    return { db: fromPostgres(sql), [Symbol.asyncDispose]: () => sql.end() };
  },
};

function connect(url: string): Database {
  return DRIVERS.pg?.(url) ?? fail();
}

function fail(): never {
  throw new Error("the driver is missing");
}

async function withServer(
  version: keyof typeof POSTGRES_RELEASES,
  body: (server: Postgres) => Promise<void>,
): Promise<void> {
  await using server = await startPostgres({
    program: POSTGRES_RELEASES[version],
    settings: { fsync: "off" },
  });
  await body(server);
}

for (const version of [16, 17, 18] as const) {
  Deno.test(`postgresStorage() passes the checks of storages on PostgreSQL ${version}`, {
    ignore,
  }, async (t) => {
    await withServer(version, async ({ url }) => {
      for (const [name, open] of Object.entries(DRIVERS)) {
        for (const listen of [true, false]) {
          await using database = open(url);
          for (const check of sessionStorageChecks) {
            await t.step(`${name}, ${listen ? "LISTEN" : "polling"}: ${check.name}`, () => {
              return check.run(() => postgresStorage(database.db, { listen }));
            });
          }
        }
      }
    });
  });
}

Deno.test("two storages with their own pools pass the checks together", {
  ignore,
}, async (t) => {
  await withServer(18, async ({ url }) => {
    await using one = connect(url);
    await using two = connect(url);
    for (const listen of [true, false]) {
      const open = (): SessionStorage => {
        const [writer, reader] = [one, two].map(({ db }) =>
          postgresStorage(db, { listen, pollIntervalMs: 20 })
        );
        if (writer === undefined || reader === undefined) return fail();
        const reads = new Set<unknown>(["changed", "find", "head", "history", "list", "read"]);
        return {
          records: reader.records,
          log: new Proxy(writer.log, {
            get(_, name) {
              const { log } = reads.has(name) ? reader : writer;
              return Reflect.get(log, name).bind(log);
            },
          }),
          steps: {
            load: (key) => reader.steps?.load(key) ?? fail(),
            put: (...step) => writer.steps?.put(...step) ?? fail(),
            delete: (key) => reader.steps?.delete(key) ?? fail(),
          },
          commit: (...end) => writer.commit?.(...end) ?? fail(),
          delete: (...session) => writer.delete(...session),
          async [Symbol.asyncDispose]() {
            await writer[Symbol.asyncDispose]();
            await reader[Symbol.asyncDispose]();
          },
        };
      };
      for (const check of sessionStorageChecks) {
        await t.step(`${listen ? "LISTEN" : "polling"}: ${check.name}`, () => check.run(open));
      }
    }
  });
});

/** Runs steps with storages on one server. Each step has its own schema. */
async function withStorages(
  t: Deno.TestContext,
  steps: Readonly<
    Record<
      string,
      (context: {
        readonly server: Postgres;
        readonly schema: string;
        readonly pool: pg.Pool;
        readonly open: (options?: PostgresStorageOptions) => SessionStorage;
      }) => Promise<void>
    >
  >,
): Promise<void> {
  await withServer(18, async (server) => {
    for (const [index, [name, run]] of Object.entries(steps).entries()) {
      await t.step(name, async () => {
        const pool = new pg.Pool({ connectionString: server.url, max: 10 });
        pool.on("error", () => {});
        const schema = `step_${index}`;
        const opened: SessionStorage[] = [];
        const open = (options: PostgresStorageOptions = {}): SessionStorage => {
          const storage = postgresStorage(pool, { schema, ...options });
          opened.push(storage);
          return storage;
        };
        try {
          await run({ server, schema, pool, open });
        } finally {
          for (const storage of opened) await storage[Symbol.asyncDispose]();
          await pool.end();
        }
      });
    }
  });
}

Deno.test("postgresStorage()", { ignore }, async (t) => {
  await withStorages(t, {
    async "creates its tables once if several storages start at the same time"({ open }) {
      const storages = Array.from({ length: 8 }, () => open());
      const results = await Promise.all(storages.map(({ log }) => log.claim("a", CLAIM)));
      assertEquals(results.filter((head) => head !== undefined).length, 1);
    },
    async "does not change a schema of another program, a newer version or with migrate: false"(
      { open, pool, schema },
    ) {
      const prefix = `Cannot use the sessions in schema "${schema}": schema "${schema}"`;
      const { log } = open({ migrate: false });
      await assertRejects(() => log.head("a"), AgentError, `${prefix} has no sessions`);
      await open().records.append("a", 1, 0);
      assertEquals(await log.head("a"), undefined);
      const comment = "Sessions of @parley/runtime, schema version";
      await pool.query(`comment on table ${schema}.session_head is '${comment} 2'`);
      await assertRejects(() => open().log.head("a"), AgentError, `${prefix} has version 2, but`);
      await pool.query(`comment on table ${schema}.session_head is 'other'`);
      await assertRejects(
        () => open().log.head("a"),
        AgentError,
        `${prefix} contains a table "session_head" that belongs to another program`,
      );
    },
    async "stores ids and values that PostgreSQL cannot store as text"({ open }) {
      const { log, records, steps } = open();
      const keys = ["a\0b", "a\ud800", "a\\u0000", "a\\", "\u{1F600}"];
      for (const key of keys) {
        const turn = { [key]: key };
        const head = await log.claim(key, { ...CLAIM, runId: key, turn, turnId: key });
        assertEquals([head?.key, head?.runId, head?.turn, head?.turnId], [key, key, turn, key]);
        await log.append(key, 1, [turn, key]);
        assertEquals(await log.read(key, 1, { from: 0, limit: 9 }), [turn, key]);
        const step = { v: 1, key, kind: "tool", value: key } as const;
        assertEquals(await steps?.put(key, 1, step), "stored");
        assertEquals(await steps?.load(key), [step]);
        await records.append(key, turn, 0);
        assertEquals(await records.load(key), [turn]);
      }
      const heads = await log.list({ limit: 10 });
      assertEquals(heads.map(({ key }) => key).sort(), keys.toSorted());
    },
    async "keeps the records without gaps if they are added and removed at the same time"(
      { open },
    ) {
      const [one, two] = [open(), open()];
      for (let round = 0; round < 40; round++) {
        const key = `r${round}`;
        await one.records.append(key, 0, 0);
        await one.records.append(key, 1, 1);
        const [isAdded, isRemoved] = await Promise.all([
          one.records.append(key, 2, 2),
          two.records.removeLast(key, 2),
        ]);
        const expected = isAdded ? [0, 1, 2] : isRemoved ? [0] : fail();
        assertEquals([isAdded, isRemoved].filter(Boolean).length, 1);
        assertEquals(await two.records.load(key), expected);
        assertEquals(await one.records.count(key), expected.length);
      }
    },
    async "orders the changes of a session's records"({ open, pool, schema }) {
      const { records } = open();
      await records.append("a", 0, 0);
      await records.append("a", 1, 1);
      const client = await pool.connect();
      await client.query("begin");
      await client.query(`select ${schema}.session_remove_record('a', 2)`);
      const appended = records.append("a", 2, 2);
      await Promise.race([untilBlocked(pool), appended.then(fail)]);
      await client.query("commit");
      client.release();
      assertEquals(await appended, false);
      assertEquals(await records.load("a"), [0]);
    },
    async "lets one of several takeovers win, although no lease prevents the others"({ open }) {
      const storages = Array.from({ length: 4 }, () => open());
      for (let round = 0; round < 10; round++) {
        const key = `o${round}`;
        await storages[0]?.log.claim(key, { ...CLAIM, leaseMs: 0 });
        const takeover = { ...CLAIM, isNew: false, leaseMs: 0, seenEpoch: 1 };
        const heads = await Promise.all(storages.map(({ log }) => log.claim(key, takeover)));
        assertEquals(heads.flatMap((head) => head?.epoch ?? []), [2]);
      }
    },
    async "keeps the entries and steps of a claimed run apart from late writes of its predecessor"(
      { open },
    ) {
      const [one, two] = [open(), open()];
      for (let round = 0; round < 40; round++) {
        const key = `c${round}`;
        await one.log.claim(key, { ...CLAIM, leaseMs: 0 });
        const step = { v: 1, key: "late", kind: "tool", value: 1 } as const;
        const [hold, stored, head] = await Promise.all([
          one.log.append(key, 1, ["late"]),
          one.steps?.put(key, 1, step),
          two.log.claim(key, { ...CLAIM, runId: "r/1", seenEpoch: 1 }),
        ]);
        assert(hold === "held" || hold === "fenced");
        assert(stored === "stored" || stored === "fenced");
        assertEquals([head?.first, head?.count, head?.epoch], [0, 0, 2]);
        assertEquals(await two.steps?.load(key), []);
        assertEquals(await one.log.read(key, 1, { from: 0, limit: 9 }), []);
        assertEquals(await two.log.append(key, 2, ["new"]), "held");
        assertEquals(await one.log.read(key, 2, { from: 0, limit: 9 }), ["new"]);
      }
    },
    async "loses no entry if a takeover continues a run while its predecessor writes"({ open }) {
      const [one, two] = [open(), open()];
      for (let round = 0; round < 40; round++) {
        const key = `t${round}`;
        await one.log.claim(key, { ...CLAIM, leaseMs: 0 });
        const [hold, head] = await Promise.all([
          one.log.append(key, 1, ["a", "b"]),
          two.log.claim(key, { ...CLAIM, isNew: false, seenEpoch: 1 }),
        ]);
        const count = hold === "held" ? 2 : 0;
        assertEquals([head?.first, head?.count], [count, count]);
        assertEquals((await one.log.read(key, 1, { from: 0, limit: 9 })).length, count);
        await two.log.append(key, 2, ["c"]);
        assertEquals(await two.log.read(key, 2, { from: count, limit: 9 }), ["c"]);
      }
    },
    async "wakes a reader when a lease expires"({ open }) {
      for (const listen of [true, false]) {
        const { log } = open({ listen });
        const key = `lease-${listen}`;
        const head = await log.claim(key, { ...CLAIM, leaseMs: 100 }) ?? fail();
        await log.changed(head, NEVER);
        assertEquals((await log.head(key))?.isLeased, false);
      }
    },
    async "a pool with one connection is enough without notifications"({ schema, server }) {
      const pool = new pg.Pool({ connectionString: server.url, max: 1 });
      const storage = postgresStorage(pool, { schema });
      const head = await storage.log.claim("a", CLAIM) ?? fail();
      const changed = storage.log.changed(head, NEVER);
      await storage.log.append("a", 1, [1]);
      await changed;
      await storage[Symbol.asyncDispose]();
      await pool.end();
    },
    async "purges more sessions than one statement does"({ open, pool, schema }) {
      const { log } = open();
      await log.head("a");
      await pool.query(
        `insert into ${schema}.session_head select 's' || n, 'r', 1, 'ended', 0, 0, 'null', null,
          '{}', 0, 0, 1, 'null', 0, 0, 0 from generate_series(1, 2500) as n`,
      );
      await pool.query(
        `insert into ${schema}.session_entry select 's' || n, 0, 1, '1'
          from generate_series(1, 2500) as n`,
      );
      assertEquals(await log.purge({ keepRunsMs: 0 }), 2500);
      const { rows } = await pool.query(`select count(*)::int from ${schema}.session_entry`);
      assertEquals(rows, [{ count: 0 }]);
      assertEquals(await log.purge({ keepRunsMs: 0 }), 0);
    },
    async "names the damaged row, and the other sessions stay readable"({ open, pool, schema }) {
      const { log, records, steps } = open();
      const step = { v: 1, key: "s", kind: "tool", value: 1 } as const;
      const heads = new Map<string, RunHead>();
      for (const key of ["a", "b"]) {
        await records.append(key, { v: 1 }, 0);
        heads.set(key, await log.claim(key, CLAIM) ?? fail());
        await log.append(key, 1, ["entry"]);
        await steps?.put(key, 1, step);
      }
      await pool.query(`update ${schema}.session_record set record = '{' where session_id = 'a'`);
      await pool.query(`update ${schema}.session_entry set entry = '{' where key = 'a'`);
      await pool.query(`update ${schema}.session_step set entry = '[]' where key = 'a'`);
      await pool.query(`update ${schema}.session_head set phase = 'x' where key = 'a'`);
      const damaged = 'of session "a": the row is damaged';
      await assertRejects(() => records.load("a"), AgentError, `Cannot read record 0 ${damaged}`);
      await assertRejects(
        () => log.read("a", 1, { from: 0, limit: 9 }),
        AgentError,
        `Cannot read entry 0 ${damaged}`,
      );
      await assertRejects(() => log.head("a"), AgentError, `Cannot read the run ${damaged}`);
      await assertRejects(
        () => log.changed(heads.get("a") ?? fail(), NEVER),
        AgentError,
        `Cannot read the run ${damaged}`,
      );
      await assertRejects(
        async () => await steps?.load("a"),
        AgentError,
        'Cannot read a step of session "a"',
      );
      assertEquals(await records.load("b"), [{ v: 1 }]);
      await log.changed(heads.get("b") ?? fail(), NEVER);
      assertEquals((await log.head("b"))?.count, 1);
      assertEquals(await steps?.load("b"), [step]);
    },
  });
});

/** Resolves when a statement waits for a lock. */
async function untilBlocked(pool: pg.Pool): Promise<void> {
  const blocked = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
  while ((await pool.query(blocked)).rows.length === 0);
}

Deno.test("a storage receives changes again after PostgreSQL was killed, and reports the loss", {
  ignore,
}, async () => {
  await withServer(18, async (server) => {
    await using database = connect(server.url);
    const lost = createGate();
    const onError = (error: unknown) => {
      if (String(error).includes("Cannot receive notifications")) void lost.wait();
    };
    lost.release();
    await using reader = postgresStorage(database.db, { onError });
    await using writer = postgresStorage(database.db, { listen: false });
    const head = await writer.log.claim("a", CLAIM) ?? fail();
    await untilChanged(reader, writer, head);
    await server.kill();
    await lost.reached;
    const error = await assertRejects(() => reader.log.head("a"), AgentError);
    assert(error.message.startsWith('Cannot use the sessions in schema "parley": '), error.message);
    await server.restart();
    for (let index = 0; index < 20; index++) {
      await untilChanged(reader, writer, await headOf(reader));
    }
    assertEquals((await headOf(reader)).count, 21);
  });
});

/** Waits for a change that another storage makes. */
async function untilChanged(
  reader: SessionStorage,
  writer: SessionStorage,
  head: RunHead,
): Promise<void> {
  const changed = reader.log.changed(head, NEVER);
  await writer.log.append(head.key, 1, ["entry"]);
  await changed;
}

/** Returns the state of the session "a". */
async function headOf({ log }: SessionStorage): Promise<RunHead> {
  return await log.head("a") ?? fail();
}

Deno.test(
  "processes share sessions: one follows and stops the run of another, and takes a run over",
  {
    ignore,
  },
  async () => {
    await withServer(18, async ({ url }) => {
      for (const listen of [true, false]) {
        const schema = `shared_${listen}`;
        await using one = connect(url);
        await using two = connect(url);
        const open = ({ db }: Database, model: LanguageModel) =>
          openSessions({
            storage: postgresStorage(db, { schema, listen, pollIntervalMs: 20 }),
            agent: () => new ToolLoopAgent({ name: "shop", model }),
            leaseMs: 500,
            drainMs: 0,
          });
        const never = (signal: AbortSignal | undefined): Promise<never> =>
          new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
          });
        const busy: LanguageModel = {
          provider: "p",
          modelId: "m",
          generate: ({ signal }) => never(signal),
        };
        await using owner = open(one, busy);
        await using other = open(two, scriptedModel([{ text: "Taken over" }]));
        await owner.send("a", "Hi");
        const live = await other.attach("a") ?? fail();
        const followed = Array.fromAsync(live);
        assertEquals((await other.state("a")).status, "running");
        assertEquals(await other.stop("a"), "stopped");
        const types = (await followed).map(({ event }) => event.type);
        assertEquals(types.filter((type) => type === "run_finished").length, 1);
        assertEquals((await owner.state("a")).runs.map(({ stopReason }) => stopReason), [
          "aborted",
        ]);
        await owner.send("b", "Hi");
        await owner.close();
        const taken = await other.attach("b") ?? fail();
        await Array.fromAsync(taken);
        const { runs, status } = await other.state("b");
        assertEquals([status, runs.map(({ stopReason }) => stopReason)], ["idle", ["model_stop"]]);
      }
    });
  },
);
