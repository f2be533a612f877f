/**
 * An agent that is served over A2A on the loopback address, for clients of other packages.
 *
 * @module
 */

import type { LanguageModel, ModelRequest, ToolContext } from "@parley/runtime";
import { ToolLoopAgent } from "@parley/runtime";
import { a2aHandler, AGENT_CARD_PATH, agentCardHandler } from "@parley/runtime/a2a";
import { serveSessions } from "@parley/runtime/serve";
import { memoryStorage } from "@parley/runtime/session";

/** Returns the text of the newest message of the user. */
function questionOf({ messages }: ModelRequest): string {
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((part) => part.type === "text" ? part.text : "").join("");
}

/**
 * Responds with `Answer to <message>` word by word. For the message `ask`, calls a tool that asks
 * the client. For the message `wait`, waits until the task is cancelled.
 */
const model: LanguageModel = {
  modelId: "scripted",
  generate: () => Promise.reject(new Error("The model is streamed")),
  async *stream(request) {
    const question = questionOf(request);
    const last = request.messages.at(-1);
    if (question === "wait") await untilAborted(request.signal);
    if (question === "ask" && last?.role !== "tool") {
      const call = { type: "tool-call", toolCallId: "c1", toolName: "ask", input: {} } as const;
      const message = { role: "assistant" as const, content: [call] };
      yield { type: "finish", response: { message, finishReason: "tool-calls" } };
      return;
    }
    const text = last?.role === "tool"
      ? `You said ${last.content.map(({ output }) => "value" in output ? output.value : "").join()}`
      : `Answer to ${question}`;
    for (const delta of text.split(/(?<= )/)) yield { type: "text-delta", delta };
    const message = {
      role: "assistant" as const,
      content: [{ type: "text" as const, text }],
    };
    yield { type: "finish", response: { message, finishReason: "stop" } };
  },
};

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A running agent. */
export interface RunningAgent extends AsyncDisposable {
  readonly origin: string;
}

/** Starts the agent. All clients are one caller. */
export async function serveAgent(): Promise<RunningAgent> {
  const served = serveSessions({
    storage: memoryStorage(),
    make: () =>
      new ToolLoopAgent({
        name: "oracle",
        model,
        tools: [{
          name: "ask",
          inputSchema: { type: "object" },
          execute: (_: unknown, { wait }: ToolContext) => wait("Which one?"),
        }],
      }),
  });
  const handler = a2aHandler(served, { allowAnonymous: true });
  const { promise: card, resolve: setCard } = Promise.withResolvers<
    (request: Request) => Promise<Response>
  >();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      return pathname === AGENT_CARD_PATH ? (await card)(request) : handler(request);
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  setCard(
    await agentCardHandler({
      name: "oracle",
      description: "Solves difficult tasks",
      version: "1.0.0",
      skills: [{ id: "answer", name: "Answer", description: "Answers", tags: ["math"] }],
    }, { url: `${origin}/a2a`, handler }),
  );
  return {
    origin,
    async [Symbol.asyncDispose]() {
      await served.close();
      await server.shutdown();
    },
  };
}
