import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import {
  HttpTransport,
  McpClient,
  type McpClientConfig,
  ServerEra,
  SseTransport,
  StdioTransport,
} from "../client.ts";
import { McpServer, servePipe } from "../server.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { McpError } from "../shared/error.ts";
import { LineServer } from "../testdata/line_server.ts";
import type { Pipe } from "../jsonrpc/contracts.ts";
import type { Message } from "../testdata/message.ts";
import {
  DISCOVERED,
  events,
  failure,
  INITIALIZED,
  modern,
  older,
  result,
  type Web,
  web,
} from "../testdata/web.ts";

type Options = Omit<McpClientConfig, "transport">;

const URL_ = "http://127.0.0.1/mcp";

function overHttp(server: Web, options: Options = {}): McpClient {
  const transport = new HttpTransport(URL_, { fetch: server.fetch });
  return new McpClient({ ...options, transport });
}

function overLines(server: LineServer, options: Options = {}): McpClient {
  return new McpClient({ ...options, transport: new StdioTransport(server.options) });
}

function methods({ seen }: { readonly seen: readonly Message[] }): unknown[] {
  return seen.map((message) => message.method);
}

/**
 * Returns the JSON-RPC method of each request to an HTTP server, or the HTTP method of a request
 * without a body.
 */
function requests({ seen }: Web): string[] {
  return seen.map(({ body, method }) => body?.method ?? method);
}

Deno.test("McpClient sends no requests for undeclared capabilities unless enforceCapabilities is false", async () => {
  const silent = () =>
    modern({
      "server/discover": (request) => result(request, { ...DISCOVERED, capabilities: {} }),
      "tools/list": (request) => result(request, { tools: [{ name: "t" }] }),
      "tools/call": (request) => result(request, { content: [] }),
    });
  const strict = overHttp(silent());
  await strict.connect();
  assertEquals(await strict.listTools(), []);
  const error = await assertRejects(() => strict.callTool("t", {}), McpError, "does not declare");
  assertEquals(error.code, "protocol_error");
  await strict.disconnect();

  const lenient = overHttp(silent(), { enforceCapabilities: false });
  await lenient.connect();
  assertEquals((await lenient.listTools()).map(({ name }) => name), ["t"]);
  assertEquals((await lenient.callTool("t", {})).content, []);
  const refused = await assertRejects(() => lenient.listPrompts(), McpError);
  assertEquals(refused.rpcCode, -32601);
  await lenient.disconnect();
});

Deno.test("McpClient sends requests for undeclared capabilities to legacy servers if enforceCapabilities is false", async () => {
  const server = older({
    initialize: (request) => result(request, { ...INITIALIZED, capabilities: {} }),
    "tools/list": (request) => result(request, { tools: [{ name: "t" }] }),
  });
  const client = overHttp(server, { enforceCapabilities: false, protocol: "legacy" });
  await client.connect();
  assertEquals((await client.listTools()).length, 1);
  await client.disconnect();
});

Deno.test("callTool() returns a failed result, or rejects if throwOnToolError is set", async () => {
  const content = [
    { type: "text", text: "no such" },
    { type: "image", data: "", mimeType: "image/png" },
    { type: "text", text: "file" },
  ];
  const server = modern({
    "tools/call": (request) => {
      const isError = request.body.params?.name === "bad";
      return result(request, { content, isError });
    },
  });
  const plain = overHttp(server);
  await plain.connect();
  assertEquals((await plain.callTool("bad", {})).isError, true);
  await plain.disconnect();

  const client = overHttp(server, { throwOnToolError: true });
  await client.connect();
  assertEquals((await client.callTool("good", {})).isError, false);
  const error = await assertRejects(() => client.callTool("bad", {}), McpError);
  assertEquals(error.code, "core");
  assert(error.message.endsWith('the tool "bad" failed: no such\\u{a}file'));
  assertEquals(error.data, { content, isError: true });
  await client.disconnect();
});

