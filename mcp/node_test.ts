import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { Socket } from "node:net";
import { type NodeListener, toNodeListener } from "./node.ts";
import type { HttpRequest, HttpResponse } from "./shared/http_types.ts";
import { type HttpContext, mcpHandler } from "./server.ts";
import { McpServer } from "./server/mcp_server.ts";
import { addWaitingTool, eventsOf, modern } from "./testdata/http.ts";
import { meta } from "./testdata/pipes.ts";

async function listen(
  server: McpServer,
): Promise<{ http: Server; url: string; close(): Promise<void> }> {
  const handler = mcpHandler(server, { maxBodyBytes: 1000 });
  const http = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    http,
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function send(url: string, request: Request): Promise<Response> {
  const { method, headers } = request;
  return await fetch(url, { method, headers, body: await request.text() });
}

Deno.test("toNodeListener() serves JSON bodies and event streams over node:http", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "steps", description: "" }, async (_args, { progress }) => {
    await progress(1);
    return "done";
  });
  const { url, close } = await listen(server);
  const listed = await send(url, modern("tools/list"));
  assertEquals((await listed.json()).result.tools[0].name, "steps");
  const _meta = meta({}, { progressToken: "t" });
  const called = await send(url, modern("tools/call", { name: "steps", _meta }));
  const events = await Array.fromAsync(eventsOf(called));
  assertEquals(events.map(({ data }) => data?.method ?? data?.id), ["notifications/progress", 1]);
  const tooLong = await send(url, modern("tools/list", { x: "x".repeat(1000) }));
  assertEquals(tooLong.status, 413);
  await tooLong.body?.cancel();
  await close();
});

