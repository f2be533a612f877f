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
  ToolRegistry,
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
  "maxToolOutputChars",
  "maxRetryDelayMs",
  "output",
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
  return {
    ...Object.fromEntries(plain.map((name) => [name, config[name]])),
    // Retries need no real delay, because the model is scripted.
    retryDelayMs: 1,
    random: () => 0,
    // Errors in tools and handlers are not printed, because cases cause them deliberately.
    onError: () => {},
    ...(typeof approval === "string" ? { approvalHandler: toApproval(approval, host) } : {}),
    ...(typeof repair === "string" ? { repairToolCall: toRepair(repair, host) } : {}),
    ...(prepare === undefined ? {} : { prepareIteration: toPreparation(prepare, host) }),
    ...(stop === undefined ? {} : { stopConditions: toConditions(stop, host) }),
    ...(isFields(generateOptions) ? { generateOptions: generateOptions as GenerationOptions } : {}),
    ...(tracer === undefined ? {} : tracerOf(handles.get(tracer)).trace(captureContent === true)),
  };
}

function toRepair(repairer: string, host: HostClient): ToolCallRepair {
  return async ({ toolCall, signal }) => {
    const { toolName, toolCallId, rawInput, input } = toolCall;
    const args = { repairer, toolName, toolCallId, input: rawInput ?? input };
    const answer = await host.call("repair.input", args, signal);
    return isFields(answer) ? { input: answer.input } : undefined;
  };
}

/** Creates a function that returns one plan per call and, after the last plan, no changes. */
function toPreparation(plans: unknown, host: HostClient): PrepareIteration {
  if (!Array.isArray(plans)) throw new BadArgs('"prepare" must be an array');
  const remaining: unknown[] = [...plans];
  return () => {
    const plan = remaining.shift();
    if (!isFields(plan)) return undefined;
    if (plan.throws !== undefined) throw new Error(String(plan.throws));
    // The cast is unchecked, because the library validates the plan.
    return {
      ...plan as IterationPlan,
      ...(plan.model === undefined ? {} : { model: toModel(plan, host) }),
    };
  };
}

/** Creates the model for a configuration. */
export function toModel(config: Fields, host: HostClient): LanguageModel {
  const model = textOf(config, "model");
  const { generateOptions, nativeOutput, streams } = config;
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
    ...(nativeOutput === "with-tools" || nativeOutput === "without-tools" ? { nativeOutput } : {}),
    generate,
    ...(streams === undefined ? {} : { stream: toStream(generate, streams === "unfinished") }),
  };
}

/**
 * Creates the `stream` method of a model: two deltas for each text part, and then, unless
 * `isUnfinished` is true, the response.
 */
function toStream(
  generate: LanguageModel["generate"],
  isUnfinished: boolean,
): NonNullable<LanguageModel["stream"]> {
  return async function* (request) {
    const response = await generate(request);
    for (const part of response.message.content) {
      if (part.type !== "text") continue;
      yield { type: "text-delta", delta: part.text.slice(0, 1) };
      yield { type: "text-delta", delta: part.text.slice(1) };
    }
    if (!isUnfinished) yield { type: "finish", response };
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
    const { inputSchema } = tool;
    return asTool({
      ...toSubAgentConfig({ ...fieldsOf(tool, "agent"), name: tool.name }, world),
      description: textOf(tool, "description"),
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
    ? toHostWork(name, host)
    : toDelegation(fieldsOf(definition, "subAgent"), delegate);
  return {
    name,
    inputSchema: inputSchema as JsonSchema,
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    ...(exclusive === true ? { exclusive } : {}),
    ...(isFields(annotations) ? { annotations } : {}),
    execute: toWaiting(definition, host) ?? work,
  };
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

function toHostWork(name: string, host: HostClient): Tool["execute"] {
  return async (input, context) => {
    const { toolCallId, agentName, signal } = context;
    const args = { name, toolCallId, input, agentName };
    const value = await host.call("tool.execute", args, signal).catch(throwChosen);
    if (!(value instanceof StoppingValue)) return value;
    context.stop();
    return value.value;
  };
}

/** Throws an error with a message for the model if the host specifies a message. */
function throwChosen(error: unknown): never {
  if (!(error instanceof HostError) || error.tellModel === undefined) throw error;
  // The value was parsed from JSON, so the cast is safe.
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
  return async ({ toolCall: { toolName, toolCallId, input }, reason, agentName, signal }) => {
    const args = { handler, toolName, toolCallId, input, reason, agentName };
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