Deno.test("McpClient.era returns the detected era, and the next connect() tries it first", async () => {
  const server = older();
  const client = overHttp(server);
  assertEquals(client.era, undefined);
  await client.connect();
  assertEquals(client.era, ServerEra.Legacy);
  await client.disconnect();
  assertEquals(client.era, "legacy");
  await client.connect();
  await client.disconnect();
  const legacy = ["initialize", "notifications/initialized", "GET", "DELETE"];
  assertEquals(requests(server), ["server/discover", ...legacy, ...legacy]);
});

/** A server that supports only HTTP+SSE. */
function eventStreamServer(): Web {
  let stream: ReturnType<typeof events> | undefined;
  return web((request) => {
    if (request.method === "GET") {
      stream = events(request);
      stream.send("event: endpoint\ndata: /messages\n\n");
      return stream.response;
    }
    if (request.url === URL_) return new Response(null, { status: 405 });
    const { id, method } = request.body;
    if (method === "initialize") stream?.message({ jsonrpc: "2.0", id, result: INITIALIZED });
    return new Response(null, { status: 202 });
  });
}

Deno.test("connect() tries the configured era first over HTTP", async () => {
  const servers = {
    modern,
    legacy: older,
    legacy_sse: eventStreamServer,
  } as const;
  const first = { modern: "server/discover", legacy: "initialize", legacy_sse: "GET" };
  for (const era of Object.values(ServerEra)) {
    const server = servers[era]();
    const client = overHttp(server, { era });
    assertEquals(client.era, era);
    await client.connect();
    assertEquals([requests(server)[0], client.era], [first[era], era]);
    await client.disconnect();
  }
});

Deno.test("connect() detects the era again if the configured era is wrong", async () => {
  const versions = { supported: ["2026-07-28"] };
  const servers: readonly (readonly [() => Web, string])[] = [
    [modern, "modern"],
    [
      () => modern({ initialize: (request) => failure(request, -32022, versions, 400) }),
      "modern",
    ],
    [older, "legacy"],
    [eventStreamServer, "legacy_sse"],
  ];
  for (const [make, actual] of servers) {
    for (const era of Object.values(ServerEra)) {
      const client = overHttp(make(), { era });
      await client.connect();
      assertEquals(client.era, actual, `${era} -> ${actual}`);
      await client.disconnect();
    }
  }
});

Deno.test("connect() ignores the configured era if the protocol option selects another era", async () => {
  const server = modern();
  const client = overHttp(server, { era: "legacy", protocol: "modern" });
  await client.connect();
  assertEquals(requests(server), ["server/discover"]);
  await client.disconnect();
  const sse = new SseTransport(URL_, { fetch: older().fetch });
  const older_ = new McpClient({ transport: sse, era: "modern", protocol: "legacy" });
  await older_.connect();
  assertEquals(older_.era, "legacy");
  await older_.disconnect();
});

function lineServer(era: "modern" | "legacy"): LineServer {
  return new LineServer(({ id, method }, server) => {
    if (id === undefined) return;
    const known = era === "modern" ? "server/discover" : "initialize";
    server.send({
      jsonrpc: "2.0",
      id,
      ...(method === known
        ? { result: { ...INITIALIZED, ...DISCOVERED } }
        : { error: { code: -32601, message: "Method not found" } }),
    });
  });
}

Deno.test("connect() tries the configured era first over stdio", async () => {
  const { Modern, Legacy, LegacySse } = ServerEra;
  const asked = [
    [Modern, Modern, ["server/discover"]],
    [Modern, Legacy, ["initialize", "server/discover"]],
    [Legacy, Modern, ["server/discover", "initialize", "notifications/initialized"]],
    [Legacy, Legacy, ["initialize", "notifications/initialized"]],
    [Legacy, LegacySse, ["initialize", "notifications/initialized"]],
  ] as const;
  for (const [actual, era, expected] of asked) {
    const server = lineServer(actual);
    const client = overLines(server, { era });
    await client.connect();
    assertEquals([methods(server), client.era], [expected, actual]);
    await client.disconnect();
  }
});

