import { assert, assertEquals } from "@std/assert";
import { mcpHandler } from "../../server.ts";
import { McpServer } from "../../server/mcp_server.ts";

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
