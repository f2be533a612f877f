import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EventEmitter } from "node:events";
import { type Listen, openWithErrorListeners } from "./pool_errors.ts";

/** A database like the one of pg-boss, which creates its pool when it is opened. */
class Database extends EventEmitter {
  pool: EventEmitter | undefined;
  opened = false;
  opens = 0;

  open(): Promise<void> {
    this.pool = new EventEmitter();
    this.opened = true;
    this.opens++;
    return Promise.resolve();
  }
}

Deno.test("openWithErrorListeners() adds an error listener to each connection", async () => {
  const database = new Database();
  await openWithErrorListeners(database);
  const connection = new EventEmitter();
  const fail = () => connection.emit("error", new Error("connection lost"));
  assertThrows(fail, Error, "connection lost");
  database.pool?.emit("connect", connection);
  fail();
  await openWithErrorListeners(database);
  assertEquals([database.opens, database.pool?.listenerCount("connect")], [1, 1]);
});

Deno.test("openWithErrorListeners() ignores other databases, and rejects if the database cannot be opened", async () => {
  const executeSql = () => Promise.resolve({ rows: [] });
  const pools = [undefined, {}, { on: "error" }];
  const open = () => Promise.resolve();
  for (const db of [undefined, null, "db", { executeSql }, { open, executeSql }]) {
    await openWithErrorListeners(db);
  }
  for (const pool of pools) await openWithErrorListeners({ opened: false, open, pool });
  const failing = () => Promise.reject(new Error("no driver"));
  await assertRejects(() => openWithErrorListeners({ opened: false, open: failing }), Error);
});

Deno.test("openWithErrorListeners() receives notifications on a connection of the pool", async () => {
  const connection = Object.assign(new EventEmitter(), {
    query: () => Promise.resolve(),
    release: () => {},
  });
  const pool = Object.assign(new EventEmitter(), { connect: () => Promise.resolve(connection) });
  const db: { pool: unknown; opened: boolean; open(): Promise<void>; listen: Listen } = {
    pool,
    opened: false,
    open: () => Promise.resolve(),
    listen: () => Promise.reject(new Error("not expected")),
  };
  await openWithErrorListeners(db);
  const received: string[] = [];
  const onConnect = () => void received.push("connected");
  const subscription = await db.listen("jobs", (payload) => void received.push(payload), onConnect);
  connection.emit("notification", { payload: "queue" });
  await subscription.close();
  connection.emit("notification", { payload: "late" });
  assertEquals(received, ["connected", "queue"]);
});
