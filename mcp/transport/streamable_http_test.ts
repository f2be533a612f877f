import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { HttpTransport, McpClient, type McpClientConfig } from "../client.ts";
import { McpError } from "../shared/error.ts";
import type { RpcNotification } from "../jsonrpc/message.ts";
import { objectOf } from "../testdata/answer.ts";
import {
  aborted,
  type Events,
  events,
  eventStream,
  failure,
  INITIALIZED,
  older,
  result,
  type Seen,
  type Web,
} from "../testdata/web.ts";

const URL_ = "http://127.0.0.1/mcp";

async function connect(server: Web, config: Partial<McpClientConfig> = {}): Promise<McpClient> {
  const transport = new HttpTransport(URL_, { fetch: server.fetch, maxRetries: 2 });
  const client = new McpClient({ transport, protocol: "legacy", ...config });
  await client.connect();
  return client;
}

/** Advances the clock by one minute, in small steps, so that timers can start other timers. */
async function aMinute(time: FakeTime): Promise<void> {
  for (let step = 0; step < 240; step++) await time.tickAsync(250);
}

/** Runs all pending microtasks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

function answer(id: unknown, text: string): object {
  return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } };
}

function textOf(result: { readonly content: readonly object[] }): unknown {
  const [block] = result.content;
  return block !== undefined && "text" in block ? block.text : undefined;
}

Deno.test("McpClient sends the session id and the version after initialize and deletes the session on disconnect", async () => {
  const server = older({ "tools/list": (request) => result(request, { tools: [] }) });
  const client = await connect(server);
  await client.listTools();
  await client.disconnect();
  await client.disconnect();
  const facts = server.seen.map(({ method, headers, body }) => [
    body?.method ?? method,
    headers.get("mcp-session-id"),
    headers.get("mcp-protocol-version"),
  ]);
  assertEquals(facts.filter(([what]) => what !== "GET"), [
    ["initialize", null, null],
    ["notifications/initialized", "s1", "2025-11-25"],
    ["tools/list", "s1", "2025-11-25"],
    ["DELETE", "s1", "2025-11-25"],
  ]);
  assert(server.seen.every(({ method, headers }) => {
    const accepted = headers.get("accept");
    return method === "POST" ? accepted === "application/json, text/event-stream" : true;
  }));
});

Deno.test("disconnect() waits until the server has ended the session", async () => {
  const ended = Promise.withResolvers<Response>();
  const client = await connect(older({ DELETE: () => ended.promise }));
  let isOver = false;
  const closing = client.disconnect().then(() => isOver = true);
  await settle();
  assertEquals(isOver, false);
  ended.resolve(new Response(null, { status: 204 }));
  await closing;
});

Deno.test("disconnect() does not wait indefinitely for the end of the session", async () => {
  const server = older({ DELETE: ({ signal }) => aborted(signal) });
  const transport = new HttpTransport(URL_, { fetch: server.fetch, closeTimeoutMs: 1 });
  const client = new McpClient({ transport, protocol: "legacy" });
  await client.connect();
  await client.disconnect();
  assertEquals(server.seen.at(-1)?.method, "DELETE");
});

Deno.test("disconnect() accepts closeTimeoutMs: Infinity", async () => {
  const server = older({ DELETE: () => new Response(null, { status: 204 }) });
  const transport = new HttpTransport(URL_, { fetch: server.fetch, closeTimeoutMs: Infinity });
  const client = new McpClient({ transport, protocol: "legacy" });
  await client.connect();
  await client.disconnect();
  assertEquals(server.seen.at(-1)?.method, "DELETE");
});

Deno.test("McpClient opens one new session after the session is lost, and repeats the requests", async () => {
  let sessions = 0;
  let isLost = false;
  const server = older({
    initialize: (request) => result(request, INITIALIZED, { "mcp-session-id": `s${++sessions}` }),
    "tools/call": (request) => {
      const isOld = request.headers.get("mcp-session-id") === "s1";
      return isLost && isOld
        ? failure(request, -32001, undefined, 404)
        : result(request, { content: [{ type: "text", text: request.body.params?.name }] });
    },
  });
  const client = await connect(server);
  assertEquals(textOf(await client.callTool("first", {})), "first");
  isLost = true;
  const results = await Promise.all(["a", "b", "c"].map((name) => client.callTool(name, {})));
  assertEquals(results.map(textOf), ["a", "b", "c"]);
  assertEquals(sessions, 2);
  const [again] = server.seen.filter(({ body }) => body?.method === "initialize").slice(1);
  assertEquals(again?.headers.get("mcp-session-id"), null);
  await client.disconnect();
});

Deno.test("callTool() rejects if the new session is lost too", async () => {
  const server = older({ "tools/call": (request) => failure(request, -32001, undefined, 404) });
  const client = await connect(server);
  const error = await assertRejects(() => client.callTool("t", {}), McpError);
  assertEquals([error.code, error.httpStatus], ["protocol_error", 404]);
  assertEquals(server.seen.filter(({ body }) => body?.method === "initialize").length, 2);
  await client.disconnect();
});

Deno.test("McpClient restores the log level and the subscriptions in a new session", async () => {
  let sessions = 0;
  const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
  const server = older({
    initialize: (request) =>
      result(request, { ...INITIALIZED, capabilities }, { "mcp-session-id": `s${++sessions}` }),
    "logging/setLevel": (request) => result(request, {}),
    "resources/subscribe": (request) =>
      sessions === 2 && request.body.params?.uri === "r:2"
        ? failure(request, -32602)
        : result(request, {}),
    "resources/unsubscribe": (request) => result(request, {}),
    "tools/call": (request) =>
      request.headers.get("mcp-session-id") === "s2"
        ? result(request, { content: [] })
        : failure(request, -32001, undefined, 404),
  });
  const reported: unknown[] = [];
  const client = await connect(server, { onError: (error) => reported.push(error) });
  await client.setLogLevel("warning");
  const closed = await client.listen({ resourceSubscriptions: ["r:0"] });
  await client.listen({ resourceSubscriptions: ["r:1", "r:2"] });
  await client.listen({ resourceSubscriptions: ["r:1"], toolsListChanged: true });
  await closed.close();
  await Promise.all([client.callTool("t", {}), client.callTool("t", {})]);
  const told = server.seen
    .filter(({ headers }) => headers.get("mcp-session-id") === "s2")
    .map(({ body }) => body.method && [body.method, body.params?.uri ?? body.params?.level])
    .filter((fact) => fact !== undefined);
  assertEquals(told, [
    ["notifications/initialized", undefined],
    ["resources/subscribe", "r:1"],
    ["resources/subscribe", "r:2"],
    ["logging/setLevel", "warning"],
    ["tools/call", undefined],
    ["tools/call", undefined],
  ]);
  // The client reports a subscription that it cannot restore, and the call does not reject.
  assertEquals(reported.map((error) => error instanceof McpError && error.rpcCode), [-32602]);
  await client.disconnect();
});

Deno.test("callTool() applies its timeout to the wait for a new session", async () => {
  let sessions = 0;
  const server = older({
    initialize: (request) =>
      ++sessions === 1
        ? result(request, INITIALIZED, { "mcp-session-id": "s1" })
        : aborted(request.signal),
    "tools/call": (request) => failure(request, -32001, undefined, 404),
  });
  using time = new FakeTime();
  const client = await connect(server, { connectTimeoutMs: 1000 });
  const calls = [100, 200].map(async (timeoutMs) => {
    const error = await assertRejects(() => client.callTool("t", {}, { timeoutMs }), McpError);
    return error.message;
  });
  const reason = new Error("enough");
  const controller = new AbortController();
  const { signal } = controller;
  const given = assertRejects(() => client.callTool("t", {}, { signal }), Error, "enough");
  await time.tickAsync(50);
  controller.abort(reason);
  await given;
  for (let step = 0; step < 10; step++) await time.tickAsync(20);
  assertEquals(
    (await Promise.all(calls)).map((message) => message.split(": ")[1]),
    ['timed out after 100 ms ("timeoutMs")', 'timed out after 200 ms ("timeoutMs")'],
  );
  assertEquals(sessions, 2);
  await client.disconnect();
});

Deno.test("McpClient receives notifications, server requests and responses on an event stream", async () => {
  const delivered: RpcNotification[] = [];
  const server = older({
    "tools/call": (request) => {
      const stream = events(request);
      const { progressToken } = objectOf(request.body.params?._meta);
      const progress = { progressToken, progress: 1 };
      stream.message({ jsonrpc: "2.0", method: "notifications/progress", params: progress });
      stream.message({
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level: "info" },
      });
      stream.message({ jsonrpc: "2.0", id: 1, method: "roots/list" });
      answered.promise.then(() => stream.message(answer(request.body.id, "done")));
      return stream.response;
    },
    undefined: () => new Response(null, { status: 202 }),
  });
  const answered = Promise.withResolvers<void>();
  const watched: Web = {
    ...server,
    fetch: async (url, init) => {
      const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
      if ("result" in body) {
        assertEquals(body, { jsonrpc: "2.0", id: 1, result: { roots: [{ uri: "file:///r" }] } });
        answered.resolve();
        return new Response(null, { status: 202 });
      }
      return await server.fetch(url, init);
    },
  };
  const client = await connect(watched, {
    handlers: { listRoots: () => [{ uri: "file:///r" }] },
    onNotification: (notification) => delivered.push(notification),
  });
  const updates: number[] = [];
  const onProgress = (update: { readonly progress: number }) => updates.push(update.progress);
  assertEquals(textOf(await client.callTool("t", {}, { onProgress })), "done");
  assertEquals([updates, delivered.map(({ method }) => method)], [[1], ["notifications/message"]]);
  await client.disconnect();
});

/** A server that sends its response only on a resumed stream. */
function resumable(first: (stream: Events) => void, later: (request: Seen) => Response): Web {
  return older({
    "tools/call": (request) => {
      const stream = events(request);
      first(stream);
      return stream.response;
    },
    GET: (request) =>
      request.headers.has("last-event-id") ? later(request) : new Response(null, { status: 405 }),
  });
}

