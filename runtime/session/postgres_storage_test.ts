import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { AgentError } from "../shared/error.ts";
import type { SqlClient } from "../shared/sql_client.ts";
import { postgresStorage } from "./postgres_storage.ts";
import type { RunHead } from "../log/run_log.ts";

const HEAD: RunHead = {
  key: "a",
  runId: "r/0",
  epoch: 1,
  phase: "running",
  isLeased: true,
  isStopping: false,
  turn: "Hi",
  turnId: undefined,
  metadata: {},
  takeovers: 0,
  first: 0,
  count: 0,
  result: null,
  isReadable: true,
  startedAt: 0,
  changedAt: 0,
};

/** A row that corresponds to {@linkcode HEAD}. */
const ROW = {
  key: "a",
  run_id: "r/0",
  epoch: 1,
  phase: "running",
  lease_until: "2000",
  is_stopping: 0,
  turn: '"Hi"',
  turn_id: null,
  metadata: "{}",
  takeovers: 0,
  first: 0,
  count: 0,
  result: "null",
  keep_until: "0",
  started_at: "0",
  changed_at: "0",
  now: "1000",
};

/** A database with the current tables, which records the other statements. */
class Database implements SqlClient {
  readonly statements: string[] = [];
  /** Parameters of the statements. */
  readonly parameters: (readonly unknown[])[] = [];
  rows: unknown[] = [ROW];
  failure: Error | undefined;
  isSilent = false;
  /** Settles before the next statement is executed. */
  before: Promise<void> | undefined;

  async query(text: string, values: readonly unknown[] = []): Promise<{ rows: unknown[] }> {
    await this.before;
    return await this.#execute(text, values);
  }

  #execute(text: string, values: readonly unknown[]): Promise<{ rows: unknown[] }> {
    if (this.isSilent) return new Promise(() => {});
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (text.includes("obj_description")) {
      const comment = "Sessions of @parley/runtime, schema version 1";
      return Promise.resolve({ rows: [{ exists: true, comment }] });
    }
    this.statements.push(text);
    this.parameters.push(values);
    return Promise.resolve({ rows: this.rows });
  }
}

/** A database that can send notifications, and whose first subscriptions fail. */
class Listening extends Database {
  failures: number;
  subscriptions = 0;
  stops = 0;
  notify = (_payload: string): void => {};

  constructor(failures = 0) {
    super();
    this.failures = failures;
  }

  listen(_channel: string, onPayload: (payload: string) => void, onListen?: () => void) {
    this.subscriptions++;
    if (this.failures-- > 0) return Promise.reject(new Error("no connection"));
    this.notify = onPayload;
    onListen?.();
    return Promise.resolve(() => Promise.resolve(void this.stops++));
  }
}

/** Number of statements that look for changes. */
function looksOf({ statements }: Database): number {
  return statements.filter((text) => text.includes("json_array_elements_text($1")).length;
}

