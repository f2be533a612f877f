/**
 * The MCP client from `@ai-sdk/mcp`.
 *
 * @module
 */

import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { MessageBuffer } from "../message_buffer.ts";
import { type Endpoint, INPUT_RESPONSES, type ThirdPartyClient } from "./client.ts";
import { allPages, toOutcome, toSingleRequestMethods } from "./sdk.ts";

/**
 * Connects a client. If `discovers` is true, the client first checks whether the server supports
 * the modern era.
 */
export async function connectAiSdk(
  endpoint: Endpoint,
  discovers: boolean,
): Promise<ThirdPartyClient> {
  const client = await createMCPClient({
    protocolVersionDiscovery: discovers,
    capabilities: { elicitation: {} },
    transport: "url" in endpoint
      ? { type: "http", url: endpoint.url }
      : new Experimental_StdioMCPTransport({ ...endpoint, env: Deno.env.toObject() }),
  });
  client.onElicitationRequest(
    ElicitationRequestSchema,
    () => structuredClone(INPUT_RESPONSES.user),
  );
  return {
    version: client.initializeResult.protocolVersion,
    server: client.serverInfo.name,
    inputRequests: ["user"],
    hasProgress: false,
    // The AI SDK client sends no `notifications/cancelled`. Only a modern HTTP request can be
    // cancelled: the client closes the request's stream.
    cancels: discovers && "url" in endpoint,
    // The AI SDK client resumes its subscription stream, but not the stream of a request.
    resumesClosedStream: discovers || !("url" in endpoint),
    notifications: new MessageBuffer(),
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
    ...toSingleRequestMethods(client),
    callAsAgent: async (name, args) => {
      const tool = (await client.tools())[name];
      return await tool?.execute(args, { toolCallId: "1", messages: [], context: {} });
    },
    close: () => client.close(),
  };
}
