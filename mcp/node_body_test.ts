import { createServer } from "node:http";
import { assertEquals } from "@std/assert";
import { type NodeListener, toNodeListener } from "./node.ts";
import { mcpHandler, McpServer } from "./server.ts";
import { modern } from "./testdata/http.ts";

/** Serves a listener while the test uses it. */
async function withHttp(listener: NodeListener, use: (url: string) => Promise<void>) {
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port ?? 0 : 0;
  try {
    await use(`http://127.0.0.1:${port}/mcp`);
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

Deno.test("toNodeListener() rejects a body that was repaired before it is read", async () => {
  const reported: unknown[] = [];
  const handler = mcpHandler(echoServer());
  const listener = toNodeListener(handler, { onError: (error) => reported.push(error) });
  const request = modern("tools/call", { name: "echo", arguments: { text: "caf\u00e9s" } });
  const bytes = Uint8Array.from(await request.text(), (character) => character.charCodeAt(0));
  const readers: readonly NodeListener[] = [
    (incoming, outgoing) => {
      incoming.setEncoding("utf8");
      return listener(incoming, outgoing);
    },
    async (incoming, outgoing) => {
      incoming.setEncoding("utf8");
      let body = "";
      for await (const chunk of incoming) body += chunk;
      await listener(incoming, outgoing, body);
    },
    async (incoming, outgoing) => {
      incoming.setEncoding("utf8");
      let body = "";
      for await (const chunk of incoming) body += chunk;
      await listener(incoming, outgoing, JSON.parse(body));
    },
  ];
  for (const read of readers) {
    await withHttp(read, async (url) => {
      for (const body of [bytes, new Blob([bytes]).stream()]) {
        const response = await fetch(url, { method: "POST", headers: request.headers, body });
        assertEquals([response.status, (await response.json()).error.code], [400, -32700]);
      }
    });
  }
  assertEquals(reported, []);
  await handler.close();
});

Deno.test("toNodeListener() responds to a body that it rejects before its end", async () => {
  const handler = mcpHandler(echoServer(), { maxBodyBytes: 1_000_000 });
  const headers = { "content-type": "application/json" };
  const invalid = new Uint8Array(300_000).fill(0x20);
  invalid[10] = 0xff;
  const long = new Uint8Array(3_000_000).fill(0x20);
  await withHttp(toNodeListener(handler), async (url) => {
    const bodies = [
      [invalid, 400],
      [new Blob([invalid]).stream(), 400],
      [new Blob([long]).stream(), 413],
    ] as const;
    for (const [body, status] of bodies) {
      const response = await fetch(url, { method: "POST", headers, body });
      assertEquals([response.status, typeof (await response.json()).error.code], [
        status,
        "number",
      ]);
    }
  });
  await handler.close();
});
