/**
 * Driver for the MCP clients in `@openai/agents`.
 *
 * @module
 */

import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";
import { type ConnectedClient, type Endpoint, serveClient } from "./mcp_client.ts";

async function connect(endpoint: Endpoint): Promise<ConnectedClient> {
  const client = "url" in endpoint
    ? new MCPServerStreamableHttp({ url: endpoint.url })
    : new MCPServerStdio({ ...endpoint });
  await client.connect();
  return {
    listTools: () => client.listTools(),
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    callTool: (name, args, { signal, timeout }) =>
      client.callToolResult(name, args, null, {
        signal: timeout === undefined
          ? signal
          : AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      }),
    readResource: (uri) => client.readResource(uri),
    close: () => client.close(),
  };
}

if (import.meta.main) {
  await serveClient({
    name: "@openai/agents",
    version: "0.20.0",
    isDualEra: true,
    returnsAllPages: true,
    unsupported: ["complete", "setLogLevel", "listPrompts", "getPrompt"],
    connect,
  });
}
