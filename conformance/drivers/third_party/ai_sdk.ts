/**
 * Driver for the AI SDK's `ToolLoopAgent`.
 *
 *     deno run -A --config conformance/drivers/third_party/deno.json conformance/drivers/third_party/ai_sdk.ts
 *
 * Conversations are built as in the AI SDK's documentation: instructions, prompt, then the response messages.
 *
 * @module
 */

import {
  AISDKError,
  APICallError,
  hasToolCall,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  type StepResult,
  type StopCondition,
  tool,
  ToolLoopAgent,
  type ToolSet,
} from "ai";
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
  toCommonErrorOutcome,
  type ToolSpec,
} from "./agent_loop_driver.ts";

type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>;
type Request = Parameters<Model["doGenerate"]>[0];
type Response = Awaited<ReturnType<Model["doGenerate"]>>;
type Step = StepResult<ToolSet>;

// After an abort, the AI SDK always rejects with the signal's reason.
const OPTIONS = [...COMMON_OPTIONS, "onAbort"];

/** The AI SDK's default limit, in steps. */
const DEFAULT_STEPS = 20;

async function runLoop(opCall: OpCall): Promise<Fields> {
  const call = new LoopCall(opCall, OPTIONS);
  if (call.text("onAbort") === "return") throw new Unsupported("an abort always rejects");
  const agent = new ToolLoopAgent({
    ...settingsOf(call),
    model: toModel(call),
    tools: Object.fromEntries(call.tools().map((spec) => [spec.name, toTool(spec, call)])),
    ...(call.text("approval") === undefined ? {} : { toolApproval: toApproval(call) }),
  });
  const timeout = timeoutsOf(call);
  const result = await call.run(() =>
    agent.generate({ prompt: call.input, abortSignal: call.signal, timeout })
  );
  return toOutput(call, result);
}

function settingsOf(call: LoopCall): Fields {
  const { generateOptions } = call.config;
  const concurrency = call.number("toolConcurrency");
  const retries = call.number("modelRetries");
  const instructions = call.text("systemPrompt");
  const conditions = stopConditions(call);
  return {
    ...(isFields(generateOptions) ? generateOptions : {}),
    ...(instructions === undefined ? {} : { instructions }),
    ...(concurrency === undefined ? {} : { toolCallConcurrency: concurrency }),
    ...(retries === undefined ? {} : { maxRetries: retries }),
    ...(conditions.length === 0 ? {} : { stopWhen: conditions }),
  };
}

function timeoutsOf(call: LoopCall): { toolMs?: number; tools: Record<string, number> } {
  const toolMs = call.number("toolTimeoutMs");
  const own = call.tools().flatMap(({ name, timeoutMs }) =>
    timeoutMs === undefined ? [] : [[`${name}Ms`, timeoutMs]]
  );
  return { ...(toolMs === undefined ? {} : { toolMs }), tools: Object.fromEntries(own) };
}

/** Returns the stop conditions in a case and the SDK's default limit, which `stopWhen` would otherwise replace. */
function stopConditions(call: LoopCall): readonly StopCondition<ToolSet>[] {
  const limit = call.number("maxIterations");
  const own = call.conditions().map((condition) => toCondition(condition, call));
  if (limit === undefined && own.length === 0) return [];
  return [isStepCount(limit ?? DEFAULT_STEPS), ...own];
}

function toCondition(condition: Fields, call: LoopCall): StopCondition<ToolSet> {
  if (typeof condition.maxIterations === "number") return isStepCount(condition.maxIterations);
  if (Array.isArray(condition.toolCalled)) return hasToolCall(...condition.toolCalled.map(String));
  if (condition.custom === undefined) {
    throw new Unsupported(`stop condition "${Object.keys(condition).join()}" is not supported`);
  }
  const check = call.customCheck(condition);
  return ({ steps }) => {
    const last = steps.at(-1);
    return check({
      iteration: steps.length - 1,
      totalUsage: sumUsage(steps),
      lastFinishReason: last?.finishReason,
      lastToolCallCount: last?.toolCalls.length ?? 0,
    });
  };
}

function toModel(call: LoopCall): Model {
  return {
    specificationVersion: "v4",
    provider: "kit",
    modelId: call.text("model") ?? "",
    supportedUrls: {},
    doGenerate: async (request) => {
      const { prompt, tools = [], abortSignal } = request;
      const options = optionsOf(request);
      const sent = { messages: prompt, tools: tools.map(toDefinition), options };
      const response = await call.generate(sent, abortSignal).catch(throwModelError);
      const { finishReason, usage } = response;
      return {
        content: response.content.map(toPart),
        finishReason: { unified: finishReason, raw: finishReason },
        usage: {
          inputTokens: { total: usage?.inputTokens },
          outputTokens: { total: usage?.outputTokens },
        },
        warnings: [],
        // The object has the required members, but the values from the kit are not validated, so the cast is unchecked.
      } as unknown as Response;
    },
    doStream: () => Promise.reject(new Error("streaming is not supported")),
  };
}

function optionsOf(
  { temperature, maxOutputTokens, topP, topK, seed, stopSequences }: Request,
): Fields {
  return { temperature, maxOutputTokens, topP, topK, seed, stopSequences };
}

function toDefinition(definition: NonNullable<Request["tools"]>[number]): Fields {
  if (definition.type !== "function") return { name: definition.name };
  const { name, description, inputSchema } = definition;
  return { name, description, inputSchema };
}

/**
 * Converts a part of a model response: cases use the name `providerOptions`, the SDK's responses `providerMetadata`.
 */
function toPart({ providerOptions, ...part }: Fields): Fields {
  return providerOptions === undefined ? part : { ...part, providerMetadata: providerOptions };
}

