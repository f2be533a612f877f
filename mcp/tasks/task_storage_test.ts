import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { objectOf } from "../testdata/answer.ts";
import { memoryTaskStore } from "./memory_task_store.ts";
import type { TaskLeaseOptions, TaskRecord, TaskStore } from "./task_store.ts";
import {
  ask,
  call,
  CAPABILITIES,
  eventually,
  hold,
  make,
  override,
  text,
  until,
  type Work,
} from "./testdata/jobs.ts";

const LEASE = { leaseMs: 1000 };

function record(taskId: string, expiresAt: number, result: JsonObject = {}): TaskRecord {
  const at = new Date(0).toISOString();
  const task = { taskId, createdAt: at, lastUpdatedAt: at, ttlMs: 1, status: "completed", result };
  return { task: { ...task, status: "completed" }, expiresAt, epoch: 0 };
}

Deno.test("memoryTaskStore() limits the number of tasks and discards only expired tasks", async () => {
  const store = memoryTaskStore({ maxTasks: 2 });
  const late = Date.now() + 60_000;
  await store.set(record("a", late), LEASE);
  await store.set(record("b", 0), LEASE);
  await store.set(record("c", late), LEASE);
  assertEquals(await store.get("b"), undefined);
  await assertRejects(() => store.set(record("d", late), LEASE), McpError, "Too many tasks");
  await store.set(record("a", late, { x: 1 }), LEASE);
  assertEquals(await store.get("a"), record("a", late, { x: 1 }));
});

Deno.test("memoryTaskStore() limits the number of characters", async () => {
  const late = Date.now() + 60_000;
  const maxChars = JSON.stringify(record("a", late, { x: "" })).length + 10;
  const store = memoryTaskStore({ maxChars });
  await store.set(record("a", late, { x: "1234567890" }), LEASE);
  await assertRejects(() => store.set(record("a", late, { x: "12345678901" }), LEASE), McpError);
  await assertRejects(() => store.set(record("b", late), LEASE), McpError);
  assertEquals(await store.get("a"), record("a", late, { x: "1234567890" }));
});

Deno.test("a task fails if its result cannot be stored", async () => {
  const errors: unknown[] = [];
  const options = {
    store: memoryTaskStore({ maxChars: 1000 }),
    onError: (error: unknown) => void errors.push(error),
  };
  for (const result of ["x".repeat(1000), { big: "x".repeat(1000) }]) {
    const server = make(({ start }) => async (_args, context) => {
      await start(context);
      return result;
    }, options);
    const { taskId } = await call(server);
    assertEquals(objectOf((await until(server, taskId, "failed")).error).code, -32603);
    await server.close();
  }
  assertEquals(errors.length, 2);
});

Deno.test("close() ends the running tasks", async () => {
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const { taskId } = await call(server);
  await server.close();
  assertEquals((await ask(server, "tasks/get", { taskId })).status, "failed");
});

Deno.test("start() rejects after close()", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
  });
  await server.close();
  assertEquals((await call(server)).code, -32603);
});

Deno.test("close() ends a task that is being stored", async () => {
  const inner = memoryTaskStore();
  const slow = hold();
  const kept: string[] = [];
  const store = override(inner, {
    set: async (record: TaskRecord, options: TaskLeaseOptions) => {
      if (record.task.status === "working") await slow.promise;
      kept.push(record.task.status);
      return await inner.set(record, options);
    },
  });
  const began = hold<unknown>();
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    began.release(signal.aborted);
  }, { store });
  const calling = call(server);
  const closing = server.close();
  slow.release();
  await closing;
  assertEquals(await began.promise, true);
  const { taskId } = await calling;
  assertEquals(kept, ["working", "failed"]);
  assertEquals((await ask(server, "tasks/get", { taskId })).status, "failed");
});

Deno.test("close() waits until available results are stored", async () => {
  const inner = memoryTaskStore();
  const slow = hold();
  const saving = hold();
  const store = override(inner, {
    set: async (record: TaskRecord, options: TaskLeaseOptions) => {
      if (record.task.status === "completed") {
        saving.release();
        await slow.promise;
      }
      return await inner.set(record, options);
    },
  });
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    return "done";
  }, { store });
  const { taskId } = await call(server);
  await saving.promise;
  let isClosed = false;
  const closing = server.close().then(() => isClosed = true);
  for (let turn = 0; turn < 100; turn++) await undefined;
  assertEquals(isClosed, false);
  slow.release();
  await closing;
  assertEquals((await inner.get(String(taskId)))?.task.status, "completed");
});

