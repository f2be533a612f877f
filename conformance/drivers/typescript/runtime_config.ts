/**
 * Converts configurations in cases to `@parley/runtime` objects whose models, tools and approvals call the host.
 *
 * @module
 */

import {
  type ApprovalDecision,
  type ApprovalHandler,
  type AssistantMessage,
  asTool,
  autoApprove,
  defineTool,
  FINISH_REASONS,
  type FinishReason,
  type GenerationOptions,
  type IterationPlan,
  type JsonSchema,
  type JsonValue,
  type LanguageModel,
  type LoopOptions,
  type PrepareIteration,
  readToolInput,
  type SubAgentConfig,
  type Tool,
  type ToolCallRepair,
  type ToolContext,
  ToolError,
  ToolOutput,
  ToolRegistry,
  type ToolResultOutput,
} from "@parley/runtime";
import { type AiSdkModel, fromAiSdk } from "@parley/runtime/models";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type HostClient,
  HostError,
  isFields,
  type OpCall,
  StoppingValue,
  textOf,
  Unsupported,
} from "./operation.ts";
import { toConditions } from "./runtime_conditions.ts";
import { reviveFiles, toSchema } from "./runtime_data.ts";
import { describeOrigin, type Observer, observerOf } from "./runtime_observer.ts";
import { tracerOf } from "./runtime_tracer.ts";

/** Loop options that are passed to the library unchanged. */
const PLAIN_OPTIONS = [
  "systemPrompt",
  "maxIterations",
  "onMaxIterations",
  "onAbort",
  "onUnknownTool",
  "onToolError",
  "onUnknownOutcome",
  "modelRetries",
  "toolConcurrency",
  "toolTimeoutMs",
  "graceMs",
  "maxToolCallsPerIteration",
  "maxToolFileChars",
  "maxToolOutputChars",
  "maxRetryDelayMs",
  "modelTimeoutMs",
  "retryDelayMs",
  "outputMode",
  "outputRetries",
] as const;

/** The parts of a call that are needed to convert a configuration. */
export type World = Pick<OpCall, "host" | "handles">;

/** Runs a sub-agent for a tool. Resolves to the sub-agent's final text. */
export type Delegate = (config: Fields, task: string, context: ToolContext) => Promise<string>;

/** Returns the agent's identity. */
export function identityOf(config: Fields): { name: string; agentDid?: string } {
  const { agentDid } = config;
  const name = textOf(config, "name");
  return typeof agentDid === "string" ? { name, agentDid } : { name };
}

/** Converts the configuration of a sub-agent. */
export function toSubAgentConfig(config: Fields, world: World): SubAgentConfig {
  const { allowedTools } = config;
  return {
    ...toLoopOptions(config, world),
    ...identityOf(config),
    model: toModel(config, world.host),
    ...(Array.isArray(allowedTools) ? { allowedTools: allowedTools.map(String) } : {}),
  };
}

/** Converts the options common to agents and loops. */
export function toLoopOptions(config: Fields, { host, handles }: World): LoopOptions {
  const plain = PLAIN_OPTIONS.filter((name) => config[name] !== undefined);
  const { approval, prepare, repair, stop, generateOptions, tracer, captureContent } = config;
  const { around, estimatedUsage, output, random = 0, validateOutput } = config;
  const observer = config.observer === undefined
    ? undefined
    : observerOf(handles.get(config.observer));
  return {
    // Retries need no real delay, because the model is scripted.
    retryDelayMs: 1,
    ...Object.fromEntries(plain.map((name) => [name, config[name]])),
    random: () => Number(random),
    // The cases provoke errors in tools and handlers, which are not printed.
    onError: () => {},
    ...observer?.toOptions(around),
    ...(output === undefined ? {} : { output: toSchema(output, validateOutput) }),
    ...(isFields(estimatedUsage) ? { estimateUsage: () => toUsage(estimatedUsage) } : {}),
    ...(approval === true ? { approvalHandler: autoApprove } : {}),
    ...(typeof approval === "string" ? { approvalHandler: toApproval(approval, host) } : {}),
    ...(typeof repair === "string" ? { repairToolCall: toRepair(repair, host) } : {}),
    ...(prepare === undefined ? {} : { prepareIteration: toPreparation(prepare, host, observer) }),
    ...(stop === undefined ? {} : { stopConditions: toConditions(stop, host) }),
    ...(isFields(generateOptions) ? { generateOptions: generateOptions as GenerationOptions } : {}),
    ...(tracer === undefined ? {} : tracerOf(handles.get(tracer)).trace(captureContent === true)),
  };
}

