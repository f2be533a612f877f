/**
 * The MCP client from `@openai/agents`.
 *
 * @module
 */

import {
  getAllMcpTools,
  MCPServerStdio,
  MCPServerStreamableHttp,
  RunContext,
} from "@openai/agents";
import { MessageBuffer } from "../message_buffer.ts";
import type { Endpoint, ThirdPartyClient } from "./client.ts";
import { allPages, bodyOf, toOutcome } from "./sdk.ts";

/** Connects a client from `@openai/agents`. */
export async function connectOpenAiAgents(endpoint: Endpoint): Promise<ThirdPartyClient> {
  const client = "url" in endpoint
    ? new MCPServerStreamableHttp({ url: endpoint.url })
    : new MCPServerStdio({ ...endpoint, env: Deno.env.toObject() });
  await client.connect();
  return {
    version: undefined,
    server: undefined,
    inputRequests: [],
    hasProgress: false,
    cancels: true,
    resumesClosedStream: true,
    notifications: new MessageBuffer(),
    listTools: async () => (await client.listTools()).map(({ name }) => name),
    callTool: async (name, args, { signal } = {}) =>
      toOutcome(await client.callToolResult(name, args, null, { ...(signal && { signal }) })),
    listResources: async () =>
      (await allPages((page) => client.listResources(page), ({ resources }) => resources))
        .map(({ uri }) => uri),
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    readResource: async (uri) => bodyOf((await client.readResource(uri)).contents[0]),
    callAsAgent: async (name, args) => {
      const tools = await getAllMcpTools([client]);
      const tool = tools.find((each) => each.name === name);
      if (tool?.type !== "function") throw new Error(`Unknown tool "${name}"`);
      return await tool.invoke(new RunContext(), JSON.stringify(args));
    },
    close: () => client.close(),
  };
}
