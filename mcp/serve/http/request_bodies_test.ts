import { assert, assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { mcpHandler } from "../../server.ts";
import { McpServer } from "../../server/mcp_server.ts";
import { post } from "../../testdata/http.ts";

Deno.test("mcpHandler() reads a decompressed body only up to maxBodyBytes", async () => {
  const handler = mcpHandler(new McpServer({ name: "s", version: "1" }), { maxBodyBytes: 100_000 });
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 10_000;
      if (sent > 10_000_000) return controller.close();
      controller.enqueue(new Uint8Array(10_000).fill(0x20));
    },
  });
  const headers = {
    "content-type": "application/json",
    "accept": "application/json",
    "content-encoding": "gzip",
    "content-length": "100",
  };
  const url = "http://localhost/mcp";
  const response = await handler(new Request(url, { method: "POST", headers, body }));
  assertEquals(response.status, 413);
  assert(sent < 1_000_000, `${sent} bytes were read`);
  await response.body?.cancel();
  await handler.close();
});

/** A POST request whose body the test sends in parts. */
function openRequest(headers: Record<string, string> = {}) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => void (isCancelled = true),
  });
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  };
  return {
    request: new Request("http://localhost/mcp", init),
    send: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
    isCancelled: () => isCancelled,
  };
}

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

Deno.test("mcpHandler() drops the oldest of too many bodies that are being received", async () => {
  for (const headers of [{}, { "content-length": "100000" }]) {
    const server = new McpServer({ name: "s", version: "1" });
    const handler = mcpHandler(server, { maxBodyBytes: 100_000, sessions: false });
    const bodies = Array.from({ length: 33 }, () => openRequest(headers));
    const responses = bodies.map(({ request }) => handler(request));
    for (const { send } of bodies) send(" ".repeat(99_000));
    const first = await responses[0];
    assertEquals([first?.status, first?.headers.get("retry-after")], [503, "1"]);
    await first?.body?.cancel();
    assertEquals(bodies.map(({ isCancelled }) => isCancelled()).indexOf(false), 1);
    // The other bodies, and small bodies, are still received.
    bodies[32]?.send(PING);
    bodies[32]?.end();
    const last = await responses[32];
    assertEquals((await last?.json()).result, {});
    const small = await handler(post(JSON.parse(PING)));
    assertEquals((await small.json()).result, {});
    for (const { send, end } of bodies.slice(1, 32)) {
      send(PING);
      end();
    }
    for (const each of await Promise.all(responses.slice(1, 32))) {
      assertEquals((await each.json()).result, {});
    }
    await handler.close();
  }
});

Deno.test("mcpHandler() rejects a body that is not received within two minutes", async () => {
  using time = new FakeTime();
  const handler = mcpHandler(new McpServer({ name: "s", version: "1" }));
  const { request, send, isCancelled } = openRequest();
  const pending = handler(request);
  send("{");
  await time.tickAsync(0);
  await time.tickAsync(120_000);
  const response = await pending;
  assertEquals([response.status, isCancelled()], [408, true]);
  await response.body?.cancel();
  await handler.close();
});
