import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpClient, type McpClientConfig } from "../client.ts";
import { HttpTransport } from "../http_transport.ts";
import { McpError } from "../error.ts";
import type { JsonObject } from "../json.ts";
import { mcpHandler, McpServer, servePipe, type ToolHandler } from "../server.ts";
import type { ElicitRequest } from "../protocol/input.ts";
import type { RpcNotification, RpcResponse } from "../rpc/message.ts";
import { meta } from "../testdata/pipes.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { clientTasks, type ClientTasksOptions } from "./client.ts";
import { type ServerTasks, serverTasks, type ServerTasksOptions } from "./server.ts";
import { memoryTaskStore, type TaskRecord } from "./store.ts";
import { type ReadTask, TRANSITIONS } from "./task.ts";

const EXTENSION = "io.modelcontextprotocol/tasks";
const CAPABILITIES = { elicitation: {}, extensions: { [EXTENSION]: {} } };

type Work = (jobs: ServerTasks) => ToolHandler;

function make(work: Work, options: ServerTasksOptions = {}): McpServer {
  const jobs = serverTasks({ pollIntervalMs: 1, ...options });
  const server = new McpServer({ name: "s", version: "1", extensions: [jobs] });
  server.registerTool({ name: "job", description: "" }, work(jobs));
  return server;
}

function form(message: string): ElicitRequest {
  return { method: "elicitation/create", params: { message, requestedSchema: { type: "object" } } };
}

/** One request of the stateless era; the result, or the error. */
async function ask(
  server: McpServer,
  method: string,
  params: JsonObject = {},
  { capabilities = CAPABILITIES, subject }: { capabilities?: object; subject?: string } = {},
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const response = await server.exchange({ jsonrpc: "2.0", id: 1, method, params }, {
    peer: { protocolVersion: "2026-07-28", capabilities },
    signal: new AbortController().signal,
    ...(subject === undefined ? {} : { principal: { subject } }),
  });
  return "result" in response ? response.result : response.error;
}

// deno-lint-ignore no-explicit-any
function call(server: McpServer, by?: { capabilities?: object; subject?: string }): Promise<any> {
  return ask(server, "tools/call", { name: "job" }, by);
}

function hold<T = void>(): { promise: Promise<T>; release: (value: T) => void } {
  let release: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => release = resolve);
  return { promise, release };
}

/** Asks until a task stands as wanted. */
// deno-lint-ignore no-explicit-any
async function until(server: McpServer, taskId: string, status: string): Promise<any> {
  for (let n = 0; n < 100; n++) {
    const task = await ask(server, "tasks/get", { taskId });
    if (task.status === status) return task;
  }
  throw new Error(`the task is not ${status}`);
}

function text(value: string): JsonObject {
  return { content: [{ type: "text", text: value }] };
}

Deno.test("a call becomes a task when its handler says so, and its result comes with tasks/get", async () => {
  const { promise, release } = hold<string>();
  const server = make(({ start }) => async (_args, context) => {
    const { tell } = await start(context, { statusMessage: "begun" });
    await tell("waiting");
    return await promise;
  });
  const { taskId, ...created } = await call(server);
  assertEquals(created, {
    resultType: "task",
    status: "working",
    statusMessage: "begun",
    createdAt: created.createdAt,
    lastUpdatedAt: created.createdAt,
    ttlMs: 3_600_000,
    pollIntervalMs: 1,
  });
  const working = await ask(server, "tasks/get", { taskId });
  assertEquals([working.status, working.statusMessage, "result" in working], [
    "working",
    "waiting",
    false,
  ]);
  release("done");
  assertEquals((await until(server, taskId, "completed")).result, text("done"));
  assertEquals(await ask(server, "tasks/cancel", { taskId }), {});
  assertEquals((await ask(server, "tasks/get", { taskId })).status, "completed");
  await server.close();
});

