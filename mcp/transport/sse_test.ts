import { assert, assertEquals, assertRejects } from "@std/assert";
import { McpClient, SseTransport } from "../client.ts";
import { McpError } from "../shared/error.ts";
import { httpEndpoint } from "./http_request.ts";
import { openSsePipe } from "./sse.ts";
import { type Events, events, INITIALIZED, type Seen, type Web, web } from "../testdata/web.ts";

const URL_ = "http://127.0.0.1/sse";

interface Server extends Web {
  /** The most recent event stream. */
  stream(): Events;
}

/** A server that supports only HTTP+SSE (2024-11-05). */
function server(
  address: string,
  answer: (request: Seen, stream: Events) => Response | void = () => {},
): Server {
  let stream: Events;
  const { fetch, seen } = web((request) => {
    if (request.method === "GET") {
      stream = events(request);
      stream.send(": hello\n\n");
      stream.send(`event: endpoint\ndata: ${address}\n\n`);
      return stream.response;
    }
    const { id, method } = request.body;
    if (method === "initialize") {
      const result = { ...INITIALIZED, protocolVersion: "2024-11-05" };
      stream.message({ jsonrpc: "2.0", id, result });
    }
    const response = method === "tools/call" ? answer(request, stream) : undefined;
    return response ?? new Response("Accepted", { status: 202 });
  });
  return { fetch, seen, stream: () => stream };
}

async function connect({ fetch }: Web): Promise<McpClient> {
  const transport = new SseTransport(URL_, { fetch, headers: { "x-api-key": "k" } });
  const client = new McpClient({ transport, protocol: "legacy" });
  await client.connect();
  return client;
}

Deno.test("McpClient sends to the URL from the endpoint event and receives on the event stream", async () => {
  for (
    const address of [
      "/messages?sessionId=1",
      "messages?sessionId=1",
      `${URL_}/../messages?sessionId=1`,
    ]
  ) {
    const old = server(address, ({ body }, stream) => {
      stream.message({ jsonrpc: "2.0", id: body.id, result: { content: [] } });
    });
    const client = await connect(old);
    assertEquals(await client.callTool("t", {}), { content: [] });
    const [opened, ...posted] = old.seen;
    assertEquals([opened?.url, opened?.headers.get("accept")], [URL_, "text/event-stream"]);
    for (const { url, headers } of posted) {
      assertEquals(url, "http://127.0.0.1/messages?sessionId=1");
      assertEquals(headers.get("x-api-key"), "k");
    }
    assertEquals(posted.at(-1)?.headers.get("mcp-protocol-version"), "2024-11-05");
    await client.disconnect();
    assert(opened?.signal.aborted);
  }
});

Deno.test("McpClient rejects an endpoint event with another origin", async () => {
  for (
    const address of ["https://127.0.0.1/messages", "//example.com/messages", "http://[", "data:,"]
  ) {
    const old = server(address);
    await assertRejects(() => connect(old), McpError);
    assert(old.seen.every(({ url }) => url === URL_));
  }
});

Deno.test("callTool() rejects if the server rejects the POST request", async () => {
  const client = await connect(server("/m", () => new Response("no", { status: 404 })));
  const error = await assertRejects(() => client.callTool("t", {}), McpError);
  assertEquals([error.code, error.httpStatus], ["transport_error", 404]);
  assert(client.connected);
  await client.disconnect();
});

Deno.test("McpClient can reconnect after the event stream was lost", async () => {
  for (const finish of ["end", "lose"] as const) {
    const old = server("/m", (_request, stream) => stream[finish]());
    const client = await connect(old);
    const error = await assertRejects(() => client.callTool("t", {}), McpError);
    assertEquals([error.code, client.connected], ["transport_error", false]);
    await client.connect();
    assert(client.connected);
    await client.disconnect();
  }
});

Deno.test("disconnect() closes the event stream and rejects requests in flight", async () => {
  const called = Promise.withResolvers<void>();
  const old = server("/m", () => called.resolve());
  const client = await connect(old);
  const call = assertRejects(() => client.callTool("t", {}), McpError);
  await called.promise;
  await client.disconnect();
  assertEquals((await call).code, "transport_error");
});

/**
 * A `fetch` whose event streams never end, even if the request is aborted or the stream is
 * cancelled, as in some workers.
 */
function endless(text: string): typeof fetch {
  return (_input, init) => {
    if (init?.method !== "GET") return Promise.resolve(new Response(null, { status: 404 }));
    const chunks = [new TextEncoder().encode(text)];
    const reader = {
      read: () => {
        const value = chunks.shift();
        return value === undefined
          ? new Promise(() => {})
          : Promise.resolve({ done: false, value });
      },
      cancel: () => new Promise(() => {}),
    };
    const response = new Response(null, { headers: { "content-type": "text/event-stream" } });
    return Promise.resolve(Object.defineProperty(response, "body", {
      value: { getReader: () => reader },
    }));
  };
}

Deno.test("connect() ends after probeTimeoutMs if the platform does not abort the event stream", async () => {
  const transport = new SseTransport(URL_, { fetch: endless(": hello\n\n") });
  const client = new McpClient({ transport, protocol: "legacy", probeTimeoutMs: 20 });
  await assertRejects(() => client.connect(), McpError, "did not start within 20 ms");
});

Deno.test("disconnect() ends if the platform does not abort the event stream", async () => {
  const { fetch, seen } = web(() => new Response("Accepted", { status: 202 }));
  const pipe = await openSsePipe(
    httpEndpoint(URL_, "sse", {
      fetch: async (input, init) =>
        init?.method === "GET"
          ? await endless("event: endpoint\ndata: /messages\n\n")(input, init)
          : await fetch(input, init),
    }),
    { signal: new AbortController().signal },
  );
  await pipe.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await pipe.close();
  assertEquals(seen.length, 1);
});
