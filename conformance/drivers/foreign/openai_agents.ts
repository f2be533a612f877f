/**
 * The driver of the OpenAI Agents SDK's `Runner`.
 *
 *     deno run -A --config conformance/drivers/foreign/deno.json conformance/drivers/foreign/openai_agents.ts
 *
 * A conversation of this library is a flat list of items; what one answer holds becomes one message here, and what its
 * tools return another.
 *
 * @module
 */

import {
  Agent,
  type AgentInputItem,
  AgentsError,
  type FunctionTool,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type ModelSettings,
  retryPolicies,
  Runner,
  type RunToolApprovalItem,
  setTracingDisabled,
  tool,
  Usage,
} from "@openai/agents";
import { serveDriver } from "../typescript/conversation.ts";
import { type Fields, isFields, type OpCall, Unsupported } from "../typescript/op.ts";
import foreign from "./deno.json" with { type: "json" };
import { LoopCall, type ModelAnswer, toCommonRefusal, type ToolSpec } from "./loop_call.ts";

type Result = Awaited<ReturnType<typeof start>>;
type Options = Pick<
  NonNullable<Parameters<Runner["run"]>[2]>,
  "signal" | "maxTurns" | "toolExecution"
>;

const OPTIONS = [
  "systemPrompt",
  "maxIterations",
  "generateOptions",
  "approval",
  "stop",
  "tools",
  "toolConcurrency",
  "toolTimeoutMs",
  "modelRetries",
  "onToolError",
  // Throwing is all it does in these situations.
  "onAbort",
  "onMaxIterations",
  "onUnknownTool",
];

/** What a model throws here. */
class ModelFailure extends Error {
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean) {
    super(message);
    this.retryable = retryable;
  }
}

async function runLoop(opCall: OpCall): Promise<Fields> {
  const call = new LoopCall(opCall, OPTIONS);
  for (const name of ["onAbort", "onMaxIterations", "onUnknownTool"]) {
    const value = call.text(name);
    if (value !== undefined && value !== "throw") throw new Unsupported(`no ${name} like ${value}`);
  }
  const agent = toAgent(call);
  const concurrency = call.number("toolConcurrency");
  const maxTurns = call.number("maxIterations");
  const options = {
    signal: call.signal,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(concurrency === undefined
      ? {}
      : { toolExecution: { maxFunctionToolConcurrency: concurrency } }),
  };
  const runner = new Runner();
  try {
    return await call.run(async () => {
      let result = await start(runner, agent, call.input, options);
      while (await settleApprovals(call, result)) {
        result = await runner.run(agent, result.state, options);
      }
      return toOutput(call, result);
    });
  } catch (error) {
    throw error instanceof AgentsError ? withOutput(call, error) : error;
  }
}

/** A function of its own, so that its result has a name. */
async function start(runner: Runner, agent: Agent, input: string, options: Options) {
  return await runner.run(agent, input, options);
}

function toAgent(call: LoopCall): Agent {
  const instructions = call.text("systemPrompt");
  const names = call.conditions().flatMap((condition) => {
    if (Array.isArray(condition.toolCalled)) return condition.toolCalled.map(String);
    throw new Unsupported(`no stop condition like ${Object.keys(condition).join()}`);
  });
  return new Agent({
    name: call.text("name") ?? "agent",
    model: toModel(call),
    modelSettings: settingsOf(call),
    tools: call.tools().map((spec) => toTool(spec, call)),
    ...(instructions === undefined ? {} : { instructions }),
    ...(names.length === 0 ? {} : { toolUseBehavior: { stopAtToolNames: names } }),
  });
}

function settingsOf(call: LoopCall): ModelSettings {
  const { generateOptions } = call.config;
  const { maxOutputTokens, ...options } = isFields(generateOptions) ? generateOptions : {};
  const maxRetries = call.number("modelRetries");
  return {
    ...options,
    ...(typeof maxOutputTokens === "number" ? { maxTokens: maxOutputTokens } : {}),
    ...(maxRetries === undefined
      ? {}
      : { retry: { maxRetries, policy: retryPolicies.providerSuggested() } }),
  };
}

