/**
 * Tests for defenses against attacks. Each test fails if the defense that it tests is removed from
 * the code.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { resourceServer, type VerifiedToken } from "../auth.ts";
import { HttpTransport, McpClient, McpError } from "../client.ts";
import { mcpHandler, McpServer } from "../server.ts";
import { eventsOf, post } from "../testdata/http.ts";
import { at } from "../testdata/message.ts";
import { modern, result } from "../testdata/web.ts";
import { everythingServer } from "./testdata/subject.ts";

type Handler = ReturnType<typeof mcpHandler>;

/**
 * Creates an HTTP request for a tool call without a session. The body is built as a string so that
 * it can be malformed.
 */
function call(params: string, headers: Record<string, string> = {}): Request {
  const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
    `"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},` +
    `"io.modelcontextprotocol/clientCapabilities":{}}`;
  return post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params},${meta}}}`, {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "echo",
    ...headers,
  });
}

async function open(handler: Handler, subject?: string): Promise<Record<string, string>> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  };
  const response = await handler(
    post({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    subject === undefined ? {} : { principal: { subject } },
  );
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

Deno.test("a request with an untrusted Host or Origin header is rejected (DNS rebinding)", async () => {
  const handler = mcpHandler(everythingServer());
  const attempts: Record<string, string>[] = [
    { host: "evil.example" },
    { host: "127.0.0.1.evil.example" },
    { host: "localhost.evil.example:8000" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://localhost.evil.example" },
  ];
  for (const headers of attempts) {
    const response = await handler(call('"name":"echo"', headers));
    assertEquals(response.status, 403, JSON.stringify(headers));
    assertEquals(response.headers.get("access-control-allow-origin"), null);
    assert(!(await response.text()).includes('"result"'));
  }
  assertEquals((await handler(call('"name":"echo"', { host: "localhost:8000" }))).status, 200);
});

Deno.test("names and arguments cannot access prototypes", async () => {
  const handler = mcpHandler(everythingServer());
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  const echoed = await (await handler(call(`"name":"echo","arguments":${text}`))).json();
  assertEquals(echoed.result.content, [{ type: "text", text }]);
  assertEquals(Reflect.get({}, "polluted"), undefined);
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const response = await handler(call(`"name":"${name}"`, { "mcp-name": name }));
    assertEquals((await response.json()).error.code, -32602, name);
  }
  for (const method of ["__proto__", "constructor", "toString"]) {
    const response = await handler(
      post({ jsonrpc: "2.0", id: 1, method }, await open(handler)),
    );
    assertEquals((await response.json()).error.code, -32601, method);
  }
  await handler.close();
});

Deno.test("client input cannot inject response headers", async () => {
  const handler = mcpHandler(everythingServer());
  const session = await open(handler);
  const requests = [
    call('"name":"echo\\r\\nx-evil: 1"', { "mcp-name": "=?base64?ZWNobw0KeC1ldmlsOiAx?=" }),
    post({ jsonrpc: "2.0", id: "1\r\nx-evil: 1", method: "ping" }, session),
    post({ jsonrpc: "2.0", id: 1, method: "x\r\nx-evil: 1" }, session),
  ];
  for (const request of requests) {
    const response = await handler(request);
    assertEquals(response.headers.get("x-evil"), null);
    await response.text();
  }
  await handler.close();
});

Deno.test("tool names and arguments cannot inject request headers", async () => {
  const schema = {
    type: "object",
    properties: { where: { type: "string", "x-mcp-header": "Where" } },
  };
  const { fetch, seen } = modern({
    "tools/list": (request) => {
      const names = ["a", "b\r\nx-evil: 1"];
      return result(request, {
        resultType: "complete",
        tools: names.map((name) => ({ name, inputSchema: schema })),
      });
    },
    "tools/call": (request) => result(request, { resultType: "complete", content: [] }),
  });
  const client = new McpClient({ transport: new HttpTransport("http://localhost/mcp", { fetch }) });
  await client.connect();
  for (const { name } of await client.listTools()) {
    await client.callTool(name, { where: "x\r\nx-evil: 1" });
  }
  assertEquals(seen.filter(({ body }) => body?.method === "tools/call").length, 2);
  for (const { headers } of seen) {
    assertEquals(headers.get("x-evil"), null);
    for (const value of headers.values()) assert(!/[\r\n]/.test(value));
  }
  await client.disconnect();
});

Deno.test("a template value cannot contain a path traversal", async () => {
  const asked: string[] = [];
  const server = new McpServer({ name: "files", version: "1" });
  server.registerResourceTemplate(
    { uriTemplate: "file:///docs/{name}.txt", name: "docs" },
    (uri, { name = "" }) => {
      asked.push(name);
      return `${uri} ${name}`;
    },
  );
  const read = (uri: string) => {
    const request = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } } as const;
    return server.handleRequest(request);
  };
  for (const path of ["../secret", "a/b", "", "..%2Fsecret", "%2e%2e%5Csecret", "a%00"]) {
    assert("error" in await read(`file:///docs/${path}.txt`), path);
  }
  assertEquals(asked, []);
  assert("result" in await read("file:///docs/a.txt"));
  assertEquals(asked, ["a"]);
});