Deno.test("McpClient resumes an interrupted stream after the delay in the retry field", async () => {
  for (const finish of ["end", "lose"] as const) {
    const server = resumable((stream) => {
      stream.send("id: e7\nretry: 500\ndata: \n\n");
      stream[finish]();
    }, (request) => eventStream(request, answer(callId(server), "later")));
    using time = new FakeTime();
    const client = await connect(server);
    const call = client.callTool("t", {});
    await time.tickAsync(499);
    assertEquals(resumptions(server), []);
    await time.tickAsync(1);
    assertEquals(textOf(await call), "later");
    assertEquals(resumptions(server), ["e7"]);
    await client.disconnect();
  }
});

function callId({ seen }: Web): unknown {
  return seen.find(({ body }) => body?.method === "tools/call")?.body.id;
}

function resumptions({ seen }: Web): (string | null)[] {
  return seen.map(({ headers }) => headers.get("last-event-id")).filter((id) => id !== null);
}

Deno.test("callTool() resumes its stream in the session of its request, not in a newer session", async () => {
  let sessions = 0;
  const stream = Promise.withResolvers<Events>();
  const server = older({
    initialize: (request) => result(request, INITIALIZED, { "mcp-session-id": `s${++sessions}` }),
    "tools/call": (request) => {
      const slow = events(request);
      stream.resolve(slow);
      return slow.response;
    },
    "tools/list": (request) =>
      request.headers.get("mcp-session-id") === "s1"
        ? failure(request, -32001, undefined, 404)
        : result(request, { tools: [] }),
    GET: (request) =>
      new Response(null, { status: request.headers.has("last-event-id") ? 404 : 405 }),
  });
  const client = await connect(server);
  const call = assertRejects(() => client.callTool("t", {}), McpError, "its outcome is unknown");
  const { send, end } = await stream.promise;
  await client.listTools();
  send("id: e\nretry: 1\ndata: \n\n");
  end();
  assertEquals([(await call).code, (await call).httpStatus], ["transport_error", 404]);
  const resumed = server.seen.filter(({ headers }) => headers.has("last-event-id"));
  assertEquals(resumed.map(({ headers }) => headers.get("mcp-session-id")), ["s1"]);
  assertEquals(sessions, 2);
  await client.disconnect();
});

