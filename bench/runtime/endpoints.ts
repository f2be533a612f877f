/**
 * Measures what a message costs at each endpoint of an agent, beside a handler that runs the same
 * stored session. All handlers are called in this process, the model responds immediately, and each
 * message starts a session.
 *
 *     endpoints.ts MESSAGES ROUNDS
 *
 * The contenders take turns. Prints the least CPU time per message, in microseconds, as one line of
 * JSON.
 *
 * @module
 */

import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { a2aHandler } from "@parley/runtime/a2a";
import { chatCompletionsHandler, responsesHandler } from "@parley/runtime/openai";
import { serveSessions } from "@parley/runtime/serve";
import { memoryStorage, openSessions } from "@parley/runtime/session";
import { uiChatHandler } from "@parley/runtime/ui/ai-sdk";
import { cpuUsedUs } from "../measure.ts";

const [messages = 300, rounds = 12] = Deno.args.map(Number);
const ORIGIN = "https://agent.example";
const model: LanguageModel = {
  modelId: "immediate",
  generate: () =>
    Promise.resolve({
      message: { role: "assistant", content: [{ type: "text", text: "The tea costs 4 euros." }] },
      finishReason: "stop",
      usage: { inputTokens: 12, outputTokens: 6, totalTokens: 18 },
    }),
};
function make(): ToolLoopAgent {
  return new ToolLoopAgent({ name: "shop", model });
}

const TURN = "What does the tea cost?";

/** CPU time per message, in microseconds, keyed by the endpoint. */
export type EndpointCosts = Readonly<Record<string, number>>;

/** Sends one message, and reads the whole response. */
type Send = () => Promise<unknown>;

function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Request {
  return new Request(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

const sessions = openSessions({ storage: memoryStorage(), agent: make });

/** A handler as an application would write it: runs a message, and responds with the text. */
async function bareHandler(request: Request): Promise<Response> {
  const { id, text } = await request.json();
  const run = await sessions.send(id, text);
  let answer = "";
  for await (const { event } of run) if (event.type === "text_delta") answer += event.text;
  return Response.json({ text: answer });
}

const served = serveSessions({ storage: memoryStorage(), make });

const a2a = a2aHandler(served, { allowAnonymous: true });

function a2aMessage(): object {
  return { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: TURN }] };
}

const A2A_HEADERS = { "a2a-version": "1.0" };
const completions = chatCompletionsHandler({ models: { shop: served }, allowAnonymous: true });
const responses = responsesHandler({ models: { shop: served }, allowAnonymous: true });
const chat = uiChatHandler(sessions, { path: "/chat", authorize: () => true });

const CONTENDERS: Readonly<Record<string, Send>> = {
  "hand-made handler": async () => {
    const request = post("/chat", { id: crypto.randomUUID(), text: TURN });
    await (await bareHandler(request)).text();
  },
  "served agent, without a protocol": async () => {
    const run = await served.start(undefined, { turn: TURN });
    await run.settled();
  },
  "A2A, JSON-RPC": async () => {
    const params = { message: a2aMessage() };
    const body = { jsonrpc: "2.0", id: 1, method: "SendMessage", params };
    await (await a2a(post("/a2a", body, A2A_HEADERS))).text();
  },
  "A2A, HTTP+JSON": async () => {
    const request = post("/a2a/message:send", { message: a2aMessage() }, A2A_HEADERS);
    await (await a2a(request)).text();
  },
  "OpenAI Chat Completions": async () => {
    const messages = [{ role: "user", content: TURN }];
    await (await completions(post("/v1/chat/completions", { model: "shop", messages }))).text();
  },
  "OpenAI Responses": async () => {
    await (await responses(post("/v1/responses", { model: "shop", input: TURN }))).text();
  },
  "AI SDK UI": async () => {
    const parts = [{ type: "text", text: TURN }];
    const messages = [{ id: "m1", role: "user", parts }];
    await (await chat(post("/chat", { id: crypto.randomUUID(), messages }))).text();
  },
  "A2A, stream": async () => {
    const request = post("/a2a/message:stream", { message: a2aMessage() }, A2A_HEADERS);
    await (await a2a(request)).text();
  },
};

const best: Record<string, number> = {};
for (let round = 0; round < rounds; round++) {
  for (const [name, send] of Object.entries(CONTENDERS)) {
    const before = cpuUsedUs();
    for (let sent = 0; sent < messages; sent++) await send();
    const us = (cpuUsedUs() - before) / messages;
    best[name] = Math.min(us, best[name] ?? Infinity);
  }
}
console.log(JSON.stringify(best));
Deno.exit();
