import { assertEquals } from "@std/assert";
import { McpServer } from "../server.ts";
import type { RpcNotification, RpcResponse } from "../jsonrpc/message.ts";
import { objectOf } from "../testdata/answer.ts";
import { meta } from "../testdata/pipes.ts";
import { memoryTaskStore } from "./memory_task_store.ts";
import { serverTasks } from "./server.ts";
import {
  ask,
  call,
  CAPABILITIES,
  eventually,
  EXTENSION,
  hold,
  make,
  override,
} from "./testdata/jobs.ts";

Deno.test("a server with serverTasks() declares the extension", async () => {
  const { capabilities } = await ask(make(() => () => ""), "server/discover", { _meta: meta() });
  assertEquals(objectOf(capabilities).extensions, { [EXTENSION]: {} });
});

/**
 * Opens a subscription stream and collects its notifications. The stream ends when the signal is
 * aborted.
 */
function listen(
  server: McpServer,
  taskIds: unknown,
  signal: AbortSignal,
  { capabilities = CAPABILITIES, subject }: { capabilities?: object; subject?: string } = {},
): { received: RpcNotification[]; ended: Promise<RpcResponse> } {
  const received: RpcNotification[] = [];
  const params = { notifications: { taskIds } };
  const ended = server.exchange({ jsonrpc: "2.0", id: 9, method: "subscriptions/listen", params }, {
    client: { protocolVersion: "2026-07-28", capabilities },
    signal,
    emit: (message) => {
      if (!("id" in message)) received.push(message);
      return Promise.resolve(true);
    },
    ...(subject === undefined ? {} : { principal: { subject } }),
  });
  ended.catch(() => {});
  return { received, ended };
}

Deno.test("subscriptions/listen sends the current state of each task, then each change", async () => {
  const { promise, release } = hold<string>();
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    return await promise;
  });
  const by = { subject: "ada" };
  const { taskId } = await call(server, by);
  const stop = new AbortController();
  const { received } = listen(server, [taskId, "unknown"], stop.signal, by);
  const { received: foreign } = listen(server, [taskId], stop.signal, { subject: "eve" });
  await eventually(() => received.length >= 2 && foreign.length >= 1);
  release("done");
  await eventually(() => received.length >= 3);
  const _meta = { "io.modelcontextprotocol/subscriptionId": 9 };
  const taken = { _meta, notifications: { taskIds: [taskId] } };
  assertEquals(received[0]?.params, taken);
  assertEquals(received.slice(1).map(({ method, params }) => [method, params?.status]), [
    ["notifications/tasks", "working"],
    ["notifications/tasks", "completed"],
  ]);
  assertEquals(received[2]?.params, {
    _meta,
    ...await ask(server, "tasks/get", { taskId }, by),
  });
  assertEquals(foreign.map(({ params }) => params?.notifications), [{ taskIds: [] }]);
  stop.abort();
  await server.close();
});

Deno.test("subscriptions/listen rejects task ids without the extension or beyond the limit", async () => {
  const server = make(() => () => "", { maxTaskSubscriptions: 1 });
  const { signal } = new AbortController();
  const codes = [];
  for (
    const [ids, by] of [
      [["a"], { capabilities: {} }],
      [["a", "b"], {}],
      ["a", {}],
      [[1], {}],
    ] as const
  ) {
    const response = await listen(server, ids, signal, by).ended;
    codes.push("error" in response && response.error.code);
  }
  assertEquals(codes, [-32021, -32602, -32602, -32602]);
  await server.close();
});

const MODERN = { protocolVersion: "2026-07-28", capabilities: CAPABILITIES };

