/**
 * The agent with which the OpenAI-compatible endpoints are tested. The user's message selects
 * the response.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { asTool } from "../../agent/agent_tool.ts";
import { ToolLoopAgent } from "../../agent/agent.ts";
import type { ServedAgent, ServedRun } from "../../serve/contracts.ts";
import { serveSessions } from "../../serve/serve_sessions.ts";
import type { ServedSessions } from "../../serve/served_sessions.ts";
import type { ServeSessionsOptions } from "../../serve/serve_sessions_options.ts";
import { memoryStorage } from "../../session/memory_storage.ts";
import { AgentError } from "../../shared/error.ts";
import type { LanguageModel, ModelMessage, ModelRequest } from "../../shared/model.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Gate } from "../../testing/gate.ts";
import { createGate } from "../../testing/gate.ts";
import {
  type ScriptedAnswer,
  scriptedModel,
  type ScriptedTurn,
} from "../../testing/scripted_model.ts";

const inputSchema = { type: "object" } as const;

/** A model whose responses depend on the conversation. It streams word by word. */
export function modelOf(respond: (request: ModelRequest) => ScriptedTurn): LanguageModel {
  const ask = async (request: ModelRequest): Promise<LanguageModel> =>
    scriptedModel([await respond(request)]);
  return {
    modelId: "clerk-model",
    generate: async (request) => await (await ask(request)).generate(request),
    stream: async function* (request) {
      const model = await ask(request);
      if (model.stream !== undefined) yield* model.stream(request);
    },
  };
}

/** Returns the text of a message. */
function textOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => part.type === "text" ? part.text : "").join("");
}

/** Returns the response of the model to a message. */
function respondTo(text: string, request: ModelRequest, gate: Gate): ScriptedTurn {
  const { messages, signal } = request;
  if (messages.at(-1)?.role === "tool") return { text: "It is 42." };
  switch (text) {
    case "tool":
      return { text: "Let me calculate.", calls: [{ toolName: "add", input: { secret: 7 } }] };
    case "think":
      return {
        content: [{ type: "reasoning", text: "Hmm." }, { type: "text", text: "Yes." }],
      };
    case "ask the expert":
      return { calls: [{ toolName: "expert", input: { task: "42?" } }] };
    case "ask the cashier":
      return { text: "I ask.", calls: [{ toolName: "cashier", input: { task: "pay" } }] };
    case "pay":
      return {
        text: "I will pay.",
        calls: [{ toolName: "pay", input: { amount: 5 } }, {
          toolName: "pay",
          input: { amount: 6 },
        }],
      };
    case "wait":
      return { calls: [{ toolName: "ask" }] };
    case "slow":
      return async () => {
        await abortable(gate.wait(), signal);
        return { text: "Done." } satisfies ScriptedAnswer;
      };
    case "fail":
      return { error: AgentError.modelError("host db.internal does not respond") };
    case "filter":
      return { text: "", finishReason: "content-filter" };
    case "long":
      return { text: "Once upon a", finishReason: "length" };
    case "loop":
      return { calls: [{ toolName: "add" }] };
    default: {
      const texts = messages.filter(({ role }) => role !== "system").map(textOf);
      return {
        text: `${texts.length}: ${texts.join(" | ")}`,
        usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10, cachedInputTokens: 2 },
      };
    }
  }
}

/** The served agent, and the gate at which the message `slow` waits. */
export interface Clerk extends AsyncDisposable {
  readonly served: ServedSessions;
  readonly gate: Gate;
}

/** Creates the agent. */
export function newClerk(gate: Gate): ToolLoopAgent {
  const expert = asTool({
    name: "expert",
    description: "Answers difficult questions",
    model: modelOf(() => ({
      text: "The expert's secret",
      usage: { inputTokens: 100, outputTokens: 50, totalTokens: 150 },
    })),
    allowedTools: [],
  });
  // Pays twice, in two iterations.
  const cashier = asTool({
    name: "cashier",
    description: "Pays",
    model: modelOf(({ messages }) => {
      const amount = messages.filter(({ role }) => role === "tool").length + 1;
      if (amount > 2) return { text: "Paid." };
      return { text: "The cashier's secret", calls: [{ toolName: "pay", input: { amount } }] };
    }),
    allowedTools: ["pay"],
  });
  const tools: readonly Tool[] = [
    { name: "add", inputSchema, execute: () => ({ sum: "the tool's secret" }) },
    { name: "pay", inputSchema, execute: () => "paid" },
    { name: "ask", inputSchema, execute: (_, { wait }) => wait("answer") },
    expert,
    cashier,
  ];
  const model = modelOf((request) => {
    const last = request.messages.findLast(({ role }) => role === "user");
    return respondTo(last === undefined ? "" : textOf(last), request, gate);
  });
  return new ToolLoopAgent({
    name: "clerk",
    model,
    tools,
    modelRetries: 0,
    approvalHandler: ({ toolCall: { toolName } }) => ({
      decision: toolName === "pay" ? "defer" : "approve",
    }),
  });
}

/** Serves the agent. */
export function serveClerk(options: Partial<ServeSessionsOptions> = {}): Clerk {
  const gate = createGate();
  const served = serveSessions({
    storage: memoryStorage(),
    make: () => newClerk(gate),
    flushMs: 0,
    drainMs: 0,
    onError: () => {},
    ...options,
  });
  return { served, gate, [Symbol.asyncDispose]: () => served.close() };
}

/** Returns an agent that also records the runs that it starts. */
export function recordRuns(served: ServedAgent, runs: ServedRun[]): ServedAgent {
  return {
    start: async (caller, start) => {
      const run = await served.start(caller, start);
      runs.push(run);
      return run;
    },
    get: (caller, runId) => served.get(caller, runId),
    list: (caller, filter) => served.list(caller, filter),
    messages: (caller, sessionId) => served.messages(caller, sessionId),
  };
}

/** A server-sent event. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads the events of a stream. Comments are ignored. */
export function readEvents(text: string): readonly SentEvent[] {
  return text.split("\n\n").filter((block) => block.includes("data: ")).map((block) => {
    const [, event = "message"] = /^event: (.*)$/m.exec(block) ?? [];
    const [, data = ""] = /^data: (.*)$/m.exec(block) ?? [];
    return { event, data };
  });
}