Deno.test("McpClient stops after maxRetries failed attempts, and received data resets the count", async () => {
  let id = 0;
  const vain = resumable((stream) => {
    stream.send("id: e\ndata: \n\n");
    stream.end();
  }, (request) => eventStream(request));
  using time = new FakeTime();
  const client = await connect(vain);
  const call = assertRejects(() => client.callTool("t", {}), McpError);
  await aMinute(time);
  assertEquals((await call).code, "transport_error");
  assertEquals(resumptions(vain).length, 2);
  await client.disconnect();

  const talkative = resumable((stream) => {
    stream.send("id: 0\ndata: \n\n");
    stream.end();
  }, (request) => {
    const stream = events(request);
    const isLast = ++id === 5;
    const change = { jsonrpc: "2.0", method: "notifications/message", params: {} };
    stream.message(isLast ? answer(callId(talkative), "at last") : change, `${id}`);
    stream.end();
    return stream.response;
  });
  const patient = await connect(talkative);
  const lasting = patient.callTool("t", {});
  await aMinute(time);
  assertEquals(textOf(await lasting), "at last");
  assertEquals(resumptions(talkative), ["0", "1", "2", "3", "4"]);
  await patient.disconnect();
});

Deno.test("callTool() rejects immediately if an interrupted stream has no event ids", async () => {
  for (const finish of ["end", "lose"] as const) {
    const server = resumable(
      (stream) => stream[finish](),
      () => new Response(null, { status: 500 }),
    );
    const client = await connect(server);
    const error = await assertRejects(() => client.callTool("t", {}), McpError);
    assertEquals([error.code, resumptions(server)], ["transport_error", []]);
    await client.disconnect();
  }
});

