import { assertEquals, assertRejects } from "@std/assert";
import { EventEmitter } from "node:events";
import type { PooledConnection } from "./pg_listener.ts";
import { beginTransaction } from "./pg_transaction.ts";

/** A connection whose statements fail from the given one on. */
class Connection extends EventEmitter implements PooledConnection {
  readonly log: string[] = [];
  failing = "";

  query(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
    this.log.push([text, ...values].join(" "));
    if (text === this.failing) return Promise.reject(new Error("lost"));
    return Promise.resolve({ rows: [1] });
  }

  release(isClosed: boolean): void {
    this.log.push(isClosed ? "close" : "release");
  }
}

function begin(connection: Connection) {
  return beginTransaction({ connect: () => Promise.resolve(connection) });
}

Deno.test("a transaction is committed or rolled back once, and its connection is released", async () => {
  for (const end of ["commit", "rollback"] as const) {
    const connection = new Connection();
    const transaction = await begin(connection);
    assertEquals(await transaction.db.executeSql("insert", ["a"]), { rows: [1] });
    await transaction[end]();
    await transaction.rollback();
    assertEquals(connection.log, ["begin", "insert a", end, "release"]);
    assertEquals(connection.listenerCount("error"), 0);
  }
});

Deno.test("a transaction that has ended executes no statement", async () => {
  const connection = new Connection();
  const { commit, db } = await begin(connection);
  await commit();
  await assertRejects(() => db.executeSql("insert"), Error, "the transaction: it has ended");
  await assertRejects(() => commit(), Error, "the transaction: it has ended");
  assertEquals(connection.log, ["begin", "commit", "release"]);
});

Deno.test("a connection whose state is unknown is closed", async () => {
  for (const failing of ["begin", "commit", "rollback"]) {
    const connection = new Connection();
    connection.failing = failing;
    const run = async () => {
      const { commit, rollback } = await begin(connection);
      await (failing === "commit" ? commit() : rollback());
    };
    await assertRejects(run, Error, "lost");
    assertEquals(connection.log.at(-1), "close");
  }
});

Deno.test("a transaction whose connection was lost rejects with the reason", async () => {
  const connection = new Connection();
  const { commit, db, rollback } = await begin(connection);
  connection.emit("error", new Error("reset by peer"));
  connection.emit("error", new Error("closed"));
  await assertRejects(() => db.executeSql("insert"), Error, "reset by peer");
  await assertRejects(() => commit(), Error, "reset by peer");
  await rollback();
  assertEquals(connection.log, ["begin", "close"]);
});