Deno.test("toNodeListener() passes the principal that middleware has determined", async () => {
  const seen: unknown[] = [];
  const onError = (error: unknown) => seen.push(String(error));
  const server = new McpServer({ name: "s", version: "1", onError });
  server.registerTool(
    { name: "delete", description: "", scopes: ["files:write"] },
    (_args, { principal }) => principal?.subject,
  );
  const principal = ({ headers }: IncomingMessage) => {
    if (headers["x-api-key"] === "bug") throw new Error("the key store is down");
    const scopes = headers["x-api-key"] === "writer" ? ["files:write"] : [];
    return headers["x-api-key"] === undefined ? undefined : { subject: "ann", scopes };
  };
  const handler = mcpHandler(server);
  const viaRequests = (request: Request, context?: HttpContext) => handler(request, context);
  for (const served of [handler, viaRequests]) {
    const http = createServer(toNodeListener(served, { principal, onError }));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const address = http.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`;
    const statuses: number[] = [];
    for (const key of ["writer", "reader", "bug", undefined]) {
      const request = modern("tools/call", { name: "delete" });
      if (key !== undefined) request.headers.set("x-api-key", key);
      const response = await send(url, request);
      statuses.push(response.status);
      const text = await response.text();
      if (key === "writer") assertEquals(JSON.parse(text).result.content[0].text, "ann");
    }
    assertEquals(statuses, [200, 403, 500, 401]);
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
  assertEquals(seen, Array(2).fill("Error: the key store is down"));
  await handler.close();
  assertThrows(
    () => toNodeListener(handler, { principal: "ann" as never }),
    TypeError,
    "principal",
  );
});

Deno.test("toNodeListener() rejects a request whose principal is a promise and reports its rejection", async () => {
  const seen: string[] = [];
  const onError = (error: unknown) => seen.push(String(error));
  const calls: unknown[] = [];
  const served = () => {
    calls.push("called");
    return Promise.resolve(new Response());
  };
  // The types do not permit a promise, but programs in JavaScript can return one.
  const principal = () => Promise.reject(new Error("the session has ended")) as never;
  const http = createServer(toNodeListener(served, { principal, onError }));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`;
  const response = await send(url, modern("tools/list"));
  assertEquals(response.status, 500);
  await response.body?.cancel();
  assertEquals(calls, []);
  assertEquals(seen.length, 2);
  assertMatch(seen.join(), /"principal" must be .* got an instance of Promise/);
  assertMatch(seen.join(), /the session has ended/);
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

Deno.test("toNodeListener() without the principal option leads to a report of a tool with scopes", async () => {
  const reported: unknown[] = [];
  const onError = (error: unknown) => reported.push(String(error));
  const server = new McpServer({ name: "s", version: "1", onError });
  server.registerTool({ name: "delete", description: "", scopes: ["files:write"] }, () => "done");
  const { url, close } = await listen(server);
  for (const _call of [1, 2]) {
    const response = await send(url, modern("tools/call", { name: "delete" }));
    assertEquals(response.status, 401);
    await response.body?.cancel();
  }
  assertEquals(reported.length, 1);
  assertMatch(String(reported[0]), /"delete".*"principal" option of toNodeListener\(\)/);
  await close();
});

Deno.test("toNodeListener() cancels the request if the client disconnects", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const cancelled = addWaitingTool(server);
  const { url, close } = await listen(server);
  const _meta = meta({}, { progressToken: "t" });
  const events = eventsOf(await send(url, modern("tools/call", { name: "wait", _meta })));
  await events.next();
  await events.return(undefined);
  assertEquals((await cancelled) instanceof DOMException, true);
  await close();
});

Deno.test("toNodeListener() reports an incomplete body if the client disconnects before the body is read", async () => {
  const read = new Promise<unknown>((resolve) => {
    const respond = async (request: HttpRequest): Promise<HttpResponse> => {
      await new Promise<void>((gone) => {
        request.signal.addEventListener("abort", () => gone(), { once: true });
        client.destroy();
      });
      resolve(await request.arrayBuffer().catch((error) => error.message));
      return { status: 200, headers: {}, body: null };
    };
    const http = createServer(toNodeListener(Object.assign(() => Promise.reject(), { respond })));
    http.listen(0, "127.0.0.1", () => {
      const address = http.address();
      client.connect(typeof address === "object" ? address?.port ?? 0 : 0, "127.0.0.1");
    });
    const client = new Socket();
    client.on(
      "connect",
      () => client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n1"),
    );
    client.on("close", () => http.close());
  });
  assertEquals(await read, "Request body ended unexpectedly");
});

Deno.test("toNodeListener() aborts the request signal even if the signal is first read after the client disconnects", async () => {
  const client = new Socket();
  let close = (): void => {};
  const gone = new Promise<void>((resolve) => close = resolve);
  const isAborted = await new Promise<boolean>((resolve) => {
    const respond = async (request: HttpRequest): Promise<HttpResponse> => {
      client.destroy();
      await gone;
      resolve(request.signal.aborted);
      return { status: 200, headers: {}, body: null };
    };
    const listener = toNodeListener(Object.assign(() => Promise.reject(), { respond }));
    const http = createServer((incoming, outgoing) => {
      const answered = listener(incoming, outgoing);
      // This listener runs after the `close` listener registered by `toNodeListener()`.
      outgoing.once("close", close);
      return answered;
    });
    client.on("connect", () => client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
    client.on("close", () => http.close());
    http.listen(0, "127.0.0.1", () => {
      const address = http.address();
      client.connect(typeof address === "object" ? address?.port ?? 0 : 0, "127.0.0.1");
    });
  });
  assertEquals(isAborted, true);
});

Deno.test("toNodeListener() cancels the stream if the client disconnects before the first byte", async () => {
  const cancelled = await new Promise<boolean>((resolve) => {
    const respond = async (request: HttpRequest): Promise<HttpResponse> => {
      await new Promise<void>((gone) => {
        request.signal.addEventListener("abort", () => gone(), { once: true });
        client.destroy();
      });
      const body = new ReadableStream<Uint8Array>({ cancel: () => resolve(true) });
      return { status: 200, headers: {}, body };
    };
    const listener = toNodeListener(Object.assign(() => Promise.reject(), { respond }));
    const http = createServer((incoming, outgoing) => {
      incoming.resume();
      listener(incoming, outgoing).then(() => resolve(false));
    });
    http.listen(0, "127.0.0.1", () => {
      const address = http.address();
      client.connect(typeof address === "object" ? address?.port ?? 0 : 0, "127.0.0.1");
    });
    const client = new Socket();
    client.on("connect", () => client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
    client.on("close", () => http.close());
  });
  assertEquals(cancelled, true);
});

Deno.test("toNodeListener() sends each Set-Cookie header, with and without a body", async () => {
  for (const body of ["text", null]) {
    const listener = toNodeListener(() => {
      const response = new Response(body, { headers: { "x-one": "1" } });
      response.headers.append("set-cookie", "a=1; Path=/");
      response.headers.append("set-cookie", "b=2, 3");
      return Promise.resolve(response);
    });
    const http = createServer(listener);
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const address = http.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const response = await fetch(`http://127.0.0.1:${port}/`);
    assertEquals(response.headers.getSetCookie(), ["a=1; Path=/", "b=2, 3"]);
    assertEquals([response.headers.get("x-one"), await response.text()], ["1", body ?? ""]);
    await new Promise((resolve) => http.close(resolve));
  }
});

/** Serves a listener while the test uses it. */
async function withHttp(
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
  use: (url: string, port: number) => Promise<void>,
): Promise<void> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port ?? 0 : 0;
  try {
    await use(`http://127.0.0.1:${port}/mcp`, port);
  } finally {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

function echoServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "echo", description: "" }, ({ text }) => `${text}`);
  return server;
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  return text;
}

const ECHO = { name: "echo", arguments: { text: "é" } };
const ECHOED = { content: [{ type: "text", text: "é" }] };

async function callEcho(url: string): Promise<unknown> {
  const response = await send(url, modern("tools/call", ECHO));
  const { result: { content } } = await response.json();
  return { content };
}

/** Ways for middleware to pass on a body that it has already read. */
const READ_BODIES: Readonly<
  Record<
    string,
    (listener: NodeListener, read: Parameters<NodeListener>, text: string) => Promise<void>
  >
> = {
  "parsed body already stored in incoming.body, as by express.json()": (
    listener,
    [incoming, outgoing],
    text,
  ) => listener(Object.assign(incoming, { body: JSON.parse(text) }), outgoing, () => {}),
  "body text already stored in incoming.body, as by express.text()": (
    listener,
    [incoming, outgoing],
    text,
  ) => listener(Object.assign(incoming, { body: text }), outgoing, () => {}),
  "body bytes already stored in incoming.body, as by express.raw()": (
    listener,
    [incoming, outgoing],
    text,
  ) => listener(Object.assign(incoming, { body: new TextEncoder().encode(text) }), outgoing),
  "parsed body passed as the third argument, as with Fastify": (
    listener,
    [incoming, outgoing],
    text,
  ) => listener(incoming, outgoing, JSON.parse(text)),
};

for (const [title, passOn] of Object.entries(READ_BODIES)) {
  Deno.test(`toNodeListener() accepts ${title}`, async () => {
    const handler = mcpHandler(echoServer());
    // The second handler has no `respond`, so the listener creates a `Request`.
    for (const each of [handler, (request: Request) => handler(request)]) {
      const listener = toNodeListener(each);
      await withHttp(async (incoming, outgoing) => {
        await passOn(listener, [incoming, outgoing], await readAll(incoming));
      }, async (url) => {
        assertEquals(await callEcho(url), ECHOED);
        assertEquals(await callEcho(url), ECHOED);
      });
    }
    await handler.close();
  });
}

Deno.test("toNodeListener() accepts a large body whose encoding was set, of known and of unknown length", async () => {
  const handler = mcpHandler(echoServer());
  const listener = toNodeListener(handler);
  await withHttp((incoming, outgoing) => {
    incoming.setEncoding("latin1");
    return listener(incoming, outgoing);
  }, async (url) => {
    const text = "é".repeat(300_000);
    const request = modern("tools/call", { name: "echo", arguments: { text } });
    const bytes = await request.bytes();
    for (const body of [bytes, new Blob([bytes]).stream()]) {
      const response = await fetch(url, { method: "POST", headers: request.headers, body });
      const { result } = await response.json();
      assertEquals(result?.content, [{ type: "text", text }]);
    }
  });
  await handler.close();
});

Deno.test("toNodeListener() rejects a body that is not UTF-8, also if it was already read", async () => {
  const handler = mcpHandler(echoServer());
  const listener = toNodeListener(handler);
  const request = modern("tools/call", { name: "echo", arguments: { text: "caf\u00e9" } });
  const text = await request.text();
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  for (const isRead of [false, true]) {
    await withHttp(async (incoming, outgoing) => {
      if (!isRead) return await listener(incoming, outgoing);
      await readAll(incoming);
      await listener(incoming, outgoing, bytes);
    }, async (url) => {
      for (const body of [bytes, new Blob([bytes]).stream()]) {
        const response = await fetch(url, { method: "POST", headers: request.headers, body });
        assertEquals([response.status, (await response.json()).error.code], [400, -32700]);
      }
    });
  }
  await handler.close();
});

Deno.test("toNodeListener() limits a parsed body by its serialized length", async () => {
  const handler = mcpHandler(echoServer(), { maxBodyBytes: 1000 });
  const listener = toNodeListener(handler);
  await withHttp(async (incoming, outgoing) => {
    await readAll(incoming);
    await listener(incoming, outgoing, { text: "x".repeat(1000) });
  }, async (url) => {
    const response = await send(url, modern("tools/list"));
    assertEquals(response.status, 413);
    await response.body?.cancel();
  });
  await handler.close();
});

Deno.test("toNodeListener() responds with HTTP 500 and reports if the body was already read", async () => {
  const reported: unknown[] = [];
  const handler = mcpHandler(echoServer());
  const listener = toNodeListener(handler, { onError: (error) => reported.push(error) });
  await withHttp(async (incoming, outgoing) => {
    await readAll(incoming);
    await listener(incoming, outgoing);
  }, async (url) => {
    for (let n = 0; n < 2; n++) {
      const response = await send(url, modern("tools/list"));
      assertEquals(response.status, 500);
      const { error } = await response.json();
      assertMatch(
        error.message,
        /^the request body was already read, for example by express\.json\(\)/,
      );
    }
  });
  assertEquals(reported.length, 2);
  assertMatch(`${reported[0]}`, /Cannot handle the request: the request body was already read/);
  await handler.close();
});

Deno.test("toNodeListener() responds with HTTP 500 and reports if the handler throws", async () => {
  const bug = new TypeError("bug in the handler");
  const handlers = {
    rejects: () => Promise.reject(bug),
    throws: () => {
      throw bug;
    },
  };
  for (const handler of Object.values(handlers)) {
    for (const each of [handler, Object.assign(() => handler(), { respond: handler })]) {
      const reported: unknown[] = [];
      await withHttp(
        toNodeListener(each, { onError: (error) => reported.push(error) }),
        async (url) => {
          const response = await fetch(url, { method: "POST", body: "{}" });
          assertEquals(response.status, 500);
          assertEquals((await response.json()).error, { code: -32603, message: "Internal error" });
        },
      );
      assertEquals(reported, [bug]);
    }
  }
});

Deno.test("toNodeListener() closes the connection if the response body fails", async () => {
  const bug = new Error("bug in the body");
  const reported: unknown[] = [];
  const respond = () => {
    let pulls = 0;
    const pull = (body: ReadableStreamDefaultController<Uint8Array>) => {
      if (pulls++ > 0) throw bug;
      body.enqueue(new TextEncoder().encode("incomplete"));
    };
    return Promise.resolve(new Response(new ReadableStream({ pull }, { highWaterMark: 0 })));
  };
  await withHttp(
    toNodeListener(respond, { onError: (error) => reported.push(error) }),
    async (url) => {
      await assertRejects(async () => await (await fetch(url)).text());
    },
  );
  assertEquals(reported, [bug]);
});

Deno.test("toNodeListener() serves the next request if onError throws", async () => {
  const print = console.error;
  console.error = () => {};
  try {
    const onError = () => {
      throw new Error("bug in onError");
    };
    await withHttp(
      toNodeListener(() => Promise.reject(new Error("bug")), { onError }),
      async (url) => {
        for (let n = 0; n < 2; n++) {
          const response = await fetch(url);
          assertEquals(response.status, 500);
          await response.body?.cancel();
        }
      },
    );
  } finally {
    console.error = print;
  }
});

Deno.test("toNodeListener() throws if the handler is not a function", () => {
  const handler = JSON.parse("{}");
  assertThrows(() => toNodeListener(handler), TypeError, '"handler" must be a function');
});

/** Sends raw bytes and returns the first line of the response. */
function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = new Socket();
    socket.on("connect", () => socket.write(text));
    socket.on("data", (chunk) => received += chunk);
    socket.on("close", () => resolve(received.split("\r\n")[0] ?? ""));
    socket.on("error", reject);
    socket.connect(port, "127.0.0.1");
  });
}

