import { assertEquals, assertThrows } from "@std/assert";
import type { SqlDatabase, SqlValue } from "../shared/sql.ts";
import { PostgresReplayStore } from "./postgres_replay_store.ts";

const ANN = "did:web:ann.example";

/** A database that records the first word of each statement. */
class FakeDatabase implements SqlDatabase {
  readonly statements: string[] = [];
  isFull = false;

  executeSql(text: string, _values?: SqlValue[]): Promise<{ rows: unknown[] }> {
    const [word = ""] = text.trim().split(" ");
    this.statements.push(word);
    if (word === "with") return Promise.resolve({ rows: [{ state: "new" }] });
    return Promise.resolve({ rows: word === "select" && this.isFull ? [{}] : [] });
  }
}

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
    assertEquals(pool.statements, nowMs < 60_000 ? [] : ["delete", "select"]);
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
  assertEquals(tx.statements, []);
});

Deno.test("PostgresReplayStore.inTransaction() throws if the transaction has no executeSql()", () => {
  const store = new PostgresReplayStore({ db: new FakeDatabase() });
  // @ts-expect-error a transaction is required
  assertThrows(() => store.inTransaction({}), TypeError, '"tx" must be an object with');
});
