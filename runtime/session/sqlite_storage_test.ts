/**
 * Tests for the storage for sessions in SQLite.
 *
 * @module
 */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { claim, finishOf } from "../log/checks/log_steps.ts";
import { AgentError } from "../shared/error.ts";
import { sessionStorageChecks } from "./checks/storage_checks.ts";
import { sqliteStorage } from "./open_sqlite_storage.ts";

for (const check of sessionStorageChecks) {
  Deno.test(`sqliteStorage: ${check.name}`, () => check.run(() => sqliteStorage(":memory:")));
}

Deno.test("sqliteStorage: files that are shared, locked, full, damaged or of other programs", async () => {
  const program = new URL("testdata/sqlite_storage_files.ts", import.meta.url).pathname;
  const folder = `/tmp/parley-sessions-${crypto.randomUUID()}`;
  const { stdout, success } = await new Deno.Command("deno", {
    args: ["run", "-A", "--quiet", "--no-check", program, folder],
    stderr: "inherit",
  }).output();
  assertEquals(success, true);
  assertEquals(JSON.parse(new TextDecoder().decode(stdout)), {
    failedChecks: {},
    change: ["a"],
    refused: {
      newer:
        'Cannot open the sessions in "/other.db": the database has schema version 7, but this ' +
        "version of @parley/runtime requires 2",
      other: 'Cannot open the sessions in "/other.db": the file is a database that belongs to ' +
        "another program",
      missing: 'Cannot open the sessions in "/missing/chats.db": unable to open database file: ' +
        "/missing/chats.db",
    },
    damaged: {
      record: 'Cannot read record 0 of session "a": the row is damaged',
      entry: 'Cannot read entry 0 of session "a": the row is damaged',
      step: 'Cannot read a step of session "a": "v" must be 1, got undefined',
      head: 'Cannot read the run of session "a": the row is damaged',
      other: [[{ v: 1 }], "Hi"],
    },
    locked: {
      locked:
        'Cannot write to "/locked.db": locked by another process for 1 ms; close the program ' +
        'that keeps a transaction open, or increase "busyTimeoutMs"',
      after: true,
    },
    full: {
      full: 'Cannot use the sessions in "/full.db": database or disk is full',
      isKept: true,
    },
  });
});

Deno.test("sqliteStorage keeps the newest of the earlier runs, whatever the clock shows", async () => {
  for (const stepMs of [0, -1000]) {
    await using storage = sqliteStorage(":memory:");
    const { log } = storage;
    let seenEpoch = 0;
    for (const [index, runId] of ["chat/9", "chat/10", "chat/11"].entries()) {
      using _ = new FakeTime(1_000_000 + index * stepMs);
      const head = await claim(log, "chat", { runId, seenEpoch, keepRuns: 1 });
      await log.finish("chat", head.epoch, finishOf());
      seenEpoch = head.epoch;
    }
    const found = await Promise.all(["chat/9", "chat/10", "chat/11"].map((id) => log.find(id)));
    assertEquals(found.map((head) => head?.runId), [undefined, "chat/10", "chat/11"]);
  }
});

Deno.test("sqliteStorage: calls after the disposal reject, and a second disposal has no effect", async () => {
  const storage = sqliteStorage(":memory:");
  await storage[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
  await assertRejects(() => storage.log.head("a"), AgentError, "the storage is closed");
});

Deno.test("sqliteStorage checks its arguments", () => {
  assertThrows(() => sqliteStorage(""), TypeError, '"path" must be a non-empty string');
  assertThrows(() => sqliteStorage(":memory:", { pollIntervalMs: 0 }), RangeError);
  assertThrows(() => sqliteStorage(":memory:", { maxBytes: 0 }), RangeError);
});
