import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { mcpHandler, type McpHandlerOptions, servePipe, serveStdio } from "../../server.ts";
import { McpServer } from "../../server/mcp_server.ts";
import { addWaitingTool, eventsOf, modern, post, SessionByHand } from "../../testdata/http.ts";
import { handAndPipe, meta } from "../../testdata/pipes.ts";

function testServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({
    name: "echo",
    description: "",
    inputSchema: {
      type: "object",
      properties: { n: { type: "integer", "x-mcp-header": "N" }, s: { type: "string" } },
    },
  }, (args) => args);
  server.registerTool({ name: "steps", description: "" }, async (_args, { progress }) => {
    await progress(1);
    await progress(2);
    return "done";
  });
  server.registerTool(
    { name: "who", description: "" },
    (_args, { principal }) => principal?.subject,
  );
  return server;
}

function handle(options?: McpHandlerOptions): (request: Request) => Promise<Response> {
  return mcpHandler(testServer(), options);
}

const ECHO = { name: "echo", arguments: {} };

Deno.test("mcpHandler() responds to a modern request with JSON", async () => {
  const response = await handle()(modern("tools/call", ECHO));
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(response.headers.get("mcp-session-id"), null);
  const { result } = await response.json();
  assertEquals([result.resultType, result.structuredContent], ["complete", {}]);
});

Deno.test("mcpHandler() reports a request whose body was already read", async () => {
  const errors: unknown[] = [];
  const server = new McpServer({ name: "s", version: "1", onError: (error) => errors.push(error) });
  const request = modern("tools/call", ECHO);
  await request.text();
  const response = await mcpHandler(server)(request);
  assertEquals(response.status, 500);
  const { error } = await response.json();
  assert(error.message.startsWith("the request body was already read"), error.message);
  assertEquals(errors.map(String), [`Error: Cannot handle the request: ${error.message}`]);
});

Deno.test("mcpHandler() responds with HTTP 500 if reading the request or the context throws", async () => {
  const trap = () => {
    throw new Error("trap");
  };
  const hostile = new Proxy({}, { get: trap, getPrototypeOf: trap });
  const errors: unknown[] = [];
  const server = new McpServer({ name: "s", version: "1", onError: (error) => errors.push(error) });
  const handler = mcpHandler(server);
  const get = new Request("http://localhost/mcp", { headers: { accept: "text/event-stream" } });
  const responses = [
    await handler(hostile as Request),
    await handler(get, hostile),
    await handler(modern("tools/list"), hostile),
  ];
  for (const response of responses) {
    assertEquals([response.status, (await response.json()).error.code], [500, -32603]);
  }
  assertEquals(errors.length, 3);
  await handler.close();
});

Deno.test("mcpHandler() rejects a body that is not UTF-8 with HTTP 400", async () => {
  const { headers } = modern("tools/call", ECHO);
  const text = await modern("tools/call", { name: "echo", arguments: { x: "caf\u00e9" } }).text();
  const latin1 = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const cut = new TextEncoder().encode(text).slice(0, -1);
  for (const bytes of [latin1, new Uint8Array([...cut, 0xc3])]) {
    for (const isKnownLength of [true, false]) {
      const body = isKnownLength ? bytes : new Blob([bytes]).stream();
      const request = new Request("http://localhost/mcp", { method: "POST", headers, body });
      if (isKnownLength) request.headers.set("content-length", String(bytes.length));
      const response = await handle()(request);
      const { error } = await response.json();
      assertEquals([response.status, error.code], [400, -32700]);
      assertEquals(error.message, "Parse error: the body is not valid UTF-8");
    }
  }
});

Deno.test("mcpHandler() responds with an SSE stream if notifications precede the result", async () => {
  const _meta = meta({}, { progressToken: "t" });
  const response = await handle()(modern("tools/call", { name: "steps", _meta }));
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  assertEquals(response.headers.get("x-accel-buffering"), "no");
  const events = await Array.fromAsync(eventsOf(response));
  assertEquals(events.map(({ data }) => data?.method ?? data?.id), [
    "notifications/progress",
    "notifications/progress",
    1,
  ]);
  assertEquals(events.every(({ raw, id }) => raw.startsWith("event: message\n") && !id), true);
});

Deno.test("mcpHandler() respects the Accept header", async () => {
  const _meta = meta({}, { progressToken: "t" });
  const type = async (name: string, accept: string) => {
    const response = await handle()(modern("tools/call", { name, _meta }, { accept }));
    await response.body?.cancel();
    return [response.status, response.headers.get("content-type")];
  };
  assertEquals(await type("steps", "application/json"), [200, "application/json"]);
  assertEquals(await type("echo", "text/event-stream"), [200, "text/event-stream"]);
  assertEquals(await type("echo", "*/*"), [200, "application/json"]);
  assertEquals(await type("echo", "image/png"), [406, "application/json"]);
});

