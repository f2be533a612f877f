import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { HttpTransport, McpClient, type McpClientConfig, SseTransport } from "../client.ts";
import { McpError, type McpErrorCodeType } from "../shared/error.ts";
import {
  aborted,
  DISCOVERED,
  events,
  eventStream,
  failure,
  INITIALIZED,
  modern,
  older,
  result,
  type Seen,
  type Web,
  web,
} from "../testdata/web.ts";

const URL_ = "http://127.0.0.1/mcp";

function client(server: Web, config: Partial<McpClientConfig> = {}): McpClient {
  return new McpClient({ transport: new HttpTransport(URL_, { fetch: server.fetch }), ...config });
}

function sseClient(server: Web, config: Partial<McpClientConfig> = {}): McpClient {
  return new McpClient({ transport: new SseTransport(URL_, { fetch: server.fetch }), ...config });
}

/**
 * Returns the JSON-RPC method of each received request, or the HTTP method of a request without a
 * body.
 */
function asked({ seen }: Web): string[] {
  return seen.map(({ method, body }) => body?.method ?? method);
}

/** A server that supports only HTTP+SSE (2024-11-05). */
function eventServer(refusal: () => Response): Web {
  let stream: ReturnType<typeof events>;
  return web((request) => {
    if (request.method === "GET") {
      stream = events(request);
      stream.send("event: endpoint\ndata: /messages?id=1\n\n");
      return stream.response;
    }
    if (!request.url.includes("/messages")) return refusal();
    const { id, method } = request.body;
    const answer = method === "initialize"
      ? { ...INITIALIZED, protocolVersion: "2024-11-05" }
      : { tools: [{ name: "t" }] };
    if (id !== undefined) stream.message({ jsonrpc: "2.0", id, result: answer });
    return new Response("Accepted", { status: 202 });
  });
}

Deno.test("connect() detects a modern server with one request", async () => {
  const server = modern({ "tools/list": (request) => result(request, { tools: [{ name: "t" }] }) });
  await using connected = client(server);
  await connected.connect();
  assertEquals(connected.server?.protocolVersion, "2026-07-28");
  assertEquals((await connected.listTools()).map(({ name }) => name), ["t"]);
  assertEquals(asked(server), ["server/discover", "tools/list"]);
});

Deno.test("connect() detects a legacy server by its response to server/discover", async () => {
  const refusals: ((request: Seen) => Response)[] = [
    (request) => failure(request, -32000, undefined, 400),
    (request) => failure(request, -32601),
    (request) => failure(request, -32601, undefined, 404),
    (request) => failure(request, -32602),
    () => new Response("Bad Request", { status: 400 }),
    () => new Response("Not Found", { status: 404 }),
    () => new Response(null, { status: 405 }),
    () => new Response(null, { status: 406 }),
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    (request) => result(request, {}),
  ];
  for (const refusal of refusals) {
    const server = older({ "server/discover": refusal });
    await using connected = client(server);
    await connected.connect();
    assertEquals(connected.server?.protocolVersion, "2025-11-25");
  }
});

Deno.test("connect() retries server/discover with a supported version or initializes a legacy session", async () => {
  const tells = (supported: readonly string[]) => (request: Seen) =>
    request.body.id === 1
      ? failure(request, -32022, { supported }, 400)
      : result(request, DISCOVERED);
  const newest = modern({ "server/discover": tells(["2026-07-28"]) });
  await using first = client(newest);
  await first.connect();
  assertEquals(asked(newest), ["server/discover", "server/discover"]);

  const both = older({ "server/discover": tells(["2025-11-25"]) });
  await using second = client(both);
  await second.connect();
  assertEquals(second.server?.protocolVersion, "2025-11-25");
});

Deno.test("connect() tries HTTP+SSE last", async () => {
  for (const status of [400, 404, 405]) {
    const server = eventServer(() => new Response(null, { status }));
    await using connected = client(server);
    await connected.connect();
    assertEquals(connected.server?.protocolVersion, "2024-11-05");
    assertEquals((await connected.listTools()).length, 1);
  }
});

Deno.test("SseTransport tries HTTP+SSE first and falls back to Streamable HTTP", async () => {
  const old = eventServer(() => new Response(null, { status: 404 }));
  await using first = sseClient(old);
  await first.connect();
  assertEquals([first.server?.protocolVersion, asked(old)[0]], ["2024-11-05", "GET"]);

  for (const status of [400, 404, 405]) {
    const server = older({ GET: () => new Response(null, { status }) });
    await using connected = sseClient(server);
    await connected.connect();
    assertEquals(connected.server?.protocolVersion, "2025-11-25");
  }
  // Four responses that are not a valid HTTP+SSE stream: no `endpoint` event, no data, an immediate
  // end, and an HTML page.
  const streams: ((request: Seen) => Response)[] = [
    (request) => eventStream(request, { jsonrpc: "2.0", method: "notifications/message" }),
    (request) => events(request).response,
    (request) => eventStream(request),
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  ];
  for (const GET of streams) {
    await using connected = sseClient(modern({ GET }), { probeTimeoutMs: 1 });
    await connected.connect();
    assertEquals(connected.server?.protocolVersion, "2026-07-28");
  }
});

