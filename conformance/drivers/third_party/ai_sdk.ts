/**
 * Driver for the AI SDK's `ToolLoopAgent`.
 *
 *     deno run -A --config conformance/drivers/third_party/deno.json conformance/drivers/third_party/ai_sdk.ts
 *
 * Conversations are built as in the AI SDK's documentation: instructions, prompt, then the response messages.
 *
 * @module
 */

import { OpenTelemetry } from "@ai-sdk/otel";
import {
  AISDKError,
  hasToolCall,
  isLoopFinished,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  type PrepareStepFunction,
  type StepResult,
  type StopCondition,
  tool,
  ToolLoopAgent,
  type ToolSet,
} from "ai";
import { serveDriver } from "../typescript/serve_driver.ts";
import { type Fields, HostError, isFields, Unsupported } from "../typescript/operation.ts";
import workspace from "./deno.json" with { type: "json" };
import {
  COMMON_OPTIONS,
  type ScriptedAgent,
  toCommonErrorOutcome,
  type ToolSpec,
} from "./agent_loop_driver.ts";
import { createLoopOps, type LoopAgent, type RunArgs } from "./agent_loop_ops.ts";
import { toModel } from "./ai_sdk_model.ts";
import { enableActiveSpans, MemoryTracer, TRACER_OPS } from "./memory_tracer.ts";

type Step = StepResult<ToolSet>;

// After an abort, the AI SDK always rejects with the signal's reason.
const OPTIONS = [...COMMON_OPTIONS, "onAbort", "onMaxIterations", "tracer", "captureContent"];

/** The AI SDK's default limit, in steps. */
const DEFAULT_STEPS = 20;

/** An agent of the AI SDK. */
class AiSdkAgent implements LoopAgent {
  readonly #scripted: ScriptedAgent;
  readonly #agent: ToolLoopAgent;
  /** Tools for the next run. */
  readonly #tools: Map<string, ToolSet[string]>;

