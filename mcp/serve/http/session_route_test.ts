import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { type HttpHandler, mcpHandler, type McpHandlerOptions } from "../../server.ts";
import { McpServer } from "../../server/mcp_server.ts";
import { eventsOf, post, SessionByHand } from "../../testdata/http.ts";
import type { SessionRoute } from "./session_route.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "who" } };
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

/** Handlers, keyed by name, that reach each other through an in-memory `fetch`. */
class Cluster {
  readonly handlers = new Map<string, HttpHandler>();
  /** Requests between the replicas, as method and URL. */
  readonly forwarded: string[] = [];
  /** Replicas whose connections fail. */
  readonly dead = new Set<string>();

  add(
    name: string,
    route: Partial<SessionRoute> = {},
    options: McpHandlerOptions = {},
  ): HttpHandler {
    const server = new McpServer({ name: "s", version: "1" });
    server.registerTool({ name: "who", description: "" }, () => name);
    const handler = mcpHandler(server, {
      ...options,
      allowedHosts: ["localhost", "a", "b", "c"],
      sessions: {
        route: {
          replica: name,
          replicas: { a: "http://a/mcp", b: "http://b/mcp" },
          fetch: this.#fetch,
          ...route,
        },
      },
    });
    this.handlers.set(name, handler);
    return handler;
  }

  readonly #fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { hostname } = new URL(request.url);
    this.forwarded.push(`${request.method} ${request.url}`);
    const handler = this.handlers.get(hostname);
    if (handler === undefined || this.dead.has(hostname)) throw new TypeError("connection refused");
    return await handler(request);
  };

  async close(): Promise<void> {
    for (const handler of this.handlers.values()) await handler.close();
  }
}

/** Sends a request with a session id. Returns the status and the error message. */
async function send(
  handler: HttpHandler,
  id: string,
  headers: Record<string, string> = {},
): Promise<readonly [number, string | undefined]> {
  const response = await handler(post(PING, { "mcp-session-id": id, ...headers }));
  const { error } = await response.json();
  return [response.status, error?.message];
}

Deno.test("a session works through every replica", async () => {
  const cluster = new Cluster();
  const a = cluster.add("a");
  const b = cluster.add("b");
  const { id } = await SessionByHand.open(a);
  assertMatch(id, /^a\.[0-9a-f-]{36}$/);
  for (const handler of [a, b]) {
    const response = await new SessionByHand(handler, id).send(CALL);
    const { result } = await response.json();
    assertEquals(result.content, [{ type: "text", text: "a" }]);
  }
  assertEquals(cluster.forwarded, ["POST http://a/mcp"]);
  const ended = await b(
    new Request("http://localhost/mcp", { method: "DELETE", headers: { "mcp-session-id": id } }),
  );
  assertEquals(ended.status, 204);
  assertEquals(await send(a, id), [404, "Session not found"]);
  assertEquals(await send(b, id), [404, "Session not found"]);
  await cluster.close();
});

Deno.test("the GET stream of a session works through another replica, and its end reaches the owner", async () => {
  const cluster = new Cluster();
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  const b = cluster.add("b");
  const a = mcpHandler(server, {
    allowedHosts: ["localhost", "a"],
    sessions: { route: { replica: "a", replicas: {} } },
  });
  cluster.handlers.set("a", a);
  const { id } = await SessionByHand.open(a);
  await new SessionByHand(a, id).send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const response = await b(
    new Request("http://localhost/mcp", {
      headers: { "mcp-session-id": id, accept: "text/event-stream" },
    }),
  );
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  const events = eventsOf(response);
  server.registerTool({ name: "u", description: "" }, () => "");
  let method: unknown;
  while (method === undefined) method = (await events.next()).value?.data?.method;
  assertEquals(method, "notifications/tools/list_changed");
  await events.return();
  await cluster.close();
});

/**
 * Session ids that an attacker could send to replica `a`. None of the forged ids may cause replica
 * `a` to send a request.
 */
const FORGED: readonly string[] = [
  "http://evil.example/.x",
  "http://evil.example:80/mcp.x",
  "//evil.example.x",
  "169.254.169.254",
  "127.0.0.1:22.x",
  "b@evil.example.x",
  "b/../../admin.x",
  "b%2F.x",
  "b?x.y",
  "B.x",
  "b .x",
  "__proto__.x",
  "constructor.x",
  "toString.x",
  ".x",
  "..",
  `${"b".repeat(5000)}.x`,
  "c.x",
  "evil.b",
];

for (const id of FORGED) {
  Deno.test(`a request with the session id "${id.slice(0, 40)}" is not forwarded`, async () => {
    const cluster = new Cluster();
    const a = cluster.add("a");
    const [status, message] = await send(a, id);
    assertEquals(status, 404);
    assertStringIncludes(String(message), "Session not found");
    assertEquals(cluster.forwarded, []);
    await cluster.close();
  });
}

