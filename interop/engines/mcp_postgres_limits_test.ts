/** Tests the limits and the clocks of `postgresTaskStore` against a PostgreSQL server. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import {
  createTables,
  fromPostgres,
  postgresTaskStore,
  type PostgresTaskStoreOptions,
} from "@parley/mcp/postgres";
import type { TaskStore } from "@parley/mcp/tasks";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

type TaskRecord = Parameters<TaskStore["set"]>[0];

const LEASE = { leaseMs: 60_000 };

/** Tables as an earlier version created them, with one task. */
const EARLIER_TABLES = `create table parley_mcp_tasks (
  task_id text primary key, record text not null, epoch integer not null,
  expires_at timestamptz not null, leased_until timestamptz
)`;

/** The driver, and functions that open stores on their own connections. */
interface Database {
  readonly db: postgres.Sql;
  readonly open: (options?: PostgresTaskStoreOptions) => TaskStore;
}

async function withDatabase(body: (database: Database) => Promise<void>): Promise<void> {
  const program = POSTGRES_RELEASES[18];
  await using server = await startPostgres({ program, settings: { fsync: "off" } });
  const connections: postgres.Sql[] = [];
  const connect = (): postgres.Sql => {
    const db = postgres(server.url, { onnotice: () => {}, max: 4 });
    connections.push(db);
    return db;
  };
  const open = (options?: PostgresTaskStoreOptions) =>
    postgresTaskStore(fromPostgres(connect()), options);
  try {
    await body({ db: connect(), open });
  } finally {
    await Promise.all(connections.map((db) => db.end()));
  }
}

function ended(taskId: string, subject?: string, text = "", ttlMs = 60_000): TaskRecord {
  const at = new Date().toISOString();
  const metadata = { taskId, createdAt: at, lastUpdatedAt: at, ttlMs };
  return {
    task: { ...metadata, status: "completed", result: { text } },
    epoch: 0,
    expiresAt: Date.now() + ttlMs,
    ...(subject === undefined ? {} : { subject }),
  };
}

function running(taskId: string, subject?: string): TaskRecord {
  const { task: { createdAt, lastUpdatedAt, ttlMs }, ...rest } = ended(taskId, subject);
  return { ...rest, task: { taskId, createdAt, lastUpdatedAt, ttlMs, status: "working" } };
}

async function count(db: postgres.Sql): Promise<unknown> {
  const [row] = await db`select count(*)::int as tasks from parley_mcp_tasks`;
  return row?.tasks;
}

Deno.test("postgresTaskStore() limits tasks and characters, in total and per principal", {
  ignore: !HAS_POSTGRES,
}, async () => {
  await withDatabase(async ({ db, open }) => {
    await createTables(fromPostgres(db));
    const many = open({ maxTasks: 8 });
    for (const id of ["m1", "m2"]) assertEquals(await many.set(ended(id, "mallory"), LEASE), true);
    await assertRejects(() => many.set(ended("m3", "mallory"), LEASE), Error, "Too many tasks");
    assertEquals(await many.set(ended("m2", "mallory", "again"), LEASE), true);
    for (const id of ["a1", "a2"]) assertEquals(await many.set(ended(id, "ada\0"), LEASE), true);
    await assertRejects(() => many.set(ended("a3", "ada\0"), LEASE), Error, "Too many tasks");
    for (const id of ["n1", "n2", "n3", "n4"]) await many.set(ended(id), LEASE);
    await assertRejects(() => many.set(ended("n5"), LEASE), Error, "Too many tasks");
    await db`update parley_mcp_tasks set expires_at = now() where task_id in ('n1', 'm1')`;
    assertEquals(await many.set(ended("m4", "mallory"), LEASE), true);
    await db`delete from parley_mcp_tasks`;

    const large = open({ maxChars: 4000, maxSharePerPrincipal: 0.5 });
    const text = "x".repeat(1000);
    await large.set(ended("m1", "mallory", text), LEASE);
    await assertRejects(() => large.set(ended("m2", "mallory", text), LEASE), Error, "Too many");
    await large.set(ended("a1", "ada", text), LEASE);
    await large.set(running("m3", "mallory"), LEASE);
    await assertRejects(() => large.set(ended("m3", "mallory", text), LEASE), Error, "Too many");
    const { task, ...rest } = running("m3", "mallory");
    const error = { code: 1, message: "x".repeat(900) };
    const failed = { ...rest, task: { ...task, status: "failed", error } } as const;
    assertEquals(await large.set(failed, LEASE), true);
  });
});

