import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { mcpHandler } from "../../server.ts";
import { McpServer } from "../../server/mcp_server.ts";
import { addWaitingTool, eventsOf, modern, post, SessionByHand } from "../../testdata/http.ts";
import { at, type Message } from "../../testdata/message.ts";
import { meta } from "../../testdata/pipes.ts";

/** Creates a gate that blocks until the test opens it. */
class Gate {
  open = (): void => {};
  readonly passed: Promise<void> = new Promise((resolve) => this.open = resolve);
}

function testServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "echo", description: "" }, (args) => args);
  server.registerTool({ name: "ask", description: "" }, async (_args, context) => {
    await context.progress(1);
    const { content } = await context.ask("a", {
      method: "sampling/createMessage",
      params: { messages: [], maxTokens: 1 },
    });
    await context.progress(2);
    return `The model said: ${"type" in content && content.type === "text" ? content.text : "?"}`;
  });
  return server;
}

/** Returns the text content in a tool result. */
function textOf(message: Message | undefined): unknown {
  return at(message?.result?.content, 0, "text");
}

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const PROGRESS = { progressToken: "t" };

/** Creates an `initialize` request. */
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  },
};

Deno.test("a session exists from initialize to DELETE", async () => {
  const handler = mcpHandler(testServer());
  const clientInfo = { name: "c", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const opened = await handler(post({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
  const { result } = await opened.json();
  assertEquals([opened.status, result.protocolVersion], [200, "2025-06-18"]);
  const id = opened.headers.get("mcp-session-id") ?? "";
  assertEquals(/^[\x21-\x7e]+$/.test(id), true);
  const session = new SessionByHand(handler, id);
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  assertEquals((await session.send(initialized)).status, 202);
  assertEquals((await (await session.send(PING)).json()).result, {});
  assertEquals((await session.delete()).status, 204);
  const gone = await session.send(PING);
  assertEquals([gone.status, (await gone.json()).error.code], [404, -32001]);
  assertEquals((await session.delete()).status, 404);
});

Deno.test("a request without a session or with an unknown version is rejected", async () => {
  const handler = mcpHandler(testServer());
  assertEquals((await handler(post(PING))).status, 400);
  const session = await SessionByHand.open(handler);
  const other = await session.send(PING, { "mcp-protocol-version": "1999-01-01" });
  assertEquals([other.status, (await other.json()).error.code], [400, -32000]);
  assertEquals((await session.send(PING, { "mcp-protocol-version": "2025-11-25" })).status, 200);
  await handler.close();
});

Deno.test("context.ask() works across an interrupted connection", async () => {
  const handler = mcpHandler(testServer());
  const session = await SessionByHand.open(handler, "2025-11-25", { sampling: {} });
  const events = eventsOf(await session.call(1, "ask", {}, PROGRESS));
  const priming = (await events.next()).value;
  assertEquals([priming?.data, /retry: \d+/.test(priming?.raw ?? "")], [undefined, true]);
  const progress = (await events.next()).value;
  assertEquals(progress?.data?.params, { progressToken: "t", progress: 1 });
  // Interrupt the connection before the server request is read.
  await events.return(undefined);

  const again = eventsOf(await session.get({ "last-event-id": progress?.id ?? "" }));
  await again.next();
  const question = (await again.next()).value?.data;
  assertEquals(question?.method, "sampling/createMessage");
  const content = { type: "text", text: "yes" };
  const result = { role: "assistant", model: "m", content };
  const answered = await session.send({ jsonrpc: "2.0", id: question?.id, result });
  assertEquals(answered.status, 202);
  const rest = await Array.fromAsync(again);
  assertEquals(rest.map(({ data }) => data?.params?.progress ?? textOf(data)), [
    2,
    "The model said: yes",
  ]);
  assertEquals(new Set(rest.map(({ id }) => id)).size, 2);

  // The last event can be read again while the session exists.
  const [first] = rest;
  const last = await Array.fromAsync(
    eventsOf(await session.get({ "last-event-id": first?.id ?? "" })),
  );
  assertEquals(last.map(({ data }) => data?.id), [undefined, 1]);
  await handler.close();
});

Deno.test("a slow call in a session responds with an SSE stream", async () => {
  using time = new FakeTime();
  const server = testServer();
  let finish = (_text: string): void => {};
  server.registerTool(
    { name: "slow", description: "" },
    () => new Promise((resolve) => finish = resolve),
  );
  const handler = mcpHandler(server, { keepAliveMs: 1000 });
  const session = await SessionByHand.open(handler);
  const responding = session.call(1, "slow");
  await time.tickAsync(1000);
  const response = await responding;
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  finish("late");
  const events = await Array.fromAsync(eventsOf(response));
  assertEquals(textOf(events.at(-1)?.data), "late");
  await handler.close();
});

Deno.test("context.ask() rejects immediately if the client does not accept SSE", async () => {
  const handler = mcpHandler(testServer());
  const session = await SessionByHand.open(handler, "2025-11-25", { sampling: {} });
  const params = { name: "ask", _meta: PROGRESS };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const response = await session.send(call, { accept: "application/json" });
  const { result } = await response.json();
  assertEquals(result.isError, true);
  assert(result.content[0].text.endsWith("the client cannot receive server requests"));
  await handler.close();
});

Deno.test("a handler with sessions also serves modern clients", async () => {
  const handler = mcpHandler(testServer());
  await SessionByHand.open(handler);
  const _meta = meta({ sampling: {} });
  const asked = await (await handler(modern("tools/call", { name: "ask", _meta }))).json();
  const { inputRequests, requestState } = asked.result;
  const result = { role: "assistant", model: "m", content: { type: "text", text: "yes" } };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, result]));
  const params = { name: "ask", _meta, inputResponses, requestState };
  const done = await (await handler(modern("tools/call", params))).json();
  assertEquals(done.result.content, [{ type: "text", text: "The model said: yes" }]);
  await handler.close();
});

Deno.test("closeStream() ends the stream, and the client resumes it for the result", async () => {
  const server = testServer();
  const gate = new Gate();
  server.registerTool({ name: "long", description: "" }, async (_args, { closeStream }) => {
    closeStream();
    await gate.passed;
    return "worth it";
  });
  const handler = mcpHandler(server, { sessions: { retryMs: 77 } });
  const session = await SessionByHand.open(handler);
  const [priming, ...others] = await Array.fromAsync(eventsOf(await session.call(1, "long")));
  assertEquals([others, priming?.raw.includes("retry: 77")], [[], true]);
  const events = eventsOf(await session.get({ "last-event-id": priming?.id ?? "" }));
  await events.next();
  gate.open();
  assertEquals(textOf((await events.next()).value?.data), "worth it");
  assertEquals((await events.next()).done, true);
  await handler.close();
});

Deno.test("protocol versions before 2025-11-25 get no priming event", async () => {
  const handler = mcpHandler(testServer());
  const session = await SessionByHand.open(handler, "2025-06-18", { sampling: {} });
  const events = eventsOf(await session.call(1, "ask", {}, PROGRESS));
  assertEquals((await events.next()).value?.data?.method, "notifications/progress");
  await events.return(undefined);
  await handler.close();
});

Deno.test("a cancelled request receives no response", async () => {
  const handler = mcpHandler(testServer());
  const session = await SessionByHand.open(handler, "2025-11-25", { sampling: {} });
  const events = eventsOf(await session.call(1, "ask"));
  await events.next();
  const question = (await events.next()).value?.data;
  const params = { requestId: 1 };
  await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  const rest = await Array.fromAsync(events);
  assertEquals(rest.map(({ data }) => [data?.method, data?.params?.requestId]), [
    ["notifications/cancelled", question?.id],
  ]);
  await handler.close();
});

Deno.test("GET opens a resumable stream of notifications", async () => {
  const server = testServer();
  const handler = mcpHandler(server);
  const session = await SessionByHand.open(handler);
  const events = eventsOf(await session.get());
  await events.next();
  server.registerTool({ name: "new", description: "" }, () => "");
  const first = (await events.next()).value;
  assertEquals(first?.data?.method, "notifications/tools/list_changed");
  await events.return(undefined);
  server.registerPrompt({ name: "new", arguments: [] }, () => "");
  const again = eventsOf(await session.get({ "last-event-id": first?.id ?? "" }));
  await again.next();
  assertEquals((await again.next()).value?.data?.method, "notifications/prompts/list_changed");
  // A second GET request for the stream replaces the first reader.
  const other = eventsOf(await session.get());
  assertEquals((await again.next()).done, true);
  await other.next();
  await handler.close();
  assertEquals((await other.next()).done, true);
  assertEquals(server.changes.size, 0);
});

Deno.test("a late disconnect of the previous reader does not end the stream of the next reader", async () => {
  const server = testServer();
  const handler = mcpHandler(server);
  const session = await SessionByHand.open(handler);
  const gone = await session.get();
  const events = eventsOf(await session.get());
  await events.next();
  await gone.body?.cancel();
  server.registerTool({ name: "new", description: "" }, () => "");
  assertEquals((await events.next()).value?.data?.method, "notifications/tools/list_changed");
  await handler.close();
});

Deno.test("an unknown event id is rejected", async () => {
  const handler = mcpHandler(testServer());
  const session = await SessionByHand.open(handler);
  for (const id of ["s99-1", "nonsense", "news"]) {
    assertEquals((await session.get({ "last-event-id": id })).status, 400, id);
  }
  await handler.close();
});

Deno.test("the id of a future event is rejected", async () => {
  const handler = mcpHandler(testServer());
  const session = await SessionByHand.open(handler);
  for (const id of ["news-1", "news-99999999999999999999"]) {
    const response = await session.get({ "last-event-id": id });
    await response.body?.cancel();
    assertEquals(response.status, 400, id);
  }
  await handler.close();
});

Deno.test("a slow reader misses the oldest notifications but not the response", async () => {
  const server = testServer();
  const gate = new Gate();
  server.registerTool(
    { name: "many", description: "" },
    async (_args, { closeStream, progress }) => {
      closeStream();
      for (let step = 1; step <= 10; step++) await progress(step);
      gate.open();
      return "done";
    },
  );
  const handler = mcpHandler(server, { sessions: { maxEvents: 3 } });
  const session = await SessionByHand.open(handler);
  const [priming] = await Array.fromAsync(eventsOf(await session.call(1, "many", {}, PROGRESS)));
  await gate.passed;
  const events = await Array.fromAsync(
    eventsOf(await session.get({ "last-event-id": priming?.id ?? "" })),
  );
  const steps = events.slice(1).map(({ data }) => data?.params?.progress ?? textOf(data));
  assertEquals([steps.at(-1), steps.length < 10], ["done", true]);
  await handler.close();
});

Deno.test("the oldest ended streams beyond maxStreams are discarded", async () => {
  const handler = mcpHandler(testServer(), { sessions: { maxStreams: 1 } });
  const session = await SessionByHand.open(handler, "2025-11-25");
  const ids: (string | undefined)[] = [];
  for (const id of [1, 2, 3]) {
    const response = await session.send(
      { jsonrpc: "2.0", id, method: "ping" },
      { accept: "text/event-stream" },
    );
    const [priming] = await Array.fromAsync(eventsOf(response));
    ids.push(priming?.id);
  }
  const statuses = ids.map(async (id) => {
    const response = await session.get({ "last-event-id": id ?? "" });
    await response.body?.cancel();
    return response.status;
  });
  assertEquals(await Promise.all(statuses), [400, 200, 200]);
  await handler.close();
});

Deno.test("batches are supported only in protocol version 2025-03-26", async () => {
  const handler = mcpHandler(testServer());
  const batch = [PING, { jsonrpc: "2.0", method: "notifications/odd" }, { ...PING, id: 2 }];
  const session = await SessionByHand.open(handler, "2025-03-26");
  const events = await Array.fromAsync(eventsOf(await session.send(batch)));
  assertEquals(events.map(({ data }) => data?.id), [1, 2]);
  assertEquals((await session.send([batch[1]])).status, 202);
  for (const odd of [[17], [17, { ...PING, id: 3 }]]) {
    const answers = await Array.fromAsync(eventsOf(await session.send(odd)));
    assertEquals(
      answers.map(({ data }) => data?.error?.code ?? data?.id).toSorted(),
      [-32600, 3].slice(0, odd.length),
    );
  }
  const other = await SessionByHand.open(handler, "2025-06-18");
  assertEquals((await other.send(batch)).status, 400);
  await handler.close();
});

Deno.test("a duplicate request id and excess requests are rejected", async () => {
  const handler = mcpHandler(testServer(), { sessions: { maxConcurrent: 2 } });
  const session = await SessionByHand.open(handler, "2025-11-25", { sampling: {} });
  const first = await session.call(1, "ask");
  const same = await (await session.call(1, "echo")).json();
  assertEquals(same.error.code, -32600);
  const second = await session.call(2, "ask");
  assertEquals((await session.call(3, "echo")).status, 429);
  await first.body?.cancel();
  await second.body?.cancel();
  await handler.close();
});

Deno.test("the requests in flight of one principal are limited over all its sessions", async () => {
  const server = testServer();
  server.registerTool({ name: "hang" }, () => new Promise(() => {}));
  const sessions = { maxTotalConcurrent: 4, maxSharePerPrincipal: 0.5 };
  const handler = mcpHandler(server, { sessions });
  const open = (subject: string) =>
    SessionByHand.open(
      Object.assign((request: Request) => handler(request, { principal: { subject } }), {
        respond: handler.respond,
        close: handler.close,
      }),
      "2025-03-26",
    );
  const [first, second] = [await open("mallory"), await open("mallory")];
  const ada = await open("ada");
  const hang = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hang" } };
  const held = [first.send(hang), second.send(hang)];
  assertEquals((await second.call(2, "echo")).status, 429);
  assertEquals((await second.send([{ ...hang, id: 3 }])).status, 429);
  const other = await ada.call(1, "echo");
  assertEquals(other.status, 200);
  await other.body?.cancel();
  await first.delete();
  await held[0];
  const freed = await second.call(4, "echo");
  assertEquals(freed.status, 200);
  await freed.body?.cancel();
  await handler.close();
  for (const response of await Promise.all(held)) await response.body?.cancel();
});

Deno.test("only idle sessions time out", async () => {
  let now = 0;
  const handler = mcpHandler(testServer(), { sessions: { idleTimeoutMs: 100, now: () => now } });
  const [busy, idle, fresh] = [
    await SessionByHand.open(handler, "2025-11-25"),
    await SessionByHand.open(handler),
    await SessionByHand.open(handler),
  ];
  const stream = await busy.get();
  now = 60;
  assertEquals((await fresh.send(PING)).status, 200);
  now = 101;
  assertEquals((await idle.send(PING)).status, 404);
  assertEquals((await fresh.send(PING)).status, 200);
  assertEquals((await busy.send(PING)).status, 200);
  await stream.body?.cancel();
  await handler.close();
});

/** Clocks that the types do not permit, but that programs in JavaScript can pass. */
const INVALID_CLOCKS: readonly (() => unknown)[] = [
  () => {
    throw new TypeError("no clock");
  },
  ...[NaN, null, undefined, "50", Infinity, -Infinity].map((time) => () => time),
];

/** Creates a handler with two sessions, whose clock can be replaced. */
async function withClock() {
  const errors: unknown[] = [];
  const server = new McpServer({ name: "s", version: "1", onError: (error) => errors.push(error) });
  const clock: { now: () => unknown } = { now: () => 0 };
  const now = (): number => clock.now() as number;
  const handler = mcpHandler(server, { sessions: { idleTimeoutMs: 100, now } });
  const first = await SessionByHand.open(handler, "2025-03-26");
  const second = await SessionByHand.open(handler);
  return { server, handler, clock, errors, first, second };
}

Deno.test("requests in sessions fail and no session ends while the clock is invalid", async () => {
  for (const invalid of INVALID_CLOCKS) {
    const { server, handler, clock, errors, first, second } = await withClock();
    clock.now = () => 50;
    assertEquals((await first.send(PING)).status, 200);
    clock.now = invalid;
    const requests = [
      () => first.send(PING),
      () => first.get(),
      () => first.delete(),
      () => handler(post(INITIALIZE)),
    ];
    for (const request of requests) {
      const response = await request();
      await response.body?.cancel();
      assertEquals(response.status, 500);
      assert(errors.pop() instanceof TypeError);
    }
    assertEquals(server.changes.size, 2);
    clock.now = () => 101;
    assertEquals((await first.send(PING)).status, 200);
    assertEquals((await second.send(PING)).status, 404);
    await handler.close();
  }
});

Deno.test("a clock that is invalid when the last request of a session ends is reported", async () => {
  for (const invalid of INVALID_CLOCKS) {
    const { server, handler, clock, errors, first } = await withClock();
    const [running, gate] = [new Gate(), new Gate()];
    server.registerTool({ name: "wait", description: "" }, async () => {
      running.open();
      await gate.passed;
      return "done";
    });
    const params = { name: "wait", arguments: {} };
    const responding = first.send([{ jsonrpc: "2.0", id: 1, method: "tools/call", params }]);
    await running.passed;
    clock.now = invalid;
    gate.open();
    const events = await Array.fromAsync(eventsOf(await responding));
    assertEquals(textOf(events.at(-1)?.data), "done");
    assert(errors.length > 0);
    for (const error of errors) assert(error instanceof TypeError);
    clock.now = () => 99;
    assertEquals((await first.send(PING)).status, 200);
    await handler.close();
  }
});

Deno.test("a new session replaces the session that has been idle longest", async () => {
  const handler = mcpHandler(testServer(), { sessions: { maxSessions: 2 } });
  const first = await SessionByHand.open(handler);
  const second = await SessionByHand.open(handler);
  assertEquals((await first.send(PING)).status, 200);
  const third = await SessionByHand.open(handler);
  assertNotEquals(third.id, "");
  assertEquals((await third.send(PING)).status, 200);
  assertEquals((await second.send(PING)).status, 404);
  const streams = [await first.get(), await third.get()];
  const refused = await handler(post(INITIALIZE));
  assertEquals([refused.status, refused.headers.has("retry-after")], [503, true]);
  for (const { body } of streams) await body?.cancel();
  await handler.close();
});

Deno.test("concurrent initialize requests respect maxSessions", async () => {
  const server = testServer();
  const handler = mcpHandler(server, { sessions: { maxSessions: 2 } });
  await Promise.all(Array.from({ length: 10 }, () => handler(post(INITIALIZE))));
  assertEquals(server.changes.size, 2);
  await handler.close();
});

Deno.test("the idle timeout of a session starts when its last request ends", async () => {
  let now = 0;
  const handler = mcpHandler(testServer(), { sessions: { idleTimeoutMs: 100, now: () => now } });
  const session = await SessionByHand.open(handler, "2025-11-25", { sampling: {} });
  const events = eventsOf(await session.get());
  await events.next();
  now = 101;
  // Interrupt the connection, then resume the stream.
  await events.return(undefined);
  assertEquals((await session.send(PING)).status, 200);
  now = 202;
  assertEquals((await session.send(PING)).status, 404);
  await handler.close();
});

Deno.test("close() also ends sessions that are being opened", async () => {
  const server = testServer();
  const handler = mcpHandler(server);
  const gate = new Gate();
  const text = new TextEncoder().encode(JSON.stringify(INITIALIZE));
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await gate.passed;
      controller.enqueue(text);
      controller.close();
    },
  });
  const headers = { "content-type": "application/json" };
  const slow = handler(new Request("http://localhost/mcp", { method: "POST", headers, body }));
  const quick = handler(post(INITIALIZE));
  await handler.close();
  gate.open();
  assertEquals((await slow).status, 503);
  await quick;
  assertEquals(server.changes.size, 0);
});

