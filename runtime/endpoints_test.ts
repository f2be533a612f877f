import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { A2A_APPROVALS, a2aHandler } from "./a2a.ts";
import { openEditor, select } from "./acp/testdata/test_editor.ts";
import { agentMcpTool, agentService, type TaskResponse } from "./bridge.ts";
import { type ModelRequest, ToolLoopAgent } from "./mod.ts";
import { chatCompletionsHandler, responsesHandler } from "./openai.ts";
import { type ServedSessions, serveSessions } from "./serve.ts";
import { memoryStorage, openSessions, type Sessions } from "./session.ts";
import { type ScriptedAnswer, scriptedModel } from "./testing.ts";
import type { ToolSpec } from "./tools/tool.ts";
import { agUiHandler } from "./ui/ag_ui.ts";
import { uiChatHandler } from "./ui/ai_sdk.ts";

const ANN = { subject: "ann" };
const PAGE = { path: "/chat", authorize: () => true };
const REQUEST = "I want my money back";

/** Runs of the tool of the agent. */
interface Refunds {
  count: number;
}

/** Asks for a refund if the user does, and then confirms it. */
function respond({ messages }: ModelRequest): ScriptedAnswer {
  if (messages.at(-1)?.role === "tool") return { text: "Done." };
  const isRefund = JSON.stringify(messages).includes(REQUEST);
  return isRefund
    ? { calls: [{ toolName: "refund", toolCallId: "c1" }] }
    : { text: "It costs 4 euros." };
}

/** The agent of all endpoints: its only tool needs the approval of a person. */
function createAgent(refunds: Refunds = { count: 0 }): ToolLoopAgent {
  const refund: ToolSpec = {
    name: "refund",
    inputSchema: { type: "object" },
    execute: () => `refund ${++refunds.count}`,
  };
  return new ToolLoopAgent({
    name: "clerk",
    // Each execution of a run creates an agent.
    model: scriptedModel([respond, respond]),
    tools: [refund],
    approvalHandler: () => ({ decision: "defer" }),
  });
}

type Handler = (
  request: Request,
  context?: { readonly principal?: typeof ANN },
) => Promise<Response>;

