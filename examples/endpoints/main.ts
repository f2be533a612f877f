/**
 * Serves one agent over several protocols in one process, and sends a message over each of them.
 *
 *     deno run --allow-net=127.0.0.1 examples/endpoints/main.ts
 *
 * @module
 */

import { HttpTransport, McpClient } from "@parley/mcp/client";
import { toNodeListener } from "@parley/mcp/node";
import { mcpHandler, McpServer } from "@parley/mcp/server";
import { ToolLoopAgent } from "@parley/runtime";
import { A2aClient, a2aHandler, AGENT_CARD_PATH, agentCardHandler } from "@parley/runtime/a2a";
import { agentMcpTool } from "@parley/runtime/bridge";
import { chatCompletionsHandler } from "@parley/runtime/openai";
import { serveSessions, withBearer } from "@parley/runtime/serve";
import { memoryStorage, openSessions } from "@parley/runtime/session";
import { scriptedModel } from "@parley/runtime/testing";
import { uiChatHandler } from "@parley/runtime/ui/ai-sdk";
import { createServer } from "node:http";

function make() {
  return new ToolLoopAgent({ name: "shop", model: scriptedModel([{ text: "It costs 4 euros." }]) });
}
const shop = serveSessions({ storage: memoryStorage(), make }); // for authenticated callers
const chats = openSessions({ storage: memoryStorage(), agent: make }); // for the pages of the shop

const callers = new Map([["anns-token", { subject: "ann" }]]);
const a2a = a2aHandler(shop);
const tools = new McpServer({ name: "shop", version: "1.0.0" });
tools.registerTool(...agentMcpTool(shop, { name: "ask", description: "Answers a question" }));
const completions = chatCompletionsHandler({ models: { shop } });
const endpoints = new Map([
  ["a2a", withBearer(a2a, (token) => callers.get(token))],
  ["v1", withBearer(completions, (token) => callers.get(token))],
  ["chat", uiChatHandler(chats, { path: "/chat", authorize: (_, id) => id === "chat-1" })],
  ["mcp", mcpHandler(tools)],
]);
const serve = toNodeListener(async (request: Request) => {
  const { pathname } = new URL(request.url);
  if (pathname === AGENT_CARD_PATH) return await card(request);
  const endpoint = endpoints.get(pathname.split("/")[1] ?? "");
  return await endpoint?.(request) ?? new Response("Not found", { status: 404 });
});
const server = createServer(serve);
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const origin = `http://127.0.0.1:${typeof address === "object" && address?.port}`;
const card = await agentCardHandler({
  name: "shop",
  description: "States the prices of tea",
  version: "1.0.0",
  skills: [{ id: "prices", name: "Prices", description: "States prices", tags: ["tea"] }],
}, { url: `${origin}/a2a`, handler: a2a });

const headers = { authorization: "Bearer anns-token", "content-type": "application/json" };
const text = "The price of tea?";
const agent = await A2aClient.connect(origin, { headers });
const answer = await agent.send({ parts: [{ text }] });
console.log("A2A:", "task" in answer ? answer.task.artifacts?.[0]?.parts[0] : answer);

const body = JSON.stringify({ model: "shop", messages: [{ role: "user", content: text }] });
const completion = await fetch(`${origin}/v1/chat/completions`, { method: "POST", headers, body });
console.log("OpenAI:", (await completion.json()).choices[0].message.content);

const message = { id: "m1", role: "user", parts: [{ type: "text", text }] };
const page = JSON.stringify({ id: "chat-1", messages: [message] });
const stream = await fetch(`${origin}/chat`, { method: "POST", headers, body: page });
console.log("Chat page:", /"delta":"(.*?)"/.exec(await stream.text())?.[1]);

const client = new McpClient({ transport: new HttpTransport(`${origin}/mcp`) });
await client.connect();
const { content } = await client.callTool("ask", { task: text });
console.log("MCP:", content[0]);

await client.disconnect();
await Promise.all([shop.close(), chats.close()]);
server.close().closeAllConnections();
