import { McpServer, serveStdio } from "@parley/mcp/server";

const server = new McpServer({ name: "bench", version: "1.0.0" });
server.registerTool({
  name: "add",
  description: "Adds",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
}, ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
await serveStdio(server);