function toTool(
  { name, description, inputSchema, timeoutMs }: ToolSpec,
  call: LoopCall,
): FunctionTool {
  const limitMs = timeoutMs ?? call.number("toolTimeoutMs");
  return tool({
    name,
    description: description ?? "",
    strict: false,
    // The kit's schemas stay as they are.
    parameters: inputSchema as never,
    needsApproval: call.text("approval") !== undefined,
    ...(call.text("onToolError") === "throw" ? { errorFunction: null } : {}),
    ...(limitMs === undefined ? {} : { timeoutMs: limitMs }),
    execute: (input, _context, details) =>
      call.execute({ name, toolCallId: details?.toolCall?.callId, input }, details?.signal),
  });
}

/** Whether there is more to run: every pending call was decided. */
async function settleApprovals(
  call: LoopCall,
  { interruptions = [], state }: Result,
): Promise<boolean> {
  for (const item of interruptions) {
    const decision = await call.decide(requestOf(item)).catch(() => {
      // The handler is called here, not by the library: what it makes of a failure would be our doing.
      throw call.lack("no approval handler within a run: calls are decided between two runs");
    });
    if (decision?.decision === "defer") return false;
    if (decision?.decision !== "deny") state.approve(item);
    else state.reject(item, decision.reason === undefined ? {} : { message: decision.reason });
  }
  return interruptions.length > 0;
}

function requestOf({ rawItem }: RunToolApprovalItem): Fields {
  if (rawItem.type !== "function_call") return {};
  const { name, callId } = rawItem;
  return { toolName: name, toolCallId: callId, input: parseInput(rawItem.arguments) };
}

function toModel(call: LoopCall): Model {
  return {
    getResponse: async (request) => {
      const answer = await call.generate(toRequest(request), request.signal).catch(
        throwModelFailure,
      );
      const { finishReason } = answer;
      if (finishReason !== "stop" && finishReason !== "tool-calls") {
        throw call.lack("no finish reasons in the model interface");
      }
      return toResponse(answer);
    },
    getStreamedResponse: () => {
      throw new Error("no case streams");
    },
    // Providers say what may be tried again; the wish for no delay saves the kit the wait.
    getRetryAdvice: ({ error }) => ({
      suggested: error instanceof ModelFailure && error.retryable,
      replaySafety: "safe",
      retryAfterMs: 1,
    }),
  };
}

function throwModelFailure(error: unknown): never {
  if (!isFields(error) || error.name !== "HostError") throw error;
  throw new ModelFailure(String(error.message), error.retryable === true);
}

function toRequest({ systemInstructions, input, tools, modelSettings }: ModelRequest): Fields {
  const { temperature, topP, maxTokens } = modelSettings;
  const items = typeof input === "string" ? [{ role: "user", content: input } as const] : input;
  return {
    messages: toConversation(systemInstructions, items),
    tools: tools.filter(({ type }) => type === "function").map(toDefinition),
    options: { temperature, topP, maxOutputTokens: maxTokens },
  };
}

function toDefinition(definition: Fields): Fields {
  const { name, description, parameters } = definition;
  return { name, description, inputSchema: parameters };
}

function toResponse({ content, usage }: ModelAnswer): ModelResponse {
  const output: Record<string, unknown>[] = [];
  for (const part of content) {
    const last = output.at(-1);
    const item = toItem(part);
    if (part.type === "text" && last?.type === "message" && Array.isArray(last.content)) {
      last.content.push({ type: "output_text", text: part.text });
    } else output.push(item);
  }
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  return {
    // The items have the shapes of the interface; only the kit's words in them are not checked.
    output: output as unknown as ModelResponse["output"],
    usage: usage === undefined
      ? new Usage()
      : new Usage({ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }),
  };
}

function toItem(
  { type, text, toolCallId, toolName, input, providerOptions }: Fields,
): Record<string, unknown> {
  const data = providerOptions === undefined ? {} : { providerData: providerOptions };
  switch (type) {
    case "tool-call":
      return {
        type: "function_call",
        callId: toolCallId,
        name: toolName,
        arguments: input,
        status: "completed",
        ...data,
      };
    case "reasoning":
      return { type: "reasoning", content: [{ type: "input_text", text }], ...data };
    default:
      return {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text }],
        ...data,
      };
  }
}

type Message = { readonly role: string; readonly content: Fields[] };

/** Joins the items of one answer, and those of one round of tools. */
function toConversation(
  instructions: string | undefined,
  items: readonly AgentInputItem[],
): readonly Fields[] {
  const messages: Message[] = [];
  for (const item of items) {
    const fields: Fields = { ...item };
    const role = roleOf(fields);
    const last = messages.at(-1);
    const parts = toParts(fields);
    if (last !== undefined && last.role === role && role !== "user") last.content.push(...parts);
    else messages.push({ role, content: parts });
  }
  // None is an empty text here, which providers leave out.
  return instructions === undefined || instructions === ""
    ? messages
    : [{ role: "system", content: instructions }, ...messages];
}

