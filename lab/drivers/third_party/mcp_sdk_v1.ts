/**
 * Driver for the client in `@modelcontextprotocol/sdk`, version 1 of the official SDK.
 *
 * @module
 */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Fields } from "../../../conformance/drivers/typescript/operation.ts";
import { type ConnectedClient, type Endpoint, serveClient } from "./mcp_client.ts";

async function connect(endpoint: Endpoint, handlers: Fields): Promise<ConnectedClient> {
  const { elicit, createMessage, listRoots } = handlers;
  const client = new Client({ name: "sdk-v1", version: "1.0.0" }, {
    capabilities: {
      ...(elicit === undefined ? {} : { elicitation: {} }),
      ...(createMessage === undefined ? {} : { sampling: {} }),
      ...(listRoots === undefined ? {} : { roots: {} }),
    },
  });
  // The cast is unchecked, because a case can define an input response of any type.
  const toResponse = (value: unknown): never => value as never;
  if (elicit !== undefined) client.setRequestHandler(ElicitRequestSchema, () => toResponse(elicit));
  if (createMessage !== undefined) {
    client.setRequestHandler(CreateMessageRequestSchema, () => toResponse(createMessage));
  }
  if (listRoots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => toResponse({ roots: listRoots }));
  }
  const heard: object[] = [];
  client.fallbackNotificationHandler = (notification: object) => {
    heard.push(notification);
    return Promise.resolve();
  };
  const transport = "url" in endpoint
    ? new StreamableHTTPClientTransport(new URL(endpoint.url))
    : new StdioClientTransport({ ...endpoint, stderr: "ignore" });
  // The SDK's types are not assignable to each other under `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    listPrompts: async () => (await client.listPrompts()).prompts,
    callTool: (name, args, options) =>
      client.callTool({ name, arguments: args }, undefined, options),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: async (params) =>
      (await client.complete(params as Parameters<typeof client.complete>[0])).completion,
    setLogLevel: (level) =>
      client.setLoggingLevel(level as Parameters<typeof client.setLoggingLevel>[0]),
    heard: () => heard,
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
}

if (import.meta.main) {
  await serveClient({
    name: "sdk-v1",
    version: "1.32.2",
    hasHandlers: true,
    hasProgress: true,
    hasRpcErrors: true,
    hasProtocolOption: true,
    connect,
  });
}
