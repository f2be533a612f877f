import { McpServer } from "@parley/mcp/server";

/** Creates the server that the client uses if the command line does not name a server. */
export function createExampleServer(): McpServer {
  const server = new McpServer({ name: "example", version: "1.0.0" });
  server.registerTool(
    { name: "greet", description: "Greets a person" },
    ({ person }) => `Hello, ${person}!`,
  );
  server.registerResource({ uri: "example://motto", name: "motto" }, () => "Simple is better");
  return server;
}
