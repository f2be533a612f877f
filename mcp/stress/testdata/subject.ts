/**
 * The server under test, with tools, a resource and a prompt. All handlers are fast and stateless.
 *
 * @module
 */

import { McpServer } from "../../server.ts";

/** Creates the server. */
export function everythingServer(): McpServer {
  const server = new McpServer({ name: "stressed", version: "1.0.0" });
  const number = { type: "number" };
  server.registerTool({
    name: "add",
    description: "Adds two numbers",
    inputSchema: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
  }, ({ a, b }: { a: number; b: number }) => `${a + b}`);
  server.registerTool(
    { name: "echo", description: "Returns its arguments" },
    (args: unknown) => JSON.stringify(args),
  );
  server.registerResource(
    { uri: "test:///a", name: "a", description: "", mimeType: "text/plain" },
    () => "a",
  );
  server.registerPrompt({ name: "echo", description: "", arguments: [] }, () => "hello");
  return server;
}
