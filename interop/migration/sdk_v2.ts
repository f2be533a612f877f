import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const server = new McpServer({ name: "counter", version: "1.0.0" });
server.registerTool("count", {
  description: "Counts the words in a text",
  inputSchema: z.object({ text: z.string() }),
}, async ({ text }, { mcpReq }) => {
  const words = text.split(" ");
  for (const [index] of words.entries()) {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) break;
    await mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress: index + 1, total: words.length },
    });
  }
  return { content: [{ type: "text", text: `${words.length} words` }] };
});

const client = new Client({ name: "example", version: "1.0.0" });
const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverTransport), client.connect(clientTransport)]);
const call = { name: "count", arguments: { text: "To be or not" } };
const { content } = await client.callTool(call, {
  onprogress: ({ progress, total }) => console.log(`${progress} of ${total}`),
});
console.log(content);
await client.close();
