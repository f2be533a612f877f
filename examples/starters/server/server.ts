import { McpServer } from "@parley/mcp/server";

/** Creates an MCP server with a tool and a resource. */
export function createServer(): McpServer {
  const server = new McpServer({ name: "calendar", version: "1.0.0" });
  server.registerTool(
    {
      name: "weekday",
      description: "Returns the day of the week of a date",
      inputSchema: {
        type: "object",
        properties: { date: { type: "string", format: "date" } },
        required: ["date"],
      },
    },
    ({ date }: { date: string }) =>
      new Date(date).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }),
  );
  server.registerResource(
    { uri: "calendar://weekend", name: "weekend", mimeType: "text/plain" },
    () => "Saturday, Sunday",
  );
  return server;
}
