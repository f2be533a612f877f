/**
 * Driver for the AI SDK's `ToolLoopAgent`.
 *
 *     deno run -A --config lab/drivers/third_party/deno.json lab/drivers/third_party/ai_sdk.ts
 *
 * Conversations are built as in the AI SDK's documentation: instructions, prompt, then the response
 * messages.
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
  NoOutputGeneratedError,
  Output,
  type PrepareStepFunction,
  type StepResult,
  type StopCondition,
  tool,
  ToolLoopAgent,
  type ToolSet,
} from "ai";
import { serveDriver } from "../../../conformance/drivers/typescript/serve_driver.ts";
import {
  BadArgs,
  type Fields,
  HostError,
  isFields,
  textOf,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";
import workspace from "./deno.json" with { type: "json" };
import {
  COMMON_OPTIONS,
  type ScriptedAgent,
  toCommonErrorOutcome,
  type ToolSpec,
} from "./agent_loop_driver.ts";
import { createLoopOps, type LoopAgent, type RunArgs } from "./agent_loop_ops.ts";
import { toModel } from "./ai_sdk_model.ts";
import { WIRE_FEATURES, WIRE_OPS } from "./wire_ai_sdk.ts";
import { enableActiveSpans, MemoryTracer, TRACER_OPS } from "./memory_tracer.ts";

type Step = StepResult<ToolSet>;

// After an abort, the AI SDK always rejects with the signal's reason.
const OPTIONS = [
  ...COMMON_OPTIONS,
  "onAbort",
  "onMaxIterations",
  "tracer",
  "captureContent",
  "output",
  "outputMode",
  "nativeOutput",
  "prepare",
];

const DEFAULT_STEPS = 20;

/** An agent built with the AI SDK. */
class AiSdkAgent implements LoopAgent {
  readonly scripted: ScriptedAgent;
  readonly #agent: ToolLoopAgent<never, ToolSet>;
  /** Tools for the next run. */
  readonly #tools: Record<string, ToolSet[string]>;
  /** Names of the tools that are hidden from the model. */
  readonly #hidden: Set<string> = new Set();

  constructor(scripted: ScriptedAgent) {
    if (scripted.text("onAbort") === "return") throw new Unsupported("an abort always rejects");
    if (scripted.text("onMaxIterations") === "throw") {
      throw new Unsupported("a run that reaches its limit does not reject");
    }
    this.scripted = scripted;
    this.#tools = {};
    for (const spec of scripted.tools()) this.#add(spec);
    const providerTools = providerToolsOf(scripted);
    this.#agent = new ToolLoopAgent<never, ToolSet>({
      ...settingsOf(scripted),
      model: toModel(scripted),
      prepareCall: (settings) => ({
        ...settings,
        tools: { ...this.#tools, ...providerTools },
        ...(this.#hidden.size === 0
          ? {}
          : { activeTools: this.names().filter((name) => !this.#hidden.has(name)) }),
      }),
      ...(scripted.text("approval") === undefined ? {} : { toolApproval: toApproval(scripted) }),
    });
  }

  register(definition: Fields): void {
    this.#add(this.scripted.toToolSpec(definition));
  }

  unregister(name: string): void {
    delete this.#tools[name];
  }

  names(): readonly string[] {
    return Object.keys(this.#tools);
  }

  #add(spec: ToolSpec): void {
    this.#tools[spec.name] = toTool(spec, this.scripted);
    if (spec.isHidden) this.#hidden.add(spec.name);
  }

  async run(args: RunArgs): Promise<Fields> {
    const { scripted } = this;
    const timeout = timeoutsOf(scripted);
    const messages = messagesOf(args);
    const save = (added: readonly unknown[]) => {
      const text = JSON.stringify([...messages, ...added]);
      if (args.saved !== undefined) args.saved.read = () => text;
    };
    save([]);
    const added: unknown[] = [];
    const result = await scripted.run(args.signal, (abortSignal) =>
      this.#agent.generate({
        // The cast is unchecked: the SDK validates the messages.
        messages: messages as ModelMessage[],
        abortSignal,
        timeout,
        onStepEnd: ({ response }) => {
          added.push(...response.messages);
          // The messages in the steps lack results for the calls that the decisions approve.
          if (args.decisions === undefined) save(added);
        },
      }));
    const output = toOutput(scripted, result);
    save(result.responseMessages);
    const conversation = [...messages, ...result.responseMessages];
    return { ...output, messages: [...systemMessageOf(scripted), ...conversation] };
  }
}

/**
 * Returns the messages of a new run, or the messages of a saved run and the decisions for its
 * pending calls.
 */