Deno.test("a body over the limit is rejected before it is fully read, regardless of Content-Length", async () => {
  const handler = mcpHandler(everythingServer(), { maxBodyBytes: 1000 });
  let given = 0;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      given += 500;
      controller.enqueue(new Uint8Array(500).fill(0x20));
    },
  });
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: endless };
  const response = await handler(new Request("http://localhost/mcp", init));
  assertEquals(response.status, 413);
  assert(given <= 3000, `${given} bytes were read`);
  const lying = await handler(post("1".repeat(2000), { "content-length": "5" }));
  assertEquals(lying.status, 413);
});

Deno.test("deeply nested input does not crash the server or its schema validation", async () => {
  const handler = mcpHandler(everythingServer());
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const echoed = await handler(call(`"name":"echo","arguments":${deep}`));
  assert(echoed.status === 200 || echoed.status === 400, `${echoed.status}`);
  await echoed.text();
  const added = await handler(
    call(`"name":"add","arguments":{"a":${deep},"b":1}`, { "mcp-name": "add" }),
  );
  await added.text();
  assertEquals((await handler(call('"name":"echo"'))).status, 200);
});

Deno.test("a session id cannot be guessed, chosen or used by another principal", async () => {
  const handler = mcpHandler(everythingServer());
  const ping = (headers: Record<string, string>, subject?: string) =>
    handler(
      post({ jsonrpc: "2.0", id: 1, method: "ping" }, headers),
      subject === undefined ? {} : { principal: { subject } },
    );
  const ids = new Set<string>();
  for (let count = 0; count < 100; count++) {
    ids.add((await open(handler))["mcp-session-id"] ?? "");
  }
  assertEquals(ids.size, 100);
  // At least 22 base64 characters are needed for 128 random bits.
  for (const id of ids) assert(id.length >= 22 && /^[!-~]+$/.test(id), id);
  const own = { "mcp-session-id": "chosen" };
  assertEquals((await ping(own)).status, 404);
  const fixed = await handler(post({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  }, own));
  await fixed.text();
  assert(fixed.headers.get("mcp-session-id") !== "chosen");
  const hers = await open(handler, "alice");
  assertEquals((await ping(hers, "alice")).status, 200);
  assertEquals((await ping(hers, "mallory")).status, 404);
  assertEquals((await ping(hers)).status, 404);
  await handler.close();
});

/** Access tokens for two users. Alice has a second token with an additional scope. */
const TOKENS: ReadonlyMap<string, VerifiedToken> = new Map([
  ["alice-1", { subject: "alice", scopes: ["read"] }],
  ["alice-2", { subject: "alice", scopes: ["read", "write"] }],
  ["mallory", { subject: "mallory", scopes: ["read", "write"] }],
]);

for (const protocolVersion of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
  Deno.test(`each request in a session uses its own token, in ${protocolVersion}`, async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.registerTool({ name: "who", description: "" }, (_args, { principal }) => {
      return `${principal?.subject}: ${principal?.scopes?.join(" ")}`;
    });
    server.registerTool({ name: "write", description: "", scopes: ["write"] }, () => "written");
    server.registerTool({ name: "ask", description: "" }, async (_args, { ask, principal }) => {
      const { action } = await ask("sure", {
        method: "elicitation/create",
        params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
      });
      return `${principal?.subject}: ${action}`;
    });
    const inner = mcpHandler(server);
    const handler = resourceServer(inner, {
      resource: "http://localhost/mcp",
      authorizationServers: ["https://login.example"],
      verify: ({ token }) => Promise.resolve(TOKENS.get(token)),
    });
    let session: Record<string, string> = {};
    const send = (token: string, init: RequestInit = {}) =>
      handler(
        new Request("http://localhost/mcp", {
          method: "POST",
          ...init,
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            ...session,
            ...init.headers,
          },
        }),
      );
    const say = (token: string, message: object) =>
      send(token, { body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
    const use = (token: string, name: string) =>
      say(token, { id: 1, method: "tools/call", params: { name, arguments: {} } });
    const textOf = async (response: Response) => (await response.json()).result.content[0].text;

    const opened = await say("alice-1", {
      id: 0,
      method: "initialize",
      params: {
        protocolVersion,
        capabilities: { elicitation: {} },
        clientInfo: { name: "x", version: "1" },
      },
    });
    await opened.text();
    session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };

    assertEquals(await textOf(await use("alice-1", "who")), "alice: read");
    assertEquals(await textOf(await use("alice-2", "who")), "alice: read write");
    assertEquals(await textOf(await use("alice-2", "write")), "written");
    const refused = await use("alice-1", "write");
    assertEquals(refused.status, 403);
    await refused.text();

    // Another user can neither send requests or responses in the session, nor read its streams, nor
    // end it.
    const asked = eventsOf(await use("alice-1", "ask"));
    let question: unknown;
    let lastEventId = "";
    while (question === undefined) {
      const { value } = await asked.next();
      lastEventId = value?.id ?? lastEventId;
      question = value?.data?.id;
    }
    const yes = { id: question, result: { action: "accept", content: {} } };
    const attempts = [
      await use("mallory", "who"),
      await say("mallory", yes),
      await say("mallory", { method: "notifications/cancelled", params: { requestId: 1 } }),
      await send("mallory", { method: "GET" }),
      await send("mallory", { method: "GET", headers: { "last-event-id": lastEventId } }),
      await send("mallory", { method: "DELETE" }),
    ];
    for (const response of attempts) {
      assertEquals(response.status, 404);
      assertEquals((await response.json()).error.code, -32001);
    }
    assertEquals((await say("alice-2", { ...yes, result: { action: "decline" } })).status, 202);
    const rest = await Array.fromAsync(asked);
    assertEquals(rest.map(({ data }) => at(data?.result?.content, 0, "text")), ["alice: decline"]);
    await inner.close();
  });
}

