import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  HttpTransport,
  type HttpTransportOptions,
  McpClient,
  type McpClientConfig,
} from "../client.ts";
import type { RpcNotification } from "../jsonrpc/message.ts";
import { mcpHandler, McpServer } from "../server.ts";

const VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

interface Pair {
  readonly server: McpServer;
  readonly client: McpClient;
  /** Outcomes of the calls to the `wait` tool. */
  readonly waits: Promise<unknown>[];
  close(): Promise<void>;
}

/** Starts a server on the loopback interface and connects a client. */
async function connect(
  protocol: typeof VERSIONS[number],
  config: Partial<McpClientConfig> = {},
  options: HttpTransportOptions = {},
): Promise<Pair> {
  const server = new McpServer({ name: "s", version: "1" });
  const waits: Promise<unknown>[] = [];
  server.registerTool({ name: "count", description: "" }, async (_args, { progress, log }) => {
    for (const done of [1, 2]) await progress(done, { total: 2 });
    await log("info", "counted");
    return "2";
  });
  server.registerTool({ name: "ask", description: "" }, async (_args, context) => {
    const { action, content } = await context.ask("q", {
      method: "elicitation/create",
      params: {
        message: "Who?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      },
    });
    return `${action} ${content?.name}`;
  });
  server.registerTool({ name: "wait", description: "" }, async (_args, { signal, progress }) => {
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    waits.push(aborted);
    await progress(1);
    await aborted;
    return "";
  });
  const schema = {
    type: "object",
    properties: { where: { type: "string", "x-mcp-header": "Where" } },
  } as const;
  server.registerTool(
    { name: "go", description: "", inputSchema: schema },
    ({ where }: { where: string }) => where,
  );
  const handler = mcpHandler(server);
  const listener = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    return handler(request);
  });
  const transport = new HttpTransport(`http://127.0.0.1:${listener.addr.port}/mcp`, options);
  const client = new McpClient({ transport, protocol, ...config });
  await client.connect();
  return {
    server,
    client,
    waits,
    close: async () => {
      await client.disconnect();
      await handler.close();
      await listener.shutdown();
    },
  };
}

for (const version of VERSIONS) {
  Deno.test(`McpClient supports calls, progress, input, subscriptions and cancellation over HTTP (${version})`, async () => {
    const received: RpcNotification[] = [];
    const { server, client, waits, close } = await connect(version, {
      handlers: { elicit: () => ({ action: "accept", content: { name: "Ada" } }) },
      onNotification: (notification) => received.push(notification),
    });
    assertEquals(client.server?.protocolVersion, version);
    await client.setLogLevel("info");

    const updates: number[] = [];
    const onProgress = (update: { readonly progress: number }) => updates.push(update.progress);
    const counted = await client.callTool("count", {}, { onProgress });
    assertEquals(counted.content, [{ type: "text", text: "2" }]);
    assertEquals(updates, [1, 2]);
    assertEquals(received.map(({ params }) => params?.data), ["counted"]);

    const asked = await client.callTool("ask", {});
    assertEquals(asked.content, [{ type: "text", text: "accept Ada" }]);

    const went = await client.callTool("go", { where: "Zürich" });
    assertEquals(went.content, [{ type: "text", text: "Zürich" }]);

    const changes = await client.listen({ toolsListChanged: true });
    server.removeTool("count");
    for await (const { method } of changes) {
      assertEquals(method, "notifications/tools/list_changed");
      break;
    }
    await changes.close();

    const controller = new AbortController();
    const reason = new Error("enough");
    await assertRejects(
      () =>
        client.callTool("wait", {}, {
          signal: controller.signal,
          onProgress: () => controller.abort(reason),
        }),
      Error,
      "enough",
    );
    await Promise.all(waits);
    assert(client.connected);
    await close();
  });
}

Deno.test("disconnect() does not report that it aborts a response to the server", async () => {
  const errors: unknown[] = [];
  const config: Partial<McpClientConfig> = {
    handlers: { elicit: () => ({ action: "accept", content: { name: "Ada" } }) },
    onError: (error) => void errors.push(error),
  };
  // The server accepts the response of the client, but the HTTP response arrives only after the
  // disconnection.
  const { client, close } = await connect("2025-11-25", config, {
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const isResponse = (await request.clone().text()).includes('"action"');
      const response = await fetch(request);
      if (!isResponse) return response;
      await response.body?.cancel();
      return await new Promise((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason))
      );
    },
  });
  const { content } = await client.callTool("ask", {});
  assertEquals(content, [{ type: "text", text: "accept Ada" }]);
  await close();
  assertEquals(errors, []);
});
