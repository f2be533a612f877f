import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  adaptPostgres,
  assertListeningClient,
  assertPool,
  assertSqlClient,
  canListen,
  fromPgBossDatabase,
  listenTo,
  poolSizeOf,
  toPgBossDatabase,
} from "./sql_client.ts";
import type { PostgresSql } from "./sql_types.ts";

function query(): Promise<{ rows: unknown[] }> {
  return Promise.resolve({ rows: [] });
}

/** A pool whose only connection calls `onPayload` when the test emits a notification. */
function createPool(max?: number) {
  const listeners = new Map<string, (value: unknown) => void>();
  const log: string[] = [];
  const connection = {
    on: (event: string, listener: (value: unknown) => void) => void listeners.set(event, listener),
    query: (text: string) => Promise.resolve({ rows: [log.push(text)] }),
    removeListener: (event: string) => listeners.delete(event),
    release: (isClosed: boolean) => void log.push(`release ${isClosed}`),
  };
  const pool = {
    query,
    connect: () => Promise.resolve(connection),
    totalCount: 0,
    options: { max },
  };
  const notify = (payload: string) => listeners.get("notification")?.({ channel: "jobs", payload });
  return { pool, log, notify };
}

Deno.test("assertSqlClient() accepts objects with a query method, and names the adapter for others", () => {
  assertSqlClient("db", { query });
  for (const value of [undefined, null, "db", {}, { query: 1 }, { executeSql: query }]) {
    assertThrows(() => assertSqlClient("db", value), TypeError, '"db" must be an object with');
  }
  const sql = Object.assign(() => {}, { unsafe: query });
  assertThrows(() => assertSqlClient("db", sql), TypeError, "; pass fromPostgres(db)");
});

Deno.test("only a pool with two connections or a client with a listen method receives notifications", () => {
  const listen = () => Promise.resolve(async () => {});
  const client = { query, connect: () => Promise.resolve() };
  assertEquals([{ query, listen }, createPool().pool, createPool(2).pool].map(canListen), [
    true,
    true,
    true,
  ]);
  assertEquals([{ query }, client, createPool(1).pool].map(canListen), [false, false, false]);
  assertListeningClient("db", createPool().pool);
  assertThrows(() => assertListeningClient("db", client), TypeError, '"db" must be a Pool');
  assertPool("db", createPool().pool);
  for (const other of [{ query, listen }, client, createPool(1).pool]) {
    assertThrows(() => assertPool("db", other), TypeError, '"db" must be a Pool');
  }
  assertEquals([createPool(3).pool, createPool().pool].map(poolSizeOf), [3, 10]);
});

Deno.test("listenTo() receives notifications on a connection of a pool until it is stopped", async () => {
  const { pool, log, notify } = createPool();
  const received: string[] = [];
  const stop = await listenTo(pool, {
    channel: "jobs",
    onPayload: (payload) => received.push(payload),
    onListen: () => received.push("listening"),
    onLoss: () => {},
  });
  notify("a");
  await stop();
  await stop();
  notify("late");
  assertEquals([received, log], [["listening", "a"], ['listen "jobs"', "release true"]]);
  const options = { channel: "a", onPayload: () => {}, onListen: () => {}, onLoss: () => {} };
  await assertRejects(() => listenTo({ query }, options), TypeError);
});

Deno.test("adaptPostgres() adapts statements and notifications, and transactions without notifications", async () => {
  const log: unknown[] = [];
  let notify = (_payload: string): void => {};
  const driver: PostgresSql = {
    unsafe: (...call) => {
      log.push(call);
      return Promise.resolve([{ n: 1 }]);
    },
    listen: (channel, onPayload, onListen) => {
      log.push(channel);
      notify = onPayload;
      onListen?.();
      return Promise.resolve({ unlisten: () => Promise.resolve(void log.push("unlisten")) });
    },
  };
  const client = adaptPostgres(driver);
  assertEquals(await client.query("select $1", [1]), { rows: [{ n: 1 }] });
  await client.query("a; b");
  const stop = await listenTo(client, {
    channel: "jobs",
    onPayload: (payload) => log.push(payload),
    onListen: () => log.push("listening"),
    onLoss: () => {},
  });
  notify("a");
  await stop();
  await stop();
  notify("late");
  const calls = [["select $1", [1]], ["a; b", []]];
  assertEquals(log, [...calls, "jobs", "listening", "a", "unlisten"]);
  const several = adaptPostgres({ unsafe: () => Promise.resolve([[{ n: 1 }], [], [{ n: 2 }]]) });
  assertEquals(await several.query("a; b; c"), { rows: [{ n: 1 }, { n: 2 }] });
  const { unsafe } = driver;
  assertEquals(Object.keys(adaptPostgres({ unsafe })), ["query"]);
  assertThrows(() => adaptPostgres(JSON.parse("{}")), TypeError, '"sql.unsafe"');
});

Deno.test("toPgBossDatabase() and fromPgBossDatabase() adapt statements, and the notifications of a pool", async () => {
  const { pool, log, notify } = createPool();
  const calls: unknown[] = [];
  const client = {
    query: (...call: [string, unknown[]?]) => {
      calls.push(call);
      return Promise.resolve({ rows: [2] });
    },
  };
  const database = toPgBossDatabase(client);
  assertEquals(await fromPgBossDatabase(database).query("select $1", [1]), { rows: [2] });
  assertEquals([calls, database.listen], [[["select $1", [1]]], undefined]);
  const received: string[] = [];
  const subscription = await toPgBossDatabase(pool).listen?.(
    "jobs",
    (payload) => received.push(payload),
    () => received.push("connected"),
  );
  notify("queue");
  await subscription?.close();
  assertEquals([received, log], [["connected", "queue"], ['listen "jobs"', "release true"]]);
});

Deno.test("adaptPostgres() executes a text with a transaction on a reserved connection", async () => {
  const log: string[] = [];
  let isFailing = false;
  const execute = (name: string) => (text: string, values: unknown[] = []) => {
    log.push([name, text, ...values].join(" "));
    const isFailed = isFailing && text !== "rollback";
    return isFailed ? Promise.reject(new Error("failed")) : Promise.resolve([1]);
  };
  const reserved = { unsafe: execute("reserved"), release: () => void log.push("release") };
  const client = adaptPostgres({
    unsafe: execute("pool"),
    reserve: () => Promise.resolve(reserved),
  });
  await client.query("select 'begin', $1", ["a"]);
  await client.query("select 1");
  assertEquals(await client.query(" BEGIN; select 1; COMMIT"), { rows: [1] });
  isFailing = true;
  await assertRejects(() => client.query("begin; select"), Error, "failed");
  assertEquals(log, [
    "pool select 'begin', $1 a",
    "pool select 1",
    "reserved  BEGIN; select 1; COMMIT",
    "release",
    "reserved begin; select",
    "reserved rollback",
    "release",
  ]);
  await assertRejects(
    () => adaptPostgres({ unsafe: execute("tx") }).query("begin"),
    Error,
    "failed",
  );
  assertEquals(log.at(-1), "tx begin");
});
