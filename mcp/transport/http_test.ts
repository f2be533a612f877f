import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { createTransport, HttpTransport, SseTransport, StdioTransport } from "../client.ts";
import { McpError } from "../shared/error.ts";
import type { TransportConfig } from "../jsonrpc/contracts.ts";
import { aborted, events, eventStream, failure, older, result, web } from "../testdata/web.ts";

const URL_ = "http://127.0.0.1/mcp";
const PING = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

Deno.test("HttpTransport sends each request as a POST and receives the responses in order", async () => {
  const server = web((request) =>
    request.body.method === "ping" ? result(request, {}) : eventStream(
      request,
      { jsonrpc: "2.0", method: "notifications/message" },
      { jsonrpc: "2.0", id: request.body.id, result: { tools: [] } },
    )
  );
  const transport = new HttpTransport(URL_, { fetch: server.fetch });
  await transport.send(PING);
  await transport.send({ ...PING, id: "b", method: "tools/list" });
  assertEquals(await transport.receive(), { jsonrpc: "2.0", id: 1, result: {} });
  assertEquals(await transport.receive(), { jsonrpc: "2.0", id: "b", result: { tools: [] } });
  assert(server.seen.every(({ method, url }) => method === "POST" && url === URL_));
  await transport.close();
});

Deno.test("HttpTransport sends the session id after initialize", async () => {
  const server = older({ "tools/list": (request) => result(request, { tools: [] }) });
  const transport = new HttpTransport(URL_, { fetch: server.fetch });
  await transport.send({ ...PING, method: "initialize", params: {} });
  await transport.send({ ...PING, id: 2, method: "tools/list" });
  assertEquals(server.seen.at(-1)?.headers.get("mcp-session-id"), "s1");
  assertEquals(server.seen.at(-1)?.headers.get("mcp-protocol-version"), "2025-11-25");
  await transport.close();
  assertEquals(server.seen.at(-1)?.method, "DELETE");
});

Deno.test("HttpTransport.send() rejects on HTTP errors and lost connections", async () => {
  const cases = [
    [() => new Response(null, { status: 500 }), "transport_error"],
    [() => Promise.reject(new TypeError("connection refused")), "transport_error"],
    [() => new Response(null, { status: 401 }), "auth_error"],
  ] as const;
  for (const [answer, code] of cases) {
    const { fetch } = web(answer);
    const transport = new HttpTransport(URL_, { fetch });
    assertEquals((await assertRejects(() => transport.send(PING), McpError)).code, code);
    await transport.close();
  }
});

Deno.test("HttpTransport.send() reports the cause of a failed fetch", async () => {
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:9");
  // Node.js reports an error with an empty message and a code when a host name resolves to several
  // addresses and every connection attempt fails.
  const several = Object.assign(new AggregateError([refused], ""), { code: "ECONNREFUSED" });
  const causes = [
    [new TypeError("fetch failed", { cause: refused }), "fetch failed: connect ECONNREFUSED"],
    [new TypeError("fetch failed", { cause: several }), "fetch failed: ECONNREFUSED"],
    [new TypeError("no such name"), "no such name"],
    ["odd", "odd"],
  ] as const;
  for (const [cause, reason] of causes) {
    const transport = new HttpTransport(URL_, { fetch: () => Promise.reject(cause) });
    await assertRejects(() => transport.send(PING), McpError, reason);
    await transport.close();
  }
});

Deno.test("an error of HttpTransport.send() contains no query of a URL, in its cause either", async () => {
  const shown = (url: string) => `error sending request for url (${url}): refused`;
  const secret = "http://h/mcp?token=a)b%27#part";
  const inner = Object.assign(new TypeError(shown(secret)), { code: "ECONNREFUSED" });
  let deep: Error = new Error(secret);
  for (let depth = 0; depth < 10; depth++) deep = new Error(`level ${depth}`, { cause: deep });
  for (const cause of [inner, new Error("fetch failed", { cause: inner }), shown(secret), deep]) {
    const transport = new HttpTransport(URL_, { fetch: () => Promise.reject(cause) });
    const error = await assertRejects(() => transport.send(PING), McpError);
    assertEquals(Deno.inspect(error).includes("token"), false, Deno.inspect(error));
    if (cause !== deep) assert(error.message.includes(shown("http://h/mcp")), error.message);
    if (cause === inner) {
      assertEquals(error.cause instanceof Error && error.cause.name, "TypeError");
    }
    await transport.close();
  }
  const plain = new TypeError("fetch failed");
  const transport = new HttpTransport(URL_, { fetch: () => Promise.reject(plain) });
  const { cause } = await assertRejects(() => transport.send(PING), McpError);
  assertEquals(cause, plain);
  await transport.close();
});

