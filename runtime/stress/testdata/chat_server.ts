/**
 * A chat server on loopback whose agent has one tool, for tests that send the same approval many
 * times concurrently. The routes are:
 *
 * - `POST /chat`: the body is a request of `useChat`. The response streams the run.
 * - `GET /received/THREAD/COUNT`: responds when the server has received COUNT approvals for the
 *   thread.
 * - `POST /release/THREAD`: lets the tool of the thread end. The tool waits for this request.
 * - `GET /errors`: responds with the messages of the errors of all runs, as JSON.
 *
 * @module
 */

import { type LanguageModel, type StepRunner, ToolLoopAgent } from "../../mod.ts";
import { AgentSession, type SessionStore } from "../../session.ts";
import { readUiTurn, uiMessageResponse } from "../../ui/ai_sdk.ts";

/** Options for {@linkcode serveChat}. */
export interface ChatServerOptions {
  readonly store: SessionStore;
  /** Returns the step runner for a request of a thread. */
  readonly open: (threadId: string) => StepRunner | Promise<StepRunner>;
  /** Called when the tool is executed. */
  readonly execute: (threadId: string) => void | Promise<void>;
}

/** Calls the tool for each user message, and responds when the tool has ended. */
export const CHAT_MODEL: LanguageModel = {
  modelId: "payer",
  generate({ messages }) {
    const isPaid = messages.at(-1)?.role === "tool";
    return Promise.resolve({
      message: {
        role: "assistant",
        content: isPaid
          ? [{ type: "text", text: "done" }]
          : [{ type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} }],
      },
      finishReason: isPaid ? "stop" : "tool-calls",
    });
  },
};

/** The approvals of a thread, and the end of its tool. */
class Thread {
  readonly released: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #received = 0;

  receive(): void {
    this.#received++;
    for (const { count, resolve } of this.#waiting) if (count <= this.#received) resolve();
  }

  async untilReceived(count: number): Promise<void> {
    if (count <= this.#received) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }
}

/** Starts the server on a free port. */
export function serveChat(options: ChatServerOptions): Deno.HttpServer<Deno.NetAddr> {
  const threads = new Map<string, Thread>();
  const errors: string[] = [];

  function threadOf(id: string): Thread {
    const thread = threads.get(id) ?? new Thread();
    threads.set(id, thread);
    return thread;
  }

  async function chat(request: Request): Promise<Response> {
    const { decisions, threadId, turn } = readUiTurn(await request.json());
    const thread = threadOf(threadId);
    const agent = new ToolLoopAgent({
      name: "clerk",
      model: CHAT_MODEL,
      tools: [{
        name: "pay",
        inputSchema: { type: "object" },
        async execute() {
          await options.execute(threadId);
          await thread.released.promise;
          return "paid";
        },
      }],
      approvalHandler: () => ({ decision: "defer" }),
      onError: () => {},
    });
    const stepRunner = await options.open(threadId);
    const session = new AgentSession(agent, { id: threadId, store: options.store, stepRunner });
    if (turn === undefined) thread.receive();
    return uiMessageResponse(session.stream(turn, { decisions }), {
      sendRecorded: turn !== undefined,
      onError: (error) => void errors.push(String(error)),
    });
  }

  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const [, route, id = "", count] = new URL(request.url).pathname.split("/");
    switch (route) {
      case "chat":
        return await chat(request);
      case "received":
        await threadOf(id).untilReceived(Number(count));
        return new Response();
      case "release":
        threadOf(id).released.resolve();
        return new Response();
      default:
        return Response.json(errors);
    }
  });
}

/**
 * Prints the port of a server, and closes the server when standard input ends. The parent process
 * keeps standard input open, so a server does not outlive its parent.
 */
export async function serveUntilInputEnds(server: Deno.HttpServer<Deno.NetAddr>): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port}\n`));
  await Deno.stdin.readable.pipeTo(new WritableStream());
  await server.shutdown();
}