Deno.test("a session of an unlisted replica is rejected with an error that names the option", async () => {
  const cluster = new Cluster();
  const a = cluster.add("a");
  const c = cluster.add("c");
  const { id } = await SessionByHand.open(c);
  assertEquals(await send(a, id), [
    404,
    'Session not found: replica "c" is not in "sessions.route.replicas"',
  ]);
  await cluster.close();
});

Deno.test("a forwarded request is not forwarded again", async () => {
  const cluster = new Cluster();
  // Replicas "a" and "b" each have the other replica's URL as the URL of "c".
  const a = cluster.add("a", { replicas: { c: "http://b/mcp" } });
  cluster.add("b", { replicas: { c: "http://a/mcp" } });
  const [status, message] = await send(a, "c.1");
  assertEquals(status, 508);
  assertStringIncludes(String(message), 'check the URLs in "sessions.route.replicas"');
  assertEquals(cluster.forwarded, ["POST http://b/mcp"]);
  const [, own] = await send(cluster.add("a"), "a.1", { "mcp-forwarded-by": "b" });
  assertEquals(own, "Session not found");
  await cluster.close();
});

Deno.test("a forwarded request has the headers and body of the request, but no headers of the connection", async () => {
  const seen: Request[] = [];
  const cluster = new Cluster();
  const a = cluster.add("a", {
    fetch: (input, init) => {
      seen.push(new Request(input, init));
      return Promise.resolve(
        new Response("{}", {
          headers: { "set-cookie": "x=1", "content-type": "application/json" },
        }),
      );
    },
  });
  const response = await a(
    post(PING, {
      "mcp-session-id": "b.1",
      "authorization": "Bearer t",
      "accept-encoding": "gzip",
      "te": "trailers",
    }),
  );
  assertEquals(response.headers.get("set-cookie"), null);
  const [request] = seen;
  assert(request !== undefined);
  assertEquals(request.headers.get("authorization"), "Bearer t");
  assertEquals(request.headers.get("mcp-forwarded-by"), "a");
  assertEquals(request.headers.get("te"), null);
  assertEquals(await request.json(), PING);
  await cluster.close();
});

Deno.test("headers that Connection names are not forwarded in either direction", async () => {
  const seen: Headers[] = [];
  const cluster = new Cluster();
  const a = cluster.add("a", {
    fetch: (_input, init) => {
      seen.push(new Headers(init?.headers));
      const headers = { "connection": "x-hop , Keep-Alive", "x-hop": "1", "x-end": "2" };
      return Promise.resolve(new Response("{}", { headers }));
    },
  });
  const response = await a.respond({
    method: "POST",
    url: "http://localhost/mcp",
    headers: new Headers([
      ["content-type", "application/json"],
      ["mcp-session-id", "b.1"],
      ["connection", "close, X-Secret,x-other"],
      ["x-secret", "1"],
      ["x-other", "2"],
      ["x-end", "3"],
      ["proxy-authentication-info", "4"],
    ]),
    body: new Blob([JSON.stringify(PING)]).stream(),
    signal: new AbortController().signal,
    arrayBuffer: () => Promise.reject(new Error("unused")),
  });
  const [headers] = seen;
  assert(headers !== undefined);
  const names = ["x-secret", "x-other", "connection", "proxy-authentication-info", "x-end"];
  assertEquals(names.map((name) => headers.get(name)), [null, null, null, null, "3"]);
  assertEquals(Object.keys(response.headers).sort(), ["content-type", "x-end"]);
  await cluster.close();
});

for (const listens of [true, false]) {
  const how = listens ? "aborts" : "stops waiting for a fetch that ignores its signal";
  Deno.test(`a forwarded request ${how} when the client leaves before the response`, async () => {
    const began = Promise.withResolvers<AbortSignal>();
    const late = Promise.withResolvers<Response>();
    const cluster = new Cluster();
    const a = cluster.add("a", {
      fetch: (_input, init) => {
        const signal = init?.signal;
        assert(signal instanceof AbortSignal);
        began.resolve(signal);
        return listens
          ? new Promise((_, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          })
          : late.promise;
      },
    });
    const client = new AbortController();
    const { headers } = post(PING, { "mcp-session-id": "b.1" });
    const body = JSON.stringify(PING);
    const init = { method: "POST", headers, body, signal: client.signal };
    const sending = a(new Request("http://localhost/mcp", init));
    const signal = await began.promise;
    client.abort();
    assertEquals((await sending).status, 502);
    assert(signal.aborted);
    let isCancelled = false;
    late.resolve(new Response(new ReadableStream({ cancel: () => void (isCancelled = true) })));
    await late.promise;
    await Promise.resolve();
    assertEquals(isCancelled, !listens);
    // The other process is not considered unreachable.
    assertEquals(cluster.forwarded, []);
    await cluster.close();
  });
}