Deno.test("close() aborts requests in flight without sessions", async () => {
  const server = testServer();
  const stopped = addWaitingTool(server);
  const handler = mcpHandler(server, { sessions: false });
  const nobody = new SessionByHand(handler, "");
  const events = eventsOf(await nobody.call(1, "wait", {}, PROGRESS));
  await events.next();
  await handler.close();
  assert((await stopped) instanceof DOMException);
  assertEquals((await events.next()).done, true);
});

Deno.test("a failed initialize request does not open a session", async () => {
  const server = testServer();
  const handler = mcpHandler(server);
  const response = await handler(post({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} }));
  assertEquals((await response.json()).error.code, -32602);
  assertEquals([response.headers.get("mcp-session-id"), server.changes.size], [null, 0]);
  await handler.close();
});

Deno.test("a failed initialize request is reported to a client that accepts only SSE", async () => {
  const handler = mcpHandler(testServer());
  const initialize = { jsonrpc: "2.0", id: 7, method: "initialize", params: {} };
  const response = await handler(post(initialize, { accept: "text/event-stream" }));
  const events = await Array.fromAsync(eventsOf(response));
  assertEquals(events.map(({ data }) => [data?.id, data?.error?.code]), [[7, -32602]]);
  await handler.close();
});

Deno.test("a failed initialize request does not evict a session", async () => {
  const handler = mcpHandler(testServer(), { sessions: { maxSessions: 1 } });
  const session = await SessionByHand.open(handler);
  await handler(post({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} }));
  assertEquals((await session.send(PING)).status, 200);
  await handler.close();
});

