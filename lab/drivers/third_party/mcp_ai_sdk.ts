/**
 * Driver for `@ai-sdk/mcp`.
 *
 * @module
 */

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import type { Fields } from "../../../conformance/drivers/typescript/operation.ts";
import { type ConnectedClient, type Endpoint, serveClient } from "./mcp_client.ts";

async function connect(
  endpoint: Endpoint,
  _handlers: Fields,
  protocol?: string,
): Promise<ConnectedClient> {
  const client = await createMCPClient({
    protocolVersionDiscovery: protocol === undefined,
    transport: "url" in endpoint
      ? { type: "http", url: endpoint.url }
      : new Experimental_StdioMCPTransport({ ...endpoint, stderr: "ignore" }),
  });
  return {
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    listPrompts: async () => (await client.experimental_listPrompts()).prompts,
    callTool: (name, args, { signal, timeout }) =>
      client.callTool({
        name,
        arguments: args,
        options: {
          signal: timeout === undefined
            ? signal
            : AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
        },
      }),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args) => client.experimental_getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}

if (import.meta.main) {
  await serveClient({
    name: "@ai-sdk/mcp",
    version: "2.0.99",
    isDualEra: true,
    hasProtocolOption: true,
    unsupported: ["complete", "setLogLevel"],
    connect,
  });
}
