import { assertEquals } from "@std/assert";
import { type HttpContext, mcpHandler } from "../../server.ts";
import { McpServer } from "../../server/mcp_server.ts";
import { post } from "../../testdata/http.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } };

/** A server without sessions whose tool calls wait until they are released. */
function waitingServer() {
  const waiting: ((text: string) => void)[] = [];
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "wait", description: "" }, () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    waiting.push(resolve);
    return promise;
  });
  const handler = mcpHandler(server, { sessions: false, keepAliveMs: 600_000 });
  const call = (context?: HttpContext): Promise<Response> => handler(post(CALL), context);
  return { waiting, handler, call };
}

Deno.test("a server without sessions limits the legacy requests in flight, and the share of a principal", async () => {
  const { waiting, handler, call } = waitingServer();
  const ada = { principal: { subject: "ada" } };
  const own = Array.from({ length: 500 }, () => call(ada));
  const rejected = await call(ada);
  assertEquals([rejected.status, rejected.headers.get("retry-after")], [429, "10"]);
  await rejected.body?.cancel();
  const others = Array.from({ length: 1500 }, () => call());
  const full = await call({ principal: { subject: "bob" } });
  assertEquals([full.status, waiting.length], [429, 2000]);
  await full.body?.cancel();

  const ping = await handler(post({ jsonrpc: "2.0", id: 1, method: "ping" }));
  assertEquals((await ping.json()).result, {});

  for (const resolve of waiting) resolve("done");
  for (const each of await Promise.all([...own, ...others])) await each.text();
  const next = call(ada);
  while (waiting.length < 2001) await Promise.resolve();
  waiting.at(-1)?.("done");
  assertEquals((await (await next).json()).result.content, [{ type: "text", text: "done" }]);
  await handler.close();
});

Deno.test("a request without a session that is rejected or aborted releases its place", async () => {
  const { handler, call } = waitingServer();
  for (let n = 0; n < 2100; n++) {
    const unknown = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "unknown" } };
    await (await handler(post(unknown))).text();
  }
  const pending = call();
  await handler.close();
  assertEquals((await pending).status, 503);
});