/** Test cases: description, request, expected status and expected error code. */
const REFUSED: readonly [string, () => Request, number, number][] = [
  ["invalid JSON", () => post("{"), 400, -32700],
  ["a body that is a number", () => post("17"), 400, -32600],
  ["an empty batch", () => post("[]"), 400, -32600],
  ["a null id", () => post({ jsonrpc: "2.0", id: null, method: "ping" }), 400, -32600],
  ["an unsupported content type", () => post("{}", { "content-type": "text/plain" }), 415, -32000],
  ["a body larger than maxBodyBytes", () => post(`"${"x".repeat(200)}"`), 413, -32000],
  ["a PUT request", () => new Request("http://localhost/", { method: "PUT" }), 405, -32000],
  [
    "an OPTIONS request without an origin",
    () => new Request("http://localhost/", { method: "OPTIONS" }),
    405,
    -32000,
  ],
  ["a GET request without a session", () => new Request("http://localhost/"), 400, -32000],
  [
    "a protocol version in the header but not in the body",
    () => header("tools/list", {}, {}),
    400,
    -32602,
  ],
  [
    "no client capabilities in the body",
    () => header("tools/list", { _meta: versionOnly() }, {}),
    400,
    -32602,
  ],
  ["an unknown protocol version", () => unknownVersion(), 400, -32022],
  [
    "a protocol version in the header that differs from the body",
    () => modern("tools/list", {}, VERSION),
    400,
    -32020,
  ],
  [
    "a method in the header that differs from the body",
    () => modern("tools/list", {}, METHOD),
    400,
    -32020,
  ],
  [
    "a tool name in the header that differs from the body",
    () => modern("tools/call", ECHO, { "mcp-name": "x" }),
    400,
    -32020,
  ],
  [
    "no tool name in the header",
    () => header("tools/call", { ...ECHO, _meta: meta() }, {}),
    400,
    -32020,
  ],
  ["no method in the header", () => noMethod(), 400, -32020],
  ["no header for a mirrored argument", () => echo({ n: 1 }, {}), 400, -32020],
  [
    "a header that differs from the mirrored argument",
    () => echo({ n: 1 }, { "mcp-param-n": "2" }),
    400,
    -32020,
  ],
  ["an unknown method", () => modern("no/such"), 404, -32601],
  ["a legacy method", () => modern("ping"), 404, -32601],
  ["a method whose capability is not declared", () => modern("prompts/list"), 404, -32601],
  ["an unknown tool", () => modern("tools/call", { name: "none" }), 200, -32602],
];

const VERSION = { "mcp-protocol-version": "2025-11-25" };
const METHOD = { "mcp-method": "tools/call" };

function versionOnly(): Record<string, unknown> {
  return { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
}

function header(method: string, params: object, more: Record<string, string>): Request {
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...more };
  return post({ jsonrpc: "2.0", id: 1, method, params }, headers);
}

function noMethod(): Request {
  const params = { _meta: meta() };
  return post({ jsonrpc: "2.0", id: 1, method: "tools/list", params }, {
    "mcp-protocol-version": "2026-07-28",
  });
}

function unknownVersion(): Request {
  const _meta = { ...meta(), "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
  return modern("tools/list", { _meta }, { "mcp-protocol-version": "2099-01-01" });
}

function echo(args: object, headers: Record<string, string>): Request {
  return modern("tools/call", { name: "echo", arguments: args }, headers);
}

Deno.test("mcpHandler() rejects an invalid request with a status and an error code", async () => {
  const handler = handle({ maxBodyBytes: 200 });
  const small = new Set(["a body larger than maxBodyBytes"]);
  for (const [what, request, status, code] of REFUSED) {
    const response = await (small.has(what) ? handler : handle())(request());
    const { error } = await response.json();
    assertEquals([response.status, error.code], [status, code], what);
  }
});

Deno.test("mcpHandler() sets the request id in an error response", async () => {
  const { id } = await (await handle()(modern("no/such"))).json();
  assertEquals(id, 1);
});

Deno.test("mcpHandler() limits a body without Content-Length", async () => {
  const chunked = (length: number): Request => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(`"${"x".repeat(length - 2)}"`));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json; charset=utf-8" };
    return new Request("http://localhost/", { method: "POST", headers, body });
  };
  const handler = handle({ maxBodyBytes: 100 });
  assertEquals((await handler(chunked(100))).status, 400);
  assertEquals((await handler(chunked(101))).status, 413);
});