Deno.test("new McpClient() rejects an unknown era and limits out of range", () => {
  const transport = new StdioTransport(new LineServer(() => {}).options);
  const make = (options: object) => () => new McpClient({ transport, ...options });
  assertThrows(make({ era: "stateless" }), TypeError, '"stateless"');
  for (const maxConcurrent of [0, -1, NaN]) assertThrows(make({ maxConcurrent }), RangeError);
  for (const maxQueued of [-1, NaN]) assertThrows(make({ maxQueued }), RangeError);
  for (const maxListPages of [0, -1, NaN]) assertThrows(make({ maxListPages }), RangeError);
});

/** A modern server that responds to a call when the test requests it. */
class SlowServer {
  readonly lines: LineServer;
  readonly #ids = new Map<unknown, unknown>();
  readonly #called = new Map<unknown, () => void>();

  constructor() {
    this.lines = new LineServer(({ id, method, params }, self) => {
      if (method === "tools/call") {
        this.#ids.set(params?.name, id);
        this.#called.get(params?.name)?.();
      } else if (id !== undefined) self.send({ jsonrpc: "2.0", id, result: DISCOVERED });
    });
  }

  called(name: string): Promise<void> {
    return new Promise((resolve) => this.#called.set(name, resolve));
  }

  answer(name: string): void {
    this.lines.send({ jsonrpc: "2.0", id: this.#ids.get(name), result: { content: [] } });
  }
}

function calls({ lines }: SlowServer): unknown[] {
  return lines.seen.filter(({ method }) => method === "tools/call").map(({ params }) =>
    params?.name
  );
}

Deno.test("callTool() queues calls beyond maxConcurrent and rejects calls beyond maxQueued", async () => {
  const server = new SlowServer();
  const client = overLines(server.lines, { maxConcurrent: 2, maxQueued: 2 });
  await client.connect();
  const made = ["a", "b", "c", "d"].map((name) => client.callTool(name, {}));
  const error = await assertRejects(() => client.callTool("e", {}), McpError, "queue is full");
  assertEquals([error.code, calls(server)], ["core", ["a", "b"]]);
  server.answer("b");
  await made[1];
  assertEquals(calls(server), ["a", "b", "c"]);
  server.answer("a");
  await made[0];
  assertEquals(calls(server), ["a", "b", "c", "d"]);
  for (const name of ["c", "d"]) server.answer(name);
  await Promise.all(made);
  const called = server.called("e");
  const last = client.callTool("e", {});
  await called;
  server.answer("e");
  await last;
  await client.disconnect();
});

Deno.test("callTool() removes a queued call on timeout or abort without sending it", async () => {
  using time = new FakeTime();
  const server = new SlowServer();
  const client = overLines(server.lines, { maxConcurrent: 1, maxQueued: 1 });
  await client.connect();
  const first = client.callTool("a", {});
  const late = assertRejects(() => client.callTool("b", {}, { timeoutMs: 100 }), McpError);
  await time.tickAsync(100);
  assertEquals((await late).code, "timeout");
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error("enough");
  const given = assertRejects(() => client.callTool("c", {}, { signal }));
  controller.abort(reason);
  assertEquals(await given, reason);
  const next = client.callTool("d", {});
  server.answer("a");
  await first;
  await time.tickAsync(0);
  server.answer("d");
  await next;
  // The server received neither the two calls that left the queue on timeout or abort, nor
  // cancellations for these calls.
  assertEquals(methods(server.lines).slice(1), ["tools/call", "tools/call"]);
  await client.disconnect();
});

Deno.test("disconnect() rejects queued calls", async () => {
  const server = new SlowServer();
  const client = overLines(server.lines, { maxConcurrent: 1 });
  await client.connect();
  const called = server.called("a");
  const made = ["a", "b", "c"].map((name) =>
    assertRejects(() => client.callTool(name, {}), McpError)
  );
  await called;
  await client.disconnect();
  for (const { code } of await Promise.all(made)) assertEquals(code, "transport_error");
  assertEquals(calls(server), ["a"]);
});

Deno.test("onError receives the rejection of an async onNotification", async () => {
  const failed = Promise.withResolvers<unknown>();
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, async (_args, { log }) => {
    await log("error", "news");
    return "";
  });
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
    onNotification: () => Promise.reject(new Error("not noted")),
    onError: failed.resolve,
  });
  await client.connect();
  await client.setLogLevel("debug");
  await client.callTool("t", {});
  const error = await failed.promise;
  assert(error instanceof Error && error.message === "not noted");
  await client.disconnect();
});