Deno.test("clients that know no tasks wait for the answer, or are refused where a task is required", async () => {
  const optional = make(({ start }) => async (_args, context) =>
    (await start(context)).taskId ?? "none"
  );
  const required = make(({ start }) => async (_args, context) => {
    await start(context, { required: true });
  });
  assertEquals(await call(optional, { capabilities: {} }), text("none"));
  const { code, data } = await call(required, { capabilities: {} });
  assertEquals([code, data], [-32021, {
    requiredCapabilities: { extensions: { [EXTENSION]: {} } },
  }]);
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const { code } = await ask(optional, method, { taskId: "x" }, { capabilities: {} });
    assertEquals(code, -32021, method);
  }
  for (const method of ["tasks/list", "tasks/result"]) {
    assertEquals((await ask(optional, method, { taskId: "x" })).code, -32601, method);
  }
});

Deno.test("a client of an older revision gets no task, whatever it declares", async () => {
  const server = make(({ start }) => async (_args, context) =>
    (await start(context)).taskId ?? "none"
  );
  const response = await server.exchange(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "job" } },
    {
      peer: { protocolVersion: "2025-11-25", capabilities: CAPABILITIES },
      signal: new AbortController().signal,
    },
  );
  assertEquals("result" in response && response.result, text("none"));
});

Deno.test("what a tool throws is a result with isError, a JSON-RPC error fails the task", async () => {
  const failures = [
    [() => new Error("no luck"), "completed", "result", { ...text("no luck"), isError: true }],
    [
      () => McpError.protocolError("No more", { rpcCode: 7, data: 1 }),
      "failed",
      "error",
      { code: 7, message: "No more", data: 1 },
    ],
  ] as const;
  for (const [error, status, member, expected] of failures) {
    const server = make(({ start }) => async (_args, context) => {
      await start(context);
      throw error();
    });
    const { taskId } = await call(server);
    assertEquals((await until(server, taskId, status))[member], expected);
    await server.close();
  }
});

Deno.test("a task asks several questions; each is answered once, in any order", async () => {
  const server = make(({ start }) => async (_args, context) => {
    const { ask, askAll } = await start(context);
    const both = await askAll({ a: form("A?"), b: form("B?") });
    const again = await ask("a", form("Again?"));
    return [both.a.action, both.b.action, again.action].join();
  });
  const { taskId } = await call(server);
  const update = (inputResponses: unknown) =>
    ask(server, "tasks/update", { taskId, inputResponses });
  const asked = async () =>
    Object.keys((await until(server, taskId, "input_required")).inputRequests);
  assertEquals(await asked(), ["a", "b"]);
  assertEquals(await update({ other: { odd: true } }), {});
  assertEquals((await update({ a: { action: "perhaps" }, b: { action: "cancel" } })).code, -32602);
  assertEquals((await update([])).code, -32602);
  assertEquals(await asked(), ["a", "b"]);
  assertEquals(await update({ a: { action: "accept" } }), {});
  assertEquals(await asked(), ["b"]);
  assertEquals(await update({ a: { action: "decline" }, b: { action: "cancel" } }), {});
  // A key is good for one question only.
  assertEquals(await asked(), ["a-2"]);
  assertEquals(await update({ "a-2": { action: "decline" } }), {});
  const { result } = await until(server, taskId, "completed");
  assertEquals(result, text("accept,cancel,decline"));
  await server.close();
});

Deno.test("a task may not ask what the client does not offer", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await (await start(context)).ask("a", form("?"));
  });
  const { taskId } = await call(server, { capabilities: { extensions: { [EXTENSION]: {} } } });
  const { error } = await until(server, taskId, "failed");
  assertEquals(error.code, -32021);
  await server.close();
});