/** Sends a request of the caller, and returns the body of the response. */
async function post(
  handler: Handler,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const request = new Request(`https://clerk.example${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return await (await handler(request, { principal: ANN })).text();
}

/** Returns the text that a pattern captures. */
function find(pattern: RegExp, text: string): string {
  const [, found] = pattern.exec(text) ?? [];
  assert(found !== undefined, `${pattern} does not match ${text}`);
  return JSON.parse(`"${found}"`);
}

function a2aMessage(text: string, more: object = {}): object {
  return { message: { messageId: "m1", role: "ROLE_USER", parts: [{ text }], ...more } };
}

const A2A = { "a2a-version": "1.0" };
const TEXT = /"text":"((?:[^"\\]|\\.)*)"/;

/** Serves the agent to callers, and to the pages of a program. */
async function withAgent(
  test: (served: ServedSessions, sessions: Sessions, refunds: Refunds) => Promise<void>,
): Promise<void> {
  const refunds = { count: 0 };
  const make = (): ToolLoopAgent => createAgent(refunds);
  await using served = serveSessions({ storage: memoryStorage(), make });
  await using sessions = openSessions({ storage: memoryStorage(), agent: make });
  await test(served, sessions, refunds);
}

/** Calls the tool of an MCP server, and returns the text of the result. */
async function callMcpTool(served: ServedSessions, task: string): Promise<string> {
  const [, handler] = agentMcpTool(served, { name: "clerk", description: "Sells tea" });
  const { signal } = new AbortController();
  const context = { principal: ANN, signal, progress: () => Promise.resolve() };
  return (await handler({ task }, context)).content[0].text;
}

/** Sends a signed task, whose signature the channel has verified, and returns the response. */
async function sendTask(served: ServedSessions, content: string): Promise<TaskResponse> {
  const context = { signal: new AbortController().signal, update: () => Promise.resolve() };
  const request = { sender: "did:web:ann.example", payload: { taskId: "t1", content } };
  return await agentService(served)(request, context);
}

/** Asks an agent over each protocol, and returns the text of its response. */
const PROTOCOLS: Readonly<
  Record<string, (text: string, served: ServedSessions, sessions: Sessions) => Promise<string>>
> = {
  "A2A, JSON-RPC": async (text, served) => {
    const call = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: a2aMessage(text) };
    return find(/"artifacts".*?"text":"([^"]*)"/, await post(a2aHandler(served), "/", call, A2A));
  },
  "A2A, HTTP+JSON": async (text, served) => {
    const body = await post(a2aHandler(served), "/message:send", a2aMessage(text), A2A);
    return find(/"artifacts".*?"text":"([^"]*)"/, body);
  },
  "OpenAI Chat Completions": async (content, served) => {
    const handler = chatCompletionsHandler({ models: { clerk: served } });
    const body = { model: "clerk", messages: [{ role: "user", content }] };
    return find(/"content":"([^"]*)"/, await post(handler, "/v1/chat/completions", body));
  },
  "OpenAI Responses": async (input, served) => {
    const handler = responsesHandler({ models: { clerk: served } });
    return find(TEXT, await post(handler, "/v1/responses", { model: "clerk", input }));
  },
  "AI SDK UI": async (text, _, sessions) => {
    const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text }] }];
    const body = await post(uiChatHandler(sessions, PAGE), "/chat", { id: "c1", messages });
    return find(/"delta":"([^"]*)"/, body);
  },
  "AG-UI": async (content, _, sessions) => {
    const messages = [{ id: "m1", role: "user", content }];
    const body = { threadId: "t1", runId: "r1", messages };
    return find(/"delta":"([^"]*)"/, await post(agUiHandler(sessions, PAGE), "/chat", body));
  },
  "Model Context Protocol": (task, served) => callMcpTool(served, task),
  "signed messages": async (content, served) => (await sendTask(served, content)).text,
  "Agent Client Protocol": async (text) => {
    const editor = openEditor({ make: () => createAgent() });
    await editor.prompt(await editor.open(), text);
    await editor.end();
    return editor.text;
  },
};

for (const [name, ask] of Object.entries(PROTOCOLS)) {
  Deno.test(`an agent responds over ${name}`, async () => {
    await withAgent(async (served, sessions) => {
      assertEquals(await ask("What does the tea cost?", served, sessions), "It costs 4 euros.");
    });
  });
}

/** A protocol in which the caller may decide on the calls of the agent's tools. */
type Decide = (served: ServedSessions, sessions: Sessions) => Promise<string>;

/** Requests a refund over each protocol, approves the call, and returns the last response. */
const DECIDING: Readonly<Record<string, Decide>> = {
  "A2A with the extension for approvals": async (served) => {
    const handler = a2aHandler(served, { approvals: "caller" });
    const headers = { ...A2A, "a2a-extensions": A2A_APPROVALS };
    const asked = await post(handler, "/message:send", a2aMessage(REQUEST), headers);
    const taskId = find(/"id":"([^"]*)"/, asked);
    const approve = [find(/"key":"([^"]*)"/, asked)];
    const decision = a2aMessage("Go ahead", { taskId, metadata: { [A2A_APPROVALS]: { approve } } });
    return await post(handler, "/message:send", decision, headers);
  },
  "OpenAI Responses": async (served) => {
    const handler = responsesHandler({ models: { clerk: served }, approvals: "caller" });
    const create = (body: object) => post(handler, "/v1/responses", { model: "clerk", ...body });
    const asked = await create({ input: REQUEST });
    const approval_request_id = find(/"type":"mcp_approval_request","id":"([^"]*)"/, asked);
    return await create({
      previous_response_id: find(/"id":"([^"]*)"/, asked),
      input: [{ type: "mcp_approval_response", approval_request_id, approve: true }],
    });
  },
  "AI SDK UI": async (_, sessions) => {
    const handler = uiChatHandler(sessions, PAGE);
    const parts = [{ type: "text", text: REQUEST }];
    const asked = await post(handler, "/chat", {
      id: "c1",
      messages: [{ id: "m1", role: "user", parts }],
    });
    const approval = { id: find(/"approvalId":"([^"]*)"/, asked), approved: true };
    const part = { type: "tool-refund", toolCallId: "c1", state: "approval-responded", approval };
    const messages = [{ id: "m2", role: "assistant", parts: [part] }];
    return await post(handler, "/chat", { id: "c1", messages });
  },
  "AG-UI": async (_, sessions) => {
    const handler = agUiHandler(sessions, PAGE);
    const messages = [{ id: "m1", role: "user", content: REQUEST }];
    const asked = await post(handler, "/chat", { threadId: "t1", runId: "r1", messages });
    const interruptId = find(/"interrupts":\[\{"id":"([^"]*)"/, asked);
    const resume = [{ interruptId, status: "resolved", payload: { approved: true } }];
    return await post(handler, "/chat", { threadId: "t1", runId: "r2", messages: [], resume });
  },
};

for (const [name, decide] of Object.entries(DECIDING)) {
  Deno.test(`a caller approves a tool call over ${name}`, async () => {
    await withAgent(async (served, sessions, refunds) => {
      assertStringIncludes(await decide(served, sessions), "Done.");
      assertEquals(refunds.count, 1);
    });
  });
}

Deno.test("the user of an editor approves a tool call over the Agent Client Protocol", async () => {
  const refunds = { count: 0 };
  const editor = openEditor({
    make: () => createAgent(refunds),
    answers: { "session/request_permission": select("allow") },
  });
  await editor.prompt(await editor.open(), REQUEST);
  await editor.end();
  assertEquals([editor.text, refunds.count], ["Done.", 1]);
});

/** A protocol in which only the serving side decides: sends a request, then tries to approve. */
const NOT_DECIDING: Readonly<Record<string, (served: ServedSessions) => Promise<void>>> = {
  "A2A": async (served) => {
    const handler = a2aHandler(served);
    const headers = { ...A2A, "a2a-extensions": A2A_APPROVALS };
    const asked = await post(handler, "/message:send", a2aMessage(REQUEST), headers);
    assert(!asked.includes('"key"'), "the key of the approval is not sent");
    const taskId = find(/"id":"([^"]*)"/, asked);
    const [run] = (await served.list(ANN)).runs;
    const approve = run?.state.waitingFor.map(({ key }) => key);
    const metadata = { [A2A_APPROVALS]: { approve } };
    await post(handler, "/message:send", a2aMessage("approve", { taskId, metadata }), headers);
  },
  "OpenAI Chat Completions": async (served) => {
    const handler = chatCompletionsHandler({ models: { clerk: served } });
    const messages = [{ role: "user", content: REQUEST }];
    await post(handler, "/v1/chat/completions", { model: "clerk", messages });
    messages.push({ role: "assistant", content: "May I?" }, { role: "user", content: "approve" });
    await post(handler, "/v1/chat/completions", { model: "clerk", messages });
  },
  "Model Context Protocol": async (served) => {
    const text = await callMcpTool(served, REQUEST);
    assertStringIncludes(text, "without a final answer");
  },
  "signed messages": async (served) => {
    assertEquals((await sendTask(served, REQUEST)).status, "approval_pending");
    // The same task again: the response does not change.
    assertEquals((await sendTask(served, REQUEST)).status, "approval_pending");
  },
  "OpenAI Responses": async (served) => {
    const handler = responsesHandler({ models: { clerk: served } });
    const create = (body: object) => post(handler, "/v1/responses", { model: "clerk", ...body });
    const asked = await create({ input: REQUEST, background: true });
    const [run] = (await served.list(ANN)).runs;
    const waits = (await run?.settled({ until: "waiting" }))?.waitingFor ?? [];
    await create({
      previous_response_id: find(/"id":"([^"]*)"/, asked),
      input: waits.map(({ key }) => ({
        type: "mcp_approval_response",
        approval_request_id: key,
        approve: true,
      })),
    });
  },
};

for (const [name, request] of Object.entries(NOT_DECIDING)) {
  Deno.test(`a caller cannot approve a tool call over ${name} unless the endpoint permits it`, async () => {
    await withAgent(async (served, _, refunds) => {
      await request(served);
      assertEquals(refunds.count, 0);
    });
  });
}

Deno.test("the serving side approves a call of a task, which the caller then reads", async () => {
  await withAgent(async (served, _, refunds) => {
    const handler = a2aHandler(served);
    const asked = await post(handler, "/message:send", a2aMessage(REQUEST), A2A);
    const run = await served.get(ANN, find(/"id":"([^"]*)"/, asked));
    const [wait] = run?.state.waitingFor ?? [];
    assertEquals(await run?.input(wait?.key ?? "", { decision: "approve" }), true);
    assertEquals((await run?.settled())?.result?.finalText, "Done.");
    assertEquals(refunds.count, 1);
  });
});