/** Advances the clock, and lets the promises settle that the timers have resolved. */
async function advance(time: FakeTime, ms: number): Promise<void> {
  await time.tickAsync(ms);
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

const never = new AbortController().signal;

Deno.test("postgresStorage() throws for a wrong database or option", () => {
  const db = new Database();
  const open = (...args: readonly unknown[]) => () =>
    Reflect.apply(postgresStorage, undefined, args);
  assertThrows(open(undefined), TypeError, '"db" must be an object with the method "query"');
  assertThrows(open(() => {}), TypeError, '"db"');
  for (const schema of ["", "A", "pg_a", "a".repeat(41), 'a"']) {
    assertThrows(open(db, { schema }), TypeError, '"schema"');
  }
  for (const name of ["listen", "migrate"]) {
    assertThrows(open(db, { [name]: "no" }), TypeError, `"${name}"`);
  }
  for (const name of ["pollIntervalMs", "queryTimeoutMs"]) {
    assertThrows(open(db, { [name]: 0 }), RangeError, `"${name}"`);
  }
  assertThrows(open(db, { onError: 1 }), TypeError, '"onError"');
  assertThrows(open(db, { lisen: false }), TypeError, 'did you mean "listen"');
});

Deno.test("a call rejects if the database does not respond in time, and the next call prepares the tables again", async () => {
  using time = new FakeTime();
  const db = new Database();
  db.isSilent = true;
  const { log } = postgresStorage(db, { queryTimeoutMs: 50 });
  const rejected = assertRejects(
    () => log.head("a"),
    AgentError,
    'Cannot use the sessions in schema "parley": the database did not respond within 50 ms',
  );
  await advance(time, 50);
  await rejected;
  db.isSilent = false;
  assertEquals(await log.head("a"), HEAD);
});

Deno.test("the time limit of the first call includes the preparation of the tables", async () => {
  using time = new FakeTime();
  const db = new Database();
  const prepared = Promise.withResolvers<void>();
  db.before = prepared.promise;
  const { log } = postgresStorage(db, { queryTimeoutMs: 50 });
  const rejected = assertRejects(() => log.head("a"), AgentError, "within 50 ms");
  await advance(time, 0);
  await advance(time, 40);
  db.before = new Promise(() => {});
  prepared.resolve();
  await advance(time, 0);
  await advance(time, 10);
  await rejected;
  db.before = undefined;
  assertEquals(await log.head("a"), HEAD);
});

Deno.test("a call rejects with the error of the database as its cause", async () => {
  const db = new Database();
  db.failure = new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:1")]);
  const storage = postgresStorage(db);
  const error = await assertRejects(() => storage.records.load("a"), AgentError);
  assertEquals([error.code, error.message, error.cause], [
    "core",
    'Cannot use the sessions in schema "parley": connect ECONNREFUSED 127.0.0.1:1',
    db.failure,
  ]);
});

Deno.test("calls after the disposal reject, and a second disposal has no effect", async () => {
  const db = new Listening();
  const storage = postgresStorage(db);
  const waiting = storage.log.changed(HEAD, never);
  await storage[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
  await waiting;
  assertEquals(db.stops, 1);
  for (const call of [() => storage.log.head("a"), () => storage.log.changed(HEAD, never)]) {
    await assertRejects(call, AgentError, "the storage is closed");
  }
});

Deno.test("all readers of a process look for changes with one statement", async () => {
  using time = new FakeTime();
  const db = new Database();
  const { log } = postgresStorage(db, { pollIntervalMs: 200 });
  const stopping = new AbortController();
  const waits = ["a", "a", "b"].map((key) => log.changed({ ...HEAD, key }, stopping.signal));
  const isWaiting = [true, true, true];
  waits.forEach((wait, index) => void wait.then(() => isWaiting[index] = false));
  db.rows = [ROW, { ...ROW, key: "b" }];
  await advance(time, 0);
  assertEquals([looksOf(db), isWaiting], [1, [true, true, true]]);
  await advance(time, 199);
  assertEquals(looksOf(db), 1);
  db.rows = [ROW, { ...ROW, key: "b", count: 1 }];
  await advance(time, 1);
  assertEquals([looksOf(db), isWaiting], [2, [true, true, false]]);
  stopping.abort();
  await Promise.all(waits);
  await advance(time, 10_000);
  assertEquals(looksOf(db), 2);
});

Deno.test("a reader that starts looks for the changes of its session only", async () => {
  using time = new FakeTime();
  const db = new Listening();
  const { log } = postgresStorage(db);
  const stopping = new AbortController();
  db.rows = [ROW, { ...ROW, key: "b" }];
  const first = log.changed(HEAD, stopping.signal);
  await advance(time, 1);
  const second = log.changed({ ...HEAD, key: "b" }, stopping.signal);
  await advance(time, 1);
  assertEquals(db.parameters.at(-1), ['["b"]']);
  await advance(time, 1000);
  assertEquals(db.parameters.at(-1), ['["a","b"]']);
  // Notifications without a session during a look have one further look.
  const before = looksOf(db);
  for (let count = 0; count < 10; count++) db.notify("");
  await advance(time, 1);
  assertEquals(looksOf(db), before + 2);
  stopping.abort();
  await Promise.all([first, second]);
});

Deno.test("a change wakes the readers of the same process immediately", async () => {
  using time = new FakeTime();
  const db = new Database();
  const { log } = postgresStorage(db);
  await log.head("a");
  let isWoken = false;
  const wait = log.changed(HEAD, never).then(() => isWoken = true);
  db.rows = [{ ...ROW, outcome: "held" }];
  assertEquals(await log.append("a", 1, ["entry"]), "held");
  await advance(time, 0);
  assertEquals(isWoken, true);
  await wait;
});

Deno.test("changed() rejects if the look for changes fails, and resolves if a lease has expired", async () => {
  using time = new FakeTime();
  const db = new Database();
  const { log } = postgresStorage(db);
  await log.head("a");
  db.failure = new Error("connection lost");
  const failing = assertRejects(() => log.changed(HEAD, never), AgentError, "connection lost");
  await advance(time, 0);
  await failing;
  db.failure = undefined;
  const wait = log.changed(HEAD, never);
  await advance(time, 0);
  db.rows = [{ ...ROW, now: "2000" }];
  await advance(time, 200);
  await wait;
  db.rows = [{ ...ROW, phase: "unknown" }];
  const damaged = assertRejects(() => log.changed(HEAD, never), AgentError, "the row is damaged");
  await advance(time, 0);
  await damaged;
});

Deno.test("a notification wakes the readers of its session, and polling slows down", async () => {
  using time = new FakeTime();
  const db = new Listening();
  const storage = postgresStorage(db);
  const stopping = new AbortController();
  const waits = ["a", "b\0"].map((key) => storage.log.changed({ ...HEAD, key }, stopping.signal));
  let woken = 0;
  for (const wait of waits) wait.then(() => woken++);
  db.rows = [ROW, { ...ROW, key: "b\\u0000" }];
  await advance(time, 0);
  const looks = looksOf(db);
  await advance(time, 999);
  assertEquals([looksOf(db), woken], [looks, 0]);
  db.notify("b\\u0000");
  await advance(time, 0);
  assertEquals(woken, 1);
  db.notify("");
  await advance(time, 1);
  assertEquals([looksOf(db), woken], [looks + 1, 1]);
  stopping.abort();
  await Promise.all(waits);
  await storage[Symbol.asyncDispose]();
});

Deno.test("a subscription that fails is reported and tried again with growing delays", async () => {
  using time = new FakeTime();
  const db = new Listening(2);
  const errors: string[] = [];
  await using storage = postgresStorage(db, { onError: (error) => errors.push(String(error)) });
  const stopping = new AbortController();
  const wait = storage.log.changed(HEAD, stopping.signal);
  const subscriptions: number[] = [];
  for (const ms of [0, 10_000, 10_000]) {
    await advance(time, ms);
    subscriptions.push(db.subscriptions);
  }
  stopping.abort();
  await wait;
  assertEquals(subscriptions, [1, 2, 3]);
  assertEquals(errors, ["Error: no connection", "Error: no connection"]);
});

Deno.test("with listen: false, no connection is taken for notifications", async () => {
  const db = new Listening();
  await using storage = postgresStorage(db, { listen: false });
  const stopping = new AbortController();
  const wait = storage.log.changed(HEAD, stopping.signal);
  stopping.abort();
  await wait;
  assertEquals(db.subscriptions, 0);
});
