import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createMemoryTransport, servePipe } from "@parley/mcp";
import { McpClient } from "@parley/mcp/client";
import { createExampleServer } from "./example_server.ts";
import { listServer } from "./list_server.ts";

test("the client lists the tools and resources of a server, and calls a tool", async () => {
  const server = createExampleServer();
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  try {
    deepStrictEqual(await listServer(client), [
      "tool greet: Greets a person",
      "resource motto: example://motto",
    ]);
    const { content } = await client.callTool("greet", { person: "Ada" });
    deepStrictEqual(content, [{ type: "text", text: "Hello, Ada!" }]);
  } finally {
    await client.disconnect();
  }
});
