/**
 * A served agent and a client for the tests of the endpoint.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { asRecord } from "@parley/internal/json";
import { ToolLoopAgent } from "../../agent/agent.ts";
import { type ServedSessions, serveSessions } from "../../serve.ts";
import { memoryStorage } from "../../session/memory_storage.ts";
import type { LanguageModel, ModelMessage, ModelRequest } from "../../shared/model.ts";
import { createGate, type Gate } from "../../testing/gate.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { type A2aHandler, a2aHandler } from "../a2a_handler.ts";
import type { A2aHandlerOptions } from "../handler_options.ts";
import { decodeSse } from "@parley/internal/sse";

function textOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => part.type === "text" ? part.text : "").join("");
}

/** Calls that the model requests for a message. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  pay: ["pay"],
  both: ["pay", "ship"],
  ask: ["ask"],
  "ask and pay": ["ask", "pay"],
  "tell twice": ["note"],
};

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/**
 * Responds `You said: <message>` in parts of a word. `slow` waits at the gate before the last word,
 * `fail` fails with a secret, `file` responds with a file, and other messages call tools.
 */
function clerkModel(gate: Gate): LanguageModel {
  return {
    modelId: "clerk",
    generate: () => Promise.reject(new Error("The model is streamed")),
    async *stream({ messages, signal }: ModelRequest) {
      const turn = messages.findLast(({ role }) => role === "user");
      const text = turn === undefined ? "" : textOf(turn);
      if (text === "fail") throw new Error("password: hunter2");
      const last = messages.at(-1);
      const calls = last?.role === "tool" ? [] : CALLS[text] ?? [];
      if (calls.length > 0) {
        yield { type: "text-delta", delta: "Let me see" };
        const content = calls.map((toolName) => {
          const input = { amount: 5, iban: "secret" };
          return { type: "tool-call", toolCallId: `call-${toolName}`, toolName, input } as const;
        });
        const message = {
          role: "assistant" as const,
          content: [{ type: "text" as const, text: "Let me see" }, ...content],
        };
        yield { type: "finish", response: { message, finishReason: "tool-calls", usage } };
        return;
      }
      const answer = last?.role === "tool"
        ? `Result: ${last.content.map(({ output }) => describe(output)).join(" ")}`
        : `You said: ${text}`;
      const words = answer.split(/(?<= )/);
      for (const [index, delta] of words.entries()) {
        if (text === "slow" && index === words.length - 1) await abortable(gate.wait(), signal);
        yield { type: "text-delta", delta };
      }
      const file = { type: "data", data: "aGk=" } as const;
      const message = {
        role: "assistant" as const,
        content: [
          { type: "text" as const, text: answer },
          ...text === "file"
            ? [{ type: "file" as const, mediaType: "text/plain", filename: "a.txt", data: file }]
            : [],
        ],
      };
      yield { type: "finish", response: { message, finishReason: "stop", usage } };
    },
  };
}

function describe(output: object): string {
  const { reason, type, value } = asRecord(output);
  return type === "execution-denied" ? `denied ${reason ?? ""}`.trim() : JSON.stringify(value);
}

const inputSchema = { type: "object" } as const;

const TOOLS: readonly Tool[] = [
  { name: "pay", inputSchema, execute: () => "paid" },
  { name: "ship", inputSchema, execute: () => "shipped" },
  { name: "note", inputSchema, execute: () => "noted" },
  { name: "ask", inputSchema, execute: (_: unknown, { wait }: ToolContext) => wait("Which one?") },
];

/** An agent that is served, and a function that releases the model. */
export interface Clerk extends AsyncDisposable {
  readonly handler: A2aHandler;
  readonly served: ServedSessions;
  readonly gate: Gate;
  /** Errors that the endpoint has reported. */
  readonly errors: unknown[];
}

/** Serves the agent. */
export function serveClerk(
  options: A2aHandlerOptions = {},
  limits: { readonly maxOpenRunsPerCaller?: number } = {},
): Clerk {
  const gate = createGate();
  const errors: unknown[] = [];
  const served = serveSessions({
    storage: memoryStorage(),
    flushMs: 0,
    drainMs: 0,
    onError: () => {},
    ...limits,
    make: () =>
      new ToolLoopAgent({
        name: "clerk",
        model: clerkModel(gate),
        tools: TOOLS,
        approvalHandler: ({ toolCall: { toolName } }) =>
          toolName === "pay" || toolName === "ship"
            ? { decision: "defer" }
            : { decision: "approve" },
      }),
  });
  const handler = a2aHandler(served, { onError: (error) => errors.push(error), ...options });
  return {
    handler,
    served,
    gate,
    errors,
    async [Symbol.asyncDispose]() {
      gate.release();
      await served.close();
    },
  };
}

/** A request of a test. */
export interface Call {
  /** Subject of the caller. `null` for an anonymous caller. */
  readonly as?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ENDPOINT = "https://clerk.example/a2a";

/** Sends a request and returns the response. */
export async function send(
  { handler }: Pick<Clerk, "handler">,
  request: Request,
  as: string | null = "alice",
): Promise<Response> {
  return await handler(request, as === null ? {} : { principal: { subject: as } });
}

/** Calls a JSON-RPC method. */
export async function rpc(
  clerk: Pick<Clerk, "handler">,
  method: string,
  params: unknown,
  { as = "alice", headers = {} }: Call = {},
): Promise<Response> {
  const request = new Request(ENDPOINT, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return await send(clerk, request, as);
}

/** Calls a JSON-RPC method. Returns the result, or the code of the error. */
export async function call(
  clerk: Pick<Clerk, "handler">,
  method: string,
  params: unknown,
  options: Call = {},
): Promise<unknown> {
  const { error, result } = asRecord(await (await rpc(clerk, method, params, options)).json());
  return error === undefined ? result : asRecord(error).code;
}

/** Returns a member of a result. */
export function pick(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((from, name) => asRecord(from)[name], value);
}

/** Sends a message as `SendMessage`. Returns the task, or the code of the error. */
export async function ask(
  clerk: Pick<Clerk, "handler">,
  text: string,
  { rest = {}, ...options }: Call & { readonly rest?: object } = {},
): Promise<unknown> {
  const result = await call(clerk, "SendMessage", message(text, rest), options);
  return typeof result === "number" ? result : pick(result, "task");
}

/** Returns the id of a task. */
export function idOf(task: unknown): string {
  return String(pick(task, "id"));
}

/** Returns the state of a task, without its prefix. */
export function stateOf(task: unknown): string {
  return String(pick(task, "status", "state")).replace("TASK_STATE_", "");
}

/** Returns a message. */
export function message(text: string, rest: object = {}): object {
  return { message: { messageId: `m ${text}`, role: "ROLE_USER", parts: [{ text }], ...rest } };
}

/** Reads the data of an event stream. */
export async function* readStream(response: Response): AsyncGenerator<unknown, void> {
  if (response.body === null) return;
  const limits = { maxEventChars: 1_000_000, onTooLong: () => new Error("too long") };
  for await (const item of decodeSse(response.body, limits)) {
    if (item.kind === "event") yield JSON.parse(item.data);
  }
}
