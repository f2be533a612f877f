/**
 * The MCP server for the programs in this folder. The server's tools use the features that depend
 * on the HTTP server: streamed progress, cancellation, input requests and change notifications.
 *
 * @module
 */

import { McpServer } from "@parley/mcp/server";

/** Creates the server. */
export function createServer(): McpServer {
  const server = new McpServer({ name: "greeter", version: "1.0.0" });
  let aborted = 0;
  server.registerTool({
    name: "add",
    description: "Adds two numbers",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
  }, ({ a, b }: { a: number; b: number }) => `${a + b}`);
  server.registerTool(
    { name: "wait", description: "Reports progress and waits until the call is aborted" },
    async (_args, { progress, signal }) => {
      await progress(1, { total: 2, message: "Waiting" });
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      aborted++;
    },
  );
  server.registerTool(
    { name: "aborted", description: "Returns the number of aborted calls to the wait tool" },
    () => `${aborted}`,
  );
  server.registerTool(
    { name: "greet", description: "Greets the user by name" },
    async (_args, { ask }) => {
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } } as const;
      const { content } = await ask("name", {
        method: "elicitation/create",
        params: { message: "What is your name?", requestedSchema },
      });
      return `Hello, ${content?.["name"]}`;
    },
  );
  server.registerTool({ name: "learn", description: "Registers a tool" }, () => {
    server.removeTool("learned");
    server.registerTool({ name: "learned", description: "Registered later" }, () => "new");
  });
  return server;
}
