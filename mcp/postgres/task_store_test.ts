import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import type { TaskRecord } from "../tasks/task_store.ts";
import type { UnknownRecord } from "@parley/internal/json";
import type { SqlClient } from "../shared/sql_client.ts";
import { postgresTaskStore } from "./task_store.ts";

/** A statement with its parameters. */
type Statement = readonly [string, readonly unknown[]];

/** A database that returns the given rows for statements that contain a key. */
function database(rows: Readonly<Record<string, readonly UnknownRecord[]>>): {
  readonly sql: SqlClient;
  readonly statements: Statement[];
} {
  const statements: Statement[] = [];
  const sql: SqlClient = {
    query: (text, values = []) => {
      statements.push([text, values]);
      const found = Object.entries(rows).find(([part]) => text.includes(part));
      return Promise.resolve({ rows: [...found?.[1] ?? []] });
    },
    listen: () => Promise.resolve(() => Promise.resolve()),
  };
  return { sql, statements };
}

const NOW = Date.parse("2026-07-28T12:00:00Z");

function record(rest: Partial<TaskRecord> = {}): TaskRecord {
  const at = new Date(NOW).toISOString();
  const task = { taskId: "t", status: "working", createdAt: at, lastUpdatedAt: at, ttlMs: 1000 };
  return { task: { ...task, status: "working" }, expiresAt: NOW + 1000, epoch: 0, ...rest };
}

function row(
  taskId: string,
  text: string = JSON.stringify(recordOf(taskId)),
  ttlMs = 500,
): UnknownRecord {
  return { task_id: taskId, record: text, epoch: 3, ttl_ms: ttlMs };
}

function recordOf(taskId: string): TaskRecord {
  const { task, ...rest } = record();
  return { ...rest, task: { ...task, taskId } };
}

Deno.test("takeExpired() returns the tasks that can be read, and releases and reports the others", async () => {
  const errors: unknown[] = [];
  const { sql, statements } = database({
    "skip locked": [
      row("a", '{"task":{"status":"of a newer version"}}'),
      row("b"),
      row("c", "not JSON"),
      row("d", "null"),
      row("e", JSON.stringify(recordOf("other"))),
    ],
  });
  const store = postgresTaskStore(sql, { onError: (error) => errors.push(error) });
  const taken = await store.takeExpired({ limit: 10, leaseMs: 1000 });
  assertEquals(taken.map(({ task, epoch }) => [task.taskId, epoch]), [["b", 3]]);
  assertEquals(errors.length, 4);
  const [text, [released]] = statements.at(-1) ?? ["", []];
  assertEquals(text.includes("leased_until = null"), true);
  assertEquals(
    JSON.parse(String(released)),
    ["a", "c", "d", "e"].map((taskId) => ({ taskId, epoch: 3 })),
  );
});

Deno.test("takeSignals() returns the signals that can be read, and reports the others", async () => {
  const errors: unknown[] = [];
  const signals = ['{"kind":"pause"}', '{"kind":"cancel"}', "no JSON", '{"kind":"input"}'];
  const { sql } = database({
    "returning number": signals.map((signal) => ({ task_id: "t", signal })),
  });
  const store = postgresTaskStore(sql, { onError: (error) => errors.push(error) });
  assertEquals(await store.takeSignals(["t"]), [{ taskId: "t", signal: { kind: "cancel" } }]);
  assertEquals(errors.length, 3);
});

Deno.test("ids that PostgreSQL cannot store are not sent to the database", async () => {
  const { sql, statements } = database({});
  const store = postgresTaskStore(sql);
  for (const taskId of ["a\0b", "\ud800", "\udc00x"]) {
    assertEquals(await store.get(taskId), undefined);
    assertEquals(await store.signal(taskId, { kind: "cancel" }), false);
    await store.renew([{ taskId, epoch: 0 }, { taskId: "t", epoch: 1 }], { leaseMs: 1 });
    assertEquals(statements.pop()?.[1], ['[{"taskId":"t","epoch":1}]', 1]);
    await store.takeSignals([taskId, "t", "\u{1f600}"]);
    assertEquals(statements.pop()?.[1], ['["t","\u{1f600}"]']);
  }
  assertEquals(statements, []);
});

