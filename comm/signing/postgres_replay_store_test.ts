import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { SqlClient } from "../shared/sql_client.ts";
import { PostgresReplayStore } from "./postgres_replay_store.ts";

const ANN = "did:web:ann.example";

/** A database that records the first word of each statement. */
class FakeDatabase implements SqlClient {
  readonly statements: string[] = [];
  isFull = false;
  /** Number of entries of each sender. */
  entries = 0;
  /** Rows for an entry that is searched for. */
  found: unknown[] = [];

  query(text: string, _values?: unknown[]): Promise<{ rows: unknown[] }> {
    const [word = ""] = text.trim().split(" ");
    this.statements.push(word);
    if (word === "with") return Promise.resolve({ rows: [{ state: "new" }] });
    if (text.includes("count(*)")) return Promise.resolve({ rows: [{ entries: this.entries }] });
    if (text.includes("select is_committed")) return Promise.resolve({ rows: this.found });
    return Promise.resolve({ rows: word === "select" && this.isFull ? [{}] : [] });
  }
}

Deno.test("PostgresReplayStore reserves no entry while its clock is invalid", async () => {
  const db = new FakeDatabase();
  let time: unknown = 0;
  // The types do not permit some times, but clocks in JavaScript can return them.
  const now = () => time as number;
  const store = new PostgresReplayStore({ db, now });
  for (time of [NaN, Infinity, -Infinity, null, undefined, "0"]) {
    for (const each of [store, store.inTransaction(db)]) {
      await assertRejects(async () => await each.begin(ANN, "1", 1e9), TypeError, '"now()"');
    }
    assertThrows(() => new PostgresReplayStore({ db, now }), TypeError, '"now()"');
  }
  assertEquals(db.statements, []);
});

Deno.test("PostgresReplayStore deletes and counts entries outside of the transactions", async () => {
  const pool = new FakeDatabase();
  let nowMs = 0;
  const store = new PostgresReplayStore({ db: pool, now: () => nowMs });
  for (nowMs of [0, 59_999, 60_000, 60_001]) {
    const tx = new FakeDatabase();
    const inTransaction = store.inTransaction(tx);
    assertEquals(inTransaction.ttlMs, store.ttlMs);
    assertEquals(await inTransaction.begin(ANN, "1", 1e9), true);
    await inTransaction.commit(ANN, "1");
    await inTransaction.abort(ANN, "1");
    assertEquals(tx.statements, ["with", "insert", "delete"]);
    // The entries of the sender are counted first, and once a minute.
    const counted = ["select"];
    assertEquals(
      pool.statements,
      nowMs < 60_000 ? counted : [...counted, "delete", "select", "select"],
    );
  }
});

Deno.test("PostgresReplayStore rejects messages in transactions while it is full", async () => {
  const pool = new FakeDatabase();
  let nowMs = 0;
  const store = new PostgresReplayStore({ db: pool, now: () => nowMs });
  pool.isFull = true;
  nowMs = 60_000;
  const tx = new FakeDatabase();
  assertEquals(await store.inTransaction(tx).begin(ANN, "1", 1e9), "full");
  assertEquals(tx.statements, ["select"]);
  for (const [is_committed, expected] of [[true, false], [false, "reserved"]] as const) {
    tx.found = [{ is_committed }];
    assertEquals(await store.inTransaction(tx).begin(ANN, "1", 1e9), expected);
  }
});

Deno.test("PostgresReplayStore limits the entries of each sender to its share", async () => {
  const db = new FakeDatabase();
  const store = new PostgresReplayStore({ db, maxEntries: 30, now: () => 0 });
  db.entries = 2;
  assertEquals(await store.begin(ANN, "1", 1e9), true);
  assertEquals(await store.begin(ANN, "2", 1e9), "full");
  assertEquals(await store.begin("did:web:ben.example", "1", 1e9), true);
});

Deno.test("PostgresReplayStore rejects if the entries of a sender cannot be counted", async () => {
  const db: SqlClient = { query: () => Promise.resolve({ rows: [] }) };
  const store = new PostgresReplayStore({ db });
  const error = await assertRejects(() => store.begin(ANN, "1", 1e15), TypeError);
  assertEquals(error.message, "Cannot count entries: got undefined");
});

Deno.test("PostgresReplayStore keeps an entry for a duration of the caller's clock", async () => {
  let values: readonly unknown[] = [];
  const db: SqlClient = {
    query(text, parameters = []) {
      if (text.includes("count(*)")) return Promise.resolve({ rows: [{ entries: 0 }] });
      values = parameters;
      return Promise.resolve({ rows: [{ state: "new" }] });
    },
  };
  const store = new PostgresReplayStore({ db, now: () => 1e12 });
  for (const nowMs of [0, 1e12, 2e12]) {
    await store.begin(ANN, "1", nowMs + 300_000, { nowMs });
    assertEquals(values[3], 300_000);
  }
});

Deno.test("PostgresReplayStore.inTransaction() throws if the transaction has no query()", () => {
  const store = new PostgresReplayStore({ db: new FakeDatabase() });
  // @ts-expect-error a transaction is required
  assertThrows(() => store.inTransaction({}), TypeError, '"tx" must be an object with');
});

Deno.test("PostgresReplayStore deletes expired entries until none are left", async () => {
  let [expired, deletions, nowMs] = [25_000, 0, 0];
  const db: SqlClient = {
    query(text, [limit] = []) {
      if (text.includes("count(*)")) return Promise.resolve({ rows: [{ entries: 0 }] });
      if (text.includes("insert")) return Promise.resolve({ rows: [{ state: "new" }] });
      if (!text.includes("skip locked")) return Promise.resolve({ rows: [] });
      deletions++;
      const count = Math.min(expired, Number(limit));
      expired -= count;
      return Promise.resolve({ rows: Array.from({ length: count }, () => ({})) });
    },
  };
  const store = new PostgresReplayStore({ db, now: () => nowMs });
  nowMs = 60_000;
  for (let n = 0; n < 5; n++) await store.begin(ANN, `${n}`, 1e9);
  assertEquals([expired, deletions], [0, 3]);
  nowMs = 119_999;
  await store.begin(ANN, "5", 1e9);
  assertEquals(deletions, 3);
  // After the clock was set back, the entries are deleted again.
  nowMs = 0;
  await store.begin(ANN, "6", 1e9);
  assertEquals(deletions, 4);
});

Deno.test("PostgresReplayStore throws for a time that is not finite", () => {
  for (const name of ["ttlMs", "reservationMs"]) {
    const options = { db: new FakeDatabase(), [name]: Infinity };
    assertThrows(() => new PostgresReplayStore(options), RangeError, `"${name}" must be finite`);
  }
});
