/**
 * A chat server that tests start as a process and kill. Its model streams words slowly, and calls a
 * tool first if the user asks it to look something up or to pay.
 *
 *     deno run -A chat_server.ts '{"file":"chats.db","calls":"calls.txt"}'
 *
 * Prints its port. Writes a line to the file `calls` for each call of the model, and for each
 * execution of a tool with the key of the call, so that a test can count them over several
 * processes.
 *
 * @module
 */

import { type LanguageModel, type ToolContext, ToolLoopAgent } from "@parley/runtime";
import { liveEventResponse } from "@parley/runtime/events";
import { postgresStorage } from "@parley/runtime/postgres";
import { memoryStorage, openSessions, type SessionStorage } from "@parley/runtime/session";
import { sqliteStorage } from "@parley/runtime/sqlite";
import { agUiHandler } from "@parley/runtime/ui/ag-ui";
import { uiChatHandler } from "@parley/runtime/ui/ai-sdk";
import pg from "pg";

/** Access to PostgreSQL. */
export interface PostgresSettings {
  readonly connectionString: string;
  readonly schema: string;
  /** Whether readers receive notifications. Otherwise, they look for changes at intervals. */
  readonly listen: boolean;
}

/** Settings of the server. */
export interface ChatServerSettings {
  /** SQLite file with the sessions. `":memory:"` keeps them in the process. */
  readonly file: string;
  /** PostgreSQL database with the sessions, instead of the file. */
  readonly postgres?: PostgresSettings;
  /** File that counts the calls of the model and of tools. */
  readonly calls: string;
  /** Number of words of the response. */
  readonly words?: number;
  /** Time between two words, in milliseconds. */
  readonly wordMs?: number;
  /** Duration of a tool call, in milliseconds. */
  readonly toolMs?: number;
  readonly leaseMs?: number;
  /**
   * `"after_record"` stops the process as if it had crashed after the record of the run was added
   * and before the run was ended.
   */
  readonly crash?: "after_record";
}

const {
  calls,
  crash,
  file,
  leaseMs = 1000,
  postgres,
  toolMs = 0,
  wordMs = 10,
  words = 40,
}: ChatServerSettings = JSON.parse(Deno.args[0] ?? "{}");

function count(line: string): void {
  Deno.writeTextFileSync(calls, `${line}\n`, { append: true });
}

const model: LanguageModel = {
  modelId: "slow",
  generate: () => Promise.reject(new Error("the model only streams")),
  async *stream({ messages, signal }) {
    count("model");
    const last = messages.at(-1);
    const asked = last?.role === "user" ? JSON.stringify(last.content) : "";
    const toolName = asked.includes("pay") ? "pay" : asked.includes("look") ? "look" : undefined;
    const content = [];
    if (toolName !== undefined) {
      const text = "One moment. ";
      yield { type: "text-delta", delta: text };
      const toolCallId = `call_${messages.length}`;
      content.push({ type: "text", text } as const);
      content.push({ type: "tool-call", toolCallId, toolName, input: { item: "tea" } } as const);
    } else {
      let text = "";
      for (let n = 1; n <= words; n++) {
        await new Promise((resolve) => setTimeout(resolve, wordMs));
        signal?.throwIfAborted();
        yield { type: "text-delta", delta: `word${n} ` };
        text += `word${n} `;
      }
      content.push({ type: "text", text } as const);
    }
    yield {
      type: "finish",
      response: {
        message: { role: "assistant", content },
        finishReason: toolName === undefined ? "stop" : "tool-calls",
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
      },
    };
  },
};

const tools = ["look", "pay"].map((name) => ({
  name,
  inputSchema: { type: "object" } as const,
  execute: async (_input: unknown, { idempotencyKey }: ToolContext) => {
    count(`${name} ${idempotencyKey}`);
    if (toolMs > 0) await new Promise((resolve) => setTimeout(resolve, toolMs));
    return "5 euros";
  },
}));

function openStorage(): SessionStorage {
  if (postgres !== undefined) {
    const { connectionString, listen, schema } = postgres;
    return postgresStorage(new pg.Pool({ connectionString }), { listen, schema });
  }
  return file === ":memory:" ? memoryStorage() : sqliteStorage(file);
}

function openFailingStorage(): SessionStorage {
  const storage = openStorage();
  if (crash === undefined) return storage;
  const { log, records, steps } = storage;
  return {
    records: {
      ...records,
      async append(...args): Promise<boolean> {
        await records.append(...args);
        Deno.kill(Deno.pid, "SIGKILL");
        return await new Promise(() => {});
      },
    },
    log,
    ...steps && { steps },
    delete: (...session) => storage.delete(...session),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

const sessions = openSessions({
  storage: openFailingStorage(),
  leaseMs,
  agent: () =>
    new ToolLoopAgent({
      name: "shop",
      model,
      tools,
      approvalHandler: ({ toolCall }) => toolCall.toolName !== "pay" || { decision: "defer" },
    }),
});
const chat = uiChatHandler(sessions, { path: "/chat", authorize: () => true });
const agent = agUiHandler(sessions, { path: "/agent", authorize: () => true });
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(JSON.stringify({ port })),
}, async (request) => {
  const { pathname } = new URL(request.url);
  if (/^\/agent(\/|$)/.test(pathname)) return await agent(request);
  if (!pathname.startsWith("/events/")) return await chat(request);
  const after = request.headers.get("last-event-id") ?? undefined;
  const live = await sessions.attach(pathname.slice("/events/".length), {
    ...after !== undefined && { after },
  });
  return live === undefined ? new Response(null, { status: 204 }) : liveEventResponse(live);
});