Deno.test("connect() rejects immediately if an error does not indicate the server's era", async () => {
  const cases: [(request: Seen) => Response | Promise<Response>, McpErrorCodeType, number?][] = [
    [() => new Response(null, { status: 500 }), "connection_failed", 500],
    [() => new Response(null, { status: 503 }), "connection_failed", 503],
    [() => new Response(null, { status: 429 }), "connection_failed", 429],
    [() => new Response(null, { status: 401 }), "auth_error", 401],
    [() => new Response(null, { status: 403 }), "auth_error", 403],
    [() => Promise.reject(new TypeError("refused")), "connection_failed"],
    [({ signal }) => aborted(signal), "connection_failed"],
  ];
  for (const [answer, code, status] of cases) {
    const server = older({ "server/discover": answer });
    const waiting = client(server, { connectTimeoutMs: 20 });
    const error = await assertRejects(() => waiting.connect(), McpError);
    assertEquals([error.code, error.httpStatus, asked(server).length], [code, status, 1]);
    assertEquals(waiting.connected, false);
    await waiting.disconnect();
  }
});

Deno.test("connect() tries only the era that the protocol option selects", async () => {
  const server = older();
  await using pinned = client(server, { protocol: "2025-06-18" });
  await pinned.connect();
  assertEquals(server.seen[0]?.body.params?.protocolVersion, "2025-06-18");
  assertEquals(asked(server)[0], "initialize");

  const modernOnly = client(older(), { protocol: "modern" });
  await assertRejects(() => modernOnly.connect(), McpError);
});

Deno.test("connect() rejects with connection_failed if the URL is not an MCP server", async () => {
  const nobody = client(web(() => new Response("Not Found", { status: 404 })));
  const error = await assertRejects(() => nobody.connect(), McpError);
  assertEquals(error.code, "connection_failed");
  assertEquals(
    error.message,
    `Cannot connect to "${URL_}": the server returned HTTP status 404; tried POST "server/discover", ` +
      'POST "initialize", GET for an event stream; check that the URL is an MCP endpoint',
  );
  const page = () => new Response("<html>", { headers: { "content-type": "text/html" } });
  for (const protocol of ["auto", "legacy"] as const) {
    const reader = client(web(page), { protocol });
    const { code, message, httpStatus } = await assertRejects(() => reader.connect(), McpError);
    assertEquals([code, httpStatus], ["connection_failed", 200]);
    const tried = protocol === "auto"
      ? 'POST "server/discover", POST "initialize"'
      : 'POST "initialize"';
    assertEquals(
      message,
      `Cannot connect to "${URL_}": unsupported Content-Type "text/html"; tried ${tried}; check that the URL is an MCP endpoint`,
    );
  }
});

Deno.test("connect() rejects with an error without the query of the URL, which can be an API key", async () => {
  const url = "http://127.0.0.1/mcp?key=s3cret#s3cret";
  const failing = () => {
    throw new TypeError(`error sending request for url (${url})`);
  };
  for (const answer of [failing, () => new Response("", { status: 404 })]) {
    const { fetch } = web(answer);
    const transport = new HttpTransport(url, { fetch });
    const unable = new McpClient({ transport });
    const { message, details } = await assertRejects(() => unable.connect(), McpError);
    assert(message.startsWith(`Cannot connect to "${URL_}": `), message);
    assert(!`${message}${JSON.stringify(details)}`.includes("s3cret"), message);
  }
});

Deno.test("an HTTP transport rejects a URL with a user name or a password, and does not print it", () => {
  for (const user of ["ann:s3cret", "s3cret", ":s3cret"]) {
    for (const Transport of [HttpTransport, SseTransport]) {
      const { message } = assertThrows(
        () => new Transport(`http://${user}@127.0.0.1/mcp`),
        TypeError,
        '"url" must not contain a user name or a password',
      );
      assert(!message.includes("s3cret"), message);
    }
  }
});

Deno.test("connect() rejects with the abort reason during every request", async () => {
  for (const method of ["server/discover", "initialize", "notifications/initialized"]) {
    const reached = Promise.withResolvers<void>();
    const server = older({
      [method]: (request) => {
        reached.resolve();
        return aborted(request.signal);
      },
    });
    const controller = new AbortController();
    const waiting = client(server);
    const connecting = waiting.connect({ signal: controller.signal });
    const reason = new Error("enough");
    await reached.promise;
    controller.abort(reason);
    const error = await assertRejects(() => connecting);
    assertEquals([error, waiting.connected], [reason, false]);
    await waiting.disconnect();
  }
});

Deno.test("disconnect() aborts requests in flight", async () => {
  const called = Promise.withResolvers<void>();
  const server = modern({
    "tools/call": (request) => {
      called.resolve();
      return aborted(request.signal);
    },
  });
  const connected = client(server);
  await connected.connect();
  const call = assertRejects(() => connected.callTool("t", {}), McpError);
  await called.promise;
  await connected.disconnect();
  assertEquals((await call).code, "transport_error");
  assert(server.seen.at(-1)?.signal.aborted);
});