/** Throws the error that the AI SDK's providers throw. A retry delay of 1 ms keeps the case short. */
function throwModelError(error: unknown): never {
  if (!(error instanceof HostError)) throw error;
  const { retryable, status, message } = error;
  throw new APICallError({
    message,
    url: "http://127.0.0.1/",
    requestBodyValues: {},
    isRetryable: retryable,
    responseHeaders: { "retry-after-ms": "1" },
    ...(status === undefined ? {} : { statusCode: status }),
  });
}

function toTool({ name, description, inputSchema }: ToolSpec, call: LoopCall): ToolSet[string] {
  return tool({
    ...(description === undefined ? {} : { description }),
    inputSchema: jsonSchema(inputSchema),
    execute: (input, { toolCallId, abortSignal }) =>
      call.execute({ name, toolCallId, input }, abortSignal),
  });
}

type Approval = "approved" | "user-approval" | {
  readonly type: "denied";
  readonly reason?: string;
};

function toApproval(call: LoopCall): (request: {
  readonly toolCall: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: unknown;
  };
}) => Promise<Approval> {
  return async ({ toolCall: { toolName, toolCallId, input } }) => {
    const { decision, reason } = await call.decide({ toolName, toolCallId, input }) ?? {};
    if (decision === "defer") return "user-approval";
    if (decision !== "deny") return "approved";
    return reason === undefined ? { type: "denied" } : { type: "denied", reason };
  };
}

type Result = Awaited<ReturnType<ToolLoopAgent["generate"]>>;

function toOutput(call: LoopCall, { text, steps, totalUsage, responseMessages }: Result): Fields {
  const instructions = call.text("systemPrompt");
  const tools = responseMessages.filter(({ role }) => role === "tool");
  let nextTools = 0;
  return {
    finalText: text,
    iterations: steps.map((step) =>
      toIteration(step, step.toolCalls.length === 0 ? undefined : tools[nextTools++])
    ),
    totalUsage: toUsage(totalUsage),
    ...stopReasonOf(call, steps),
    ...pendingOf(steps.at(-1)),
    messages: [
      ...(instructions === undefined ? [] : [{ role: "system", content: instructions }]),
      { role: "user", content: call.input },
      ...responseMessages,
    ],
  };
}

function toIteration(step: Step, results: Fields | undefined): Fields {
  const { stepNumber, content, toolCalls, usage } = step;
  const assistantContent = content.filter(({ type }) =>
    ["text", "reasoning", "tool-call"].includes(type)
  );
  return {
    index: stepNumber,
    assistantMessage: { role: "assistant", content: assistantContent },
    toolCalls,
    toolResults: Array.isArray(results?.content)
      ? results.content.filter(isFields).map(toResult)
      : [],
    usage: toUsage(usage),
  };
}

function toResult(part: Fields): Fields {
  const { type } = isFields(part.output) ? part.output : {};
  return { ...part, isError: type === "error-text" || type === "error-json" };
}

/**
 * Returns the stop reason. The AI SDK exposes the finish reason and the number of steps, but not the stop condition.
 */
function stopReasonOf(call: LoopCall, steps: readonly Step[]): Fields {
  const last = steps.at(-1);
  if (last !== undefined && isWaiting(last)) return { stopReason: "approval_pending" };
  if (last !== undefined && last.toolCalls.length > 0) {
    const limits = [
      call.number("maxIterations") ?? DEFAULT_STEPS,
      ...call.conditions().map(({ maxIterations }) => maxIterations),
    ];
    return limits.includes(steps.length) ? { stopReason: "max_iterations" } : {};
  }
  switch (last?.finishReason) {
    case "length":
    case "interrupted":
      return { stopReason: "output_truncated" };
    case "content-filter":
      return { stopReason: "content_filtered" };
    default:
      return { stopReason: "model_stop" };
  }
}

function pendingOf(last: Step | undefined): Fields {
  if (last === undefined || !isWaiting(last)) return {};
  const approvals = last.content.flatMap((part) =>
    part.type === "tool-approval-request" ? [{ toolCall: part.toolCall }] : []
  );
  return { pending: { approvals } };
}

/** Returns true if an approval request has no response yet. */
function isWaiting({ content }: Step): boolean {
  const responses = content.filter(({ type }) => type === "tool-approval-response").length;
  return content.filter(({ type }) => type === "tool-approval-request").length > responses;
}

interface Tokens {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
}

function toUsage({ inputTokens, outputTokens, totalTokens }: Tokens): Fields {
  return { inputTokens, outputTokens, totalTokens };
}

function sumUsage(steps: readonly Step[]): Fields {
  const sum = (name: keyof Tokens): number =>
    steps.reduce((total, { usage }) => total + (usage[name] ?? 0), 0);
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    totalTokens: sum("totalTokens"),
  };
}

const CODES: Readonly<Record<string, string>> = {
  AI_APICallError: "model_error",
  AI_RetryError: "model_error",
  AI_InvalidArgumentError: "invalid_argument",
};

function toErrorOutcome(error: unknown): Fields {
  if (!AISDKError.isInstance(error)) return toCommonErrorOutcome(error);
  const { name, message } = error;
  return { error: { code: CODES[name] ?? name, message } };
}

if (import.meta.main) {
  // Disables the SDK's warnings, which would be printed to standard output and break the driver protocol.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  await serveDriver({
    implementation: {
      name: "ai",
      version: workspace.imports.ai.replace(/.*@/, ""),
      language: "typescript",
      url: "https://ai-sdk.dev",
    },
    ops: { "runtime.loop.run": runLoop },
    toErrorOutcome,
  });
}