function messagesOf({ input, messages, state, decisions }: RunArgs): readonly Fields[] {
  if (state === undefined) {
    return input === undefined ? messages : [...messages, { role: "user", content: input }];
  }
  const conversation = parseMessages(state);
  if (decisions === undefined) {
    if (conversation.at(-1)?.role === "assistant") {
      throw new Unsupported("a saved conversation is not a saved run: a finished run has no state");
    }
    return conversation;
  }
  const content = [...decisions].flatMap(([approvalId, { decision, reason }]) =>
    decision === "defer" ? [] : [{
      type: "tool-approval-response",
      approvalId,
      approved: decision === "approve",
      ...(reason === undefined ? {} : { reason }),
    }]
  );
  return [...conversation, { role: "tool", content }];
}

/**
 * Parses saved messages, as an application that uses the SDK must, because the SDK does not save
 * messages.
 */
function parseMessages(text: string): readonly Fields[] {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unsupported("an application saves and parses the messages");
  }
}

function systemMessageOf(scripted: ScriptedAgent): readonly Fields[] {
  const { systemPrompt } = scripted.config;
  if (systemPrompt === undefined) return [];
  if (!isFields(systemPrompt)) return [{ role: "system", content: systemPrompt }];
  const { text, providerOptions } = systemPrompt;
  return [{ role: "system", content: text, providerOptions }];
}

/** Returns the tools that the provider executes, which are part of the agent's list of tools. */
function providerToolsOf({ config: { generateOptions } }: ScriptedAgent): ToolSet {
  const { providerTools } = isFields(generateOptions) ? generateOptions : {};
  if (!Array.isArray(providerTools)) return {};
  return Object.fromEntries(
    providerTools.filter(isFields).map((definition) => [
      textOf(definition, "name"),
      tool({
        type: "provider",
        isProviderExecuted: true,
        id: toProviderToolId(textOf(definition, "id")),
        args: isFields(definition.args) ? definition.args : {},
        inputSchema: jsonSchema({ type: "object" }),
        outputSchema: jsonSchema({}),
      }),
    ]),
  );
}

function toProviderToolId(id: string): `${string}.${string}` {
  const [provider, ...names] = id.split(".");
  if (names.length === 0) throw new BadArgs('the id of a provider tool must contain "."');
  return `${provider}.${names.join(".")}`;
}