Deno.test("mcpHandler() responds to a notification with 202", async () => {
  const response = await handle()(
    post({ jsonrpc: "2.0", method: "notifications/odd", params: { _meta: meta() } }),
  );
  assertEquals([response.status, await response.text()], [202, ""]);
});

/** Test cases: `Host` header, `Origin` header, expected status, and options. */
const SOURCES: readonly [string, string | undefined, number, McpHandlerOptions][] = [
  ["localhost:8000", undefined, 200, {}],
  ["127.0.0.1", undefined, 200, {}],
  ["[::1]:80", undefined, 200, {}],
  ["LOCALHOST:1", undefined, 200, {}],
  ["evil.example", undefined, 403, {}],
  ["localhost.evil.example", undefined, 403, {}],
  ["localhost:8000", "http://localhost:5173", 200, {}],
  ["localhost:8000", "http://evil.example", 403, {}],
  ["localhost:8000", "null", 403, {}],
  ["mcp.example", undefined, 200, { allowedHosts: ["mcp.example"] }],
  ["localhost", undefined, 403, { allowedHosts: ["mcp.example"] }],
  ["any.example", "http://any.example", 403, { allowedHosts: "any" }],
  ["any.example", "http://app.example", 200, { allowedHosts: "any", allowedOrigins: "any" }],
  ["localhost", "https://app.example", 200, { allowedOrigins: ["https://app.example"] }],
];

Deno.test("mcpHandler() checks the Host and Origin headers", async () => {
  for (const [host, origin, status, options] of SOURCES) {
    const request = modern("tools/list", {}, { host, ...(origin === undefined ? {} : { origin }) });
    const response = await handle(options)(request);
    await response.body?.cancel();
    assertEquals(response.status, status, `${host} ${origin}`);
  }
});

Deno.test("mcpHandler() sends CORS headers only to allowed origins", async () => {
  const handler = handle({ allowedOrigins: ["https://app.example"] });
  const preflight = new Request("http://localhost/", {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-headers": "content-type, mcp-method",
    },
  });
  const allowed = await handler(preflight);
  assertEquals(allowed.status, 204);
  assertEquals(allowed.headers.get("access-control-allow-headers"), "content-type, mcp-method");
  const origin = "https://app.example";
  const answer = await handler(modern("tools/list", {}, { origin }));
  await answer.body?.cancel();
  assertEquals(answer.headers.get("access-control-allow-origin"), origin);
  const local = await handler(modern("tools/list", {}, { origin: "http://localhost" }));
  await local.body?.cancel();
  assertEquals(local.headers.get("access-control-allow-origin"), null);
});

Deno.test("mcpHandler() compares headers with the mirrored arguments by value, not as text", async () => {
  for (
    const [args, headers] of [
      [{ n: 42 }, { "mcp-param-n": "42.0" }],
      [{ n: 42 }, { "MCP-Param-N": " 42 " }],
      [{}, {}],
      [{ n: null }, {}],
    ] as const
  ) {
    const response = await handle()(echo(args, headers));
    await response.body?.cancel();
    assertEquals(response.status, 200, JSON.stringify(args));
  }
});

Deno.test("mcpHandler() rejects argument headers that belong to no argument", async () => {
  const stray = { "mcp-param-region": "eu" };
  for (
    const request of [
      () => modern("tools/call", { name: "who" }, stray),
      () => echo({ n: 1 }, { "mcp-param-n": "1", ...stray }),
      () => modern("tools/list", {}, { "Mcp-Param-Region": "eu" }),
    ]
  ) {
    const response = await handle()(request());
    assertEquals([response.status, (await response.json()).error.code], [400, -32020]);
  }
});

/** Test cases: headers, and whether a legacy call to `echo` with `n: 1` accepts them. */
const LEGACY_HEADERS: readonly (readonly [Record<string, string>, boolean])[] = [
  [{}, true],
  [{ "mcp-method": "tools/call", "mcp-name": "echo", "mcp-param-n": "1" }, true],
  [{ "mcp-name": "=?base64?ZWNobw==?=" }, true],
  [{ "mcp-method": "tools/list" }, false],
  [{ "mcp-name": "who" }, false],
  [{ "mcp-name": "" }, false],
  [{ "mcp-param-n": "2" }, false],
  [{ "mcp-param-other": "1" }, false],
];

