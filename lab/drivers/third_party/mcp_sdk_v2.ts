/**
 * Driver for `@modelcontextprotocol/client`, version 2 of the official SDK.
 *
 * @module
 */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Fields } from "../../../conformance/drivers/typescript/operation.ts";
import { type ConnectedClient, type Endpoint, serveClient } from "./mcp_client.ts";

async function connect(
  endpoint: Endpoint,
  handlers: Fields,
  protocol?: string,
): Promise<ConnectedClient> {
  const { elicit, createMessage, listRoots } = handlers;
  const client = new Client({ name: "sdk-v2", version: "1.0.0" }, {
    capabilities: {
      ...(elicit === undefined ? {} : { elicitation: {} }),
      ...(createMessage === undefined ? {} : { sampling: {} }),
      ...(listRoots === undefined ? {} : { roots: {} }),
    },
    versionNegotiation: { mode: protocol === undefined ? "auto" : "legacy" },
  });
  // The cast is unchecked, because a case can define an input response of any type.
  const toResponse = (value: unknown): never => value as never;
  if (elicit !== undefined) {
    client.setRequestHandler("elicitation/create", () => toResponse(elicit));
  }
  if (createMessage !== undefined) {
    client.setRequestHandler("sampling/createMessage", () => toResponse(createMessage));
  }
  if (listRoots !== undefined) {
    client.setRequestHandler("roots/list", () => toResponse({ roots: listRoots }));
  }
  const heard: object[] = [];
  client.fallbackNotificationHandler = (notification: object) => {
    heard.push(notification);
    return Promise.resolve();
  };
  const transport = "url" in endpoint
    ? new StreamableHTTPClientTransport(new URL(endpoint.url))
    : new StdioClientTransport({ ...endpoint, stderr: "ignore" });
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    listPrompts: async () => (await client.listPrompts()).prompts,
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, options),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: async (params) =>
      (await client.complete(params as unknown as Parameters<typeof client.complete>[0]))
        .completion,
    setLogLevel: (level) =>
      client.setLoggingLevel(level as Parameters<typeof client.setLoggingLevel>[0]),
    heard: () => heard,
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) {
        // Only legacy protocol versions have sessions that a client can terminate.
        if (client.getProtocolEra() !== "modern") await transport.terminateSession();
      }
      await client.close();
    },
  };
}

if (import.meta.main) {
  await serveClient({
    name: "sdk-v2",
    version: "2.4.0",
    hasHandlers: true,
    isDualEra: true,
    hasProtocolOption: true,
    hasProgress: true,
    hasRpcErrors: true,
    returnsAllPages: true,
    connect,
  });
}