Deno.test("callTool() rejects with the error of an async onProgress", async () => {
  const server = new McpServer({ name: "s", version: "1", onError: () => {} });
  server.registerTool({ name: "t", description: "" }, async (_args, { progress, signal }) => {
    await progress(1);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "";
  });
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  const onProgress = () => Promise.reject(new Error("not shown"));
  await assertRejects(
    () => client.callTool("t", {}, { onProgress }),
    Error,
    "not shown",
  );
  await client.disconnect();
});

Deno.test("McpClient prints errors that no caller sees, unless onError is set", async () => {
  const printed: string[] = [];
  using _print = stub(console, "error", (text) => void printed.push(String(text)));
  for (const config of [{}, { onError: () => {} }]) {
    const server = new McpServer({ name: "s", version: "1", onError: () => {} });
    server.registerTool({ name: "t", description: "" }, async (_args, { log }) => {
      await log("error", "news");
      return "";
    });
    const client = new McpClient({
      transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
      onNotification: () => {
        throw new Error("not noted");
      },
      ...config,
    });
    await client.connect();
    await client.setLogLevel("debug");
    await client.callTool("t", {});
    await client.disconnect();
  }
  assertEquals(printed.length, 1);
  assert(printed[0]?.startsWith("McpClient: Error: not noted"), printed[0]);
});

Deno.test("McpClient prints the error that onError throws", async () => {
  const printed: string[] = [];
  using _print = stub(console, "error", (text) => void printed.push(String(text)));
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, async (_args, { log }) => {
    await log("error", "news");
    return "";
  });
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
    onNotification: () => {
      throw new Error("not noted");
    },
    onError: () => {
      throw new Error("not reported");
    },
  });
  await client.connect();
  await client.setLogLevel("debug");
  await client.callTool("t", {});
  await client.disconnect();
  assertEquals(printed.length, 1);
  assert(printed[0]?.includes("not reported"), printed[0]);
});

Deno.test("McpClient rejects members that transports of the given type do not have", () => {
  const headers = { authorization: "Bearer secret" };
  for (
    const config of [
      { type: "http", url: "http://127.0.0.1/", headers },
      { type: "sse", url: "http://127.0.0.1/", headers },
      { type: "stdio", headers },
    ]
  ) {
    const error = assertThrows(
      () => Reflect.construct(McpClient, [{ transport: config }]),
      TypeError,
      '"transport" must have only known options, got "headers"',
    );
    assert(!error.message.includes("secret"));
  }
});

Deno.test("connect() rejects if a transport does not open within connectTimeoutMs", async () => {
  using time = new FakeTime();
  const late = Promise.withResolvers<Pipe>();
  const transport = { label: "slow", canReopen: true, openPipe: () => late.promise };
  const client = new McpClient({ transport, connectTimeoutMs: 100 });
  const failed = assertRejects(() => client.connect(), McpError, "did not open within 100 ms");
  await time.tickAsync(100);
  assertEquals((await failed).code, "connection_failed");
  let isClosed = false;
  const close = () => Promise.resolve(void (isClosed = true));
  late.resolve({ label: "slow", frames: (async function* () {})(), send: close, close });
  await time.tickAsync(1);
  assert(isClosed);
});
