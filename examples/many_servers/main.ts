/**
 * An agent uses the tools of two MCP servers. Each tool has the name of its server as a prefix, and
 * the agent can use only some of the tools.
 *
 *     deno run --allow-net=127.0.0.1 examples/many_servers/main.ts
 *
 * @module
 */

import { mcpHandler, McpServer } from "@parley/mcp/server";
import { McpClients } from "@parley/mcp/clients";
import { ToolLoopAgent } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";

/** Serves tools that return fixed text. The server uses HTTP on a free port. */
function serve(name: string, tools: Readonly<Record<string, string>>) {
  const server = new McpServer({ name, version: "1.0.0" });
  for (const [tool, text] of Object.entries(tools)) {
    server.registerTool({ name: tool, description: `Returns the ${tool}` }, () => text);
  }
  const handler = mcpHandler(server);
  const http = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => handler(request),
  );
  return {
    url: `http://127.0.0.1:${http.addr.port}/mcp`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await http.shutdown();
    },
  };
}

await using calendar = serve("calendar", { list: "Lunch with Ada at noon", clear: "Cleared" });
await using weather = serve("weather", { forecast: "Rain until 11, then sun" });

// A program can also read the servers from an mcp.json file with `readMcpConfig`.
await using clients = new McpClients({
  calendar: { transport: { type: "http", url: calendar.url } },
  weather: { transport: { type: "http", url: weather.url } },
});
for (const { name, error } of await clients.connect()) console.error(name, error);

const model = scriptedModel([
  { calls: [{ toolName: "calendar_list" }, { toolName: "weather_forecast" }] },
  { text: "Walk to the lunch at noon. The rain ends at 11." },
]);
await using agent = new ToolLoopAgent({ name: "assistant", model });
await agent.registry.registerMcp(clients, { filter: (name) => name !== "calendar_clear" });
console.log("Tools:", agent.registry.names().join(", "));

const { finalText, iterations } = await agent.run("Do I need an umbrella today?");
for (const { toolName, output } of iterations[0]?.toolResults ?? []) {
  console.log(`${toolName}: ${"value" in output ? JSON.stringify(output.value) : output.type}`);
}
console.log(finalText);
