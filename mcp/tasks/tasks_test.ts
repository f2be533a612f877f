import { assert, assertEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import { objectOf } from "../testdata/answer.ts";
import { clientTasks } from "./client.ts";
import { serverTasks } from "./server.ts";
import { memoryTaskStore } from "./memory_task_store.ts";
import {
  ask,
  call,
  CAPABILITIES,
  EXTENSION,
  form,
  hold,
  make,
  text,
  until,
} from "./testdata/jobs.ts";

Deno.test("start() turns a call into a task, and tasks/get returns its result", async () => {
  const { promise, release } = hold<string>();
  const server = make(({ start }) => async (_args, context) => {
    const { setStatusMessage } = await start(context, { statusMessage: "begun" });
    await setStatusMessage("waiting");
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

Deno.test("clients without the extension wait for the result, or receive an error if a task is required", async () => {
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

Deno.test("a legacy client receives no task, even if it declares the extension", async () => {
  const server = make(({ start }) => async (_args, context) =>
    (await start(context)).taskId ?? "none"
  );
  const response = await server.exchange(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "job" } },
    {
      client: { protocolVersion: "2025-11-25", capabilities: CAPABILITIES },
      signal: new AbortController().signal,
    },
  );
  assertEquals("result" in response && response.result, text("none"));
});

Deno.test("a tool error becomes a result with isError, and a JSON-RPC error fails the task", async () => {
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

Deno.test("a task sends several input requests, and each accepts one response in any order", async () => {
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
    Object.keys(objectOf((await until(server, taskId, "input_required")).inputRequests));
  assertEquals(await asked(), ["a", "b"]);
  assertEquals(await update({ other: { odd: true } }), {});
  assertEquals((await update({ a: { action: "perhaps" }, b: { action: "cancel" } })).code, -32602);
  assertEquals((await update([])).code, -32602);
  assertEquals(await asked(), ["a", "b"]);
  assertEquals(await update({ a: { action: "accept" } }), {});
  assertEquals(await asked(), ["b"]);
  assertEquals(await update({ a: { action: "decline" }, b: { action: "cancel" } }), {});
  // Each key is used for only one input request.
  assertEquals(await asked(), ["a-2"]);
  assertEquals(await update({ "a-2": { action: "decline" } }), {});
  const { result } = await until(server, taskId, "completed");
  assertEquals(result, text("accept,cancel,decline"));
  await server.close();
});

Deno.test("a task cannot send an input request without the client capability", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await (await start(context)).ask("a", form("?"));
  });
  const { taskId } = await call(server, { capabilities: { extensions: { [EXTENSION]: {} } } });
  const { error } = await until(server, taskId, "failed");
  assertEquals(objectOf(error).code, -32021);
  await server.close();
});

Deno.test("an input request before start() is returned as the result of the tool call", async () => {
  const server = make(({ start }) => async (_args, context) => {
    const { action } = await context.ask("first", form("?"));
    await start(context);
    return action;
  });
  const first = await call(server);
  assertEquals([first.resultType, Object.keys(objectOf(first.inputRequests))], ["input_required", [
    "first",
  ]]);
  const { taskId, requestState } = await ask(server, "tools/call", {
    name: "job",
    requestState: first.requestState,
    inputResponses: { first: { action: "decline" } },
  });
  assertEquals(requestState, undefined);
  assertEquals((await until(server, taskId, "completed")).result, text("decline"));
  await server.close();
});

Deno.test("a task sends no notifications for its request, because the response was already sent", async () => {
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
    client: { protocolVersion: "2026-07-28", capabilities: CAPABILITIES, logLevel: "debug" },
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

Deno.test("tasks/cancel aborts the handler, and its result is ignored", async () => {
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

Deno.test("only the owner can access a task, and task ids are unique", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    await context.ask;
  });
  const { taskId } = await call(server, { subject: "ada" });
  const { taskId: other } = await call(server, { subject: "ada" });
  assert(taskId !== other && /^[0-9a-f-]{36}$/.test(String(taskId)));
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

Deno.test("an expired task is aborted and becomes unknown", async () => {
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

Deno.test("start() accepts ttlMs", async () => {
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

Deno.test("serverTasks() limits the running tasks", async () => {
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

Deno.test("serverTasks(), memoryTaskStore() and clientTasks() reject invalid options", () => {
  for (
    const options of [{ ttlMs: 0 }, { pollIntervalMs: 1.5 }, { maxRunning: -1 }, {
      maxTaskSubscriptions: 0,
    }, { maxSharePerPrincipal: 0 }]
  ) {
    assertThrows(() => serverTasks(options), RangeError);
  }
  for (const options of [{ maxTasks: 0 }, { maxChars: NaN }, { maxSharePerPrincipal: 1.1 }]) {
    assertThrows(() => memoryTaskStore(options), RangeError);
  }
  for (const options of [{ minPollMs: 0 }, { maxRetries: -1 }, { maxInputRequests: NaN }]) {
    assertThrows(() => clientTasks(options), RangeError);
  }
});
