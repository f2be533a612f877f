import { assert, assertEquals } from "@std/assert";
import { createServer } from "node:http";
import { toNodeListener } from "../../node.ts";
import { type HttpHandler, mcpHandler, McpServer, type RequestContext } from "../../server.ts";
import { modern } from "../../testdata/http.ts";

/** A running HTTP server. */
interface Running {
  readonly port: number;
  close(): Promise<void>;
}

/** HTTP servers, keyed by name. */
const SERVERS: Readonly<Record<string, (handler: HttpHandler) => Promise<Running>>> = {
  "Deno.serve": (handler) => {
    const http = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => handler(request),
    );
    return Promise.resolve({ port: http.addr.port, close: () => http.shutdown() });
  },
  "toNodeListener()": async (handler) => {
    const http = createServer(toNodeListener(handler));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const address = http.address();
    return {
      port: typeof address === "object" ? address?.port ?? 0 : 0,
      close: async () => {
        http.closeAllConnections();
        await new Promise((resolve) => http.close(resolve));
      },
    };
  },
};

/** Times at which a handler first reads its signal. */
const READS: Readonly<
  Record<string, (context: RequestContext, gone: Promise<void>) => Promise<void>>
> = {
  "before the client disconnects": ({ signal }) => aborted(signal),
  "after the client disconnected": async (context, gone) => {
    await gone;
    await aborted(context.signal);
  },
};

/**
 * Time within which a signal must be aborted, in milliseconds. An implementation that waits one
 * second before it first checks for disconnection exceeds the limit.
 */
const LIMIT_MS = 700;

for (const [name, serve] of Object.entries(SERVERS)) {
  for (const [when, wait] of Object.entries(READS)) {
    Deno.test(`context.signal is aborted immediately if it is read ${when} from ${name}`, async () => {
      const server = new McpServer({ name: "s", version: "1" });
      const started = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      const finished = Promise.withResolvers<void>();
      // Without progress, the server writes nothing that would show that the client has
      // disconnected.
      server.registerTool({ name: "slow", description: "" }, async (_args, context) => {
        started.resolve();
        await wait(context, gone.promise);
        finished.resolve();
      });
      const handler = mcpHandler(server);
      const running = await serve(handler);
      const client = new AbortController();
      const { method, headers } = modern("tools/call", { name: "slow" });
      const called = fetch(`http://127.0.0.1:${running.port}/mcp`, {
        method,
        headers,
        body: await modern("tools/call", { name: "slow" }).text(),
        signal: client.signal,
      });
      const begin = performance.now();
      await started.promise;
      client.abort(new Error("left"));
      assertEquals(await called.catch((error) => error.message), "left");
      gone.resolve();
      await finished.promise;
      assert(performance.now() - begin < LIMIT_MS);
      await handler.close();
      await running.close();
    });
  }
}

Deno.test("context.signal is not aborted after a response", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  let signal: AbortSignal | undefined;
  server.registerTool({ name: "fast", description: "" }, (_args, context) => {
    signal = context.signal;
  });
  const handler = mcpHandler(server);
  const client = new AbortController();
  const request = new Request(modern("tools/call", { name: "fast" }), { signal: client.signal });
  const response = await handler(request);
  await response.body?.cancel();
  client.abort();
  assertEquals(signal?.aborted, false);
  await handler.close();
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