Deno.test("HttpTransport.send() ignores the body of a response with status 204", async () => {
  // Browsers return such a response, but its constructor does not permit it.
  const response = new Response("{}", { headers: { "content-type": "" } });
  Object.defineProperty(response, "status", { value: 204 });
  const transport = new HttpTransport(URL_, { fetch: web(() => response).fetch });
  const error = await assertRejects(() => transport.send(PING), McpError);
  assertEquals(error.code, "transport_error");
  await transport.close();
});

Deno.test("the error for a redirect to a long URL that is not valid does not block", async () => {
  const location = "http://[".repeat(25_000);
  const fetch = () => Promise.resolve(new Response(null, { status: 307, headers: { location } }));
  const transport = new HttpTransport(URL_, { fetch });
  const startedAt = performance.now();
  await assertRejects(() => transport.send(PING), McpError);
  assert(performance.now() - startedAt < 1000);
  await transport.close();
});

Deno.test("HttpTransport.send() rejects a response without a Content-Type", async () => {
  const { fetch } = web(() => new Response("{}", { headers: { "content-type": "" } }));
  const transport = new HttpTransport(URL_, { fetch });
  await assertRejects(() => transport.send(PING), McpError, "the response has no Content-Type");
  await transport.close();
});

Deno.test("new HttpTransport() and new SseTransport() reject an invalid header without revealing its value", () => {
  for (
    const headers of [{ "x-key": "hunter2\nx" }, { "x-key": "hunter2\u0100" }, { "x key": "" }]
  ) {
    for (const Transport of [HttpTransport, SseTransport]) {
      const error = assertThrows(() => new Transport(URL_, { headers }), TypeError, "header");
      assertEquals([error.message.includes("hunter2"), error.cause], [false, undefined]);
    }
  }
});

Deno.test("HttpTransport and SseTransport reject pending and later calls after close()", async () => {
  const { fetch } = web(({ signal }) => aborted(signal));
  for (const transport of [new HttpTransport(URL_, { fetch }), new SseTransport(URL_, { fetch })]) {
    const sending = assertRejects(() => transport.send(PING));
    await transport.close();
    await transport.close();
    await sending;
    for (const late of [() => transport.send(PING), () => transport.receive()]) {
      const error = await assertRejects(late, McpError);
      assertEquals(error.code, "transport_error");
    }
  }
  const waiting = new HttpTransport(URL_, { fetch });
  const received = assertRejects(() => waiting.receive(), McpError);
  await waiting.close();
  assertEquals((await received).code, "transport_error");
});

Deno.test("SseTransport receives on the event stream or falls back to Streamable HTTP", async () => {
  const old = web((request) => {
    if (request.method === "GET") {
      const stream = events(request);
      stream.send("event: endpoint\ndata: /m\n\n");
      stream.message({ jsonrpc: "2.0", id: 1, result: {} });
      return stream.response;
    }
    return new Response(null, { status: 202 });
  });
  const newer = web((request) =>
    request.method === "GET" ? failure(request, -32000, undefined, 405) : result(request, {})
  );
  for (const { fetch, seen } of [old, newer]) {
    const transport = new SseTransport(URL_, { fetch });
    await transport.send(PING);
    assertEquals(await transport.receive(), { jsonrpc: "2.0", id: 1, result: {} });
    assertEquals(seen.map(({ method }) => method), ["GET", "POST"]);
    await transport.close();
  }
});

Deno.test("createTransport() creates each type of transport and rejects an unknown type", () => {
  assertInstanceOf(createTransport({ type: "stdio" }), StdioTransport);
  assertInstanceOf(createTransport({ type: "http", url: URL_ }), HttpTransport);
  assertInstanceOf(createTransport({ type: "sse", url: URL_ }), SseTransport);
  for (const url of ["", "mcp", "file:///mcp", "ws://127.0.0.1"]) {
    assertThrows(() => createTransport({ type: "http", url }), TypeError);
    assertThrows(() => createTransport({ type: "sse", url }), TypeError);
  }
  // JavaScript callers can pass any transport type.
  const untyped: TransportConfig = JSON.parse('{"type":"pigeon"}');
  assertThrows(() => createTransport(untyped), TypeError, '"pigeon"');
});

Deno.test("HttpTransport rejects headers that it would not send as the caller intends", () => {
  for (
    const [headers, message] of [
      [new Headers({ authorization: "a" }), '"headers" must be a plain object'],
      [new Map([["authorization", "a"]]), '"headers" must be a plain object'],
      [{ authorization: undefined }, '"headers.authorization" must be a string, got undefined'],
      [null, '"headers" must be an object, got null'],
    ] as const
  ) {
    assertThrows(() => Reflect.construct(HttpTransport, [URL_, { headers }]), TypeError, message);
  }
});
