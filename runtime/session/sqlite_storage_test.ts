/**
 * Tests for the storage for sessions in SQLite.
 *
 * @module
 */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { AgentError } from "../shared/error.ts";
import { sessionStorageChecks } from "./checks/storage_checks.ts";
import { sqliteStorage } from "./sqlite_storage.ts";

const CLAIM = {
  runId: "r",
  isNew: true,
  turn: "Hi",
  turnId: undefined,
  leaseMs: 1000,
  seenEpoch: 0,
};

async function withFile(work: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(`${folder}/chats.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const check of sessionStorageChecks) {
  Deno.test(`sqliteStorage: ${check.name}`, () => check.run(() => sqliteStorage(":memory:")));
  Deno.test(`sqliteStorage, file: ${check.name}`, () =>
    withFile((path) => check.run(() => sqliteStorage(path))));
}

Deno.test("sqliteStorage: a change by another connection wakes a reader", async () => {
  await withFile(async (path) => {
    await using reader = sqliteStorage(path, { pollIntervalMs: 1 });
    await using writer = sqliteStorage(path);
    const head = await writer.log.claim("chat", CLAIM);
    if (head === undefined) throw new Error("the claim must succeed");
    const wait = reader.log.changed(head, new AbortController().signal);
    await writer.log.append("chat", 1, ["a"]);
    await wait;
    assertEquals(await reader.log.read("chat", 1, { from: 0, limit: 9 }), ["a"]);
  });
});

Deno.test("sqliteStorage rejects files of other programs and of newer versions", async () => {
  await withFile(async (path) => {
    await sqliteStorage(path)[Symbol.asyncDispose]();
    using database = new DatabaseSync(path);
    database.exec("pragma user_version = 7");
    assertThrows(
      () => sqliteStorage(path),
      AgentError,
      "the database has schema version 7, but this version of @parley/runtime requires 1",
    );
    database.exec("pragma application_id = 5");
    assertThrows(() => sqliteStorage(path), AgentError, "belongs to another program");
  });
});

Deno.test("sqliteStorage names the damaged row, and the other sessions stay readable", async () => {
  await withFile(async (path) => {
    await using storage = sqliteStorage(path);
    const { log, records } = storage;
    for (const key of ["a", "b"]) {
      await records.append(key, { v: 1 }, 0);
      await log.claim(key, CLAIM);
      await log.append(key, 1, ["entry"]);
    }
    using database = new DatabaseSync(path);
    database.exec("update session_record set record = '{' where session_id = 'a'");
    database.exec("update session_entry set entry = '{' where key = 'a'");
    database.exec("update session_run set turn = '{' where key = 'a'");
    await assertRejects(
      () => records.load("a"),
      AgentError,
      'Cannot read record 0 of session "a": the row is damaged',
    );
    await assertRejects(
      () => log.read("a", 1, { from: 0, limit: 9 }),
      AgentError,
      'Cannot read entry 0 of session "a": the row is damaged',
    );
    await assertRejects(
      () => log.head("a"),
      AgentError,
      'Cannot read the run of session "a": the row is damaged',
    );
    assertEquals(await records.load("b"), [{ v: 1 }]);
    assertEquals((await log.head("b"))?.turn, "Hi");
  });
});

Deno.test("sqliteStorage says that the file is locked", async () => {
  await withFile(async (path) => {
    await using storage = sqliteStorage(path, { busyTimeoutMs: 1 });
    using database = new DatabaseSync(path);
    database.exec("begin immediate");
    await assertRejects(
      () => storage.records.append("a", 1, 0),
      AgentError,
      `Cannot write to "${path}": locked by another process for 1 ms`,
    );
    database.exec("rollback");
    assertEquals(await storage.records.append("a", 1, 0), true);
  });
});

Deno.test("sqliteStorage: calls after the disposal reject, and a second disposal has no effect", async () => {
  const storage = sqliteStorage(":memory:");
  await storage[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
  await assertRejects(() => storage.log.head("a"), AgentError, "the storage is closed");
});