Deno.test("questions before the task are asked by the request", async () => {
  const server = make(({ start }) => async (_args, context) => {
    const { action } = await context.ask("first", form("?"));
    await start(context);
    return action;
  });
  const first = await call(server);
  assertEquals([first.resultType, Object.keys(first.inputRequests)], ["input_required", ["first"]]);
  const { taskId, requestState } = await ask(server, "tools/call", {
    name: "job",
    requestState: first.requestState,
    inputResponses: { first: { action: "decline" } },
  });
  assertEquals(requestState, undefined);
  assertEquals((await until(server, taskId, "completed")).result, text("decline"));
  await server.close();
});

Deno.test("a task reports nothing on the request that it came from: that is answered", async () => {
  const { promise, release } = hold();
  const server = make(({ start }) => async (_args, context) => {
    await context.progress(1);
    await start(context);
    await promise;
    await context.progress(2);
    await context.log("error", "too late");
  });
  const sent: string[] = [];
  const response = await server.exchange({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "job", _meta: { progressToken: "p" } },
  }, {
    peer: { protocolVersion: "2026-07-28", capabilities: CAPABILITIES, logLevel: "debug" },
    signal: new AbortController().signal,
    emit: (message) => {
      sent.push("method" in message ? message.method : "");
      return Promise.resolve(true);
    },
  });
  const taskId = "result" in response ? String(response.result.taskId) : "";
  release();
  await until(server, taskId, "completed");
  assertEquals(sent, ["notifications/progress"]);
  await server.close();
});

Deno.test("to cancel a task aborts its work, and what comes after is passed over", async () => {
  const aborted = hold<unknown>();
  const server = make(({ start }) => async (_args, context) => {
    const { signal, ask } = await start(context);
    await ask("a", form("?")).catch(() => {});
    aborted.release(signal.reason);
    return "too late";
  });
  const { taskId } = await call(server);
  await until(server, taskId, "input_required");
  assertEquals(await ask(server, "tasks/cancel", { taskId }), {});
  assert(await aborted.promise instanceof McpError);
  const { status, result, inputRequests } = await ask(server, "tasks/get", { taskId });
  assertEquals([status, result, inputRequests], ["cancelled", undefined, undefined]);
  await server.close();
});

Deno.test("nobody but its owner hears of a task, and no two ids are alike", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    await context.ask;
  });
  const { taskId } = await call(server, { subject: "ada" });
  const { taskId: other } = await call(server, { subject: "ada" });
  assert(taskId !== other && /^[0-9a-f-]{36}$/.test(taskId));
  assertEquals((await ask(server, "tasks/get", { taskId }, { subject: "ada" })).taskId, taskId);
  const unknown = await ask(server, "tasks/get", { taskId: "nothing" }, { subject: "eve" });
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    for (const by of [{ subject: "eve" }, {}]) {
      assertEquals(await ask(server, method, { taskId, inputResponses: {} }, by), unknown, method);
    }
  }
  assertEquals(unknown.code, -32602);
  assertEquals((await ask(server, "tasks/get")).code, -32602);
  await server.close();
});

Deno.test("a task expires: its work is aborted, and nobody knows it any more", async () => {
  using time = new FakeTime();
  let signal: AbortSignal | undefined;
  const server = make(({ start }) => async (_args, context) => {
    ({ signal } = await start(context));
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
  }, { ttlMs: 1000 });
  const { taskId } = await call(server);
  await time.tickAsync(999);
  assertEquals((await ask(server, "tasks/get", { taskId })).status, "working");
  await time.tickAsync(1);
  assertEquals([signal?.aborted, (await ask(server, "tasks/get", { taskId })).code], [
    true,
    -32602,
  ]);
  await server.close();
});

