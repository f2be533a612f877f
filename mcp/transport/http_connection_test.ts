import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { HttpTransport, McpClient } from "../client.ts";
import { McpError } from "../shared/error.ts";
import { objectOf } from "../testdata/answer.ts";
import {
  type Events,
  events,
  eventStream,
  failure,
  modern,
  result,
  type Seen,
  type Web,
} from "../testdata/web.ts";

async function connect(
  server: Web,
  onError: (error: unknown) => void = () => {},
): Promise<McpClient> {
  const transport = new HttpTransport("http://127.0.0.1/mcp", { fetch: server.fetch });
  const client = new McpClient({ transport, onError });
  await client.connect();
  return client;
}

function last({ seen }: Web): Headers {
  return seen.at(-1)?.headers ?? new Headers();
}

function done(request: Seen): Response {
  return result(request, { resultType: "complete", content: [], contents: [], messages: [] });
}

function tool(name: string, properties: object): object {
  return { name, inputSchema: { type: "object", properties } };
}

Deno.test("HttpTransport sends the version, method and name headers", async () => {
  const server = modern({ "tools/call": done, "resources/read": done, "prompts/get": done });
  const client = await connect(server);
  const facts = () =>
    ["mcp-protocol-version", "mcp-method", "mcp-name"].map((n) => last(server).get(n));
  await client.callTool("add", {});
  assertEquals(facts(), ["2026-07-28", "tools/call", "add"]);
  await client.getResource("file:///a%20b");
  assertEquals(facts(), ["2026-07-28", "resources/read", "file:///a%20b"]);
  await client.getPrompt("grüße");
  assertEquals(facts(), ["2026-07-28", "prompts/get", "=?base64?Z3LDvMOfZQ==?="]);
  assertEquals(last(server).get("accept"), "application/json, text/event-stream");
  assertEquals(last(server).get("content-type"), "application/json");
  assert(!last(server).has("mcp-session-id"));
  await client.disconnect();
});

Deno.test("HttpTransport sends a tool's parameter headers", async () => {
  const properties = {
    region: { type: "string", "x-mcp-header": "Region" },
    where: { type: "object", properties: { floor: { type: "integer", "x-mcp-header": "Floor" } } },
    loud: { type: "boolean", "x-mcp-header": "Loud" },
    other: { type: "string" },
  };
  const tools = [tool("go", properties)];
  const server = modern({ "tools/list": (r) => result(r, { tools }), "tools/call": done });
  const client = await connect(server);
  await client.listTools();
  const facts = () => ["region", "floor", "loud"].map((n) => last(server).get(`mcp-param-${n}`));
  await client.callTool("go", { region: "Zürich", where: { floor: 3 }, loud: false, other: "x" });
  assertEquals(facts(), ["=?base64?WsO8cmljaA==?=", "3", "false"]);
  await client.callTool("go", { region: null, where: {} });
  assertEquals(facts(), [null, null, null]);
  await client.disconnect();
});

Deno.test("listTools() excludes and reports a tool with invalid headers", async () => {
  const tools = [
    tool("good", { a: { type: "string", "x-mcp-header": "A" } }),
    tool("bad", { a: { type: "number", "x-mcp-header": "A" } }),
    tool("plain", {}),
  ];
  const server = modern({ "tools/list": (request) => result(request, { tools }) });
  const reported: unknown[] = [];
  const client = await connect(server, (error) => reported.push(error));
  assertEquals((await client.listTools()).map(({ name }) => name), ["good", "plain"]);
  assertEquals(reported.length, 1);
  assert(reported[0] instanceof McpError && reported[0].message.includes('"bad" is excluded'));
  await client.disconnect();
});

Deno.test("callTool() lists the tools and retries once after a header mismatch", async () => {
  const tools = [tool("go", { region: { type: "string", "x-mcp-header": "Region" } })];
  const server = modern({
    "tools/list": (request) => result(request, { tools }),
    "tools/call": (request) =>
      request.headers.get("mcp-param-region") === "eu"
        ? done(request)
        : failure(request, -32020, undefined, 400),
  });
  const client = await connect(server);
  await client.callTool("go", { region: "eu" });
  assertEquals(server.seen.map(({ body }) => body.method), [
    "server/discover",
    "tools/call",
    "tools/list",
    "tools/call",
  ]);
  const error = await assertRejects(() => client.callTool("other", {}), McpError);
  assertEquals([error.rpcCode, error.httpStatus], [-32020, 400]);
  await client.disconnect();
});

Deno.test("callTool() does not repeat a call whose tool fails with the code of a header mismatch", async () => {
  const server = modern({ "tools/call": (request) => failure(request, -32020) });
  const client = await connect(server);
  const error = await assertRejects(() => client.callTool("go", {}), McpError);
  assertEquals(error.rpcCode, -32020);
  assertEquals(server.seen.map(({ body }) => body.method), ["server/discover", "tools/call"]);
  await client.disconnect();
});

