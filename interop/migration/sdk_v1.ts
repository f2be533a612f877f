import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const server = new McpServer({ name: "counter", version: "1.0.0" });
server.registerTool("count", {
  description: "Counts the words in a text",
  inputSchema: { text: z.string() },
}, async ({ text }, { _meta, sendNotification }) => {
  const words = text.split(" ");
  for (const [index] of words.entries()) {
    if (_meta?.progressToken === undefined) break;
    await sendNotification({
      method: "notifications/progress",
      params: { progressToken: _meta.progressToken, progress: index + 1, total: words.length },
    });
  }
  return { content: [{ type: "text", text: `${words.length} words` }] };
});

const client = new Client({ name: "example", version: "1.0.0" });
const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverTransport), client.connect(clientTransport)]);
const call = { name: "count", arguments: { text: "To be or not" } };
const { content } = await client.callTool(call, undefined, {
  onprogress: ({ progress, total }) => console.log(`${progress} of ${total}`),
});
console.log(content);
await client.close();