Deno.test("a client that opens many sessions does not end other principals' sessions", async () => {
  const handler = mcpHandler(everythingServer(), { sessions: { maxSessions: 8 } });
  const statusOf = async (session: Record<string, string>, subject: string): Promise<number> => {
    const principal = { principal: { subject } };
    const answer = await handler(
      post({ jsonrpc: "2.0", id: 1, method: "ping" }, session),
      principal,
    );
    await answer.text();
    return answer.status;
  };
  const hers = await open(handler, "alice");
  const floods = [];
  for (let count = 0; count < 20; count++) floods.push(await open(handler, "mallory"));
  assertEquals(await statusOf(hers, "alice"), 200);
  const statuses = await Promise.all(floods.map((session) => statusOf(session, "mallory")));
  assertEquals(statuses.map((status) => status === 200), [...Array(18).fill(false), true, true]);
  // The limit on sessions per principal also applies if no session is idle.
  const streams = await Promise.all(
    floods.slice(-2).map((session) =>
      handler(new Request("http://localhost/mcp", { headers: session }), {
        principal: { subject: "mallory" },
      })
    ),
  );
  assertEquals(await open(handler, "mallory"), { "mcp-session-id": "" });
  assertEquals(await statusOf(await open(handler, "bob"), "bob"), 200);
  for (const { body } of streams) await body?.cancel();
  await handler.close();
});

Deno.test("messages of one session are not sent to another session", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "log", description: "" }, async (_args: unknown, { log }) => {
    await log("error", "private");
    return "";
  });
  const handler = mcpHandler(server);
  const [one, other] = [await open(handler), await open(handler)];
  const streams = await Promise.all([one, other].map((headers) =>
    handler(
      new Request("http://localhost/mcp", {
        headers: { accept: "text/event-stream", ...headers },
      }),
    )
  ));
  const params = { name: "log", arguments: {} };
  const answer = await handler(
    post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, {
      accept: "application/json, text/event-stream",
      ...one,
    }),
  );
  assert((await answer.text()).includes("private"));
  await handler.close();
  const received = await Promise.all(streams.map((stream) => stream.text()));
  for (const text of received) assert(!text.includes("private"));
});

Deno.test("handler errors are not disclosed to the client", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const uri = "test:///secret";
  server.registerResource(
    { uri, name: "secret", description: "", mimeType: "text/plain" },
    () => {
      throw new TypeError("password is hunter2");
    },
  );
  const request = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } } as const;
  const answer = JSON.stringify(await server.handleRequest(request));
  assert(!answer.includes("hunter2"), answer);
  assert(!answer.includes(".ts"), answer);
});

Deno.test("client errors do not contain secret headers", async () => {
  const headers = { authorization: "Bearer hunter2" };
  for (const status of [400, 401, 403, 500]) {
    const fetch = () => Promise.resolve(new Response("no", { status }));
    const transport = new HttpTransport("http://localhost/mcp", { fetch, headers });
    const client = new McpClient({ transport });
    const error = await assertRejects(() => client.connect(), McpError);
    let text = "";
    for (let each: unknown = error; each instanceof Error; each = each.cause) {
      text += `${each.stack}${JSON.stringify(each)}`;
    }
    assert(!text.includes("hunter2"), text);
  }
});