Deno.test("callTool() delivers progress and log messages from an event stream before the response", async () => {
  const server = modern({
    "tools/call": (request) => {
      const { progressToken } = objectOf(request.body.params?._meta);
      return eventStream(
        request,
        {
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress: 1 },
        },
        { jsonrpc: "2.0", id: 5, method: "roots/list" },
        { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
        { jsonrpc: "2.0", id: request.body.id, result: { content: [] } },
        {
          jsonrpc: "2.0",
          method: "notifications/message",
          params: { level: "info", data: "late" },
        },
      );
    },
  });
  const received: unknown[] = [];
  const transport = new HttpTransport("http://127.0.0.1/mcp", { fetch: server.fetch });
  const client = new McpClient({
    transport,
    onNotification: ({ params }) => received.push(params?.data),
  });
  await client.connect();
  const progress: number[] = [];
  await client.callTool("t", {}, { onProgress: (update) => progress.push(update.progress) });
  assertEquals([progress, received], [[1], ["x"]]);
  await client.disconnect();
});

Deno.test("callTool() ignores progress for other calls", async () => {
  const tokens: unknown[] = [];
  const server = modern({
    "tools/call": (request) => {
      const { progressToken } = objectOf(request.body.params?._meta);
      const progress = (token: unknown, value: number) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: token, progress: value },
      });
      tokens.push(progressToken);
      return eventStream(
        request,
        progress(tokens[0], 1),
        progress(progressToken, 2),
        progress(String(progressToken), 3),
        progress(undefined, 4),
        { jsonrpc: "2.0", id: request.body.id, result: { content: [] } },
      );
    },
  });
  const client = await connect(server);
  const received: number[] = [];
  const onProgress = ({ progress }: { progress: number }) => received.push(progress);
  await client.callTool("t", {}, { onProgress: () => {} });
  await client.callTool("t", {}, { onProgress });
  assertEquals([typeof tokens[0], received], ["number", [2]]);
  await client.callTool("t", {});
  assertEquals(tokens[2], undefined);
  await client.disconnect();
});

Deno.test("listen() ignores notifications that name another subscription", async () => {
  const server = modern({
    "subscriptions/listen": (request) => {
      const about = (id: unknown) => ({ _meta: { "io.modelcontextprotocol/subscriptionId": id } });
      const { id } = request.body;
      const changed = "notifications/tools/list_changed";
      return eventStream(
        request,
        {
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: { ...about(id), notifications: { toolsListChanged: true } },
        },
        { jsonrpc: "2.0", method: changed, params: { ...about(999), n: 1 } },
        { jsonrpc: "2.0", method: changed, params: { ...about(String(id)), n: 2 } },
        { jsonrpc: "2.0", method: changed, params: { ...about(id), n: 3 } },
        { jsonrpc: "2.0", id, result: {} },
      );
    },
  });
  const client = await connect(server);
  const stream = await client.listen({ toolsListChanged: true });
  const received = await Array.fromAsync(stream, ({ params }) => params?.n);
  assertEquals(received, [3]);
  await client.disconnect();
});

Deno.test("callTool() closes the HTTP response on abort and sends no notification", async () => {
  const called = Promise.withResolvers<Seen>();
  const server = modern({
    "tools/call": (request) => {
      called.resolve(request);
      return events(request).response;
    },
  });
  const client = await connect(server);
  const controller = new AbortController();
  const call = client.callTool("t", {}, { signal: controller.signal });
  const { signal } = await called.promise;
  const reason = new Error("enough");
  controller.abort(reason);
  assertEquals(await assertRejects(() => call), reason);
  assert(signal.aborted);
  assertEquals(server.seen.length, 2);
  await client.disconnect();
});

Deno.test("callTool() closes the event stream after the response", async () => {
  const streams: Events[] = [];
  const server = modern({
    "tools/call": (request) => {
      const stream = events(request);
      streams.push(stream);
      stream.message({ jsonrpc: "2.0", id: request.body.id, result: { content: [] } });
      return stream.response;
    },
  });
  const client = await connect(server);
  await client.callTool("t", {});
  assertEquals(streams.map(({ isOver }) => isOver()), [true]);
  await client.disconnect();
});

Deno.test("McpClient sends the log level and its capabilities with each request", async () => {
  const server = modern({
    "server/discover": (request) =>
      result(request, {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, logging: {} },
      }),
    "tools/call": done,
  });
  const transport = new HttpTransport("http://127.0.0.1/mcp", { fetch: server.fetch });
  const client = new McpClient({
    transport,
    clientInfo: { name: "n", version: "1" },
    handlers: { listRoots: () => [] },
    capabilities: { extensions: { "x/y": {} } },
  });
  await client.connect();
  await client.setLogLevel("warning");
  await client.callTool("t", {});
  assertEquals(server.seen.at(-1)?.body.params?._meta, {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "n", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { roots: {}, extensions: { "x/y": {} } },
    "io.modelcontextprotocol/logLevel": "warning",
  });
  await client.rootsChanged();
  await client.disconnect();
});

