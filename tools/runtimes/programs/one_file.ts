/**
 * An agent, an MCP server and an MCP client in one program without `import()`, as in a service
 * worker, where the platform forbids it. Exercises code paths that are not part of every run:
 * schema validation, an approval, a retry and a stream.
 *
 * @module
 */

import { createMemoryTransport, HttpTransport, McpClient } from "@parley/mcp";
import { mcpHandler, servePipe } from "@parley/mcp/server";
import { streamToolLoop, ToolLoopAgent, ToolRegistry } from "@parley/runtime";
import { openAiChat } from "@parley/runtime/models";
import { scriptedModel } from "@parley/runtime/testing";
import { ADD } from "./add.ts";
import { checkEqual } from "./assertions.ts";
import { answerChat } from "./chat.ts";
import { createAdder } from "./mcp.ts";

const TOOL = { ...ADD, execute: ({ a, b }: { a: number; b: number }) => a + b } as const;

/** Runs the program. Returns the names of the completed parts. */
export async function main(): Promise<string> {
  const parts = { useAgent, useRetry, useStream, useHandler, useRequest, useMemory };
  for (const part of Object.values(parts)) await part();
  return Object.keys(parts).join(" ");
}

/** Runs an agent whose tool calls are validated, approved and denied. */
async function useAgent(): Promise<void> {
  const model = scriptedModel([
    { calls: [{ toolName: "add", input: { a: 1 } }] },
    { calls: [{ toolName: "add", input: { a: 1, b: 2 } }] },
    { calls: [{ toolName: "add", input: { a: 3, b: 4 } }] },
    { text: "It is 3" },
  ]);
  const approvals: unknown[] = [];
  const agent = new ToolLoopAgent({
    name: "clerk",
    model,
    registry: new ToolRegistry([TOOL]),
    approvalHandler: ({ toolCall }) => {
      approvals.push(toolCall.input);
      return approvals.length === 1;
    },
  });
  const { finalText, iterations } = await agent.run("What is 1 + 2?");
  await agent.terminate();
  const errors = iterations.map(({ toolResults }) => toolResults[0]?.isError ?? null);
  checkEqual([finalText, errors], ["It is 3", [true, false, true, null]], "an agent fails");
  checkEqual(approvals, [{ a: 1, b: 2 }, { a: 3, b: 4 }], "approvals differ");
}

/** Calls a model that first returns HTTP 429. */
async function useRetry(): Promise<void> {
  let requests = 0;
  const fetch = (_url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    Promise.resolve(
      ++requests === 1
        ? new Response("busy", { status: 429, headers: { "retry-after": "0" } })
        : answerChat(JSON.parse(String(init?.body))),
    );
  const agent = new ToolLoopAgent({
    name: "clerk",
    model: openAiChat({ baseUrl: "https://model.example/v1", model: "adder", fetch }),
    registry: new ToolRegistry([TOOL]),
    modelRetries: 2,
  });
  const { finalText } = await agent.run("What is 1 + 2?");
  await agent.terminate();
  checkEqual([finalText, requests], ["It is 3", 3], "a retry fails");
}

/** Streams a run. */
async function useStream(): Promise<void> {
  const fetch = (_url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    Promise.resolve(answerChat(JSON.parse(String(init?.body))));
  const model = openAiChat({ baseUrl: "https://model.example/v1", model: "adder", fetch });
  const texts: string[] = [];
  const stream = streamToolLoop({ model, registry: new ToolRegistry([TOOL]) }, "What is 1 + 2?");
  for await (const event of stream) {
    if (event.type === "text_delta") texts.push(event.text);
  }
  checkEqual(texts, ["It is", " 3"], "a stream fails");
}

/** Calls an MCP server through its HTTP handler, in both protocol eras. */
async function useHandler(): Promise<void> {
  const handler = mcpHandler(createAdder(), { allowedHosts: ["mcp.example"] });
  for (const protocol of ["modern", "legacy"] as const) {
    const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
      handler(new Request(input, init));
    const transport = new HttpTransport("https://mcp.example/mcp", { fetch });
    const client = new McpClient({ transport, protocol });
    await client.connect();
    await checkAddition(client, `over HTTP, ${protocol}`);
    await client.disconnect();
  }
  await handler.close();
}

/** Calls an MCP server with `handleRequest()`, without a transport. */
async function useRequest(): Promise<void> {
  const response = await createAdder().handleRequest({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/list",
  });
  checkEqual("result" in response, true, "handleRequest() fails");
}

/** Connects an MCP client and an MCP server in memory, in both protocol eras. */
async function useMemory(): Promise<void> {
  for (const protocol of ["modern", "legacy"] as const) {
    const server = createAdder();
    const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
    const client = new McpClient({ transport, protocol });
    await client.connect();
    await checkAddition(client, `in memory, ${protocol}`);
    await client.disconnect();
  }
}

/**
 * Connects an MCP client whose `auth` option is a plain object, so that the client loads the code
 * for authorization with `import()`. Returns the error with which the promise rejects.
 */
export async function useAuth(): Promise<string> {
  const client = new McpClient({
    transport: new HttpTransport("https://mcp.example/mcp"),
    auth: { discover: true },
  });
  return await client.connect().then(() => "connected", String);
}

async function checkAddition(client: McpClient, where: string): Promise<void> {
  const { content } = await client.callTool("add", { a: 1, b: 2 });
  checkEqual(content, [{ type: "text", text: "3" }], `a call fails ${where}`);
  const { isError } = await client.callTool("add", { a: "1" });
  checkEqual(isError, true, `an invalid call is not rejected ${where}`);
}
