/**
 * Prints the tools, resources and prompts of an MCP server, given a command or a URL.
 *
 *     deno run -A examples/mcp_client/main.ts npx -y @modelcontextprotocol/server-everything
 *     deno run -A examples/mcp_client/main.ts https://example.com/mcp
 *
 * @module
 */
import { HttpTransport, McpClient } from "@parley/mcp/client";
import { spawnServer } from "@parley/mcp/process";

const [target, ...args] = Deno.args;
if (target === undefined) {
  console.error("Usage: main.ts PROGRAM [ARGUMENT...], or main.ts URL");
  Deno.exit(2);
}
const transport = URL.canParse(target) ? new HttpTransport(target) : spawnServer(target, args);
const client = new McpClient({ transport });
await client.connect();
try {
  for (const tool of await client.listTools()) console.log(`${tool.name}: ${tool.description}`);
  for (const { uri, name } of await client.listResources()) console.log(`${name}: ${uri}`);
  for (const { uriTemplate, name } of await client.listResourceTemplates()) {
    console.log(`${name}: ${uriTemplate}`);
  }
  for (const { name, description } of await client.listPrompts()) {
    console.log(`${name}: ${description}`);
  }
} finally {
  await client.disconnect();
}
