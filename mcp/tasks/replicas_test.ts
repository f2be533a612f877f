import { assert, assertEquals } from "@std/assert";
import type { RpcNotification } from "../jsonrpc/message.ts";
import type { ToolHandler } from "../server.ts";
import { objectOf } from "../testdata/answer.ts";
import { memoryTaskStore } from "./memory_task_store.ts";
import type { ServerTasks } from "./server.ts";
import type { TaskStore } from "./task_store.ts";
import {
  ask,
  call,
  CAPABILITIES,
  eventually,
  form,
  hold,
  make,
  override,
  text,
  until,
  type Work,
} from "./testdata/jobs.ts";

/** A tool that asks for a name, and ends when the client responds or cancels the task. */
function asks({ start }: ServerTasks): ToolHandler {
  return async (_args, context) => {
    const running = await start(context);
    const { content } = await running.ask("name", form("?"));
    return `hello ${content?.name}`;
  };
}

function answer(taskId: unknown, name: string) {
  return { taskId, inputResponses: { name: { action: "accept", content: { name } } } };
}

/** Returns a store whose connection can be cut. */
function cuttable(store: TaskStore): { store: TaskStore; cut: () => void; restore: () => void } {
  let isCut = false;
  const guard = <Args extends readonly unknown[], Result>(
    call: (...args: Args) => Promise<Result>,
  ) =>
  (...args: Args): Promise<Result> =>
    isCut ? Promise.reject(new Error("cannot reach the store")) : call(...args);
  return {
    cut: () => void (isCut = true),
    restore: () => void (isCut = false),
    store: {
      get: guard((taskId) => store.get(taskId)),
      set: guard((record, options) => store.set(record, options)),
      renew: guard((leases, options) => store.renew(leases, options)),
      takeExpired: guard((options) => store.takeExpired(options)),
      signal: guard((taskId, signal) => store.signal(taskId, signal)),
      takeSignals: guard((taskIds) => store.takeSignals(taskIds)),
      watch: guard((watcher) => store.watch(watcher)),
    },
  };
}

Deno.test("tasks/update reaches a task that runs in another server", async () => {
  const store = memoryTaskStore();
  const owner = make(asks, { store });
  const other = make(asks, { store });
  const { taskId } = await call(owner);
  await until(other, taskId, "input_required");
  const wrong = { taskId, inputResponses: { name: { action: "perhaps" } } };
  assertEquals((await ask(other, "tasks/update", wrong)).code, -32602);
  const unknown = { taskId, inputResponses: { toString: {}, age: {} } };
  assertEquals(await ask(other, "tasks/update", unknown), {});
  assertEquals(await ask(other, "tasks/update", answer(taskId, "Ada")), {});
  await eventually(async () => (await store.get(String(taskId)))?.task.status === "completed");
  assertEquals(
    objectOf((await ask(other, "tasks/get", { taskId })).result),
    text("hello Ada"),
  );
  // The task has ended, so the update and the cancellation have no effect.
  assertEquals(await ask(other, "tasks/update", answer(taskId, "Eve")), {});
  assertEquals(await ask(other, "tasks/cancel", { taskId }), {});
  await owner.close();
  await other.close();
});