Deno.test("a handler says how long its task is kept", async () => {
  using time = new FakeTime();
  const refused: unknown[] = [];
  const server = make(({ start }) => async (_args, context) => {
    await start(context, { ttlMs: 0 }).catch((error) => void refused.push(error));
    const { signal } = await start(context, { ttlMs: 500 });
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }, { ttlMs: 1000 });
  const { taskId, ttlMs } = await call(server);
  assert(refused[0] instanceof RangeError);
  await time.tickAsync(499);
  assertEquals([ttlMs, (await ask(server, "tasks/get", { taskId })).status], [500, "working"]);
  await time.tickAsync(1);
  assertEquals((await ask(server, "tasks/get", { taskId })).code, -32602);
  await server.close();
});

Deno.test("only so many tasks are worked on at once", async () => {
  const { promise, release } = hold();
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    await promise;
  }, { maxRunning: 1 });
  const { taskId } = await call(server);
  assertEquals((await call(server)).code, -32603);
  release();
  await until(server, taskId, "completed");
  assertEquals((await call(server)).resultType, "task");
  await server.close();
});

Deno.test("limits and times that are none are refused", () => {
  for (
    const options of [{ ttlMs: 0 }, { pollIntervalMs: 1.5 }, { maxRunning: -1 }, {
      maxSubscriptions: 0,
    }, { maxShare: 0 }]
  ) {
    assertThrows(() => serverTasks(options), RangeError);
  }
  for (const options of [{ maxTasks: 0 }, { maxChars: NaN }, { maxShare: 1.1 }]) {
    assertThrows(() => memoryTaskStore(options), RangeError);
  }
  for (const options of [{ minPollMs: 0 }, { maxRetries: -1 }, { maxQuestions: NaN }]) {
    assertThrows(() => clientTasks(options), RangeError);
  }
});

function record(taskId: string, expiresAt: number, result: JsonObject = {}): TaskRecord {
  const at = new Date(0).toISOString();
  const task = { taskId, createdAt: at, lastUpdatedAt: at, ttlMs: 1, status: "completed", result };
  return { task: { ...task, status: "completed" }, expiresAt };
}

Deno.test("the store in memory keeps so many tasks, and drops only those that have expired", async () => {
  const store = memoryTaskStore({ maxTasks: 2 });
  const late = Date.now() + 60_000;
  await store.set(record("a", late));
  await store.set(record("b", 0));
  await store.set(record("c", late));
  assertEquals(await store.get("b"), undefined);
  await assertRejects(() => store.set(record("d", late)), McpError, "Too many tasks");
  await store.set(record("a", late, { x: 1 }));
  assertEquals(await store.get("a"), record("a", late, { x: 1 }));
});

Deno.test("the store in memory keeps so many characters", async () => {
  const late = Date.now() + 60_000;
  const maxChars = JSON.stringify(record("a", late, { x: "" })).length + 10;
  const store = memoryTaskStore({ maxChars });
  await store.set(record("a", late, { x: "1234567890" }));
  await assertRejects(() => store.set(record("a", late, { x: "12345678901" })), McpError);
  await assertRejects(() => store.set(record("b", late)), McpError);
  assertEquals(await store.get("a"), record("a", late, { x: "1234567890" }));
});

Deno.test("a result that cannot be kept fails the task", async () => {
  const errors: unknown[] = [];
  const options = {
    store: memoryTaskStore({ maxChars: 1000 }),
    reportError: (error: unknown) => void errors.push(error),
  };
  for (const result of ["x".repeat(1000), { big: 1n }]) {
    const server = make(({ start }) => async (_args, context) => {
      await start(context);
      return typeof result === "string" ? result : { content: [], structuredContent: result };
    }, options);
    const { taskId } = await call(server);
    assertEquals((await until(server, taskId, "failed")).error.code, -32603);
    await server.close();
  }
  assertEquals(errors.length, 2);
});

Deno.test("a server that is closed ends its tasks", async () => {
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const { taskId } = await call(server);
  await server.close();
  assertEquals((await ask(server, "tasks/get", { taskId })).status, "failed");
});

Deno.test("a server that is closed begins no tasks", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
  });
  await server.close();
  assertEquals((await call(server)).code, -32603);
});