for (const [headers, isAccepted] of LEGACY_HEADERS) {
  const verb = isAccepted ? "accepts" : "rejects";
  Deno.test(`mcpHandler() ${verb} a legacy call with the headers ${JSON.stringify(headers)}`, async () => {
    const params = { name: "echo", arguments: { n: 1 } };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const sessionless = handle({ sessions: false });
    const handler = mcpHandler(testServer());
    const session = await SessionByHand.open(handler);
    const old = await SessionByHand.open(handler, "2025-03-26");
    for (
      const response of [
        await sessionless(post(call, headers)),
        await session.send(call, headers),
        await old.send([call], headers),
      ]
    ) {
      assertEquals(response.status, isAccepted ? 200 : 400);
      const text = await response.text();
      assertEquals(text.includes("-32020"), !isAccepted, text);
    }
    await handler.close();
  });
}

Deno.test("mcpHandler() rejects a legacy notification whose headers name another method", async () => {
  const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
  const response = await handle({ sessions: false })(
    post(notification, { "mcp-method": "tools/list" }),
  );
  assertEquals([response.status, (await response.json()).error.code], [400, -32020]);
});

Deno.test("mcpHandler() sends keep-alive comments before a slow result", async () => {
  using time = new FakeTime();
  const server = testServer();
  let finish = (_text: string): void => {};
  server.registerTool(
    { name: "slow", description: "" },
    () => new Promise((resolve) => finish = resolve),
  );
  const handler = mcpHandler(server, { keepAliveMs: 1000 });
  const responding = handler(modern("tools/call", { name: "slow" }));
  await time.tickAsync(1000);
  const response = await responding;
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  const events = eventsOf(response);
  const first = events.next();
  await time.tickAsync(1000);
  assertEquals((await first).value?.raw, ": keep-alive");
  finish("late");
  const { value } = await events.next();
  assertEquals(value?.data?.result?.content, [{ type: "text", text: "late" }]);
  await handler.close();
});

Deno.test("mcpHandler() cancels the request if the client disconnects", async () => {
  const server = testServer();
  const cancelled = addWaitingTool(server);
  const _meta = meta({}, { progressToken: "t" });
  const response = await mcpHandler(server)(modern("tools/call", { name: "wait", _meta }));
  const events = eventsOf(response);
  await events.next();
  await events.return(undefined);
  assert((await cancelled) instanceof DOMException);
});

Deno.test("mcpHandler() cancels the request if the client disconnects before the first message", async () => {
  using time = new FakeTime();
  const server = testServer();
  const cancelled = addWaitingTool(server);
  const client = new AbortController();
  const request = new Request(modern("tools/call", { name: "wait" }), { signal: client.signal });
  const responding = mcpHandler(server)(request);
  await time.tickAsync(1000);
  client.abort();
  assert((await cancelled) instanceof DOMException);
  assertEquals((await responding).status, 503);
});

Deno.test("HttpHandler.close() aborts requests in flight and rejects new ones", async () => {
  const server = testServer();
  const handler = mcpHandler(server);
  const response = await handler(modern("subscriptions/listen", { notifications: {} }));
  const events = eventsOf(response);
  const { value } = await events.next();
  assertEquals(value?.data?.method, "notifications/subscriptions/acknowledged");
  await handler.close();
  await handler.close();
  assertEquals(await events.next(), { done: true, value: undefined });
  assertEquals((await handler(modern("tools/list"))).status, 503);
  assertEquals(server.changes.size, 0);
});

Deno.test("mcpHandler() passes the principal to handlers", async () => {
  const handler = mcpHandler(testServer());
  const response = await handler(modern("tools/call", { name: "who" }), {
    principal: { subject: "ada" },
  });
  assertEquals((await response.json()).result.content, [{ type: "text", text: "ada" }]);
});

Deno.test("subscriptions/listen sends only the requested notifications", async () => {
  const server = testServer();
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  const handler = mcpHandler(server);
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourceSubscriptions: ["r:1"],
  };
  const response = await handler(modern("subscriptions/listen", { notifications }));
  const events = eventsOf(response);
  const about = { "io.modelcontextprotocol/subscriptionId": 1 };
  assertEquals((await events.next()).value?.data?.params, {
    _meta: about,
    notifications: { toolsListChanged: true, resourceSubscriptions: ["r:1"] },
  });
  server.resourceUpdated("r:2");
  server.removeResource("r:1");
  server.resourceUpdated("r:1");
  server.resourceUpdated("r:1");
  assertEquals((await events.next()).value?.data?.params, { _meta: about, uri: "r:1" });
  server.removeTool("steps");
  const { value } = await events.next();
  assertEquals(value?.data?.method, "notifications/tools/list_changed");
  await server.close();
  const end = (await events.next()).value?.data;
  assertEquals(end?.method, "notifications/cancelled");
  assertEquals(end?.params, { _meta: about, requestId: 1 });
  const last = await events.next();
  assertEquals([last.value?.data?.id, last.value?.data?.result?._meta], [1, {
    "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" },
    ...about,
  }]);
  assertEquals((await events.next()).done, true);
});

