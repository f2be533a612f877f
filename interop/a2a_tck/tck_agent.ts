/**
 * The agent that the A2A compatibility kit tests. The prefix of a message's id selects what the
 * agent does, as the kit expects.
 *
 * @module
 */

import { jsonSchema, type ModelRequest, type ToolContext, ToolLoopAgent } from "@parley/runtime";
import {
  a2aHandler,
  type A2aHandlerOptions,
  AGENT_CARD_PATH,
  type AgentCard,
  agentCardHandler,
  type AgentDescription,
} from "@parley/runtime/a2a";
import { memoryRuns, openRuns } from "@parley/runtime/runs";
import {
  type ServedAgent,
  type ServedHandler,
  serveRuns,
  serveSessions,
  toServedContext,
} from "@parley/runtime/serve";
import { memoryStorage } from "@parley/runtime/session";
import { type ScriptedAnswer, scriptedModel } from "@parley/runtime/testing";

/** A way to serve the agent. */
export interface Configuration {
  readonly name: string;
  /** Whether the agent consists of sessions or of durable runs. */
  readonly agent: "sessions" | "runs";
  readonly options: A2aHandlerOptions;
  /** Whether all requests have a principal. The kit sends no credentials. */
  readonly isAuthenticated?: boolean;
}

const FILE = { type: "file", mediaType: "text/plain", filename: "output.txt" } as const;
const INLINE_FILE = { ...FILE, data: { type: "data", data: "aGk=" } } as const;
const LINKED_FILE = {
  ...FILE,
  data: { type: "url", url: new URL("https://example.com/output.txt") },
} as const;

/** Answers to messages, keyed by the start of their id. The first match counts. */
const ANSWERS: readonly (readonly [string, ScriptedAnswer])[] = [
  ["tck-artifact-file-url", { content: [LINKED_FILE] }],
  ["tck-artifact-file", { content: [INLINE_FILE] }],
  ["tck-stream-artifact-file", { content: [INLINE_FILE] }],
  ["tck-artifact-data", {
    calls: [{ toolName: "final_answer", input: { key: "value", count: 42 } }],
  }],
  ["tck-artifact-text", { text: "Generated text content" }],
  ["tck-stream-artifact-text", { text: "Streamed text content" }],
  ["tck-stream-artifact-chunked", { text: "chunk-1 chunk-2" }],
  ["tck-stream-001", { text: "Stream hello from TCK" }],
  ["tck-stream-003", { text: "Stream task lifecycle" }],
  ["tck-stream-ordering-001", { text: "Ordered output" }],
  ["tck-message-response", { text: "Direct message response" }],
  ["tck-reject-task", { text: "", finishReason: "content-filter" }],
  ["tck-input-required", { calls: [{ toolName: "ask_user", input: {} }] }],
];

const DATA = {
  type: "object",
  properties: { key: { type: "string" }, count: { type: "number" } },
} as const;

const ASK = {
  name: "ask_user",
  inputSchema: { type: "object" },
  execute: ({ count = 1 }: { readonly count?: number }, { wait }: ToolContext) =>
    wait(`Question ${count}`),
} as const;

/** Time that the kit expects a long task to take: twice its timeout for a stream. */
const LONG_TASK_MS = 4000;

function createAgent(messageId: string): ToolLoopAgent {
  const greeting = { text: "Hello from TCK" };
  const answer = ANSWERS.find(([prefix]) => messageId.startsWith(prefix))?.[1] ?? greeting;
  const respond = async ({ messages }: ModelRequest): Promise<ScriptedAnswer> => {
    const isLong = messageId.startsWith("test-resubscribe");
    if (isLong) await new Promise((resolve) => setTimeout(resolve, LONG_TASK_MS));
    const last = messages.at(-1);
    if (last?.role !== "tool") return answer;
    // The kit sends several messages to a task that asks again after each of them.
    const asksAgain = JSON.stringify(last.content).includes("TCK history message");
    return asksAgain
      ? { calls: [{ toolName: "ask_user", input: { count: messages.length } }] }
      : greeting;
  };
  const model = scriptedModel([respond, respond, respond, respond]);
  const isData = messageId.startsWith("tck-artifact-data");
  return new ToolLoopAgent({
    name: "tck",
    model,
    tools: [ASK],
    ...isData && { output: jsonSchema(DATA) },
  });
}

function messageIdOf({ a2aMessage }: Readonly<Record<string, unknown>>): string {
  return String(Object(a2aMessage).messageId);
}

interface OpenAgent extends AsyncDisposable {
  readonly served: ServedAgent;
}

function openAgent(kind: Configuration["agent"]): OpenAgent {
  const onError = (): void => {};
  if (kind === "sessions") {
    const served = serveSessions({
      storage: memoryStorage(),
      onError,
      make: ({ metadata }) => createAgent(messageIdOf(metadata)),
    });
    return { served, [Symbol.asyncDispose]: () => served.close() };
  }
  const runs = openRuns(memoryRuns(), {
    tck: {
      version: "1",
      make: (run) => createAgent(messageIdOf(toServedContext(run).metadata)),
    },
  }, { storeEvents: true, onError });
  const working = runs.work();
  return {
    served: serveRuns(runs, { agent: "tck" }),
    async [Symbol.asyncDispose]() {
      await runs.close();
      await working;
    },
  };
}

const DESCRIPTION: AgentDescription = {
  name: "tck",
  description: "Agent under test",
  version: "1.0.0",
  skills: [{ id: "answer", name: "Answer", description: "Answers", tags: ["tck"] }],
};

/** The extended card of the agent. */
export const EXTENDED_CARD: AgentCard = {
  ...DESCRIPTION,
  description: "Agent under test, for authenticated callers",
  supportedInterfaces: [{
    url: "http://127.0.0.1/a2a",
    protocolBinding: "JSONRPC",
    protocolVersion: "1.0",
  }],
  capabilities: { streaming: true, extendedAgentCard: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
};

type Handler = (request: Request) => Promise<Response>;

/** A server on loopback. */
export interface TckServer extends AsyncDisposable {
  readonly origin: string;
}

/** Serves the agent on loopback. */
export async function serveTckAgent(configuration: Configuration): Promise<TckServer> {
  const { agent, isAuthenticated = false } = configuration;
  const open = openAgent(agent);
  const given = { allowAnonymous: true, ...configuration.options };
  const asTask = a2aHandler(open.served, given);
  const asMessage = a2aHandler(open.served, { ...given, respondWith: "message" });
  const context = isAuthenticated ? { principal: { subject: "tck" } } : {};
  const { promise: card, resolve } = Promise.withResolvers<Handler>();
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    if (new URL(request.url).pathname === AGENT_CARD_PATH) return await (await card)(request);
    const [handler, copy] = await selectHandler(request, { asTask, asMessage });
    return await handler(copy, context);
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  resolve(await agentCardHandler(DESCRIPTION, { url: `${origin}/a2a`, handler: asTask }));
  return {
    origin,
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]();
      await server.shutdown();
    },
  };
}

/** The kit expects both kinds of responses from one server. A program uses one of them. */
async function selectHandler(
  request: Request,
  handlers: { readonly asTask: ServedHandler; readonly asMessage: ServedHandler },
): Promise<readonly [ServedHandler, Request]> {
  if (request.method !== "POST") return [handlers.asTask, request];
  const { headers, method, url } = request;
  const body = await request.text();
  const isMessage = body.includes('"tck-message-response');
  const copy = new Request(url, { method, headers, ...body !== "" && { body } });
  return [isMessage ? handlers.asMessage : handlers.asTask, copy];
}
