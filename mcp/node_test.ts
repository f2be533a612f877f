import { assertEquals } from "@std/assert";
import { createServer, type Server } from "node:http";
import { Socket } from "node:net";
import { toNodeListener } from "./node.ts";
import type { HttpRequest, HttpResponse } from "./shared/http_types.ts";
import { mcpHandler } from "./server.ts";
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
      resolve(await request.text().catch((error) => error.message));
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