function roleOf({ type, role }: Fields): string {
  if (type === "function_call_result") return "tool";
  return role === "user" || role === "system" ? role : "assistant";
}

function toParts({ type, name, callId, content, providerData, ...item }: Fields): Fields[] {
  const options = providerData === undefined ? {} : { providerOptions: providerData };
  if (type === "function_call") {
    const input = parseInput(item.arguments);
    return [{ type: "tool-call", toolCallId: callId, toolName: name, input, ...options }];
  }
  if (type === "function_call_result") {
    return [{
      type: "tool-result",
      toolCallId: callId,
      toolName: name,
      output: toResultOutput(item.output),
    }];
  }
  const kind = type === "reasoning" ? "reasoning" : "text";
  if (typeof content === "string") return [{ type: kind, text: content, ...options }];
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  return list.filter(isFields).map(({ text }) => ({ type: kind, text, ...options }));
}

/** All that this library knows is text. */
function toResultOutput(output: unknown): Fields {
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "text", value: isFields(output) ? output.text : JSON.stringify(output) };
}

function parseInput(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    // What is not JSON stays what the model wrote.
    return text;
  }
}

function toOutput(call: LoopCall, result: Result): Fields {
  const { rawResponses, history, state, interruptions = [] } = result;
  const isWaiting = interruptions.length > 0;
  const messages = toConversation(call.text("systemPrompt"), history);
  const isByTool = rawResponses.at(-1)?.output.some(({ type }) => type === "function_call");
  return {
    finalText: isWaiting ? "" : result.finalOutput ?? "",
    iterations: toIterations(rawResponses, messages),
    totalUsage: toUsage(state.usage),
    stopReason: isWaiting ? "approval_pending" : isByTool ? "tool_stop" : "model_stop",
    messages,
    ...(isWaiting ? { pending: { approvals: interruptions.map(requestOf).map(toPending) } } : {}),
  };
}

function toPending(toolCall: Fields): Fields {
  return { toolCall };
}

function toIterations(
  responses: readonly ModelResponse[],
  messages: readonly Fields[],
): readonly Fields[] {
  const results = messages.flatMap(({ role, content }) =>
    role === "tool" && Array.isArray(content) ? content.filter(isFields) : []
  );
  return responses.map(({ output, usage }, index) => {
    const content = output.flatMap((item) => toParts({ ...item }));
    const toolCalls = content.filter(({ type }) => type === "tool-call");
    const ids = toolCalls.map(({ toolCallId }) => toolCallId);
    return {
      index,
      assistantMessage: { role: "assistant", content },
      toolCalls,
      toolResults: results.filter(({ toolCallId }) => ids.includes(toolCallId)),
      usage: toUsage(usage),
    };
  });
}

function toUsage({ inputTokens, outputTokens, totalTokens }: Usage): Fields {
  return { inputTokens, outputTokens, totalTokens };
}

const CODES: Readonly<Record<string, string>> = {
  MaxTurnsExceededError: "max_iterations_exceeded",
  ToolCallError: "tool_execution_failed",
  UserError: "invalid_argument",
};

/** A documented error, with the state that comes with it. */
class Refusal extends Error {
  readonly code: string;
  readonly data: Fields;

  constructor(message: string, code: string, data: Fields) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

function withOutput(call: LoopCall, error: AgentsError): Refusal {
  const { name } = error.constructor;
  const history = error.state?.history;
  const data = history === undefined
    ? {}
    : { partialOutput: { messages: toConversation(call.text("systemPrompt"), history) } };
  return new Refusal(error.message, CODES[name] ?? name, data);
}

function toRefusal(error: unknown): Fields {
  if (error instanceof Refusal) {
    const { code, message, data } = error;
    return { error: { code, message, data } };
  }
  if (error instanceof ModelFailure) {
    return { error: { code: "model_error", message: error.message } };
  }
  return toCommonRefusal(error);
}

if (import.meta.main) {
  setTracingDisabled(true);
  await serveDriver({
    implementation: {
      name: "@openai/agents",
      version: foreign.imports["@openai/agents"].replace(/.*@/, ""),
      language: "typescript",
      url: "https://openai.github.io/openai-agents-js/",
    },
    ops: { "runtime.loop.run": runLoop },
    toRefusal,
  });
}