Deno.test("listTools() excludes only the tools with a deeply nested schema", async () => {
  const deep = '{"properties":{"a":'.repeat(100_000) + "{}" + "}}".repeat(100_000);
  const wide = `{"not":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const tools = [deep, wide].map((schema) => `{"name":"deep","inputSchema":${schema}}`);
  const server = modern({
    "tools/list": ({ body: { id } }) => {
      const result = `{"tools":[${tools},{"name":"plain","inputSchema":{"type":"object"}}]}`;
      const headers = { "content-type": "application/json" };
      return new Response(`{"jsonrpc":"2.0","id":${id},"result":${result}}`, { headers });
    },
  });
  const reported: unknown[] = [];
  const client = await connect(server, (error) => reported.push(error));
  assertEquals((await client.listTools()).map(({ name }) => name), ["plain"]);
  assertEquals(reported.length, 2);
  await client.disconnect();
});

Deno.test("HttpTransport enforces maxMessageChars despite a wrong Content-Length", async () => {
  const long = `"${"x".repeat(2000)}"`;
  const lies = [
    { "content-length": "10", "transfer-encoding": "chunked" },
    { "content-length": "10", "content-encoding": "gzip" },
    { "content-length": "many" },
    { "content-length": "-1" },
  ];
  for (const lie of lies) {
    const server = modern({
      "tools/call": () =>
        new Response(long, { headers: { ...lie, "content-type": "application/json" } }),
    });
    const options = { fetch: server.fetch, maxMessageChars: 1000 };
    const client = new McpClient({ transport: new HttpTransport("http://127.0.0.1/", options) });
    await client.connect();
    await assertRejects(() => client.callTool("t", {}), McpError, "longer than 1000 characters");
    await client.disconnect();
  }
});

Deno.test("HttpTransport rejects with transport_error if a body ends unexpectedly", async () => {
  // When a connection is lost, workerd throws an `Error`, and other runtimes throw a `TypeError`.
  const losses = [TypeError, Error].flatMap((Loss) =>
    [{ "content-length": "100" }, {}].map((headers) => ({ Loss, headers }))
  );
  for (const { Loss, headers } of losses) {
    const server = modern({
      "tools/call": () => {
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"jsonrpc"')),
          pull: (controller) => controller.error(new Loss("connection reset")),
        });
        const type = { "content-type": "application/json" };
        return new Response(body, { headers: { ...headers, ...type } });
      },
    });
    const client = await connect(server);
    const error = await assertRejects(() => client.callTool("t", {}), McpError, "connection reset");
    assertEquals(error.code, "transport_error");
    await client.disconnect();
  }
});

Deno.test("HttpTransport rejects a response that is not UTF-8", async () => {
  const message = (request: Seen) => {
    const answer = { jsonrpc: "2.0", id: request.body.id, result: { content: [], x: "caf\u00e9" } };
    return JSON.stringify(answer);
  };
  const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const answers: readonly ((request: Seen) => Response)[] = [
    (request) => {
      const body = latin1(message(request));
      const headers = { "content-type": "application/json", "content-length": `${body.length}` };
      return new Response(body, { headers });
    },
    (request) => {
      const body = new Blob([latin1(message(request))]).stream();
      return new Response(body, { headers: { "content-type": "application/json" } });
    },
    (request) => {
      const body = latin1(`data: ${message(request)}\n\n`);
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  ];
  for (const answer of answers) {
    const client = await connect(modern({ "tools/call": answer }));
    const error = await assertRejects(() => client.callTool("t", {}), McpError, "not valid UTF-8");
    assertEquals(error.code, "protocol_error");
    await client.disconnect();
  }
});

Deno.test("callTool() times out although fetch or the body ignores the signal", async () => {
  using time = new FakeTime();
  const never = new Promise<never>(() => {});
  const stuck = (headers: HeadersInit, status = 200): Response => {
    const response = new Response(new ReadableStream(), { status, headers });
    return Object.assign(response, { arrayBuffer: () => never });
  };
  const json = { "content-type": "application/json" };
  const answers: readonly (() => Response | Promise<Response>)[] = [
    () => never,
    () => stuck({ ...json, "content-length": "2" }),
    () => stuck(json),
    () => stuck({ ...json, "content-length": "2" }, 500),
    () => stuck(json, 401),
  ];
  for (const answer of answers) {
    const server = modern({});
    const transport = new HttpTransport("http://127.0.0.1/mcp", {
      fetch: async (url, init) =>
        String(init.body).includes("tools/call") ? await answer() : await server.fetch(url, init),
    });
    const client = new McpClient({ transport, onError: () => {} });
    await client.connect();
    const call = client.callTool("t", {}, { timeoutMs: 100 });
    const failed = assertRejects(() => call, McpError, "timed out after 100 ms");
    await time.tickAsync(100);
    await failed;
    await client.disconnect();
  }
});