Deno.test("a call that is cancelled while its task is put down leaves none at work", async () => {
  const inner = memoryTaskStore();
  const slow = hold();
  const kept: TaskRecord[] = [];
  const store = {
    get: inner.get,
    set: async (record: TaskRecord) => {
      if (kept.push(record) === 1) await slow.promise;
      await inner.set(record);
    },
  };
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
    peer: { protocolVersion: "2026-07-28", capabilities: CAPABILITIES },
    signal: controller.signal,
  });
  while (kept.length === 0) await Promise.resolve();
  const reason = new Error("nobody waits");
  controller.abort(reason);
  slow.release();
  await assertRejects(() => calling, Error, "nobody waits");
  assertEquals(await ended.promise, reason);
  assertEquals(kept.map(({ task }) => task.status), ["working", "cancelled"]);
  await server.close();
});

Deno.test("a handler that does not wait for its task has one all the same, if it can be kept", async () => {
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

Deno.test("a task that cannot be kept does not begin", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
  }, { store: memoryTaskStore({ maxChars: 1 }) });
  assertEquals((await call(server)).code, -32603);
  await server.close();
});

Deno.test("the table of transitions lets nothing follow an end", () => {
  for (const status of ["completed", "failed", "cancelled"] as const) {
    assertEquals(TRANSITIONS[status], []);
  }
});

async function withClient(
  server: McpServer,
  use: (
    client: McpClient,
    seen: ReadTask[],
    tasks: ReturnType<typeof clientTasks>,
  ) => Promise<void>,
  config: Partial<McpClientConfig> = {},
  options: ClientTasksOptions = {},
): Promise<void> {
  const seen: ReadTask[] = [];
  const tasks = clientTasks({ minPollMs: 1, changed: (task) => void seen.push(task), ...options });
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, extensions: [tasks], ...config });
  await client.connect();
  try {
    await use(client, seen, tasks);
  } finally {
    await client.disconnect();
    await server.close();
  }
}

Deno.test("callTool follows a task to its result and answers what it asks", async () => {
  const server = make(({ start }) => async (_args, context) => {
    const { ask } = await start(context);
    return (await ask("name", form("Who?"))).content?.name;
  });
  let asked = 0;
  const elicit = () => {
    asked++;
    return { action: "accept", content: { name: "Ada" } } as const;
  };
  await withClient(server, async (client, seen, tasks) => {
    assertEquals((await client.callTool("job", {})).content, [{ type: "text", text: "Ada" }]);
    assertEquals([asked, seen[0]?.status, seen.at(-1)?.status], [1, "working", "completed"]);
    const taskId = seen[0]?.taskId ?? "";
    assertEquals((await tasks.get(taskId)).status, "completed");
    assertEquals((await tasks.resume(taskId)).content, [{ type: "text", text: "Ada" }]);
    const error = await assertRejects(() => tasks.resume("other"), McpError);
    assertEquals([error.code, error.rpcCode], ["protocol_error", -32602]);
  }, { handlers: { elicit } });
});

Deno.test("callTool over HTTP names the task in a header", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    return "done";
  });
  const handler = mcpHandler(server);
  const names: (string | null)[] = [];
  const transport = new HttpTransport("http://localhost/mcp", {
    fetch: async (url, init) => {
      const request = new Request(url, init);
      if (request.headers.get("mcp-method") === "tasks/get") {
        names.push(request.headers.get("mcp-name"));
      }
      return await handler(request);
    },
  });
  await withClient(server, async (client, seen) => {
    assertEquals((await client.callTool("job", {})).content, [{ type: "text", text: "done" }]);
    assertEquals(new Set(names), new Set([seen[0]?.taskId ?? ""]));
  }, { transport });
  await handler.close();
});

