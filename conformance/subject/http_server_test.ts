import { assertEquals } from "@std/assert";
import { listenHttp } from "../platform/http.ts";
import { HttpServer } from "./http_server.ts";
import { NO_ANSWER, RpcConnection } from "./rpc_connection.ts";
import { Trace } from "./trace.ts";
import { waitFor } from "./wait_for.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

Deno.test("HttpServer resumes an event stream that ends before the response", async () => {
  const seen: string[] = [];
  const listener = await listenHttp(({ method, headers }, reply) => {
    const last = headers["last-event-id"];
    seen.push(`${method} ${last}`);
    reply.head(200, { "content-type": "text/event-stream" });
    if (last === "b") reply.write('id: c\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    else reply.write(`retry: 1\nid: ${last === "a" ? "b" : "a"}\ndata: \n\n`);
    reply.end();
    return Promise.resolve();
  });
  const server = new HttpServer(`http://127.0.0.1:${listener.port}/mcp`);
  try {
    const peer = new RpcConnection(server, new Trace());
    server.attach(peer);
    assertEquals(await peer.request(PING), { jsonrpc: "2.0", id: 1, result: {} });
    assertEquals(seen, ["POST undefined", "GET a", "GET b"]);
  } finally {
    await server.close();
    await listener.close();
  }
});

Deno.test("HttpServer ends the wait for a response if the resumed event stream does not contain it", async () => {
  for (const isRefused of [true, false]) {
    let requests = 0;
    const listener = await listenHttp((_, reply) => {
      const isStream = ++requests === 1 || !isRefused;
      reply.head(isStream ? 200 : 405, isStream ? { "content-type": "text/event-stream" } : {});
      if (isStream) reply.write(`retry: 1\nid: ${requests}\ndata: \n\n`);
      reply.end();
      return Promise.resolve();
    });
    const server = new HttpServer(`http://127.0.0.1:${listener.port}/mcp`);
    try {
      const peer = new RpcConnection(server, new Trace());
      server.attach(peer);
      assertEquals(await peer.request(PING), NO_ANSWER);
      // The POST request, and one or at most ten GET requests.
      assertEquals(requests, isRefused ? 2 : 11);
      const stream = "an event stream with the status 200 that does not contain the response";
      assertEquals(peer.describeSilence(), `no response, but ${stream}`);
    } finally {
      await server.close();
      await listener.close();
    }
  }
});

Deno.test("close() does not wait for a request whose abort has no effect", async () => {
  const { fetch } = globalThis;
  const server = new HttpServer("http://127.0.0.1:1/mcp");
  server.attach(new RpcConnection(server, new Trace()));
  globalThis.fetch = () => new Promise(() => {});
  try {
    server.send(PING);
    assertEquals(await waitFor(server.close().then(() => "closed"), 10_000), "closed");
  } finally {
    globalThis.fetch = fetch;
  }
});
