/**
 * From the configuration in a case to the objects of `@parley/runtime`: the world stands behind host calls.
 *
 * @module
 */

import {
  type AgentStopCondition,
  type ApprovalHandler,
  type AssistantMessage,
  customStop,
  FINISH_REASONS,
  type FinishReason,
  type GenerationOptions,
  type JsonSchema,
  type LanguageModel,
  type LoopContext,
  type LoopOptions,
  maxIterations,
  maxToolCalls,
  maxTotalTokens,
  modelStopsNaturally,
  readApprovalDecision,
  readToolInput,
  repeatedToolCalls,
  type Tool,
  toolCalled,
  ToolRegistry,
} from "@parley/runtime";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type HostClient,
  isFields,
  StoppingValue,
  textOf,
} from "./op.ts";

/** Options of the loop that are handed on as they are. */
const PLAIN_OPTIONS = [
  "systemPrompt",
  "maxIterations",
  "onMaxIterations",
  "onAbort",
  "onUnknownTool",
  "onToolError",
  "modelRetries",
  "toolConcurrency",
  "toolTimeoutMs",
  "graceMs",
] as const;

/** The options that agents and bare loops share. */
export function toLoopOptions(config: Fields, host: HostClient): LoopOptions {
  const plain = PLAIN_OPTIONS.filter((name) => config[name] !== undefined);
  const { approval, stop, generateOptions } = config;
  return {
    ...Object.fromEntries(plain.map((name) => [name, config[name]])),
    // Retries need no waiting here: the scripted model decides when it is there again.
    retryDelayMs: 1,
    random: () => 0,
    ...(typeof approval === "string" ? { approvalHandler: toApproval(approval, host) } : {}),
    ...(stop === undefined ? {} : { stopConditions: toConditions(stop, host) }),
    ...(isFields(generateOptions) ? { generateOptions: generateOptions as GenerationOptions } : {}),
  };
}

/** The model that a configuration names. */
export function toModel(config: Fields, host: HostClient): LanguageModel {
  const model = textOf(config, "model");
  return {
    modelId: model,
    async generate({ messages, tools, options, signal }) {
      const answer = await host.call("model.generate", { model, messages, tools, options }, signal);
      if (!isFields(answer)) throw new BadArgs("the host gave no answer of a model");
      return {
        message: { role: "assistant", content: toContent(answer.content) },
        finishReason: toFinishReason(answer.finishReason),
        ...(isFields(answer.usage) ? { usage: toUsage(answer.usage) } : {}),
      };
    },
  };
}

/** The tools that a configuration lists. */
export function toRegistry({ tools = [] }: Fields, host: HostClient): ToolRegistry {
  const registry = new ToolRegistry();
  if (!Array.isArray(tools)) throw new BadArgs('"tools" is not a list');
  for (const tool of tools) registry.register(toTool(tool, host));
  return registry;
}

/** One tool whose work the host does. */
export function toTool(definition: unknown, host: HostClient): Tool {
  if (!isFields(definition)) throw new BadArgs("a tool is not an object");
  const name = textOf(definition, "name");
  const { description, inputSchema = { type: "object" }, timeoutMs, exclusive } = definition;
  return {
    name,
    inputSchema: inputSchema as JsonSchema,
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    ...(exclusive === true ? { exclusive } : {}),
    async execute(input, context): Promise<unknown> {
      const { toolCallId, agentName, signal } = context;
      const args = { name, toolCallId, input, agentName };
      const value = await host.call("tool.execute", args, signal);
      if (!(value instanceof StoppingValue)) return value;
      context.stop();
      return value.value;
    },
  };
}

/** Stop conditions as cases write them. */
export function toConditions(list: unknown, host: HostClient): readonly AgentStopCondition[] {
  if (!Array.isArray(list)) throw new BadArgs('"stop" is not a list');
  return list.map((each: unknown) => toCondition(isFields(each) ? each : {}, host));
}

function toCondition(condition: Fields, host: HostClient): AgentStopCondition {
  if (condition.maxIterations !== undefined) return maxIterations(Number(condition.maxIterations));
  if (condition.maxTotalTokens !== undefined) {
    return maxTotalTokens(Number(condition.maxTotalTokens));
  }
  if (condition.modelStopsNaturally === true) return modelStopsNaturally();
  if (condition.repeatedToolCalls !== undefined) {
    return repeatedToolCalls(Number(condition.repeatedToolCalls));
  }
  if (Array.isArray(condition.toolCalled)) return toolCalled(...condition.toolCalled.map(String));
  if (condition.maxToolCalls !== undefined) return maxToolCalls(Number(condition.maxToolCalls));
  const custom = fieldsOf(condition, "custom");
  const answers: readonly unknown[] = Array.isArray(custom.answers) ? custom.answers : [];
  const name = textOf(custom, "name");
  let checks = 0;
  return customStop(name, (context) => {
    host.event("condition", { name, context: toContext(context) });
    const answer = answers[Math.min(checks++, answers.length - 1)];
    if (isFields(answer)) throw new Error(String(answer.throws));
    return answer === true;
  });
}

function toContext(
  { iteration, totalUsage, lastFinishReason, lastToolCallCount }: LoopContext,
): LoopContext {
  return { iteration, totalUsage, lastFinishReason, lastToolCallCount };
}

function toApproval(handler: string, host: HostClient): ApprovalHandler {
  return async ({ toolCall: { toolName, toolCallId, input }, agentName, signal }) => {
    const args = { handler, toolName, toolCallId, input, agentName };
    const answer = await host.call("approval.decide", args, signal);
    const decision = readApprovalDecision(answer);
    if (decision === undefined) throw new BadArgs("the host gave no decision");
    return decision;
  };
}

function toContent(content: unknown): AssistantMessage["content"] {
  if (!Array.isArray(content)) throw new BadArgs("the host gave no content");
  return content.map((part: unknown) => {
    if (!isFields(part)) throw new BadArgs("the host gave a part that is no object");
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
  if (reason === undefined) throw new BadArgs(`no finish reason ${JSON.stringify(value)}`);
  return reason;
}

function toUsage(
  { inputTokens, outputTokens }: Fields,
): { inputTokens: number; outputTokens: number; totalTokens: number } {
  const [input, output] = [Number(inputTokens), Number(outputTokens)];
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}
