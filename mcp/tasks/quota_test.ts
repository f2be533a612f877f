import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { mcpHandler, McpServer } from "../server.ts";
import { modern } from "../testdata/http.ts";
import { meta } from "../testdata/pipes.ts";
import { serverTasks } from "./server.ts";
import type { ServerTasksOptions } from "./server_options.ts";
import { memoryTaskStore } from "./memory_task_store.ts";
import type { TaskRecord } from "./task_store.ts";

const CAPABILITIES = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/**
 * Creates a server with a tool that starts a task for each call. A task ends when the test releases
 * it.
 */
function mill(options: ServerTasksOptions) {
  const jobs = serverTasks(options);
  const server = new McpServer({ name: "mill", version: "1", extensions: [jobs] });
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => letGo = resolve);
  server.registerTool({ name: "grind", description: "" }, async (_args, context) => {
    await jobs.start(context);
    await held;
  });
  const handler = mcpHandler(server);
  /** Starts a task and returns the result of the tool call. */
  const grind = async (subject?: string): Promise<unknown> => {
    const params = { name: "grind", arguments: {}, _meta: meta(CAPABILITIES) };
    const context = subject === undefined ? {} : { principal: { subject } };
    const { result, error } = await (await handler(modern("tools/call", params), context)).json();
    return result?.resultType ?? error.code;
  };
  return { server, grind, letGo };
}

const LEASE = { leaseMs: 1000 };

function record(taskId: string, subject: string | undefined, text = ""): TaskRecord {
  const at = new Date(0).toISOString();
  return {
    epoch: 0,
    task: {
      taskId,
      status: "completed",
      createdAt: at,
      lastUpdatedAt: at,
      ttlMs: 1,
      result: { text },
    },
    expiresAt: Date.now() + 60_000,
    ...(subject === undefined ? {} : { subject }),
  };
}

Deno.test("serverTasks() limits the running tasks per principal", async () => {
  const { server, grind, letGo } = mill({ maxRunning: 8 });
  const hers = [];
  for (let n = 0; n < 4; n++) hers.push(await grind("mallory"));
  assertEquals(hers, ["task", "task", -32603, -32603]);
  assertEquals([await grind("ada"), await grind("ada"), await grind("ada")], [
    "task",
    "task",
    -32603,
  ]);
  // Only the total limit applies to unauthenticated clients.
  const rest = [];
  for (let n = 0; n < 5; n++) rest.push(await grind());
  assertEquals(rest, ["task", "task", "task", "task", -32603]);
  letGo();
  await server.close();
});

Deno.test("ended tasks and tasks that could not be stored do not count toward the limit", async () => {
  const { server, grind, letGo } = mill({ maxRunning: 2, maxSharePerPrincipal: 0.5 });
  assertEquals([await grind("ada"), await grind("ada")], ["task", -32603]);
  letGo();
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  assertEquals(await grind("ada"), "task");
  await server.close();

  const full = mill({ maxRunning: 1, store: memoryTaskStore({ maxChars: 1 }) });
  assertEquals([await full.grind("ada"), await full.grind("ada")], [-32603, -32603]);
  await full.server.close();
});

Deno.test("memoryTaskStore() limits tasks and characters per principal", async () => {
  const many = memoryTaskStore({ maxTasks: 8 });
  await many.set(record("m1", "mallory"), LEASE);
  await many.set(record("m2", "mallory"), LEASE);
  await assertRejects(() => many.set(record("m3", "mallory"), LEASE), McpError, "Too many tasks");
  await many.set(record("m2", "mallory", "again"), LEASE);
  for (const id of ["a1", "a2"]) await many.set(record(id, "ada"), LEASE);
  for (const id of ["n1", "n2", "n3", "n4"]) await many.set(record(id, undefined), LEASE);
  await assertRejects(() => many.set(record("n5", undefined), LEASE), McpError, "Too many tasks");

  const large = memoryTaskStore({ maxChars: 4000, maxSharePerPrincipal: 0.5 });
  await large.set(record("m1", "mallory", "x".repeat(1000)), LEASE);
  await assertRejects(() => large.set(record("m2", "mallory", "x".repeat(1000)), LEASE), McpError);
  await large.set(record("a1", "ada", "x".repeat(1000)), LEASE);
  await large.set({ ...record("m1", "mallory", "x".repeat(1000)), expiresAt: 0 }, LEASE);
  await large.set(record("m2", "mallory", "x".repeat(1500)), LEASE);
  assertEquals(await large.get("m1"), undefined);
});

Deno.test("memoryTaskStore() lets a task fail or be cancelled even if a limit is reached", async () => {
  const store = memoryTaskStore({ maxChars: 400 });
  const { task, ...rest } = record("t", undefined);
  const { taskId, createdAt, lastUpdatedAt, ttlMs } = task;
  const metadata = { taskId, createdAt, lastUpdatedAt, ttlMs };
  await store.set({ ...rest, task: { ...metadata, status: "working" } }, LEASE);
  const completed = {
    ...metadata,
    status: "completed",
    result: { text: "x".repeat(400) },
  } as const;
  await assertRejects(() => store.set({ ...rest, task: completed }, LEASE), McpError, "Too many");
  const fail = (length: number) => {
    const error = { code: 1, message: "x".repeat(length) };
    return store.set({ ...rest, task: { ...metadata, status: "failed", error } }, LEASE);
  };
  await assertRejects(() => fail(2000), McpError, "Too many");
  assertEquals(await fail(500), true);
  assertEquals((await store.get("t"))?.task.status, "failed");
});
