import { assertEquals } from "@std/assert";
import { mcpHandler } from "../../server.ts";
import { McpServer } from "../../server/mcp_server.ts";
import { post } from "../../testdata/http.ts";

Deno.test("a redirect of a replica is rejected even if its body cannot be cancelled", async () => {
  const fetch = (): Promise<Response> => {
    const body = new ReadableStream({ cancel: () => new Promise<never>(() => {}) });
    const headers = { location: "http://evil.example/" };
    return Promise.resolve(new Response(body, { status: 307, headers }));
  };
  const route = { replica: "a", replicas: { b: "http://b.example/mcp" }, fetch };
  const handler = mcpHandler(new McpServer({ name: "s", version: "1" }), { sessions: { route } });
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const response = await handler(post(ping, { "mcp-session-id": "b.1" }));
  assertEquals(response.status, 502);
  await response.body?.cancel();
  await handler.close();
});
