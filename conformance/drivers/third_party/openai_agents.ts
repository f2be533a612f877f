/**
 * Driver for the OpenAI Agents SDK's `Runner`.
 *
 *     deno run -A --config conformance/drivers/third_party/deno.json conformance/drivers/third_party/openai_agents.ts
 *
 * @module
 */

import {
  Agent,
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
import { serveDriver } from "../typescript/serve_driver.ts";
import {
  type Fields,
  HostError,
  isFields,
  type OpCall,
  Unsupported,
} from "../typescript/operation.ts";
import workspace from "./deno.json" with { type: "json" };
import {
  COMMON_OPTIONS,
  LoopCall,
  type ModelResponse as ScriptedResponse,
  toCommonErrorOutcome,
  type ToolSpec,
} from "./agent_loop_driver.ts";
import { parseInput, toConversation, toItems, toParts } from "./openai_items.ts";

type Result = Awaited<ReturnType<typeof start>>;
type Options = Pick<
  NonNullable<Parameters<Runner["run"]>[2]>,
  "signal" | "maxTurns" | "toolExecution"
>;

/** Options for which the SDK supports only the value `throw`. */
const THROWN = ["onAbort", "onMaxIterations", "onUnknownTool"];
const OPTIONS = [...COMMON_OPTIONS, "onToolError", ...THROWN];

/** An error thrown by the scripted model. */
class ModelFailure extends Error {
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean) {
    super(message);
    this.retryable = retryable;
  }
}

async function runLoop(opCall: OpCall): Promise<Fields> {
  const call = new LoopCall(opCall, OPTIONS);
  for (const name of THROWN) {
    const value = call.text(name);
    if (value !== undefined && value !== "throw") {
      throw new Unsupported(`${name} "${value}" is not supported`);
    }
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

/** Starts a run. A separate function, so that `ReturnType` can refer to the type of its result. */
async function start(runner: Runner, agent: Agent, input: string, options: Options) {
  return await runner.run(agent, input, options);
}

function toAgent(call: LoopCall): Agent {
  const instructions = call.text("systemPrompt");
  const names = call.conditions().flatMap((condition) => {
    if (Array.isArray(condition.toolCalled)) return condition.toolCalled.map(String);
    throw new Unsupported(`stop condition "${Object.keys(condition).join()}" is not supported`);
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
    // The cast is unchecked: the SDK expects a stricter type, but receives the JSON Schema from the case unchanged.
    parameters: inputSchema as never,
    needsApproval: call.text("approval") !== undefined,
    ...(call.text("onToolError") === "throw" ? { errorFunction: null } : {}),
    ...(limitMs === undefined ? {} : { timeoutMs: limitMs }),
    execute: (input, _context, details) =>
      call.execute({ name, toolCallId: details?.toolCall?.callId, input }, details?.signal),
  });
}

/** Applies the approval decisions to the pending tool calls. Returns true if the run must continue. */
async function settleApprovals(
  call: LoopCall,
  { interruptions = [], state }: Result,
): Promise<boolean> {
  for (const item of interruptions) {
    const decision = await call.decide(requestOf(item)).catch(() => {
      // In this SDK, the driver rather than the library calls the handler, so an error in the handler would test only
      // the driver.
      throw call.rejectUnsupported(
        "approval handlers are not called during a run: calls are decided between two runs",
      );
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
      const response = await call.generate(toRequest(request), request.signal).catch(
        throwModelFailure,
      );
      const { finishReason } = response;
      if (finishReason !== "stop" && finishReason !== "tool-calls") {
        throw call.rejectUnsupported("the model interface has no finish reasons");
      }
      return { output: toItems(response.content), usage: toUsageCounts(response.usage) };
    },
    getStreamedResponse: () => {
      throw new Error("streaming is not supported");
    },
    // Providers report whether an error is retryable. A retry delay of 1 ms keeps the case short.
    getRetryAdvice: ({ error }) => ({
      suggested: error instanceof ModelFailure && error.retryable,
      replaySafety: "safe",
      retryAfterMs: 1,
    }),
  };
}

function throwModelFailure(error: unknown): never {
  if (!(error instanceof HostError)) throw error;
  throw new ModelFailure(error.message, error.retryable);
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

function toUsageCounts(usage: ScriptedResponse["usage"]): Usage {
  if (usage === undefined) return new Usage();
  const { inputTokens, outputTokens } = usage;
  return new Usage({ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens });
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

/** A documented error that carries the state of the run. */
class RunFailure extends Error {
  readonly code: string;
  readonly data: Fields;

  constructor(message: string, code: string, data: Fields) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

function withOutput(call: LoopCall, error: AgentsError): RunFailure {
  const { name } = error.constructor;
  const history = error.state?.history;
  const data = history === undefined
    ? {}
    : { partialOutput: { messages: toConversation(call.text("systemPrompt"), history) } };
  return new RunFailure(error.message, CODES[name] ?? name, data);
}

function toErrorOutcome(error: unknown): Fields {
  if (error instanceof RunFailure) {
    const { code, message, data } = error;
    return { error: { code, message, data } };
  }
  if (error instanceof ModelFailure) {
    return { error: { code: "model_error", message: error.message } };
  }
  return toCommonErrorOutcome(error);
}

if (import.meta.main) {
  setTracingDisabled(true);
  await serveDriver({
    implementation: {
      name: "@openai/agents",
      version: workspace.imports["@openai/agents"].replace(/.*@/, ""),
      language: "typescript",
      url: "https://openai.github.io/openai-agents-js/",
    },
    ops: { "runtime.loop.run": runLoop },
    toErrorOutcome,
  });
}
