/**
 * Tests for `sqliteQueue` with database files. The program runs the test named by its argument, in
 * a new folder, and prints `passed`. Tests have no permission to write files, so
 * `sqlite_queue_test.ts` starts this program for each test.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers";
import { CommError } from "../shared/error.ts";
import {
  type MessageQueue,
  type QueueDelivery,
  sqliteQueue,
  type SqliteQueueOptions,
  SqliteReplayStore,
  type SqliteTransaction,
} from "../sqlite.ts";
import { queueChecks } from "../testing.ts";
import { createMessage } from "./messages.ts";
import { QueueProcess } from "./queue_process.ts";

type Queue = MessageQueue<SqliteTransaction>;

function open(path: string, options: Partial<SqliteQueueOptions> = {}): Queue {
  return sqliteQueue(path, { inboxOf: () => "bob", onError: () => {}, ...options });
}

async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Returns the ids of the next messages in an inbox. */
async function receive(queue: Queue, count: number): Promise<string[]> {
  const stopping = new AbortController();
  const ids: string[] = [];
  await queue.consume("bob", ({ message }) => {
    if (ids.push(message.id) === count) stopping.abort();
  }, { signal: stopping.signal, concurrency: 1 });
  return ids;
}

/** Stores a row and a message in one transaction. */
async function order(
  queue: Queue,
  database: DatabaseSync,
  { id, end }: { readonly id: number; readonly end: "commit" | "rollback" },
): Promise<void> {
  database.exec("begin immediate");
  database.prepare("insert into orders (id) values (?)").run(id);
  await queue.send(createMessage(id), { tx: database });
  database.exec(end);
}

/** Opens a connection for the tables of a program. */
function openOrders(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec("create table orders (id integer primary key)");
  return database;
}

function codeOf(error: CommError): readonly [string, string] {
  return [error.code, error.message];
}

