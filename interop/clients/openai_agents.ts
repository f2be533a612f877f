/**
 * `@openai/agents`.
 *
 * @module
 */

import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";
import { Inbox } from "../inbox.ts";
import type { ForeignClient, Way } from "./client.ts";
import { allPages, bodyOf, toOutcome } from "./sdk.ts";

/** Connects. */
export async function connectOpenAiAgents(way: Way): Promise<ForeignClient> {
  const client = "url" in way
    ? new MCPServerStreamableHttp({ url: way.url })
    : new MCPServerStdio({ ...way, env: Deno.env.toObject() });
  await client.connect();
  return {
    version: undefined,
    server: undefined,
    answers: [],
    hearsProgress: false,
    cancels: true,
    comesBack: true,
    notices: new Inbox(),
    listTools: async () => (await client.listTools()).map(({ name }) => name),
    callTool: async (name, args, { signal } = {}) =>
      toOutcome(await client.callToolResult(name, args, null, { ...(signal && { signal }) })),
    listResources: async () =>
      (await allPages((page) => client.listResources(page), ({ resources }) => resources))
        .map(({ uri }) => uri),
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    readResource: async (uri) => bodyOf((await client.readResource(uri)).contents[0]),
    close: () => client.close(),
  };
}