Deno.test("a signal that aborts cancels the task", async () => {
  const stopped = hold();
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    signal.addEventListener("abort", () => stopped.release());
    await stopped.promise;
  });
  const controller = new AbortController();
  await withClient(
    server,
    async (client) => {
      const calling = client.callTool("job", {}, { signal: controller.signal });
      await assertRejects(() => calling, Error, "enough");
      await stopped.promise;
    },
    {},
    { changed: () => controller.abort(new Error("enough")) },
  );
});

Deno.test("a task that does not end within maxTotalMs is given up", async () => {
  const stopped = hold();
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    signal.addEventListener("abort", () => stopped.release());
    await stopped.promise;
  });
  await withClient(server, async (client) => {
    const error = await assertRejects(
      () => client.callTool("job", {}, { maxTotalMs: 50 }),
      McpError,
      'no answer to "tools/call" within 50 ms',
    );
    assertEquals(error.code, "transport_error");
    await stopped.promise;
  });
});

Deno.test("a task that fails or is cancelled rejects, and so does one that asks too much", async () => {
  const failing = make(({ start }) => async (_args, context) => {
    await start(context);
    throw McpError.protocolError("No more", { rpcCode: 7 });
  });
  await withClient(failing, async (client) => {
    const error = await assertRejects(() => client.callTool("job", {}), McpError);
    assertEquals([error.code, error.rpcCode], ["protocol_error", 7]);
  });
  const waiting = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const ids = hold<string>();
  await withClient(
    waiting,
    async (client, _seen, tasks) => {
      const calling = client.callTool("job", {});
      calling.catch(() => {});
      await tasks.cancel(await ids.promise);
      const error = await assertRejects(() => calling, McpError);
      assertEquals(error.code, "core");
    },
    {},
    { changed: ({ taskId }) => ids.release(taskId) },
  );
  const curious = make(({ start }) => async (_args, context) => {
    const { ask } = await start(context);
    for (;;) await ask("a", form("?"));
  });
  const elicit = () => ({ action: "decline" }) as const;
  await withClient(
    curious,
    async (client) => {
      await assertRejects(() => client.callTool("job", {}), McpError, "asked more than 2 times");
    },
    { handlers: { elicit } },
    { maxQuestions: 2 },
  );
});

/** A client of a server that answers by hand. */
async function withAnswers(
  answer: (method: string, n: number) => JsonObject | Error,
  use: (client: McpClient, methods: string[]) => Promise<void>,
): Promise<void> {
  const methods: string[] = [];
  const handler = mcpHandler(make(() => () => "never"));
  const transport = new HttpTransport("http://localhost/mcp", {
    maxRetries: 0,
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const { id, method } = await request.clone().json();
      if (method === "server/discover") return await handler(request);
      const result = answer(method, methods.push(method));
      if (result instanceof Error) throw result;
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  });
  const extensions = [clientTasks({ minPollMs: 1 })];
  const client = new McpClient({ transport, extensions, strict: false });
  await client.connect();
  try {
    await use(client, methods);
  } finally {
    await client.disconnect();
    await handler.close();
  }
}

const HANDLE = {
  resultType: "task",
  taskId: "t",
  status: "working",
  ttlMs: null,
  pollIntervalMs: 1,
};

Deno.test("a question that does not get through is asked again, a few times", async () => {
  await withAnswers((method, n) => {
    if (method === "tools/call") return HANDLE;
    if (n % 4 !== 0) return new TypeError("no network");
    return n === 4 ? HANDLE : { ...HANDLE, status: "completed", result: text("late") };
  }, async (client, methods) => {
    assertEquals((await client.callTool("job", {})).content, [{ type: "text", text: "late" }]);
    assertEquals(methods.length, 8);
  });
  await withAnswers(
    (method) => method === "tools/call" ? HANDLE : new TypeError("no network"),
    async (client, methods) => {
      const error = await assertRejects(() => client.callTool("job", {}), McpError);
      assertEquals(error.code, "transport_error");
      assertEquals(methods.filter((method) => method === "tasks/get").length, 4);
    },
  );
});