const TESTS: Readonly<Record<string, (path: string) => Promise<void>>> = {
  "passes the checks of queues": async (path) => {
    for (const check of queueChecks) await check.run((options) => sqliteQueue(path, options));
  },

  "passes the checks of queues with two processes": async (path) => {
    await using other = new QueueProcess(path);
    for (const check of queueChecks) {
      await check.run((options) => other.open({ ...options, pollIntervalMs: 5 }));
    }
  },

  "stores a message if and only if the transaction of the program is committed": async (path) => {
    using database = openOrders(path);
    await using queue = open(path, { pollIntervalMs: 5 });
    await order(queue, database, { id: 1, end: "rollback" });
    await order(queue, database, { id: 2, end: "commit" });
    await order(queue, database, { id: 3, end: "commit" });
    assertEquals(await receive(queue, 2), ["2", "3"]);
    const rows = database.prepare("select id from orders").all();
    assertEquals(rows.map((row) => ({ ...row })), [{ id: 2 }, { id: 3 }]);
    // A message that was stored in a transaction is tracked too.
    database.exec("begin");
    await queue.send(createMessage(2), { tx: database });
    await queue.send(createMessage(4), { tx: database });
    database.exec("commit");
    assertEquals(await receive(queue, 1), ["4"]);
  },

  "rejects a message in a transaction at the limits": async (path) => {
    using database = openOrders(path);
    await using queue = open(path, { maxMessages: 1 });
    await order(queue, database, { id: 1, end: "commit" });
    const error = await assertRejects(
      () => order(queue, database, { id: 2, end: "commit" }),
      CommError,
    );
    assertEquals(error.code, "capacity_exceeded");
    database.exec("rollback");
  },

  "rejects a connection that is not in a transaction or uses another file": async (path) => {
    await using queue = open(path);
    using database = new DatabaseSync(path);
    const send = (tx: SqliteTransaction) => queue.send(createMessage(1), { tx });
    const idle = '"tx" must be a connection with an open transaction';
    await assertRejects(() => send(database), TypeError, idle);
    // In Node.js 22.13, connections have no member `isTransaction`.
    const older = { prepare: (sql: string) => database.prepare(sql) };
    await assertRejects(() => send(older), TypeError, idle);
    using other = new DatabaseSync(`${path}2`);
    other.exec("begin");
    const error = await assertRejects(() => send(other), TypeError);
    assertEquals(error.message, `"tx" must be a connection to the file of the queue, ${path}`);
    // @ts-expect-error a connection is required
    await assertRejects(() => send({}), TypeError, '"tx" must be a connection');
    database.exec("begin");
    await send(older);
    database.exec("commit");
    assertEquals(await receive(queue, 1), ["1"]);
  },

  "keeps messages, dead letters and the tracked messages after it is closed": async (path) => {
    const first = open(path, { maxAttempts: 1 });
    for (const id of [1, 2, 3]) await first.send(createMessage(id));
    const stopping = new AbortController();
    await first.consume("bob", ({ message }) => {
      if (message.id === "1") throw new Error("poison");
      stopping.abort();
    }, { signal: stopping.signal, concurrency: 1 });
    await first.close();
    await using second = open(path);
    const letters = await second.deadLetters("bob");
    assertEquals(letters.map(({ message, reason }) => [message?.id, reason]), [["1", "poison"]]);
    for (const id of [1, 2, 4]) await second.send(createMessage(id));
    assertEquals(await receive(second, 2), ["3", "4"]);
  },

  "extends the lease of a message while its handler runs": async (path) => {
    using time = new FakeTime();
    await using first = open(path, { leaseMs: 1000 });
    await using second = open(path, { leaseMs: 1000 });
    await first.send(createMessage(1));
    const handled = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const { signal } = stopping;
    let deliveries = 0;
    const handler = ({ signal }: QueueDelivery<SqliteTransaction>) => {
      deliveries++;
      assert(!signal.aborted);
      return handled.promise;
    };
    const consuming = [first, second].map((queue) => queue.consume("bob", handler, { signal }));
    for (let elapsedMs = 0; elapsedMs < 5000; elapsedMs += 100) {
      await nextTurns();
      await time.tickAsync(100);
    }
    handled.resolve();
    await nextTurns();
    stopping.abort();
    await Promise.all(consuming);
    assertEquals(deliveries, 1);
  },

  "delivers a message again when its lease ends, and aborts the handler that lost it": async (
    path,
  ) => {
    using time = new FakeTime();
    await using first = open(path, { leaseMs: 1000 });
    await using second = open(path, { leaseMs: 1000 });
    await first.send(createMessage(1));
    const lost = Promise.withResolvers<void>();
    const firstStop = new AbortController();
    const losing = first.consume("bob", async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      lost.resolve();
    }, { signal: firstStop.signal });
    await nextTurns();
    // The lease ends without having been extended, as in a process that was suspended.
    using database = new DatabaseSync(path);
    database.exec("update parley_queue_message set due = 0");
    const attempts: number[] = [];
    const secondStop = new AbortController();
    const taking = second.consume("bob", ({ attempt }) => {
      attempts.push(attempt);
    }, { signal: secondStop.signal });
    await nextTurns();
    await time.tickAsync(1000);
    await lost.promise;
    await nextTurns();
    for (const stop of [firstStop, secondStop]) stop.abort();
    await Promise.all([losing, taking]);
    assertEquals(attempts, [2]);
    assertEquals(await first.deadLetters("bob"), []);
  },

  "ignores the acknowledgment of a handler that has lost its message": async (path) => {
    using time = new FakeTime();
    await using first = open(path);
    await using second = open(path, { retryDelayMs: 1 });
    await first.send(createMessage(1));
    const ends = [first, second].map(() => Promise.withResolvers<void>());
    const stops = ends.map(() => new AbortController());
    const attempts: number[] = [];
    const consume = async (queue: Queue, index: number) => {
      const consuming = queue.consume("bob", async ({ attempt }) => {
        attempts.push(attempt);
        await ends[index]?.promise;
      }, { signal: stops[index]?.signal ?? AbortSignal.abort() });
      await nextTurns();
      return { consuming };
    };
    const one = await consume(first, 0);
    using database = new DatabaseSync(path);
    database.exec("update parley_queue_message set due = 0");
    const two = await consume(second, 1);
    ends[0]?.resolve();
    await nextTurns();
    ends[1]?.reject(new Error("the attempt fails"));
    ends[1] = ends[0] ?? Promise.withResolvers();
    await nextTurns();
    await time.tickAsync(1000);
    await nextTurns();
    for (const stop of stops) stop.abort();
    await Promise.all([one.consuming, two.consuming]);
    assertEquals(attempts, [1, 2, 3]);
  },

  "delivers the messages of another process after pollIntervalMs": async (path) => {
    using time = new FakeTime();
    await using first = open(path, { pollIntervalMs: 200 });
    await using second = open(path);
    const ids: string[] = [];
    const stopping = new AbortController();
    const consuming = first.consume("bob", ({ message }) => {
      ids.push(message.id);
    }, { signal: stopping.signal });
    await nextTurns();
    await second.send(createMessage(1));
    await time.tickAsync(199);
    await nextTurns();
    assertEquals(ids, []);
    await time.tickAsync(1);
    await nextTurns();
    assertEquals(ids, ["1"]);
    stopping.abort();
    await consuming;
  },

  "throws if another process holds a lock, and names the time that it waited": async (path) => {
    await open(path).close();
    using database = new DatabaseSync(path);
    database.exec("begin immediate");
    const error = assertThrows(() => open(path, { busyTimeoutMs: 1 }), CommError);
    assertEquals(codeOf(error), [
      "receive_failed",
      `Cannot receive message: cannot open the queue in "${path}": another process has locked ` +
      'the file for 1 ms ("busyTimeoutMs")',
    ]);
  },

  "rejects sends during a lock, and acknowledges after it": async (path) => {
    const errors: unknown[] = [];
    await using queue = open(path, {
      busyTimeoutMs: 1,
      pollIntervalMs: 1,
      onError: (error) => errors.push(String(error)),
    });
    await queue.send(createMessage(1));
    using database = new DatabaseSync(path);
    const failure = 'another process has locked the file for 1 ms ("busyTimeoutMs")';
    const stopping = new AbortController();
    let deliveries = 0;
    const consuming = queue.consume("bob", () => {
      deliveries++;
      database.exec("begin immediate");
    }, { signal: stopping.signal });
    while (errors.length === 0) await nextTurns();
    const error = await assertRejects(() => queue.send(createMessage(2)), CommError);
    assertEquals(codeOf(error), ["send_failed", `Cannot send message: ${failure}`]);
    database.exec("commit");
    assertEquals(new Set(errors), new Set([`CommError: Cannot receive message: ${failure}`]));
    const count = database.prepare("select count(*) as n from parley_queue_message");
    while (deliveries === 1 && Object.values(count.get() ?? {})[0] !== 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    stopping.abort();
    await consuming;
    assertEquals(deliveries, 1);
  },

  "makes a damaged message a dead letter, and delivers the other messages": async (path) => {
    const errors: string[] = [];
    await using queue = open(path, { onError: (error) => errors.push(String(error)) });
    for (const id of [1, 2]) await queue.send(createMessage(id));
    using database = new DatabaseSync(path);
    database.exec("update parley_queue_message set json = '{\"id\":' where n = 1");
    assertEquals(await receive(queue, 1), ["2"]);
    const [letter, ...others] = await queue.deadLetters("bob");
    assertEquals([letter?.message, letter?.json, letter?.attempts], [undefined, '{"id":', 1]);
    assertMatch(letter?.reason ?? "", /JSON/);
    assertEquals([errors.length, others], [1, []]);
  },

  "throws for a newer schema version, and leaves the file unchanged": async (path) => {
    await open(path).close();
    const database = new DatabaseSync(path);
    database.exec("update parley_queue set version = 2");
    database.close();
    const before = await Deno.readFile(path);
    const error = assertThrows(() => open(path), CommError);
    assertEquals(codeOf(error), [
      "receive_failed",
      `Cannot receive message: cannot open the queue in "${path}": the queue has schema version ` +
      "2, but this version of @parley/comm requires 1",
    ]);
    assertEquals(await Deno.readFile(path), before);
  },

  "throws for a file of another store, for no database and for a missing folder": async (path) => {
    await new SqliteReplayStore(path).close();
    assertThrows(() => open(path), CommError, "the file belongs to another store of Parley");
    await open(`${path}1`).close();
    assertThrows(() => new SqliteReplayStore(`${path}1`), CommError, "belongs to another program");
    await Deno.writeTextFile(`${path}2`, "text ".repeat(1000));
    assertThrows(() => open(`${path}2`), CommError, "file is not a database");
    assertThrows(() => open(`${path}/none/queue.db`), CommError, "cannot open the queue in");
  },

  "rejects an inbox that the file contains with another order setting": async (path) => {
    await using first = open(path, { orderedInboxes: ["bob"] });
    await first.send(createMessage(1));
    await using second = open(path);
    const error = await assertRejects(() => second.send(createMessage(2)), CommError);
    assertEquals(codeOf(error), [
      "send_failed",
      'Cannot send message: "orderedInboxes" must agree with the database, in which inbox "bob" ' +
      "is ordered",
    ]);
    const consumed = await assertRejects(() => second.consume("bob", () => {}), CommError);
    assertEquals(consumed.code, "receive_failed");
    assertEquals(await second.deadLetters("other"), []);
    assertEquals(await receive(first, 1), ["1"]);
  },

  "searches its tables with indexes": async (path) => {
    await using queue = open(path, { orderedInboxes: ["bob"], maxMessages: 2, maxDeadLetters: 1 });
    const { prepare } = DatabaseSync.prototype;
    const statements = new Set<string>();
    DatabaseSync.prototype.prepare = function (sql: string) {
      statements.add(sql);
      return Reflect.apply(prepare, this, [sql]);
    };
    for (let id = 1; id <= 8; id++) {
      await queue.send(createMessage(id));
      const stopping = new AbortController();
      await queue.consume("bob", ({ attempt }) => {
        if (id === 1 && attempt === 1) throw new Error("later");
        stopping.abort();
        if (id > 6) throw new Error("poison");
      }, { signal: stopping.signal });
    }
    await queue.redrive("bob");
    DatabaseSync.prototype.prepare = prepare;
    using database = new DatabaseSync(path);
    const planOf = (sql: string) => database.prepare(`explain query plan ${sql}`).all();
    const scans = [...statements].filter((sql) => /^(select|update|delete|insert)/.test(sql))
      .flatMap((sql) => planOf(sql).map(({ detail }) => String(detail)))
      .filter((detail) => /SCAN|TEMP B-TREE/.test(detail));
    // The oldest row of a table is its first one. The inboxes are counted when one is created.
    const allowed = ["SCAN CONSTANT ROW", "SCAN parley_queue_done", "SCAN parley_queue_inbox"];
    assertEquals([...new Set(scans)].toSorted(), allowed);
    assert(statements.size > 10, `${statements.size} statements were executed`);
  },

  "opens a new file in several processes at the same time": async (path) => {
    const args = ["run", "--quiet", "--no-check", "-A", import.meta.filename ?? "", SEND, path];
    const command = new Deno.Command("deno", { args });
    const results = await Promise.all(Array.from({ length: 4 }, () => command.output()));
    assertEquals(results.map(({ stderr }) => new TextDecoder().decode(stderr)), Array(4).fill(""));
    await using queue = open(path);
    assertEquals(await receive(queue, 1), ["1"]);
  },
};

/** Sends a message, in a process that another test starts. */
const SEND = "send";

/** Names of the tests. */
export const SQLITE_QUEUE_TESTS: readonly string[] = Object.keys(TESTS);

async function main([name = "", path = ""]: readonly string[]): Promise<void> {
  if (name === SEND) {
    await using queue = open(path);
    return await queue.send(createMessage(1));
  }
  const folder = await Deno.makeTempDir();
  try {
    await TESTS[name]?.(`${folder}/queue.db`);
    console.log("passed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main(Deno.args);
