import { assertEquals } from "@std/assert";
import { mcpHandler } from "../server.ts";
import { modern, SessionByHand } from "../testdata/http.ts";
import { meta } from "../testdata/pipes.ts";
import { McpServer } from "./mcp_server.ts";

Deno.test("a result that cannot be encoded is an internal error in both eras", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => ({
    content: [],
    get late() {
      throw new Error("secret");
    },
  }));
  const error = { code: -32603, message: "Internal error: the result is not JSON" };
  for (const more of [{}, { _meta: meta() }]) {
    const params = { name: "t", ...more };
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as const;
    assertEquals((await server.handleRequest(request)).error, error);
  }
  const handler = mcpHandler(server);
  const session = await SessionByHand.open(handler);
  for (const call of [handler(modern("tools/call", { name: "t" })), session.call(1, "t")]) {
    assertEquals((await (await call).json()).error, error);
  }
  await handler.close();
  const withoutSessions = mcpHandler(server, { sessions: false });
  const called = await new SessionByHand(withoutSessions, "").call(1, "t");
  assertEquals((await called.json()).error, error);
  await withoutSessions.close();
});