function toRepair(repairer: string, host: HostClient): ToolCallRepair {
  return async ({ toolCall, tool, reason, signal, ...origin }) => {
    const { toolName, toolCallId, rawInput, input } = toolCall;
    const args = { repairer, toolName, toolCallId, input: rawInput ?? input, tool, reason };
    Object.assign(args, describeOrigin(origin));
    const answer = await host.call("repair.input", args, signal);
    return isFields(answer) ? { input: answer.input } : undefined;
  };
}

/** Creates a function that returns one plan per call and, after the last plan, no changes. */
function toPreparation(
  plans: unknown,
  host: HostClient,
  observer: Observer | undefined,
): PrepareIteration {
  if (!Array.isArray(plans)) throw new BadArgs('"prepare" must be an array');
  const remaining: unknown[] = [...plans];
  return (context) => {
    observer?.prepare(context);
    const plan = remaining.shift();
    if (!isFields(plan)) return undefined;
    const { isAsync, reports, throws, ...members } = plan;
    if (reports !== undefined) context.reportError(new Error(String(reports)));
    if (throws !== undefined) throw new Error(String(throws));
    // The library validates the plan.
    const result = {
      ...members as IterationPlan,
      ...(plan.model === undefined ? {} : { model: toModel(plan, host) }),
    };
    if (isAsync === "never") return new Promise(() => {});
    return isAsync === true ? Promise.resolve(result) : result;
  };
}

/** Creates the model for a configuration. */
export function toModel(config: Fields, host: HostClient): LanguageModel {
  const model = textOf(config, "model");
  const { generateOptions, nativeOutput, provider, streams } = config;
  if (isFields(generateOptions) && generateOptions.providerTools !== undefined) {
    return fromAiSdk(toAiSdkModel(model, host));
  }
  const generate: LanguageModel["generate"] = async ({ messages, tools, options, signal }) => {
    const answer = await host.call("model.generate", { model, messages, tools, options }, signal);
    if (!isFields(answer)) throw new BadArgs('"model.generate" must return a model response');
    if ("malformed" in answer) return toMalformed(answer.malformed);
    return {
      message: { role: "assistant", content: toContent(answer.content) },
      finishReason: toFinishReason(answer.finishReason),
      ...(isFields(answer.usage) ? { usage: toUsage(answer.usage) } : {}),
    };
  };
  return {
    modelId: model,
    ...(typeof provider === "string" ? { provider } : {}),
    ...(nativeOutput === "with-tools" || nativeOutput === "without-tools" ? { nativeOutput } : {}),
    generate,
    ...(streams === undefined ? {} : { stream: toStream(generate, streams) }),
  };
}

/** Creates the streaming form of a model: two deltas for each text, and then, unless it is unfinished, the response. */
function toStream(
  generate: LanguageModel["generate"],
  form: unknown,
): NonNullable<LanguageModel["stream"]> {
  return async function* (request) {
    const response = await generate(request);
    for (const part of response.message.content) {
      if (part.type !== "text") continue;
      yield { type: "text-delta", delta: part.text.slice(0, 1) };
      yield { type: "text-delta", delta: part.text.slice(1) };
    }
    if (form === "broken") throw new Error("the stream broke");
    while (form === "endless") yield { type: "text-delta", delta: "." };
    try {
      if (form !== "unfinished") yield { type: "finish", response };
    } finally {
      // The library closes the stream after the response.
      if (form === "failing-end") await Promise.reject(new Error("the stream cannot be closed"));
    }
  };
}