Deno.test("toNodeListener() rejects a request with an invalid URL with HTTP 400", async () => {
  const listener = toNodeListener(() => Promise.resolve(new Response()));
  await withHttp(listener, async (_url, port) => {
    const request = "GET http://[ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assertEquals(await sendRaw(port, request), "HTTP/1.1 400 Bad Request");
  });
});

Deno.test("toNodeListener() rejects an HTTP/1.0 request without Host unless any host is allowed", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const length = `content-type: application/json\r\ncontent-length: ${body.length}`;
  const request = `POST / HTTP/1.0\r\n${length}\r\n\r\n${body}`;
  for (const [allowedHosts, status] of [[undefined, 403], ["any", 200]] as const) {
    const options = allowedHosts === undefined ? {} : { allowedHosts };
    const handler = mcpHandler(echoServer(), { sessions: false, ...options });
    await withHttp(toNodeListener(handler), async (_url, port) => {
      assertMatch(await sendRaw(port, request), new RegExp(`^HTTP/1\\.1 ${status} `));
    });
    await handler.close();
  }
});

/** Sends a modern `ping` over HTTP/2 with the given headers, and returns the status. */
async function statusOverHttp2(
  allowedHosts: readonly string[] | undefined,
  headers: Record<string, string>,
): Promise<unknown> {
  const handler = mcpHandler(echoServer(), allowedHosts === undefined ? {} : { allowedHosts });
  const http = createHttp2Server(toNodeListener(handler));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port ?? 0 : 0;
  const client = connectHttp2(`http://127.0.0.1:${port}`);
  try {
    const request = modern("tools/call", ECHO);
    return await new Promise<unknown>((resolve, reject) => {
      const stream = client.request({
        ":method": "POST",
        ":path": "/mcp",
        ...Object.fromEntries(request.headers),
        ...headers,
      });
      let status: unknown;
      let text = "";
      stream.on("response", (received) => status = received[":status"]);
      stream.on("data", (chunk) => text += chunk);
      stream.on("end", () => resolve([status, JSON.parse(text).result?.content ?? "no result"]));
      stream.on("error", reject);
      request.text().then((body) => stream.end(body));
    });
  } finally {
    await new Promise<void>((resolve) => client.close(resolve));
    await handler.close();
    await new Promise((resolve) => http.close(resolve));
  }
}

Deno.test("toNodeListener() checks the :authority of an HTTP/2 request", async () => {
  const ok = [200, ECHOED.content];
  const hosts = ["mcp.example"];
  assertEquals(await statusOverHttp2(undefined, { ":authority": "localhost:8000" }), ok);
  assertEquals(await statusOverHttp2(undefined, { ":authority": "evil.example" }), [
    403,
    "no result",
  ]);
  assertEquals(await statusOverHttp2(hosts, { ":authority": "mcp.example" }), ok);
  assertEquals(await statusOverHttp2(hosts, { ":authority": "localhost" }), [403, "no result"]);
});

Deno.test("toNodeListener() rejects an HTTP/2 request whose Host differs from its :authority", async () => {
  const headers = { ":authority": "evil.example", host: "localhost" };
  assertEquals(await statusOverHttp2(undefined, headers), [400, "no result"]);
});
