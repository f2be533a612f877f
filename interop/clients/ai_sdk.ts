/**
 * `@ai-sdk/mcp`.
 *
 * @module
 */

import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { Inbox } from "../inbox.ts";
import { ANSWERS, type ForeignClient, type Way } from "./client.ts";
import { allPages, toOutcome, withSingles } from "./sdk.ts";

/** Connects, with or without looking for the newest era first. */
export async function connectAiSdk(way: Way, discovers: boolean): Promise<ForeignClient> {
  const client = await createMCPClient({
    protocolVersionDiscovery: discovers,
    capabilities: { elicitation: {} },
    transport: "url" in way
      ? { type: "http", url: way.url }
      : new Experimental_StdioMCPTransport({ ...way, env: Deno.env.toObject() }),
  });
  client.onElicitationRequest(ElicitationRequestSchema, () => structuredClone(ANSWERS.user));
  return {
    version: client.initializeResult.protocolVersion,
    server: client.serverInfo.name,
    answers: ["user"],
    hearsProgress: false,
    // It sends no notification: only closing the stream of a stateless request tells the server.
    cancels: discovers && "url" in way,
    // It takes up the stream of news again, but not that of a request.
    comesBack: discovers || !("url" in way),
    notices: new Inbox(),
    listTools: async () =>
      (await allPages(
        (params) => client.listTools(params && { params }),
        ({ tools }) => tools,
      )).map(({ name }) => name),
    callTool: async (name, args, { signal } = {}) =>
      toOutcome(
        await client.callTool({ name, arguments: args, ...(signal && { options: { signal } }) }),
      ),
    listResources: async () =>
      (await allPages(
        (params) => client.listResources(params && { params }),
        ({ resources }) => resources,
      )).map(({ uri }) => uri),
    ...withSingles(client),
    callAsAgent: async (name, args) => {
      const tool = (await client.tools())[name];
      return await tool?.execute(args, { toolCallId: "1", messages: [], context: {} });
    },
    close: () => client.close(),
  };
}