  constructor(scripted: ScriptedAgent) {
    if (scripted.text("onAbort") === "return") throw new Unsupported("an abort always rejects");
    if (scripted.text("onMaxIterations") === "throw") {
      throw new Unsupported("a run that reaches its limit does not reject");
    }
    this.#scripted = scripted;
    this.#tools = new Map(scripted.tools().map((spec) => [spec.name, toTool(spec, scripted)]));
    this.#agent = new ToolLoopAgent({
      ...settingsOf(scripted),
      model: toModel(scripted),
      prepareCall: (settings) => ({ ...settings, tools: Object.fromEntries(this.#tools) }),
      ...(scripted.text("approval") === undefined ? {} : { toolApproval: toApproval(scripted) }),
    });
  }

  register(definition: Fields): void {
    const spec = this.#scripted.toToolSpec(definition);
    this.#tools.set(spec.name, toTool(spec, this.#scripted));
  }

  unregister(name: string): void {
    this.#tools.delete(name);
  }

  async run(args: RunArgs): Promise<Fields> {
    const timeout = timeoutsOf(this.#scripted);
    const messages = messagesOf(args);
    const result = await this.#scripted.run(args.signal, (abortSignal) =>
      // The cast is unchecked: the SDK validates the messages.
      this.#agent.generate({ messages: messages as ModelMessage[], abortSignal, timeout }));
    const output = toOutput(this.#scripted, result);
    const conversation = [...messages, ...result.responseMessages];
    if (args.saved !== undefined && output.pending !== undefined) {
      args.saved.text = JSON.stringify(conversation);
    }
    return { ...output, messages: [...systemMessageOf(this.#scripted), ...conversation] };
  }
}

/** Returns the messages of a new run, or those of a saved run and the decisions for its pending calls. */
function messagesOf({ input, messages, saved, decisions }: RunArgs): readonly Fields[] {
  if (decisions === undefined) {
    return input === undefined ? messages : [...messages, { role: "user", content: input }];
  }
  const content = [...decisions].flatMap(([approvalId, { decision, reason }]) =>
    decision === "defer" ? [] : [{
      type: "tool-approval-response",
      approvalId,
      approved: decision === "approve",
      ...(reason === undefined ? {} : { reason }),
    }]
  );
  const conversation: readonly Fields[] = JSON.parse(saved?.text ?? "[]");
  return [...conversation, { role: "tool", content }];
}

function systemMessageOf(scripted: ScriptedAgent): readonly Fields[] {
  const { systemPrompt } = scripted.config;
  if (systemPrompt === undefined) return [];
  if (!isFields(systemPrompt)) return [{ role: "system", content: systemPrompt }];
  const { text, providerOptions } = systemPrompt;
  return [{ role: "system", content: text, providerOptions }];
}

function settingsOf(scripted: ScriptedAgent): Fields {
  const { generateOptions, tracer, captureContent } = scripted.config;
  const concurrency = scripted.number("toolConcurrency");
  const retries = scripted.number("modelRetries");
  const [instructions] = systemMessageOf(scripted);
  const conditions = stopConditions(scripted);
  return {
    ...(isFields(generateOptions) ? generateOptions : {}),
    ...(instructions === undefined ? {} : { instructions }),
    ...(concurrency === undefined ? {} : { toolCallConcurrency: concurrency }),
    ...(retries === undefined ? {} : { maxRetries: retries }),
    ...(conditions.length === 0 ? {} : { stopWhen: conditions }),
    ...toFinalStep(scripted),
    ...(tracer instanceof MemoryTracer
      ? { telemetry: toTelemetry(scripted, tracer, captureContent) }
      : {}),
  };
}

/** The SDK records messages by default, so the option is passed on only if the case sets it. */
function toTelemetry(
  scripted: ScriptedAgent,
  { tracer }: MemoryTracer,
  captureContent: unknown,
): Fields {
  return {
    functionId: scripted.text("name"),
    integrations: [new OpenTelemetry({ tracer, agentSpanName: "functionId" })],
    ...(typeof captureContent === "boolean"
      ? { recordInputs: captureContent, recordOutputs: captureContent }
      : {}),
  };
}

function timeoutsOf(call: ScriptedAgent): { toolMs?: number; tools: Record<string, number> } {
  const toolMs = call.number("toolTimeoutMs");
  const own = call.tools().flatMap(({ name, timeoutMs }) =>
    timeoutMs === undefined ? [] : [[`${name}Ms`, timeoutMs]]
  );
  return { ...(toolMs === undefined ? {} : { toolMs }), tools: Object.fromEntries(own) };
}

/**
 * Returns the iteration limit as a number of SDK steps. The additional step without tools, after the last iteration,
 * counts as one more step.
 */
function stepLimitOf(call: ScriptedAgent): number | undefined {
  const limit = call.number("maxIterations");
  if (limit === undefined || call.text("onMaxIterations") !== "finalize") return limit;
  return limit + 1;
}

/** Offers no tools in the step after the last iteration. */
function toFinalStep(call: ScriptedAgent): Fields {
  if (call.text("onMaxIterations") !== "finalize") return {};
  const limit = call.number("maxIterations");
  const prepareStep: PrepareStepFunction<ToolSet> = ({ stepNumber }) =>
    stepNumber === limit ? { activeTools: [] } : {};
  return { prepareStep };
}

/** Returns the stop conditions in a case and the SDK's default limit, which `stopWhen` would otherwise replace. */
function stopConditions(call: ScriptedAgent): readonly StopCondition<ToolSet>[] {
  const limit = stepLimitOf(call);
  const own = call.conditions().map((condition) => toCondition(condition, call));
  if (limit === undefined && own.length === 0) return [];
  return [isStepCount(limit ?? DEFAULT_STEPS), ...own];
}

function toCondition(condition: Fields, call: ScriptedAgent): StopCondition<ToolSet> {
  if (typeof condition.maxIterations === "number") return isStepCount(condition.maxIterations);
  if (Array.isArray(condition.toolCalled)) return hasToolCall(...condition.toolCalled.map(String));
  if (condition.modelStopsNaturally === true) return isLoopFinished();
  const { maxTotalTokens, maxToolCalls } = condition;
  if (typeof maxToolCalls === "number") {
    return ({ steps }) => steps.flatMap(({ toolCalls }) => toolCalls).length >= maxToolCalls;
  }
  if (typeof maxTotalTokens === "number") {
    return ({ steps }) => sumUsage(steps).totalTokens > maxTotalTokens;
  }
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

function toTool(
  { name, description, inputSchema, subAgent }: ToolSpec,
  call: ScriptedAgent,
): ToolSet[string] {
  if (subAgent?.text("approval") !== undefined) {
    throw new Unsupported("sub-agents have no approvals");
  }
  const delegate = subAgent === undefined ? undefined : new AiSdkAgent(subAgent);
  return tool({
    ...(description === undefined ? {} : { description }),
    inputSchema: jsonSchema(inputSchema),
    execute: (input, { toolCallId, abortSignal }) =>
      delegate === undefined
        ? call.execute({ name, toolCallId, input }, abortSignal).catch(throwToolError)
        : runSubAgent(delegate, input, abortSignal),
  });
}

/** Throws an error whose message the SDK returns to the model as the tool result. */
function throwToolError(error: unknown): never {
  if (!(error instanceof HostError) || error.tellModel === undefined) throw error;
  const { tellModel } = error;
  throw new Error(typeof tellModel === "string" ? tellModel : JSON.stringify(tellModel), {
    cause: error,
  });
}

/** Runs a sub-agent as shown in the AI SDK's documentation: its final text is the result of the tool. */
async function runSubAgent(
  agent: AiSdkAgent,
  input: unknown,
  signal: AbortSignal = AbortSignal.any([]),
): Promise<unknown> {
  const task = isFields(input) ? String(input.task) : "";
  const turn = { input: task, messages: [], saved: undefined, decisions: undefined, signal };
  const { finalText } = await agent.run(turn);
  return finalText;
}

type Approval = "approved" | "user-approval" | {
  readonly type: "denied";
  readonly reason?: string;
};

function toApproval(call: ScriptedAgent): (request: {
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

function toOutput(
  call: ScriptedAgent,
  { text, steps, totalUsage, responseMessages }: Result,
): Fields {
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
function stopReasonOf(call: ScriptedAgent, steps: readonly Step[]): Fields {
  const last = steps.at(-1);
  if (last !== undefined && isWaiting(last)) return { stopReason: "approval_pending" };
  if (last !== undefined && last.toolCalls.length > 0) {
    const limits = [
      stepLimitOf(call) ?? DEFAULT_STEPS,
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
    part.type === "tool-approval-request" ? [{ key: part.approvalId, toolCall: part.toolCall }] : []
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

function sumUsage(steps: readonly Step[]): Readonly<Record<keyof Tokens, number>> {
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
  enableActiveSpans();
  await serveDriver({
    implementation: {
      name: "ai",
      version: workspace.imports.ai.replace(/.*@/, ""),
      language: "typescript",
      url: "https://ai-sdk.dev",
    },
    ops: { ...createLoopOps(AiSdkAgent, OPTIONS), ...TRACER_OPS },
    features: {
      "runtime.captureContent": true,
      "runtime.malformed": true,
      "runtime.messages": true,
      "runtime.retryAfterMs": true,
      "runtime.subAgentTools": true,
      "runtime.systemPromptOptions": true,
      "runtime.tellModel": true,
      "runtime.turnParts": true,
    },
    toErrorOutcome,
  });
}
