import type { McpClient } from "@parley/mcp/client";

/** Returns one line for each tool and each resource of the server. */
export async function listServer(client: McpClient): Promise<string[]> {
  const tools = await client.listTools();
  const resources = await client.listResources();
  return [
    ...tools.map(({ name, description = "" }) => `tool ${name}: ${description}`),
    ...resources.map(({ name, uri }) => `resource ${name}: ${uri}`),
  ];
}