Deno.test("processes that store tasks at the same time do not exceed the limits", {
  ignore: !HAS_POSTGRES,
}, async () => {
  await withDatabase(async ({ db, open }) => {
    await createTables(fromPostgres(db));
    const stores = Array.from(
      { length: 4 },
      () => open({ maxTasks: 20, maxSharePerPrincipal: 0.5 }),
    );
    const set = (n: number, subject: string) =>
      stores[n % 4]?.set(ended(`${subject}${n}`, subject), LEASE).catch(() => false);
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, n) => set(n, n < 60 ? "mallory" : "ada")),
    );
    assertEquals(all.filter((isStored) => isStored === true).length, 20);
    assertEquals(await count(db), 20);
    const [row] = await db`select count(*)::int as own from parley_mcp_tasks
      where subject = '"mallory"'`;
    assertEquals(row?.own, 10);
  });
});

Deno.test("createTables() updates the tables of an earlier version, also in several processes", {
  ignore: !HAS_POSTGRES,
}, async () => {
  await withDatabase(async ({ db, open }) => {
    await db.unsafe(EARLIER_TABLES);
    const record = running("old");
    await db`insert into parley_mcp_tasks values
      ('old', ${JSON.stringify(record)}, 0, now() + interval '1 hour', now())`;
    const earlier = await assertRejects(() => open().set(running("new"), LEASE), Error);
    assert(earlier.message.includes("call createTables() once"), earlier.message);
    await Promise.all([1, 2, 3].map(() => createTables(fromPostgres(db))));
    const [row] = await db`select chars::int, char_length(record) as length from parley_mcp_tasks`;
    assertEquals(row?.chars, row?.length);
    const [taken] = await open().takeExpired({ limit: 10, ...LEASE });
    assertEquals([taken?.task.taskId, taken?.epoch], ["old", 1]);
    assertEquals(await open().set(running("new"), LEASE), true);
  });
});

Deno.test("a task that cannot be read does not keep others from being taken over", {
  ignore: !HAS_POSTGRES,
}, async () => {
  await withDatabase(async ({ db, open }) => {
    await createTables(fromPostgres(db));
    const errors: unknown[] = [];
    const store = open({ onError: (error) => errors.push(error) });
    await store.set(running("orphan"), { leaseMs: 1 });
    for (const [id, text] of [["p1", "{}"], ["p2", "not JSON"]] as const) {
      await db`insert into parley_mcp_tasks (task_id, record, epoch, expires_at, leased_until)
        values (${id}, ${text}, 0, now() + interval '1 hour', now() - interval '1 hour')`;
    }
    await db`update parley_mcp_tasks set leased_until = now() where task_id = 'orphan'`;
    const taken = await store.takeExpired({ limit: 10, leaseMs: 1 });
    assertEquals(taken.map(({ task }) => task.taskId), ["orphan"]);
    assertEquals(errors.length, 2);
    // The tasks are not taken over again, and are deleted when they expire.
    await db`update parley_mcp_tasks set leased_until = now() where task_id = 'orphan'`;
    assertEquals((await store.takeExpired({ limit: 10, leaseMs: 1 })).length, 1);
    assertEquals(errors.length, 2);
    await db`update parley_mcp_tasks set expires_at = now()`;
    await store.takeExpired({ limit: 10, leaseMs: 1 });
    assertEquals(await count(db), 0);
  });
});

Deno.test("tasks expire by the clock of the database", { ignore: !HAS_POSTGRES }, async () => {
  await withDatabase(async ({ db, open }) => {
    await createTables(fromPostgres(db));
    const store = open();
    const realNow = Date.now;
    // A process whose clock is a day ahead, and one whose clock is a day behind.
    for (const shiftMs of [86_400_000, -86_400_000]) {
      const now = () => realNow() + shiftMs;
      try {
        Date.now = now;
        await store.set(running(`t${shiftMs}`), LEASE);
      } finally {
        Date.now = realNow;
      }
      await store.takeExpired({ limit: 10, ...LEASE });
      const found = await store.get(`t${shiftMs}`);
      assert(found !== undefined && Math.abs(found.expiresAt - realNow() - 60_000) < 30_000);
    }
  });
});