Deno.test("a server request times out if the client does not respond", async () => {
  const handler = mcpHandler(testServer(), { sessions: { inputTimeoutMs: 1 } });
  const session = await SessionByHand.open(handler, "2025-11-25", { sampling: {} });
  const events = await Array.fromAsync(eventsOf(await session.call(1, "ask")));
  const [, , cancelled, response] = events;
  assertEquals(cancelled?.data?.method, "notifications/cancelled");
  assert(response?.data?.result?.isError);
  await handler.close();
});

Deno.test("initialize and ping without sessions respond with SSE if the client accepts only SSE", async () => {
  const handler = mcpHandler(testServer(), { sessions: false });
  const clientInfo = { name: "c", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  for (const call of [{ jsonrpc: "2.0", id: 0, method: "initialize", params }, PING]) {
    const response = await handler(post(call, { accept: "text/event-stream" }));
    assertEquals(response.headers.get("content-type"), "text/event-stream");
    const events = await Array.fromAsync(eventsOf(response));
    assertEquals(events.map(({ data }) => [data?.id, data?.result !== undefined]), [[
      call.id,
      true,
    ]]);
  }
  await handler.close();
});

Deno.test("each legacy request is handled independently without sessions", async () => {
  const handler = mcpHandler(testServer(), { sessions: false });
  const clientInfo = { name: "c", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: { sampling: {} }, clientInfo };
  const opened = await handler(post({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
  assertEquals(opened.headers.get("mcp-session-id"), null);
  assertEquals((await opened.json()).result.capabilities, { logging: {}, tools: {} });
  const nobody = new SessionByHand(handler, "");
  assertEquals((await nobody.send({ jsonrpc: "2.0", method: "notifications/odd" })).status, 202);
  const echoed = await nobody.call(1, "echo", { a: 1 });
  assertEquals((await echoed.json()).result.structuredContent, { a: 1 });
  const events = await Array.fromAsync(eventsOf(await nobody.call(1, "ask", {}, PROGRESS)));
  assertEquals(events.map(({ data }) => data?.method ?? data?.error?.code), [
    "notifications/progress",
    -32021,
  ]);
  assertEquals([(await nobody.get()).status, (await nobody.delete()).status], [405, 405]);
  assertEquals((await nobody.send([PING])).status, 400);
  assertEquals((await nobody.send(PING, { "mcp-protocol-version": "1999-01-01" })).status, 400);
  await handler.close();
});

Deno.test("a new session replaces an unused session before one in use", async () => {
  const handler = mcpHandler(testServer(), { sessions: { maxSessions: 4 } });
  const victim = await SessionByHand.open(handler);
  assertEquals((await victim.send(PING)).status, 200);
  const unused = await SessionByHand.open(handler);
  const listening = await SessionByHand.open(handler);
  const stream = await listening.get();
  // Each new session replaces the oldest unused session.
  const status = async (session: SessionByHand) => (await session.send(PING)).status;
  for (let count = 0; count < 20; count++) await SessionByHand.open(handler);
  assertEquals(await status(unused), 404);
  assertEquals(await status(victim), 200);
  assertEquals(await status(listening), 200);
  await stream.body?.cancel();
  await handler.close();
});

Deno.test("open GET streams of unused sessions do not prevent a new session", async () => {
  const handler = mcpHandler(testServer(), { sessions: { maxSessions: 3 } });
  const streams: Response[] = [];
  for (let count = 0; count < 6; count++) {
    const session = await SessionByHand.open(handler);
    assertNotEquals(session.id, "");
    streams.push(await session.get());
  }
  // The streams of the replaced sessions have ended.
  for (const stream of streams.slice(0, 3)) await Array.fromAsync(eventsOf(stream));
  await handler.close();
});

const LOG = { accept: "text/event-stream" };

function echoRequest(text: string, id = 1) {
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "echo", arguments: { text } },
  };
}

/** Returns the messages that follow an event in its stream. */
async function resumed(session: SessionByHand, lastEventId = ""): Promise<(Message | undefined)[]> {
  const events = await Array.fromAsync(
    eventsOf(await session.get({ "last-event-id": lastEventId })),
  );
  return events.slice(1).map(({ data }) => data);
}

Deno.test("a session discards the oldest responses if it stores more than maxChars", async () => {
  const sessions = { maxChars: 4000, maxTotalChars: 8000 };
  const handler = mcpHandler(testServer(), { sessions });
  const session = await SessionByHand.open(handler);
  const ids: string[] = [];
  for (const id of [1, 2, 3]) {
    const response = await session.send(echoRequest("x".repeat(600), id), LOG);
    const [priming, result] = await Array.fromAsync(eventsOf(response));
    assertEquals(result?.data?.id, id);
    ids.push(priming?.id ?? "");
  }
  const stored = await Promise.all(ids.map((id) => resumed(session, id)));
  assertEquals(stored.map((messages) => messages.map((message) => message?.id)), [[], [2], [3]]);
  await handler.close();
});

Deno.test("a response that exceeds maxChars reaches a client that reads", async () => {
  const sessions = { maxChars: 1000, maxTotalChars: 2000 };
  const handler = mcpHandler(testServer(), { sessions });
  const session = await SessionByHand.open(handler);
  const response = await session.send(echoRequest("x".repeat(5000)), LOG);
  const [priming, result] = await Array.fromAsync(eventsOf(response));
  assertEquals(at(result?.data?.result?.content, 0, "type"), "text");
  assertEquals(await resumed(session, priming?.id), []);
  await handler.close();
});

Deno.test("a response that exceeds maxChars is error -32603 if the client has disconnected", async () => {
  const server = testServer();
  const gate = new Gate();
  server.registerTool({ name: "long", description: "" }, async (_args, { closeStream }) => {
    closeStream();
    await gate.passed;
    return "x".repeat(5000);
  });
  const handler = mcpHandler(server, { sessions: { maxChars: 1000, maxTotalChars: 2000 } });
  const session = await SessionByHand.open(handler);
  const [priming] = await Array.fromAsync(eventsOf(await session.call(1, "long")));
  gate.open();
  // The response is stored before the request below is handled.
  assertEquals((await session.send(PING)).status, 200);
  const [message] = await resumed(session, priming?.id);
  assertEquals([message?.id, message?.error?.code], [1, -32603]);
  assertMatch(`${message?.error?.message}`, /"sessions\.maxChars"/);
  await handler.close();
});

Deno.test("the session with the most stored characters loses events at maxTotalChars", async () => {
  const sessions = { maxChars: 4000, maxTotalChars: 8000 };
  const handler = mcpHandler(testServer(), { sessions });
  const victim = await SessionByHand.open(handler);
  const [priming] = await Array.fromAsync(
    eventsOf(await victim.send(echoRequest("hello"), LOG)),
  );
  for (let count = 0; count < 10; count++) {
    const session = await SessionByHand.open(handler);
    await (await session.send(echoRequest("x".repeat(1000)), LOG)).text();
  }
  assertEquals((await resumed(victim, priming?.id)).length, 1);
  await handler.close();
});

Deno.test("resource subscriptions are limited in characters", async () => {
  const server = testServer();
  server.registerResource({ name: "r", uri: "r:1" }, () => "");
  const handler = mcpHandler(server, { sessions: { maxChars: 10_000, maxTotalChars: 20_000 } });
  const session = await SessionByHand.open(handler);
  const send = async (method: string, uri: string, by = session) => {
    const params = { uri };
    const { error } = await (await by.send({ jsonrpc: "2.0", id: 1, method, params })).json();
    return [error?.code, /"[^"]*"/.exec(error?.message ?? "")?.[0]];
  };
  const subscribe = (uri: string, by = session) => send("resources/subscribe", uri, by);
  const none = [undefined, undefined];
  assertEquals(await subscribe("r".repeat(8193)), [-32602, '"uri"']);
  assertEquals(await subscribe("r".repeat(8000)), none);
  assertEquals(await subscribe("r".repeat(2000)), [-32603, '"sessions.maxChars"']);
  // Subscriptions across all sessions take at most half of `maxTotalChars`.
  const other = await SessionByHand.open(handler);
  assertEquals(await subscribe("r".repeat(2000), other), [-32603, '"sessions.maxTotalChars"']);
  assertEquals(await send("resources/unsubscribe", "r".repeat(8000)), none);
  assertEquals(await subscribe("r".repeat(2000)), none);
  assertEquals(await subscribe("r".repeat(2000), other), none);
  assertEquals((await session.delete()).status, 204);
  assertEquals(await subscribe("r".repeat(7000), other), none);
  await handler.close();
});

Deno.test("a session stores a share of the total per principal", async () => {
  const server = testServer();
  server.registerResource({ name: "r", uri: "r:1" }, () => "");
  const sessions = { maxChars: 10_000, maxTotalChars: 20_000, maxSharePerPrincipal: 0.5 };
  const handler = mcpHandler(server, { sessions });
  const open = (subject: string) =>
    SessionByHand.open(
      Object.assign((request: Request) => handler(request, { principal: { subject } }), {
        respond: handler.respond,
        close: handler.close,
      }),
    );
  const subscribe = async (session: SessionByHand, chars: number) => {
    const params = { uri: "r".repeat(chars) };
    const request = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params };
    return (await (await session.send(request)).json()).error?.code;
  };
  const mallory = [await open("mallory"), await open("mallory")] as const;
  assertEquals(await subscribe(mallory[0], 4000), undefined);
  assertEquals(await subscribe(mallory[1], 4000), -32603);
  assertEquals(await subscribe(await open("alice"), 4000), undefined);
  await handler.close();
});

Deno.test("initialize is rejected if clientInfo and capabilities exceed 65,536 characters", async () => {
  const handler = mcpHandler(testServer());
  const send = async (params: object) => {
    const response = await handler(
      post({ ...INITIALIZE, params: { ...INITIALIZE.params, ...params } }),
    );
    const { error } = await response.json();
    return [error?.code, response.headers.has("mcp-session-id")];
  };
  const experimental = { x: { y: "x".repeat(65_536) } };
  const large = { experimental: { x: { y: "x".repeat(65_000) } } };
  assertEquals(await send({ capabilities: { experimental } }), [-32602, false]);
  assertEquals(await send({ clientInfo: { name: "x".repeat(65_536), version: "1" } }), [
    -32602,
    false,
  ]);
  assertEquals(await send({ capabilities: large }), [undefined, true]);
  await handler.close();
});

Deno.test("a handler receives long capabilities unchanged", async () => {
  const server = testServer();
  server.registerTool(
    { name: "size", description: "" },
    (_args, { client }) => JSON.stringify(client.capabilities),
  );
  const handler = mcpHandler(server);
  const capabilities = { experimental: { x: { y: "x".repeat(10_000) } } };
  const session = await SessionByHand.open(handler, "2025-06-18", capabilities);
  const message = await (await session.call(1, "size")).json();
  assertEquals(at(message.result.content, 0, "text"), JSON.stringify(capabilities));
  await handler.close();
});

Deno.test("a stream that the client does not read is closed after readTimeoutMs", async () => {
  using time = new FakeTime();
  const server = testServer();
  const steps: number[] = [];
  const gate = new Gate();
  server.registerTool({ name: "steps", description: "" }, async (_args, { progress }) => {
    for (let step = 1; step <= 5; step++) {
      await progress(step);
      steps.push(step);
    }
    gate.open();
    return "done";
  });
  const handler = mcpHandler(server, { sessions: { readTimeoutMs: 1000 } });
  const session = await SessionByHand.open(handler);
  const response = await session.call(1, "steps", {}, PROGRESS);
  await time.tickAsync(999);
  const before = [...steps];
  // After the timeout, the handler yields to the event loop once, so a second tick is needed.
  await time.tickAsync(1);
  await time.tickAsync(1);
  await gate.passed;
  assertEquals([before.length < 5, steps.length], [true, 5]);
  // The stream has ended, and the client can resume it.
  const events = await Array.fromAsync(eventsOf(response));
  const rest = await resumed(session, events.at(-1)?.id);
  assertEquals(rest.at(-1)?.id, 1);
  const received = [...events.map(({ data }) => data), ...rest];
  assertEquals(
    received.flatMap((message) => message?.params?.progress ?? []),
    [1, 2, 3, 4, 5],
  );
  await handler.close();
});
