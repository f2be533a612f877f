/**
 * The driver of `@ai-sdk/mcp`.
 *
 * @module
 */

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import type { Fields } from "../typescript/operation.ts";
import { type Connected, serveClient, type Way } from "./mcp_client.ts";

async function connect(way: Way, _handlers: Fields, protocol?: string): Promise<Connected> {
  const client = await createMCPClient({
    protocolVersionDiscovery: protocol === undefined,
    transport: "url" in way
      ? { type: "http", url: way.url }
      : new Experimental_StdioMCPTransport({ ...way, stderr: "ignore" }),
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
    takesProtocol: true,
    lacks: ["complete", "setLogLevel"],
    connect,
  });
}