Deno.test("HttpTransport sends custom headers, and protocol headers take precedence", async () => {
  const server = modern();
  const headers = { "x-api-key": "k", "mcp-method": "mine" };
  const transport = new HttpTransport(URL_, { fetch: server.fetch, headers });
  await using connected = new McpClient({ transport });
  await connected.connect();
  const [first] = server.seen;
  assertEquals(first?.headers.get("x-api-key"), "k");
  assertEquals(first?.headers.get("mcp-method"), "server/discover");
});

for (const [era, serve] of Object.entries({ modern, older })) {
  Deno.test(`callTool() pauses its timeout while fetch waits for a login (${era})`, async () => {
    const login = Promise.withResolvers<void>();
    const server = serve({
      "tools/list": async (request) => {
        await login.promise;
        return result(request, { tools: [] });
      },
    });
    const transport = new HttpTransport(URL_, {
      fetch: (url, init) => {
        init.pauseTimeout?.(login.promise);
        return server.fetch(url, init);
      },
    });
    using time = new FakeTime();
    await using connected = new McpClient({ transport });
    await connected.connect();
    const listed = connected.listTools({ timeoutMs: 1, maxTotalMs: 1, maxInputMs: 10_000 });
    await time.tickAsync(1000);
    login.resolve();
    assertEquals(await listed, []);
  });
}

Deno.test("connect() pauses the timeout of the initialized notification while fetch waits for a login", async () => {
  const login = Promise.withResolvers<void>();
  const server = older({});
  const transport = new HttpTransport(URL_, {
    fetch: async (url, init) => {
      if (String(init.body).includes("notifications/initialized")) {
        init.pauseTimeout?.(login.promise);
        await login.promise;
      }
      return await server.fetch(url, init);
    },
  });
  using time = new FakeTime();
  await using connected = new McpClient({ transport, connectTimeoutMs: 10 });
  const connecting = connected.connect();
  await time.tickAsync(1000);
  login.resolve();
  await connecting;
});

Deno.test("connect() pauses the probe timeout while fetch waits for a login", async () => {
  using time = new FakeTime();
  const login = Promise.withResolvers<void>();
  const server = web(async (request) => {
    if (request.method === "POST") return new Response(null, { status: 404 });
    await login.promise;
    return new Response("event: endpoint\ndata: https://evil.example\n\n", {
      headers: { "content-type": "text/event-stream" },
    });
  });
  const transport = new SseTransport(URL_, {
    fetch: (url, init) => {
      init.pauseTimeout?.(login.promise);
      return server.fetch(url, init);
    },
  });
  const client = new McpClient({ transport, probeTimeoutMs: 10 });
  const seen = assertRejects(() => client.connect(), McpError, "https://evil.example");
  await time.tickAsync(1000);
  login.resolve();
  await seen;
});

/** A server that redirects every request. */
function moved(location: string, status = 307): Web {
  const there = modern({ "tools/list": (request) => result(request, { tools: [] }) });
  return web((request) =>
    request.url === URL_
      ? new Response(null, { status, headers: { location } })
      : there.fetch(request.url, { method: "POST", body: JSON.stringify(request.body) })
  );
}

Deno.test("HttpTransport follows redirects within the same origin", async () => {
  for (const location of ["/mcp/", "http://127.0.0.1/other", "?x=1"]) {
    await using connected = client(moved(location, 308));
    await connected.connect();
    assertEquals(await connected.listTools(), []);
  }
});

Deno.test("HttpTransport rejects redirects to another origin without sending a request there", async () => {
  for (const location of ["https://127.0.0.1/mcp", "http://127.0.0.1:8080/mcp", "//example.com"]) {
    const server = moved(location);
    const error = await assertRejects(() => client(server).connect(), McpError);
    assertEquals(error.code, "connection_failed");
    assert(server.seen.every(({ url }) => url === URL_));
  }
});

Deno.test("HttpTransport rejects endless redirects and redirects that change POST to GET", async () => {
  const server = web((request) =>
    new Response(null, { status: 307, headers: { location: `${request.url}x` } })
  );
  const error = await assertRejects(() => client(server).connect(), McpError);
  assert(error.message.endsWith("too many redirects"));
  assertEquals(server.seen.length, 5);
  const other = await assertRejects(() => client(moved("/x", 302)).connect(), McpError);
  assertEquals([other.code, other.httpStatus], ["connection_failed", 302]);
});

Deno.test("HttpTransport lets fetch follow the redirect if the browser returns an opaque redirect response", async () => {
  const server = modern({ "tools/list": (request) => result(request, { tools: [] }) });
  const opaque = Object.defineProperty(new Response(), "type", { value: "opaqueredirect" });
  const transport = new HttpTransport(URL_, {
    fetch: (url, init) =>
      init.redirect === "manual" ? Promise.resolve(opaque) : server.fetch(url, init),
  });
  await using connected = new McpClient({ transport });
  await connected.connect();
  assertEquals(await connected.listTools(), []);
});