/** Creates an AI SDK model, because the AI SDK's model interface supports provider-executed tools. */
function toAiSdkModel(model: string, host: HostClient): AiSdkModel {
  return {
    specificationVersion: "v4",
    provider: "kit",
    modelId: model,
    async doGenerate({ prompt, tools, toolChoice: _, abortSignal, ...options }: AiSdkOptions) {
      const request = { model, messages: prompt, tools, options };
      const answer = await host.call("model.generate", request, abortSignal);
      if (!isFields(answer)) throw new BadArgs('"model.generate" must return a model response');
      const { content, finishReason, usage } = answer;
      const { inputTokens, outputTokens } = isFields(usage) ? usage : {};
      return {
        content,
        finishReason: { unified: finishReason },
        usage: { inputTokens: { total: inputTokens }, outputTokens: { total: outputTokens } },
      };
    },
    doStream: () => Promise.reject(new Unsupported("provider-executed tools are not streamed")),
  };
}

interface AiSdkOptions {
  readonly prompt?: unknown;
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
  readonly abortSignal?: AbortSignal;
}

/** Creates an invalid response. If the value is an object, its members replace the members of a valid response. */
function toMalformed(value: unknown): Awaited<ReturnType<LanguageModel["generate"]>> {
  const { content, ...rest } = isFields(value) ? value : {};
  const answer = isFields(value) ? { message: { role: "assistant", content }, ...rest } : value;
  // The cast is unchecked, because the response is deliberately invalid.
  return answer as Awaited<ReturnType<LanguageModel["generate"]>>;
}

/** Creates the tools for a configuration. */
export function toRegistry(
  { tools = [], tracer }: Fields,
  { host, handles }: World,
  delegate?: Delegate,
): ToolRegistry {
  const registry = new ToolRegistry();
  if (!Array.isArray(tools)) throw new BadArgs('"tools" must be an array');
  for (const definition of tools) {
    if (isAgentTool(definition)) continue;
    const tool = toTool(definition, host, delegate);
    const { span } = isFields(definition) ? definition : {};
    registry.register(
      typeof span === "string" ? withSpan(tool, span, tracerOf(handles.get(tracer))) : tool,
      { hidden: isHidden(definition) },
    );
  }
  return registry;
}

/** Creates the tools that the library derives from sub-agent configurations. */
export function toAgentTools({ tools = [] }: Fields, world: World): readonly Tool[] {
  if (!Array.isArray(tools)) throw new BadArgs('"tools" must be an array');
  return tools.filter(isAgentTool).map((tool) => {
    const { inputSchema, prompt } = tool;
    return asTool({
      ...toSubAgentConfig({ ...fieldsOf(tool, "agent"), name: tool.name }, world),
      description: textOf(tool, "description"),
      ...(typeof prompt === "string"
        ? { prompt: (input: unknown) => String(isFields(input) ? input[prompt] : "") }
        : {}),
      ...(isFields(inputSchema) ? { inputSchema: inputSchema as JsonSchema } : {}),
    });
  });
}

function isAgentTool(tool: unknown): tool is Fields {
  return isFields(tool) && tool.agent !== undefined;
}

/** Returns true if a tool definition declares the tool as hidden. */
export function isHidden(definition: unknown): boolean {
  return isFields(definition) && definition.hidden === true;
}

/** Returns a tool that also starts a span. */
function withSpan(tool: Tool, name: string, tracer: ReturnType<typeof tracerOf>): Tool {
  return {
    ...tool,
    execute: (input, context) => {
      tracer.mark(name);
      return tool.execute(input, context);
    },
  };
}

/** Creates a tool that calls the host. */
export function toTool(definition: unknown, host: HostClient, delegate?: Delegate): Tool {
  if (!isFields(definition)) throw new BadArgs("each tool must be an object");
  const name = textOf(definition, "name");
  const { annotations, description, inputSchema = { type: "object" }, timeoutMs, exclusive } =
    definition;
  const work = definition.subAgent === undefined
    ? toHostWork(name, host, definition)
    : toDelegation(fieldsOf(definition, "subAgent"), delegate);
  return defineTool({
    name,
    inputSchema: toSchema(inputSchema, definition.validate),
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    ...(exclusive === true ? { exclusive } : {}),
    ...(isFields(annotations) ? { annotations } : {}),
    execute: toWaiting(definition, host) ?? work,
  });
}

