import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createMemoryTransport, McpClient, servePipe } from "@parley/mcp";
import { createServer } from "./server.ts";

test("a client calls the tool of the server and reads its resource", async () => {
  const server = createServer();
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  try {
    const { content } = await client.callTool("weekday", { date: "2026-07-28" });
    deepStrictEqual(content, [{ type: "text", text: "Tuesday" }]);
    const { contents } = await client.getResource("calendar://weekend");
    deepStrictEqual(contents.map(({ uri }) => uri), ["calendar://weekend"]);
  } finally {
    await client.disconnect();
  }
});