Deno.test("what is no task is refused", async () => {
  const wrong = [
    { ...HANDLE, taskId: "other" },
    { ...HANDLE, status: "odd" },
    { ...HANDLE, status: "completed" },
    { ...HANDLE, status: "completed", result: { content: 1 } },
    { ...HANDLE, status: "failed", error: { code: "x" } },
    { ...HANDLE, status: "input_required" },
    { ...HANDLE, taskId: 1 },
  ];
  for (const task of wrong) {
    await withAnswers(
      (method) => method === "tools/call" ? HANDLE : task,
      async (client) => {
        const error = await assertRejects(() => client.callTool("job", {}), McpError);
        assertEquals(error.code, "protocol_error", JSON.stringify(task));
      },
    );
  }
  await withAnswers(() => HANDLE, async (client) => {
    await assertRejects(() => client.getPrompt("p"), McpError, "cannot be a task");
  });
});

Deno.test("without the extension a client knows no tasks, and says so", async () => {
  const server = make(({ start }) => async (_args, context) =>
    (await start(context)).taskId ?? "none"
  );
  await withClient(server, async (client) => {
    assertEquals((await client.callTool("job", {})).content, [{ type: "text", text: "none" }]);
  }, { extensions: [] });
  const tasks = clientTasks();
  await assertRejects(() => tasks.get("x"), McpError, "not connected");
});

Deno.test("a server with tasks says so", async () => {
  const { capabilities } = await ask(make(() => () => ""), "server/discover", { _meta: meta() });
  assertEquals(capabilities.extensions, { [EXTENSION]: {} });
});

/** A stream of news, as it is heard; it ends with the signal. */
function listen(
  server: McpServer,
  taskIds: unknown,
  signal: AbortSignal,
  { capabilities = CAPABILITIES, subject }: { capabilities?: object; subject?: string } = {},
): { heard: RpcNotification[]; ended: Promise<RpcResponse> } {
  const heard: RpcNotification[] = [];
  const params = { notifications: { taskIds } };
  const ended = server.exchange({ jsonrpc: "2.0", id: 9, method: "subscriptions/listen", params }, {
    peer: { protocolVersion: "2026-07-28", capabilities },
    signal,
    emit: (message) => {
      if (!("id" in message)) heard.push(message);
      return Promise.resolve(true);
    },
    ...(subject === undefined ? {} : { principal: { subject } }),
  });
  ended.catch(() => {});
  return { heard, ended };
}

Deno.test("a stream of news brings each state of the tasks that it follows, the present one first", async () => {
  const { promise, release } = hold<string>();
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    return await promise;
  });
  const by = { subject: "ada" };
  const { taskId } = await call(server, by);
  const stop = new AbortController();
  const { heard } = listen(server, [taskId, "unknown"], stop.signal, by);
  const { heard: foreign } = listen(server, [taskId], stop.signal, { subject: "eve" });
  while (heard.length < 2 || foreign.length < 1) await Promise.resolve();
  release("done");
  while (heard.length < 3) await Promise.resolve();
  const _meta = { "io.modelcontextprotocol/subscriptionId": 9 };
  const taken = { _meta, notifications: { taskIds: [taskId] } };
  assertEquals(heard[0]?.params, taken);
  assertEquals(heard.slice(1).map(({ method, params }) => [method, params?.status]), [
    ["notifications/tasks", "working"],
    ["notifications/tasks", "completed"],
  ]);
  assertEquals(heard[2]?.params, {
    _meta,
    ...await ask(server, "tasks/get", { taskId }, by),
  });
  assertEquals(foreign.map(({ params }) => params?.notifications), [{ taskIds: [] }]);
  stop.abort();
  await server.close();
});

Deno.test("news of tasks are refused to clients that know none, and beyond the limit", async () => {
  const server = make(() => () => "", { maxSubscriptions: 1 });
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