function settingsOf(scripted: ScriptedAgent): Fields {
  const { tracer, captureContent, output } = scripted.config;
  const { generateOptions = {} } = scripted.config;
  const { providerTools: _, ...options } = isFields(generateOptions) ? generateOptions : {};
  const concurrency = scripted.number("toolConcurrency");
  const retries = scripted.number("modelRetries");
  const [instructions] = systemMessageOf(scripted);
  const conditions = stopConditions(scripted);
  return {
    ...options,
    ...(instructions === undefined ? {} : { instructions }),
    ...(isFields(output) ? { output: Output.object({ schema: jsonSchema(output) }) } : {}),
    ...(concurrency === undefined ? {} : { toolCallConcurrency: concurrency }),
    ...(retries === undefined ? {} : { maxRetries: retries }),
    ...(conditions.length === 0 ? {} : { stopWhen: conditions }),
    ...toPreparation(scripted),
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
 * Returns the iteration limit as a number of SDK steps. The additional step without tools, after
 * the last iteration, counts as one more step.
 */
function stepLimitOf(call: ScriptedAgent): number | undefined {
  const limit = call.number("maxIterations");
  if (limit === undefined || call.text("onMaxIterations") !== "finalize") return limit;
  return limit + 1;
}

/** Returns the function that prepares each step. */
function toPreparation(call: ScriptedAgent): Fields {
  const { prepare } = call.config;
  const isFinalizing = call.text("onMaxIterations") === "finalize";
  if (Array.isArray(prepare)) {
    if (isFinalizing) throw new Unsupported("an agent has one function that prepares steps");
    return { prepareStep: toPreparedSteps(prepare, call) };
  }
  if (!isFinalizing) return {};
  const limit = call.number("maxIterations");
  // Offers no tools in the step after the last iteration.
  const prepareStep: PrepareStepFunction<ToolSet> = ({ stepNumber }) =>
    stepNumber === limit ? { activeTools: [] } : {};
  return { prepareStep };
}

/** Creates a function that applies one plan per step and, after the last plan, changes nothing. */
function toPreparedSteps(
  plans: readonly unknown[],
  call: ScriptedAgent,
): PrepareStepFunction<ToolSet> {
  const remaining = [...plans];
  return ({ messages }) => {
    const plan = remaining.shift();
    if (!isFields(plan)) return {};
    const { model, systemPrompt, generateOptions, tools, append, history, throws } = plan;
    if (throws !== undefined) throw new HostError(String(throws), {});
    for (const name of ["stop", "usage"]) {
      if (plan[name] !== undefined) {
        throw call.rejectUnsupported(`a prepared step has no member "${name}"`);
      }
    }
    const { head, from } = isFields(history) ? history : {};
    const view = Array.isArray(head) ? [...head, ...messages.slice(Number(from))] : plan.messages;
    const turn = append === undefined ? [] : [{ role: "user", content: append }];
    const sent = Array.isArray(view) || turn.length > 0
      ? { messages: [...(Array.isArray(view) ? view : messages), ...turn] }
      : {};
    return {
      ...(isFields(generateOptions) ? generateOptions : {}),
      ...(typeof model === "string" ? { model: toModel(call, model) } : {}),
      ...(typeof systemPrompt === "string" ? { instructions: systemPrompt } : {}),
      ...(Array.isArray(tools) ? { activeTools: tools.map(String) } : {}),
      ...sent,
    };
  };
}

/**
 * Returns the stop conditions in a case and the SDK's default limit, which `stopWhen` would
 * otherwise replace.
 */
function stopConditions(call: ScriptedAgent): readonly StopCondition<ToolSet>[] {
  const limit = stepLimitOf(call);
  const own = call.conditions().map((condition) => toCondition(condition, call));
  if (limit === undefined && own.length === 0) return [];
  return [isStepCount(limit ?? DEFAULT_STEPS), ...own];
}

function toCondition(condition: Fields, call: ScriptedAgent): StopCondition<ToolSet> {
  if (condition.finalize === true) {
    throw new Unsupported("a stop condition cannot request a final model call");
  }
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
  { name, description, inputSchema, span, subAgent }: ToolSpec,
  call: ScriptedAgent,
): ToolSet[string] {
  const { tracer } = call.config;
  if (subAgent?.text("approval") !== undefined) {
    throw new Unsupported("sub-agents have no approvals");
  }
  const delegate = subAgent === undefined ? undefined : new AiSdkAgent(subAgent);
  return tool({
    ...(description === undefined ? {} : { description }),
    inputSchema: jsonSchema(inputSchema),
    execute: (input, { toolCallId, abortSignal }) => {
      if (span !== undefined && tracer instanceof MemoryTracer) tracer.tracer.startSpan(span).end();
      return delegate === undefined
        ? call.execute({ name, toolCallId, input }, abortSignal).catch(throwToolError)
        : runSubAgent(delegate, input, abortSignal);
    },
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

/** Runs a sub-agent as shown in the AI SDK's documentation: its final text is the tool result. */
async function runSubAgent(
  agent: AiSdkAgent,
  input: unknown,
  signal: AbortSignal = AbortSignal.any([]),
): Promise<unknown> {
  const task = isFields(input) ? String(input.task) : "";
  const { finalText } = await agent.run({
    input: task,
    messages: [],
    saved: undefined,
    state: undefined,
    decisions: undefined,
    signal,
  });
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

type Result = Awaited<ReturnType<ToolLoopAgent<never, ToolSet>["generate"]>>;

function toOutput(call: ScriptedAgent, result: Result): Fields {
  const { text, steps, totalUsage, responseMessages } = result;
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
    ...(call.config.output === undefined ? {} : valueOf(result)),
  };
}

/** Returns the typed output. The SDK throws if the last step has no output. */
function valueOf(result: Result): Fields {
  try {
    return { value: result.output };
  } catch (error) {
    if (NoOutputGeneratedError.isInstance(error)) return {};
    throw error;
  }
}

function toIteration(step: Step, results: Fields | undefined): Fields {
  const { stepNumber, content, toolCalls, usage } = step;
  const assistantContent = content.filter(({ type }) =>
    ["text", "reasoning", "tool-call"].includes(type)
  );
  return {
    index: stepNumber,
    assistantMessage: { role: "assistant", content: assistantContent },
    toolCalls: toolCalls.filter(({ providerExecuted }) => providerExecuted !== true),
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
 * Returns the stop reason. The AI SDK exposes the finish reason and the number of steps, but not
 * the stop condition.
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
  // The SDK's warnings would break the driver protocol on standard output.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  enableActiveSpans();
  await serveDriver({
    implementation: {
      name: "ai",
      version: workspace.imports.ai.replace(/.*@/, ""),
      language: "typescript",
      url: "https://ai-sdk.dev",
    },
    ops: { ...createLoopOps(AiSdkAgent, OPTIONS), ...TRACER_OPS, ...WIRE_OPS },
    features: {
      ...WIRE_FEATURES,
      "runtime.activeSpans": true,
      "runtime.captureContent": true,
      "runtime.hiddenTools": true,
      "runtime.malformed": true,
      "runtime.messages": true,
      "runtime.output": true,
      "runtime.prepareIteration": true,
      "runtime.providerTools": true,
      "runtime.retryAfterMs": true,
      "runtime.subAgentTools": true,
      "runtime.systemPromptOptions": true,
      "runtime.tellModel": true,
      "runtime.turnParts": true,
    },
    toErrorOutcome,
  });
}
