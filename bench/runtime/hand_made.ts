/**
 * A loop written by hand for one agent run, with the checks and the output of the tool loop: it
 * validates responses and tool results, copies the inputs and results of tools, requires unique
 * call ids, limits the time of calls, passes abort signals, adds the usage, and records the
 * iterations. It has no events, approvals, retries, stop conditions, journals or budgets.
 *
 * @module
 */

import type {
  AssistantMessage,
  JsonValue,
  LanguageModel,
  ModelMessage,
  TokenUsage,
  ToolMessage,
} from "@parley/runtime";

type CallPart = Extract<AssistantMessage["content"][number], { readonly type: "tool-call" }>;
type ResultPart = ToolMessage["content"][number];

/** A tool of the loop. */
export interface HandMadeTool {
  execute(input: JsonValue, context: HandMadeContext): unknown;
}

/** What a tool receives besides its input. */
export interface HandMadeContext {
  readonly toolCallId: string;
  readonly iteration: number;
  readonly signal: AbortSignal;
}

/** An agent run. */
export interface HandMadeRun {
  readonly model: LanguageModel;
  readonly tools: ReadonlyMap<string, HandMadeTool>;
  /** Conversation up to the message of the user. */
  readonly messages: readonly ModelMessage[];
  readonly maxIterations: number;
}

interface Iteration {
  readonly index: number;
  readonly assistantMessage: AssistantMessage;
  readonly toolCalls: readonly CallPart[];
  readonly toolResults: readonly ResultPart[];
  readonly usage: TokenUsage | undefined;
}

const CALL_TIMEOUT_MS = 60_000;
const MAX_DEPTH = 200;

/** Members that parts of a response must have, keyed by type. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ["text", "text"],
  ["reasoning", "text"],
  ["tool-call", "toolName"],
]);

/** Limits the time of one call after another with one timer. */
class Deadline {
  readonly #controller = new AbortController();
  #reject: (error: Error) => void = () => {};
  #due = 0;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor() {
    this.#timer = setInterval(() => this.#check(), CALL_TIMEOUT_MS / 60);
  }

  /** Aborted when a call takes too long. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Rejects if the call does not settle in time. */
  limit<T>(call: Promise<T>): Promise<T> {
    this.#due = performance.now() + CALL_TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      call.then(resolve, reject);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    if (performance.now() < this.#due) return;
    const error = new Error("The call took too long");
    this.#controller.abort(error);
    this.#reject(error);
  }
}

/** Executes the run. */
export async function runHandMade(
  { maxIterations, messages: before, model, tools }: HandMadeRun,
): Promise<unknown> {
  const messages: ModelMessage[] = [...before];
  const iterations: Iteration[] = [];
  const ids = new Set<string>();
  const total = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const deadline = new Deadline();
  try {
    for (let index = 0; index < maxIterations; index++) {
      const request = { messages, tools: [], options: {}, signal: deadline.signal };
      const { message, usage } = await deadline.limit(Promise.resolve(model.generate(request)));
      const toolCalls = readCalls(message, ids);
      if (usage !== undefined) {
        total.inputTokens += usage.inputTokens ?? 0;
        total.outputTokens += usage.outputTokens ?? 0;
        total.totalTokens += usage.totalTokens ?? 0;
      }
      messages.push(message);
      const execute = (call: CallPart) => executeCall(call, tools, index, deadline.signal);
      const toolResults = await deadline.limit(Promise.all(toolCalls.map(execute)));
      iterations.push({ index, assistantMessage: message, toolCalls, toolResults, usage });
      if (toolCalls.length === 0) {
        return {
          stopReason: "model_stop",
          finalText: textOf(message),
          messages,
          iterations,
          total,
        };
      }
      messages.push({ role: "tool", content: toolResults });
    }
    return { stopReason: "max_iterations", messages, iterations, total };
  } finally {
    deadline.stop();
  }
}

function readCalls({ content }: AssistantMessage, ids: Set<string>): readonly CallPart[] {
  if (!Array.isArray(content)) throw new TypeError("The response has no content");
  const calls: CallPart[] = [];
  for (const part of content) {
    const member = MEMBERS.get(part.type);
    if (member === undefined || typeof Reflect.get(part, member) !== "string") {
      throw new TypeError("The response contains a damaged part");
    }
    if (part.type !== "tool-call") continue;
    if (ids.has(part.toolCallId)) throw new TypeError("The id of the call was used before");
    ids.add(part.toolCallId);
    calls.push(part);
  }
  return calls;
}

async function executeCall(
  { input, toolCallId, toolName }: CallPart,
  tools: ReadonlyMap<string, HandMadeTool>,
  iteration: number,
  signal: AbortSignal,
): Promise<ResultPart> {
  const startedAt = performance.now();
  const tool = tools.get(toolName);
  const result = (output: ResultPart["output"]): ResultPart => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output,
    isError: output.type === "error-text",
    durationMs: performance.now() - startedAt,
  });
  if (tool === undefined) return result({ type: "error-text", value: "There is no such tool" });
  try {
    const value = await tool.execute(copy(input, MAX_DEPTH), { toolCallId, iteration, signal });
    return result({ type: "json", value: copy(value, MAX_DEPTH) });
  } catch (error) {
    return result({ type: "error-text", value: String(error) });
  }
}

/** Copies a JSON value. Throws if the value is not JSON. */
function copy(value: unknown, depth: number): JsonValue {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object" || depth === 0) throw new TypeError("The value is not JSON");
  if (Array.isArray(value)) return value.map((item) => copy(item, depth - 1));
  const copied: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) copied[name] = copy(member, depth - 1);
  return copied;
}

function textOf({ content }: AssistantMessage): string {
  return content.map((part) => part.type === "text" ? part.text : "").join("");
}