Deno.test("McpServer limits subscription streams", async () => {
  const server = new McpServer({
    name: "s",
    version: "1",
    maxSubscriptionStreams: 1,
    maxResourceSubscriptions: 1,
  });
  const handler = mcpHandler(server);
  const listen = (notifications: object) =>
    handler(modern("subscriptions/listen", { notifications }));
  const first = await listen({});
  const second = await (await listen({})).json();
  assertEquals(second.error.code, -32603);
  const tooMany = await (await listen({ resourceSubscriptions: ["a", "b"] })).json();
  assertEquals(tooMany.error.code, -32602);
  await first.body?.cancel();
  await handler.close();
});

Deno.test("McpServer limits the characters of subscription streams", async () => {
  const server = new McpServer({
    name: "s",
    version: "1",
    maxSubscriptionChars: 20_000,
    maxSharePerPrincipal: 0.5,
  });
  server.registerResource({ name: "r", uri: "r:1" }, () => "");
  const handler = mcpHandler(server);
  const listen = (notifications: object, subject?: string) =>
    handler(
      modern("subscriptions/listen", { notifications }),
      subject === undefined ? {} : { principal: { subject } },
    );
  const codeOf = async (response: Response) => (await response.json()).error.code;
  const uris = (length: number) => ({ resourceSubscriptions: ["r".repeat(length)] });
  assertEquals(await codeOf(await listen(uris(8193))), -32602);
  const first = await listen(uris(8192), "a");
  assertEquals(await codeOf(await listen(uris(8192), "a")), -32603);
  const second = await listen(uris(8192), "b");
  // `maxSubscriptionChars` applies to the whole request, because the request stays in memory while
  // the stream is open.
  assertEquals(await codeOf(await listen({ other: "x".repeat(8192) })), -32603);
  await first.body?.cancel();
  const third = await listen({ other: "x".repeat(8192) });
  assertEquals(third.headers.get("content-type"), "text/event-stream");
  for (const { body } of [second, third]) await body?.cancel();
  await handler.close();
});

Deno.test("mcpHandler() rejects an incomplete body", async () => {
  const broken = new Request("http://localhost/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new ReadableStream({
      pull: () => {
        throw new Error("cable cut");
      },
    }),
  });
  assertEquals((await handle()(broken)).status, 400);
});

Deno.test("servePipe(), serveStdio() and mcpHandler() reject invalid limits and timeouts", async () => {
  const server = testServer();
  for (const number of [NaN, -1, 0, 1.5, Infinity]) {
    for (const options of [{ maxBodyBytes: number }, { keepAliveMs: number }]) {
      assertThrows(() => mcpHandler(server, options), RangeError, `got ${number}`);
    }
    for (
      const name of [
        "maxSessions",
        "maxEvents",
        "maxConcurrent",
        "maxTotalConcurrent",
        "maxChars",
        "maxTotalChars",
        "idleTimeoutMs",
        "inputTimeoutMs",
        "readTimeoutMs",
      ]
    ) {
      assertThrows(
        () => mcpHandler(server, { sessions: { [name]: number } }),
        RangeError,
        `"sessions.${name}" must be`,
      );
    }
    const [, pipe] = handAndPipe();
    await assertRejects(() => servePipe(server, pipe, { maxConcurrent: number }), RangeError);
    await assertRejects(() => serveStdio(server, { maxLineBytes: number }), RangeError);
  }
  for (const maxSharePerPrincipal of [NaN, 0, 1.5]) {
    assertThrows(
      () => mcpHandler(server, { sessions: { maxSharePerPrincipal } }),
      RangeError,
      "maxSharePerPrincipal",
    );
  }
  // The keep-alive interval exceeds the maximum delay of `setTimeout()`, so the timer would fire
  // immediately.
  assertThrows(() => mcpHandler(server, { keepAliveMs: 2 ** 31 }), RangeError);
  mcpHandler(server, {
    sessions: { retryMs: 0, maxStreams: 0, maxSharePerPrincipal: 0.5, keepAliveMs: 1 },
  });
});