Deno.test("McpClient retries a resumption that fails with status 500, 503 or 599", async () => {
  for (const status of [500, 503, 599]) {
    let tries = 0;
    const server = resumable(
      (stream) => {
        stream.send("id: e\nretry: 1\ndata: \n\n");
        stream.end();
      },
      (request) =>
        ++tries === 1
          ? new Response(null, { status })
          : eventStream(request, answer(callId(server), "later")),
    );
    const client = await connect(server);
    assertEquals(textOf(await client.callTool("t", {})), "later");
    assertEquals(resumptions(server), ["e", "e"]);
    await client.disconnect();
  }
});

Deno.test("callTool() rejects if the server does not support resumption", async () => {
  const server = resumable((stream) => {
    stream.send("id: e\nretry: 1\ndata: \n\n");
    stream.end();
  }, () => new Response(null, { status: 405 }));
  const client = await connect(server);
  const error = await assertRejects(() => client.callTool("t", {}), McpError);
  assertEquals([error.code, error.httpStatus], ["transport_error", 405]);
  await client.disconnect();
});

Deno.test("callTool() sends a cancellation on abort and closes its stream", async () => {
  const called = Promise.withResolvers<Seen>();
  const server = older({
    "tools/call": (request) => {
      called.resolve(request);
      return events(request).response;
    },
  });
  const client = await connect(server);
  const controller = new AbortController();
  const call = client.callTool("t", {}, { signal: controller.signal });
  const { body, signal } = await called.promise;
  const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
  const reason = new Error("enough");
  controller.abort(reason);
  assertEquals(await assertRejects(() => call), reason);
  await left;
  const cancelled = server.seen.find((seen) => seen.body?.method === "notifications/cancelled");
  assertEquals(cancelled?.body.params, { requestId: body.id });
  await client.disconnect();
});

Deno.test("McpClient resumes the stream for server messages up to maxRetries attempts", async () => {
  const delivered: string[] = [];
  let streams = 0;
  const server = older({
    GET: (request) => {
      const stream = events(request);
      const change = { jsonrpc: "2.0", method: `notifications/${++streams}` };
      if (streams < 3) stream.message(change, `${streams}`);
      stream.end();
      return stream.response;
    },
  });
  using time = new FakeTime();
  const client = await connect(server, { onNotification: ({ method }) => delivered.push(method) });
  await aMinute(time);
  assertEquals(delivered, ["notifications/1", "notifications/2"]);
  assertEquals(resumptions(server), ["1", "2", "2"]);
  assert(client.connected);
  await client.disconnect();
});

Deno.test("callTool() closes its stream even if the cancellation is not accepted", async () => {
  const server = older({
    "tools/call": (request) => aborted(request.signal),
    "notifications/cancelled": (request) => aborted(request.signal),
  });
  const client = await connect(server);
  await assertRejects(() => client.callTool("t", {}, { timeoutMs: 1 }), McpError);
  await settle();
  const [call] = server.seen.filter(({ body }) => body?.method === "tools/call");
  assert(call?.signal.aborted);
  await client.disconnect();
});

Deno.test("McpClient limits the delay in the retry field", async () => {
  using time = new FakeTime();
  for (const [retry, ms] of [["0", 100], ["999999999999", 2 ** 31 - 1]] as const) {
    const server = resumable((stream) => {
      stream.send(`id: e7\nretry: ${retry}\ndata: \n\n`);
      stream.end();
    }, (request) => eventStream(request, answer(callId(server), "later")));
    const client = await connect(server);
    const call = client.callTool("t", {}, { timeoutMs: Infinity, maxTotalMs: Infinity });
    await time.tickAsync(ms - 1);
    assertEquals(resumptions(server), []);
    await time.tickAsync(1);
    assertEquals(textOf(await call), "later");
    await client.disconnect();
  }
});

Deno.test("McpClient reports a lost stream for server messages, but not an unsupported stream", async () => {
  const streams: readonly (readonly [() => Response, number])[] = [
    [() => new Response(null, { status: 405 }), 0],
    [() => new Response(null, { status: 404 }), 1],
    [() => new Response(null, { status: 500 }), 1],
  ];
  for (const [get, expected] of streams) {
    const reported: unknown[] = [];
    const server = older({ GET: get });
    const client = await connect(server, { onError: (error) => reported.push(error) });
    await settle();
    assertEquals(reported.length, expected);
    await client.disconnect();
    assertEquals(reported.length, expected);
  }
});
