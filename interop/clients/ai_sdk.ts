/**
 * `@ai-sdk/mcp`.
 *
 * @module
 */

import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { Inbox } from "../inbox.ts";
import { ANSWERS, type ForeignClient, type Way } from "./client.ts";
import { allPages, bodyOf, textOf, toOutcome } from "./sdk.ts";

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
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    readResource: async (uri) => bodyOf((await client.readResource({ uri })).contents[0]),
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    getPrompt: async (name, args) =>
      textOf((await client.getPrompt({ name, arguments: args })).messages[0]),
    completePrompt: async (name, argument, value) =>
      (await client.complete({
        ref: { type: "ref/prompt", name },
        argument: { name: argument, value },
      })).completion.values,
    completeTemplate: async (uri, name, value) =>
      (await client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } }))
        .completion.values,
    callAsAgent: async (name, args) => {
      const tool = (await client.tools())[name];
      return await tool?.execute(args, { toolCallId: "1", messages: [], context: {} });
    },
    close: () => client.close(),
  };
}