Deno.test("cancelling a call while its task is stored also cancels the task", async () => {
  const inner = memoryTaskStore();
  const slow = hold();
  const kept: TaskRecord[] = [];
  const store = override(inner, {
    set: async (record: TaskRecord, options: TaskLeaseOptions) => {
      if (kept.push(record) === 1) await slow.promise;
      return await inner.set(record, options);
    },
  });
  const ended = hold<unknown>();
  const server = make(({ start }) => async (_args, context) => {
    await start(context).catch(ended.release);
    ended.release("it began");
  }, { store });
  const controller = new AbortController();
  const calling = server.exchange({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "job" },
  }, {
    client: { protocolVersion: "2026-07-28", capabilities: CAPABILITIES },
    signal: controller.signal,
  });
  await eventually(() => kept.length > 0);
  const reason = new Error("nobody waits");
  controller.abort(reason);
  slow.release();
  await assertRejects(() => calling, Error, "nobody waits");
  assertEquals(await ended.promise, reason);
  assertEquals(kept.map(({ task }) => task.status), ["working", "cancelled"]);
  await server.close();
});

Deno.test("a handler that does not await start() still creates a task", async () => {
  const work: Work = ({ start }) => (_args, context) => {
    start(context).catch(() => {});
    return "done";
  };
  const server = make(work);
  const { taskId } = await call(server);
  assertEquals((await until(server, taskId, "completed")).result, text("done"));
  await server.close();
  const full = make(work, { store: memoryTaskStore({ maxChars: 1 }) });
  assertEquals(await call(full), text("done"));
  await full.close();
});

Deno.test("start() rejects if the task cannot be stored", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
  }, { store: memoryTaskStore({ maxChars: 1 }) });
  assertEquals((await call(server)).code, -32603);
  await server.close();
});

Deno.test("serverTasks() accepts a store in JavaScript that returns no promises and null", async () => {
  const records = new Map<string, TaskRecord>();
  const store: Record<keyof TaskStore, unknown> = {
    get: (taskId: string) => records.get(taskId) ?? null,
    set: (stored: TaskRecord) => records.set(stored.task.taskId, stored) === records,
    renew: () => [],
    takeExpired: () => [],
    signal: () => false,
    takeSignals: () => [],
    watch: () => undefined,
  };
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    return "done";
  }, { store: store as unknown as TaskStore });
  const { taskId } = await call(server);
  assertEquals((await until(server, taskId, "completed")).result, text("done"));
  assertEquals((await ask(server, "tasks/get", { taskId: "unknown" })).code, -32602);
  await server.close();
});

Deno.test("tasks/cancel succeeds if the task ends while its record is read", async () => {
  const memory = memoryTaskStore();
  const finish = hold();
  let hasEnded = false;
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    await finish.promise;
    return "done";
  }, {
    store: override(memory, {
      set: async (record, options) => {
        const isStored = await memory.set(record, options);
        hasEnded = record.task.status === "completed";
        return isStored;
      },
      get: async (taskId) => {
        const before = await memory.get(taskId);
        finish.release();
        await eventually(() => hasEnded);
        return before;
      },
    }),
  });
  const { taskId } = await call(server);
  assertEquals(await ask(server, "tasks/cancel", { taskId }), {});
  await server.close();
});

Deno.test("close() ends and reports if the store does not respond", async () => {
  const inner = memoryTaskStore();
  let isHanging = false;
  const errors: string[] = [];
  const store = override(inner, {
    set: (record, options) => isHanging ? new Promise(() => {}) : inner.set(record, options),
  });
  const onError = (error: unknown) => errors.push(String(error));
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }, { store, leaseMs: 40, onError });
  await call(server);
  isHanging = true;
  await server.close();
  assertEquals(errors, [
    "Error: Cannot store the end of tasks: the store did not respond in 40 ms",
  ]);
});

Deno.test("a task is unknown or an error if the store fails or returns the task of another owner", async () => {
  const found = { ...record("t", Date.now() + 60_000, { secret: 1 }), subject: "ada" };
  const reads: readonly (() => Promise<TaskRecord | undefined>)[] = [
    () => {
      throw new Error("no database");
    },
    () => Promise.reject(new Error("no database")),
    () => Promise.resolve(undefined),
    () => Promise.resolve(found),
  ];
  for (const get of reads) {
    const store = override(memoryTaskStore(), { get });
    const server = make(() => () => "done", { store, onError: () => {} });
    for (const by of [{ subject: "eve" }, {}]) {
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const answer = await ask(server, method, { taskId: "t", inputResponses: {} }, by);
        assertEquals([typeof answer.code, answer.result], ["number", undefined], method);
      }
    }
    await server.close();
  }
});