Deno.test("takeExpired() skips rows for which the statement would fail", async () => {
  const { sql, statements } = database({});
  await postgresTaskStore(sql).takeExpired({ limit: 10, leaseMs: 1000 });
  const text = statements.find(([each]) => each.includes("skip locked"))?.[0] ?? "";
  assertStringIncludes(text, "epoch < 2147483647 and isfinite(expires_at)");
});

Deno.test("signal() passes the limits, and rejects if the signal exceeds them", async () => {
  const { sql, statements } = database({ signal_task: [{ outcome: "stored" }] });
  const store = postgresTaskStore(sql, { maxChars: 100, maxSharePerPrincipal: 0.5 });
  assertEquals(await store.signal("t", { kind: "cancel" }), true);
  assertEquals(statements[0]?.[1], ["t", '{"kind":"cancel"}', 100, 1024, 100, 50]);
  const full = postgresTaskStore(database({ signal_task: [{ outcome: "full" }] }).sql);
  await assertRejects(() => full.signal("t", { kind: "cancel" }), McpError, "Too many requests");
  for (const rows of [[{ outcome: "unknown" }], [{}], []]) {
    const store = postgresTaskStore(database({ signal_task: rows }).sql);
    assertEquals(await store.signal("t", { kind: "cancel" }), false);
  }
});

Deno.test("set() passes the remaining time, the limits and the share per principal", async () => {
  using _time = new FakeTime(NOW);
  const { sql, statements } = database({ parley_mcp_set_task: [{ outcome: "stored" }] });
  const store = postgresTaskStore(sql, { maxTasks: 10, maxChars: 100, maxSharePerPrincipal: 0.5 });
  assertEquals(await store.set(record({ subject: "a\0" }), { leaseMs: 7 }), true);
  const failed = record().task;
  const error = { code: 1, message: "" };
  await store.set(record({ task: { ...failed, status: "failed", error } }), { leaseMs: 7 });
  const values = statements.map(([, [taskId, , ...rest]]) => [taskId, ...rest]);
  assertEquals(values, [
    ["t", '"a\\u0000"', 0, 1000, 7, 0, 10, 100, 5, 50],
    ["t", null, 0, 1000, null, 1024, 10, 100, 5, 50],
  ]);
});

Deno.test("set() rejects if the store is full, and resolves to false if the task was taken over", async () => {
  const full = postgresTaskStore(database({ set_task: [{ outcome: "full" }] }).sql);
  const error = await assertRejects(() => full.set(record(), { leaseMs: 1 }), McpError);
  assertEquals([error.rpcCode, error.message.endsWith("Too many tasks are stored")], [
    -32603,
    true,
  ]);
  for (const rows of [[{ outcome: "fenced" }], [{}], []]) {
    const store = postgresTaskStore(database({ set_task: rows }).sql);
    assertEquals(await store.set(record(), { leaseMs: 1 }), false);
  }
});

Deno.test("get() converts the expiry time from the database's clock", async () => {
  using _time = new FakeTime(NOW);
  const stored = JSON.stringify(record({ expiresAt: NOW - 3_600_000 }));
  const { sql } = database({ "select task_id, record": [row("t", stored, 500)] });
  assertEquals((await postgresTaskStore(sql).get("t"))?.expiresAt, NOW + 500);
});

Deno.test("postgresTaskStore() checks its limits", () => {
  const { sql } = database({});
  for (const options of [{ maxTasks: 0 }, { maxChars: 1.5 }, { maxSharePerPrincipal: 2 }]) {
    assertThrows(() => postgresTaskStore(sql, options), RangeError);
  }
});