Deno.test("tasks/cancel aborts a task that runs in another server", async () => {
  const store = memoryTaskStore();
  const aborted = hold();
  const work: Work = ({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    aborted.release();
  };
  const owner = make(work, { store });
  const other = make(work, { store });
  const { taskId } = await call(owner);
  assertEquals(await ask(other, "tasks/cancel", { taskId }), {});
  await aborted.promise;
  await until(other, taskId, "cancelled");
  await owner.close();
  await other.close();
});

Deno.test("a signal is delivered with the next renewal if the store reports no changes", async () => {
  const store = override(memoryTaskStore(), {
    watch: () => Promise.resolve(() => Promise.resolve()),
  });
  const owner = make(asks, { store, leaseMs: 40 });
  const other = make(asks, { store, leaseMs: 40 });
  const { taskId } = await call(owner);
  await until(other, taskId, "input_required");
  assertEquals(await ask(other, "tasks/update", answer(taskId, "Ada")), {});
  await eventually(async () => (await store.get(String(taskId)))?.task.status === "completed");
  await owner.close();
  await other.close();
});

Deno.test("another principal's tasks/cancel and tasks/update do not reach a task in another server", async () => {
  const store = memoryTaskStore();
  const owner = make(asks, { store });
  const other = make(asks, { store });
  const { taskId } = await call(owner, { subject: "ada" });
  for (const method of ["tasks/update", "tasks/cancel"]) {
    const refused = await ask(other, method, answer(taskId, "Eve"), { subject: "eve" });
    assertEquals(refused.code, -32602);
  }
  assertEquals(await store.takeSignals([String(taskId)]), []);
  await owner.close();
  await other.close();
});

Deno.test("a task whose process has exited fails in another server that is asked for it", async () => {
  const store = memoryTaskStore();
  const dying = cuttable(store);
  const errors: unknown[] = [];
  const owner = make(asks, {
    store: dying.store,
    leaseMs: 40,
    onError: (error) => void errors.push(error),
  });
  const other = make(asks, { store, leaseMs: 40 });
  const { taskId } = await call(owner);
  await until(other, taskId, "input_required");
  dying.cut();
  await eventually(async () => (await ask(other, "tasks/get", { taskId })).status === "failed");
  const { error, statusMessage } = await ask(other, "tasks/get", { taskId });
  assertEquals(error, { code: -32603, message: "The process that ran the task has ended" });
  assertEquals(statusMessage, "The process that ran the task has ended");
  // The former owner was only unreachable: its handler is aborted, and its result is not stored.
  dying.restore();
  await eventually(() => errors.some((one) => String(one).includes("has taken over the task")));
  assertEquals((await store.get(String(taskId)))?.epoch, 1);
  await owner.close();
  await other.close();
});

Deno.test("tasks/cancel fails if the process of the task has ended", async () => {
  const store = memoryTaskStore();
  const dying = cuttable(store);
  const owner = make(asks, { store: dying.store, leaseMs: 1, onError: () => {} });
  // Without renewals, the other server does not notice that the lease has expired.
  const other = make(asks, { store, leaseMs: 60_000 });
  const { taskId } = await call(owner);
  dying.cut();
  let refused = {};
  await eventually(async () => "code" in (refused = await ask(other, "tasks/cancel", { taskId })));
  assertEquals(refused, {
    code: -32603,
    message: "The server process that ran the task has ended",
  });
  dying.restore();
  await owner.close();
  await other.close();
});

Deno.test("a subscription stream receives the changes of a task in another server", async () => {
  const store = memoryTaskStore();
  const owner = make(asks, { store });
  const other = make(asks, { store });
  const { taskId } = await call(owner);
  await until(other, taskId, "input_required");
  const received: RpcNotification[] = [];
  const stop = new AbortController();
  other.exchange({
    jsonrpc: "2.0",
    id: 9,
    method: "subscriptions/listen",
    params: { notifications: { taskIds: [taskId ?? ""] } },
  }, {
    client: { protocolVersion: "2026-07-28", capabilities: CAPABILITIES },
    signal: stop.signal,
    emit: (message) => {
      if (!("id" in message)) received.push(message);
      return Promise.resolve(true);
    },
  }).catch(() => {});
  await eventually(() => received.length >= 2);
  await ask(owner, "tasks/update", answer(taskId, "Ada"));
  await eventually(() => received.at(-1)?.params?.status === "completed");
  const statuses = received.slice(1).map(({ params }) => params?.status);
  assertEquals(statuses.filter((status) => status === "completed"), ["completed"]);
  stop.abort();
  await owner.close();
  await other.close();
});

Deno.test("subscriptions/listen fails while the store cannot be watched, and then succeeds", async () => {
  const memory = memoryTaskStore();
  let failures = 1;
  const store = override(memory, {
    watch: (watcher) =>
      failures-- > 0 ? Promise.reject(new Error("no store")) : memory.watch(watcher),
  });
  const server = make(asks, { store, onError: () => {} });
  const listen = (signal: AbortSignal) =>
    server.exchange({
      jsonrpc: "2.0",
      id: 9,
      method: "subscriptions/listen",
      params: { notifications: { taskIds: ["a"] } },
    }, { client: { protocolVersion: "2026-07-28", capabilities: CAPABILITIES }, signal });
  const refused = await listen(new AbortController().signal);
  assert("error" in refused);
  assertEquals(refused.error.code, -32603);
  const stop = new AbortController();
  const listening = listen(stop.signal);
  stop.abort();
  await listening.catch(() => {});
  await server.close();
});

Deno.test("serverTasks() reports a store whose set() does not resolve to a boolean", async () => {
  const store = override(memoryTaskStore(), {
    // Simulate a store that was written before `set` resolved to a boolean.
    set: (() => Promise.resolve()) as unknown as TaskStore["set"],
  });
  const reasons: unknown[] = [];
  const server = make(({ start }) => async (_args, context) => {
    await start(context).catch((reason) => reasons.push(reason));
  }, { store });
  await call(server);
  assertEquals(reasons.map(String), [
    'TypeError: "store.set" must resolve to a boolean, got undefined',
  ]);
  await server.close();
});

Deno.test("a server marks tasks as failed although a renewal fails and one task cannot be stored", async () => {
  const memory = memoryTaskStore();
  const at = new Date().toISOString();
  const metadata = { createdAt: at, lastUpdatedAt: at, ttlMs: 60_000 };
  const expiresAt = Date.now() + 60_000;
  for (const taskId of ["a", "stuck", "b"]) {
    const task = { taskId, ...metadata, status: "working" } as const;
    await memory.set({ task, expiresAt, epoch: 0 }, { leaseMs: 1 });
  }
  const errors: string[] = [];
  const store = override(memory, {
    renew: () => Promise.reject(new Error("no renewal")),
    set: (record, options) =>
      record.task.taskId === "stuck"
        ? Promise.reject(new Error("stuck"))
        : memory.set(record, options),
  });
  const server = make(asks, { store, leaseMs: 20, onError: (error) => errors.push(`${error}`) });
  await call(server);
  for (const taskId of ["a", "b"]) {
    await eventually(async () => (await memory.get(taskId))?.task.status === "failed");
  }
  assert(errors.includes("Error: no renewal") && errors.includes("Error: stuck"));
  await server.close();
});

Deno.test("a call to the store that never ends does not stop later renewals or close()", async () => {
  const memory = memoryTaskStore();
  const never = new Promise<never>(() => {});
  let renewals = 0;
  const errors: string[] = [];
  const store = override(memory, {
    renew: () => {
      renewals++;
      return never;
    },
    watch: () => never,
  });
  const work: Work = ({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  const server = make(work, { store, leaseMs: 20, onError: (error) => errors.push(`${error}`) });
  await call(server);
  await eventually(() => renewals > 2);
  assert(errors.some((error) => error.includes("the store did not respond in 20 ms")));
  await server.close();
});