/** Opens a subscription stream whose client does not read the notifications of tasks. */
function listenUnread(
  server: McpServer,
  taskIds: readonly unknown[],
  { subject, signal }: { subject: string; signal: AbortSignal },
): { received: string[]; ended: Promise<RpcResponse> } {
  const received: string[] = [];
  const params = { notifications: { taskIds } };
  const ended = server.exchange({ jsonrpc: "2.0", id: 9, method: "subscriptions/listen", params }, {
    client: MODERN,
    signal,
    emit: (message) => {
      if ("id" in message) return Promise.resolve(true);
      received.push(message.method);
      return message.method === "notifications/tasks"
        ? new Promise(() => {})
        : Promise.resolve(true);
    },
    principal: { subject },
  });
  ended.catch(() => {});
  return { received, ended };
}

Deno.test("a stream that the client does not read does not read further task states", async () => {
  const inner = memoryTaskStore();
  let reads = 0;
  const store = override(inner, {
    get: (id) => {
      reads++;
      return inner.get(id);
    },
  });
  const { promise, release } = hold();
  let report = (_text: string): Promise<void> => Promise.resolve();
  const server = make(({ start }) => async (_args, context) => {
    report = (await start(context)).setStatusMessage;
    await promise;
  }, { store });
  const by = { subject: "ada" };
  const { taskId } = await call(server, by);
  const stop = new AbortController();
  const { received } = listenUnread(server, [taskId], { ...by, signal: stop.signal });
  await eventually(() => received.includes("notifications/tasks"));
  const before = reads;
  for (let n = 0; n < 20; n++) await report(`step ${n}`);
  assertEquals([received.length, reads], [2, before]);
  stop.abort();
  release();
  await server.close();
});

Deno.test("the unread task states of a principal are limited, and those of others are sent", async () => {
  const jobs = serverTasks({ pollIntervalMs: 1 });
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [jobs],
    maxSubscriptionChars: 4000,
  });
  server.registerTool({ name: "job" }, async (_args, context) => {
    await jobs.start(context);
    return "x".repeat(3000);
  });
  const stop = new AbortController();
  const open = async (subject: string) => {
    const { taskId } = await call(server, { subject });
    await eventually(async () =>
      (await ask(server, "tasks/get", { taskId }, { subject })).status === "completed"
    );
    return () => listenUnread(server, [taskId], { subject, signal: stop.signal });
  };
  const [ada, bob] = [await open("ada"), await open("bob")];
  const first = ada();
  await eventually(() => first.received.length === 2);
  const second = ada();
  const response = await second.ended;
  assertEquals("error" in response && response.error.code, -32603);
  assertEquals(second.received, ["notifications/subscriptions/acknowledged"]);
  const other = bob();
  await eventually(() => other.received.length === 2);
  stop.abort();
  await server.close();
});

Deno.test("an error of the store while a state is read is reported and does not end the stream", async () => {
  const inner = memoryTaskStore();
  let isBroken = false;
  const store = override(inner, {
    get: (id) => isBroken ? Promise.reject(new Error("the store is down")) : inner.get(id),
  });
  const errors: string[] = [];
  const first = hold();
  const { promise, release } = hold();
  let report = (_text: string): Promise<void> => Promise.resolve();
  const onError = (error: unknown) => {
    errors.push(String(error));
    first.release();
  };
  const server = make(({ start }) => async (_args, context) => {
    report = (await start(context)).setStatusMessage;
    await promise;
  }, { store, onError });
  const { taskId } = await call(server);
  const stop = new AbortController();
  const { received } = listen(server, [taskId], stop.signal);
  await eventually(() => received.length === 2);
  isBroken = true;
  await report("one");
  await first.promise;
  isBroken = false;
  await report("two");
  await eventually(() => received.length === 3);
  assertEquals(received[2]?.params?.statusMessage, "two");
  assertEquals(errors, ["Error: the store is down"]);
  stop.abort();
  release();
  await server.close();
});

Deno.test("the subscribers of a task that expires receive its end", async () => {
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context, { ttlMs: 60 });
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const { taskId } = await call(server, { subject: "ada" });
  const stop = new AbortController();
  const { received } = listen(server, [taskId], stop.signal, { subject: "ada" });
  await eventually(() => received.some(({ params }) => params?.status === "failed"));
  stop.abort();
  await server.close();
});
