/**
 * Converts configurations in cases to `@parley/runtime` objects whose models, tools and approvals
 * call the host.
 *
 * @module
 */

import {
  type ApprovalDecision,
  type ApprovalHandler,
  asTool,
  autoApprove,
  defineTool,
  type GenerationOptions,
  type IterationPlan,
  type JsonSchema,
  type JsonValue,
  type LoopOptions,
  type PrepareIteration,
  type SubAgentConfig,
  type Tool,
  type ToolCallRepair,
  type ToolContext,
  ToolError,
  ToolOutput,
  ToolRegistry,
  type ToolResultOutput,
} from "@parley/runtime";
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
} from "./operation.ts";
import { toBudget, toConditions } from "./runtime_conditions.ts";
import { reviveFiles, toSchema } from "./runtime_data.ts";
import { describeOrigin, type Observer, observerOf } from "./runtime_observer.ts";
import { toModel, toUsage } from "./runtime_model.ts";
import { toRemoteTool } from "./runtime_remote.ts";
import { tracerOf } from "./runtime_tracer.ts";

/** Loop options that are passed to the library unchanged. */
const PLAIN_OPTIONS = [
  "systemPrompt",
  "maxIterations",
  "onMaxIterations",
  "onBudgetExceeded",
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
  const budget = toBudget(config);
  const observer = config.observer === undefined
    ? undefined
    : observerOf(handles.get(config.observer));
  return {
    // Retries need no real delay, because the model is scripted.
    retryDelayMs: 1,
    ...Object.fromEntries(plain.map((name) => [name, config[name]])),
    random: () => Number(random),
    // Errors in tools and handlers are not printed, because cases cause them deliberately.
    onError: () => {},
    ...observer?.toOptions(around),
    ...(output === undefined ? {} : { output: toSchema(output, validateOutput) }),
    ...(isFields(estimatedUsage) ? { estimateUsage: () => toUsage(estimatedUsage) } : {}),
    ...(approval === true ? { approvalHandler: autoApprove } : {}),
    ...(typeof approval === "string" ? { approvalHandler: toApproval(approval, host) } : {}),
    ...(typeof repair === "string" ? { repairToolCall: toRepair(repair, host) } : {}),
    ...(prepare === undefined ? {} : { prepareIteration: toPreparation(prepare, host, observer) }),
    ...(budget === undefined ? {} : { budget }),
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
    const { isAsync, nativeOutput: _, reports, throws, ...members } = plan;
    if (reports !== undefined) context.reportError(new Error(String(reports)));
    if (throws !== undefined) throw new Error(String(throws));
    // The cast is unchecked, because the library validates the plan.
    const result = {
      ...members as IterationPlan,
      ...(plan.model === undefined ? {} : { model: toModel(plan, host) }),
    };
    if (isAsync === "never") return new Promise(() => {});
    return isAsync === true ? Promise.resolve(result) : result;
  };
}

/** Creates the tools for a configuration. */
export function toRegistry(
  { tools = [], tracer }: Fields,
  { host, handles }: World,
  delegate?: Delegate,
): ToolRegistry {
  if (!Array.isArray(tools)) throw new BadArgs('"tools" must be an array');
  const entries = tools.filter((definition) => !isAgentTool(definition)).map((definition) => {
    const tool = toTool(definition, host, delegate);
    const { span } = isFields(definition) ? definition : {};
    const traced = typeof span === "string"
      ? withSpan(tool, span, tracerOf(handles.get(tracer)))
      : tool;
    return { tool: traced, hidden: isHidden(definition) };
  });
  if (!entries.some(({ hidden }) => hidden)) {
    return new ToolRegistry(entries.map(({ tool }) => tool));
  }
  const registry = new ToolRegistry();
  for (const { tool, hidden } of entries) registry.register(tool, { hidden });
  return registry;
}

/**
 * Creates the tools that the library derives from the configurations of sub-agents and from remote
 * agents.
 */
export function toAgentTools({ tools = [] }: Fields, world: World): readonly Tool[] {
  if (!Array.isArray(tools)) throw new BadArgs('"tools" must be an array');
  return tools.filter(isAgentTool).map((tool) => {
    if (tool.remote !== undefined) return toRemoteTool(tool, world.host);
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
  return isFields(tool) && (tool.agent !== undefined || tool.remote !== undefined);
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
      tracer.recordSpan(name);
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
  const { subAgent, subAgents = subAgent === undefined ? [] : [subAgent] } = definition;
  const work = Array.isArray(subAgents) && subAgents.length > 0
    ? toDelegation(subAgents.filter(isFields), delegate)
    : toHostWork(name, host, definition);
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

/**
 * Returns the function of a tool that waits for a signal or a scheduled time before it calls the
 * host.
 */
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
  // The value was parsed from JSON, so the cast is safe.
  throw new ToolError(error.tellModel as JsonValue, { cause: error });
}

function toDelegation(
  configs: readonly Fields[],
  delegate: Delegate | undefined,
): Tool["execute"] {
  if (delegate === undefined) throw new BadArgs("only an agent's tool can run a sub-agent");
  return async (input, context) => {
    const task = isFields(input) ? textOf(input, "task") : "";
    const runs = configs.map((config) => delegate(config, task, context));
    // The tool waits for all sub-agents, even if one fails.
    await Promise.allSettled(runs);
    return (await Promise.all(runs)).join("\n");
  };
}

function toApproval(handler: string, host: HostClient): ApprovalHandler {
  return async ({ toolCall: { toolName, toolCallId, input }, reason, tool, signal, ...origin }) => {
    const args = { handler, toolName, toolCallId, input, reason, tool, ...describeOrigin(origin) };
    // The value is passed on without validation, because cases test values that are not decisions.
    return await host.call("approval.decide", args, signal) as ApprovalDecision;
  };
}