/** Returns the function of a tool that waits for a signal or a scheduled time before it calls the host. */
function toWaiting({ name, sleeps, waits }: Fields, host: HostClient): Tool["execute"] | undefined {
  if (waits === undefined && sleeps === undefined) return undefined;
  return async (input, { signal, sleep, toolCallId, wait }) => {
    const value = waits === undefined ? {} : { signal: await wait(String(waits)) };
    if (isFields(sleeps)) await sleep(textOf(sleeps, "key"), new Date(textOf(sleeps, "until")));
    return await host.call("tool.execute", { name, toolCallId, input, ...value }, signal);
  };
}

function toHostWork(name: string, host: HostClient, definition: Fields): Tool["execute"] {
  const { lateProgress, progress, returnsOutput, throwsAtOnce } = definition;
  if (throwsAtOnce !== undefined) {
    return () => {
      throw new Error(String(throwsAtOnce));
    };
  }
  let reportLate: ToolContext["report"] = () => {};
  return async (input, context) => {
    reportLate(lateProgress as JsonValue);
    if (lateProgress !== undefined) reportLate = context.report;
    const { idempotencyKey, toolCallId, toolName, signal } = context;
    const args = { name, toolCallId, toolName, input, idempotencyKey, ...describeOrigin(context) };
    // The library validates the values.
    if (Array.isArray(progress)) { for (const value of progress) context.report(value); }
    const value = await host.call("tool.execute", args, signal).catch(throwChosen);
    if (returnsOutput === true) return new ToolOutput(reviveFiles(value) as ToolResultOutput);
    if (!(value instanceof StoppingValue)) return value;
    context.stop();
    return value.value;
  };
}

/** Throws an error with a message for the model if the host specifies a message. */
function throwChosen(error: unknown): never {
  if (!(error instanceof HostError) || error.tellModel === undefined) throw error;
  // The value was parsed from JSON, so it has this type.
  throw new ToolError(error.tellModel as JsonValue, { cause: error });
}

function toDelegation(config: Fields, delegate: Delegate | undefined): Tool["execute"] {
  if (delegate === undefined) throw new BadArgs("only an agent's tool can run a sub-agent");
  return async (input, context) => {
    const task = isFields(input) ? textOf(input, "task") : "";
    return await delegate(config, task, context);
  };
}

function toApproval(handler: string, host: HostClient): ApprovalHandler {
  return async ({ toolCall: { toolName, toolCallId, input }, reason, tool, signal, ...origin }) => {
    const args = { handler, toolName, toolCallId, input, reason, tool, ...describeOrigin(origin) };
    // The value is passed on without validation, because cases test values that are not decisions.
    return await host.call("approval.decide", args, signal) as ApprovalDecision;
  };
}

function toContent(content: unknown): AssistantMessage["content"] {
  if (!Array.isArray(content)) throw new BadArgs('"content" must be an array');
  return content.map((part: unknown) => {
    if (!isFields(part)) throw new BadArgs("each content part must be an object");
    const { providerOptions } = part;
    const options = isFields(providerOptions)
      ? { providerOptions: providerOptions as NonNullable<AssistantMessage["providerOptions"]> }
      : {};
    if (part.type === "tool-call") {
      return {
        type: "tool-call",
        toolCallId: String(part.toolCallId ?? ""),
        toolName: textOf(part, "toolName"),
        ...readToolInput(textOf(part, "input")),
        ...options,
      };
    }
    const type = part.type === "reasoning" ? "reasoning" : "text";
    return { type, text: textOf(part, "text"), ...options };
  });
}

function toFinishReason(value: unknown): FinishReason {
  const reason = FINISH_REASONS.find((each) => each === value);
  if (reason === undefined) throw new BadArgs(`unknown finish reason ${JSON.stringify(value)}`);
  return reason;
}

function toUsage(
  { inputTokens, outputTokens }: Fields,
): { inputTokens: number; outputTokens: number; totalTokens: number } {
  const [input, output] = [Number(inputTokens), Number(outputTokens)];
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}