Deno.test("a forwarded request ends when the client leaves during the response", async () => {
  const opened = Promise.withResolvers<AbortSignal>();
  const cluster = new Cluster();
  const a = cluster.add("a", {
    fetch: (_input, init) => {
      assert(init?.signal instanceof AbortSignal);
      opened.resolve(init.signal);
      return Promise.resolve(new Response(new ReadableStream()));
    },
  });
  const client = new AbortController();
  const headers = { "mcp-session-id": "b.1", accept: "text/event-stream" };
  const response = await a(
    new Request("http://localhost/mcp", { headers, signal: client.signal }),
  );
  const signal = await opened.promise;
  assert(!signal.aborted);
  client.abort();
  assert(signal.aborted);
  await response.body?.cancel();
  await cluster.close();
});

Deno.test("a request body larger than maxBodyBytes is not forwarded", async () => {
  const cluster = new Cluster();
  const a = cluster.add("a", {}, { maxBodyBytes: 10 });
  assertEquals((await send(a, "b.1"))[0], 413);
  assertEquals(cluster.forwarded, []);
  await cluster.close();
});

Deno.test("a response of a replica with a redirect is rejected", async () => {
  const cluster = new Cluster();
  const a = cluster.add("a", {
    fetch: () => Promise.resolve(Response.redirect("http://evil.example/", 307)),
  });
  const [status, message] = await send(a, "b.1");
  assertEquals(status, 502);
  assertStringIncludes(String(message), "responds with a redirect");
  await cluster.close();
});

Deno.test("the first request to a dead replica has an unknown outcome, and later requests may be repeated", async () => {
  const cluster = new Cluster();
  const a = cluster.add("a");
  const b = cluster.add("b");
  const { id } = await SessionByHand.open(b);
  cluster.dead.add("b");
  const [status, message] = await send(a, id);
  assertEquals(status, 502);
  assertStringIncludes(String(message), "it is unknown whether the request was executed");
  // Only a no-op request has been sent, so the client may send the request again in a new session.
  assertEquals(await send(a, id), [
    404,
    'Session not found: replica "b", which held the session, cannot be reached',
  ]);
  assertEquals(cluster.forwarded.map((line) => line.split(" ")[0]), ["POST", "OPTIONS"]);
  cluster.dead.delete("b");
  assertEquals(await send(a, id), [200, undefined]);
  cluster.dead.add("b");
  const stream = await a(
    new Request("http://localhost/mcp", {
      headers: { "mcp-session-id": id, accept: "text/event-stream" },
    }),
  );
  assertEquals(stream.status, 404);
  await cluster.close();
});

Deno.test("a replica that does not respond in time is reported as HTTP 504", async () => {
  const cluster = new Cluster();
  const a = cluster.add("a", {
    timeoutMs: 1,
    fetch: (_input, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      }),
  });
  assertEquals(await send(a, "b.1"), [504, 'Replica "b" did not respond within 1 ms']);
  await cluster.close();
});

Deno.test("close() aborts forwarded requests", async () => {
  const began = Promise.withResolvers<void>();
  const cluster = new Cluster();
  const a = cluster.add("a", {
    fetch: (_input, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        began.resolve();
      }),
  });
  const sending = send(a, "b.1");
  await began.promise;
  await a.close();
  assertEquals((await sending)[0], 502);
  await cluster.close();
});

/** Invalid options, and part of the expected error message. */
const INVALID: readonly [unknown, string][] = [
  [null, '"sessions.route" must be an object'],
  [{ replica: "", replicas: {} }, '"sessions.route.replica" must consist of'],
  [{ replica: "a.b", replicas: {} }, '"sessions.route.replica" must consist of'],
  [{ replica: "a" }, '"sessions.route.replicas" must be an object'],
  [{ replica: "a", replicas: { "b.c": "http://b/" } }, "must consist of"],
  [{ replica: "a", replicas: { b: "b:8000" } }, '"sessions.route.replicas.b" must be an HTTP URL'],
  [{ replica: "a", replicas: { b: "file:///etc/passwd" } }, "must be an HTTP URL"],
  [{ replica: "a", replicas: { b: "http://u:p@b/" } }, "must be an HTTP URL"],
  [{ replica: "a", replicas: {}, timeoutMs: 0 }, '"sessions.route.timeoutMs" must be'],
];

for (const [route, message] of INVALID) {
  Deno.test(`mcpHandler() rejects the session route ${JSON.stringify(route)}`, () => {
    const server = new McpServer({ name: "s", version: "1" });
    const options = { sessions: { route: route as SessionRoute } };
    assertThrows(() => mcpHandler(server, options), Error, message);
  });
}

Deno.test("closing a replica does not end the sessions of other replicas", async () => {
  const cluster = new Cluster();
  const a = cluster.add("a");
  const { id } = await SessionByHand.open(a);
  const sent = Promise.withResolvers<void>();
  const b = cluster.add("b", {
    fetch: (_input, init) => {
      sent.resolve();
      return new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      });
    },
  });
  const headers = { "mcp-session-id": id, accept: "text/event-stream" };
  const opening = b(new Request("http://localhost/mcp", { headers }));
  await sent.promise;
  await b.close();
  // Status 404 would make the client open a new session.
  const { status, body } = await opening;
  assertEquals(status, 503);
  await body?.cancel();
  assertEquals((await send(a, id))[0], 200);
  await cluster.close();
});
