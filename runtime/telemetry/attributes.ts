/**
 * Names of spans, attributes and metrics, and the conversion of steps and messages to attributes.
 *
 * The names and values follow the OpenTelemetry semantic conventions for generative AI, commit
 * 32c328e85013588c6fe32ebc30934ab5b1752b6a. Names that start with `parley.` are not part of the
 * conventions.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 * @module
 */

import type { ModelStepInfo, RunStepInfo, ToolStepInfo } from "../loop/around.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { defined } from "@parley/internal/json";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  ModelResponse,
  ReasoningPart,
  TextPart,
  ToolCall,
  ToolResult,
} from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";
import type { CounterOptions, HistogramOptions, TelemetryAttributes } from "./options.ts";

/**
 * Provider name recorded for models without a `provider`, because the conventions require
 * `gen_ai.provider.name`.
 */
const UNKNOWN_PROVIDER = "unknown";

/** Name of a histogram. */
export type HistogramName =
  | "gen_ai.client.inference.duration"
  | "gen_ai.client.inference.time_to_first_chunk"
  | "gen_ai.client.inference.operation.input_tokens"
  | "gen_ai.client.inference.operation.output_tokens"
  | "gen_ai.execute_tool.duration"
  | "gen_ai.invoke_agent.duration"
  | "gen_ai.invoke_agent.inference_calls"
  | "gen_ai.invoke_agent.tool_calls";

/** Name of a counter. */
export type CounterName =
  | "gen_ai.client.inference.usage.input_tokens"
  | "gen_ai.client.inference.usage.cache_read.input_tokens"
  | "gen_ai.client.inference.usage.cache_write.input_tokens"
  | "gen_ai.client.inference.usage.output_tokens"
  | "gen_ai.client.inference.usage.reasoning.output_tokens";

/** Bucket boundaries specified by the conventions. */
const MODEL_SECONDS = powersOf(2, 0.01, 14);
const AGENT_SECONDS = powersOf(2, 0.1, 13);
const TOKENS = powersOf(4, 1, 14);
const CALLS = powersOf(2, 1, 8);

/** Histograms, keyed by name. */
export const HISTOGRAMS: Readonly<Record<HistogramName, HistogramOptions>> = {
  "gen_ai.client.inference.duration": histogram("s", "Duration of a model call", MODEL_SECONDS),
  "gen_ai.client.inference.time_to_first_chunk": histogram(
    "s",
    "Time to the first chunk of a streamed response",
    MODEL_SECONDS,
  ),
  "gen_ai.client.inference.operation.input_tokens": histogram(
    "{token}",
    "Input tokens of a model call",
    TOKENS,
  ),
  "gen_ai.client.inference.operation.output_tokens": histogram(
    "{token}",
    "Output tokens of a model call",
    TOKENS,
  ),
  "gen_ai.execute_tool.duration": histogram("s", "Duration of a tool execution", MODEL_SECONDS),
  "gen_ai.invoke_agent.duration": histogram("s", "Duration of a run", AGENT_SECONDS),
  "gen_ai.invoke_agent.inference_calls": histogram(
    "{inference_call}",
    "Model calls in a run",
    CALLS,
  ),
  "gen_ai.invoke_agent.tool_calls": histogram("{tool_call}", "Tool executions in a run", CALLS),
};

/** Counters, keyed by name. */
export const COUNTERS: Readonly<Record<CounterName, CounterOptions>> = {
  "gen_ai.client.inference.usage.input_tokens": counter("Input tokens, including cached tokens"),
  "gen_ai.client.inference.usage.cache_read.input_tokens": counter(
    "Input tokens read from the provider's cache",
  ),
  "gen_ai.client.inference.usage.cache_write.input_tokens": counter(
    "Input tokens written to the provider's cache",
  ),
  "gen_ai.client.inference.usage.output_tokens": counter(
    "Output tokens, including reasoning tokens",
  ),
  "gen_ai.client.inference.usage.reasoning.output_tokens": counter(
    "Output tokens used for reasoning",
  ),
};

/** Returns `count` numbers, each of which is `base` times the previous number. */
function powersOf(base: number, first: number, count: number): number[] {
  return Array.from({ length: count }, (_, exponent) => first * base ** exponent);
}

function histogram(
  unit: string,
  description: string,
  explicitBucketBoundaries: number[],
): HistogramOptions {
  return { unit, description, advice: { explicitBucketBoundaries } };
}

function counter(description: string): CounterOptions {
  return { unit: "{token}", description };
}

/** Description of a step's span: its name and its attributes. */
export interface SpanDescription {
  /** Name of the span. */
  readonly name: string;
  /** Attributes that are known when the step starts. */
  readonly attributes: TelemetryAttributes;
  /** Attributes for the step's metrics. */
  readonly dimensions: TelemetryAttributes;
}

/** Describes the span of a run. */
export function describeRun(
  { agentName, agentDid, outputType, runId }: RunStepInfo,
): SpanDescription {
  const dimensions = { "gen_ai.agent.name": agentName };
  return {
    name: `invoke_agent ${agentName}`,
    attributes: defined({
      "gen_ai.operation.name": "invoke_agent",
      ...dimensions,
      "gen_ai.output.type": outputType,
      "parley.run.id": runId,
      "parley.agent.did": agentDid,
    }),
    dimensions,
  };
}

/** Describes the span of a model call. */
export function describeModelCall(
  { modelId, provider = UNKNOWN_PROVIDER, options }: ModelStepInfo,
): SpanDescription {
  const dimensions = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": modelId,
  };
  return {
    name: `chat ${modelId}`,
    attributes: { ...dimensions, ...requestAttributes(options) },
    dimensions,
  };
}

/** Describes the span of a tool execution. */
export function describeToolExecution(
  { agentName, toolCall: { toolName, toolCallId } }: ToolStepInfo,
): SpanDescription {
  const dimensions = {
    "gen_ai.tool.name": toolName,
    "gen_ai.tool.type": "function",
    "gen_ai.agent.name": agentName,
  };
  return {
    name: `execute_tool ${toolName}`,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      ...dimensions,
      "gen_ai.tool.call.id": toolCallId,
    },
    dimensions,
  };
}

/** Returns the attributes for the settings of a model call. */
function requestAttributes(options: GenerationOptions): TelemetryAttributes {
  const { stopSequences, responseFormat } = options;
  return defined({
    "gen_ai.request.max_tokens": options.maxOutputTokens,
    "gen_ai.request.temperature": options.temperature,
    "gen_ai.request.top_p": options.topP,
    "gen_ai.request.top_k": options.topK,
    "gen_ai.request.stop_sequences": stopSequences && [...stopSequences],
    "gen_ai.request.frequency_penalty": options.frequencyPenalty,
    "gen_ai.request.presence_penalty": options.presencePenalty,
    "gen_ai.request.seed": options.seed,
    "gen_ai.request.reasoning.level": options.reasoning,
    "gen_ai.output.type": responseFormat?.type,
  });
}

/** Returns the attributes for a model's response, without the token usage. */
export function responseAttributes(
  { finishReason, modelId, provider, responseId }: ModelResponse,
): TelemetryAttributes {
  return defined({
    // A model that calls one of several models reports the provider that has responded.
    "gen_ai.provider.name": provider,
    "gen_ai.response.finish_reasons": [finishReason],
    "gen_ai.response.model": modelId,
    "gen_ai.response.id": responseId,
  });
}

/** Returns the attributes for the token usage of a model call. */
export function modelUsageAttributes(usage: TokenUsage): TelemetryAttributes {
  return defined({
    ...runUsageAttributes(usage),
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
    "gen_ai.usage.cache_write.input_tokens": usage.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
  });
}

/**
 * Returns the attributes for the token usage of a run, in which several models may have been
 * called.
 */
export function runUsageAttributes(usage: TokenUsage): TelemetryAttributes {
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
  };
}

/** Returns the values of the counters for the token usage of a model call. */
export function usageCounts(usage: TokenUsage): Partial<Record<CounterName, number>> {
  return defined({
    "gen_ai.client.inference.usage.input_tokens": usage.inputTokens,
    "gen_ai.client.inference.usage.cache_read.input_tokens": usage.cachedInputTokens,
    "gen_ai.client.inference.usage.cache_write.input_tokens": usage.cacheWriteTokens,
    "gen_ai.client.inference.usage.output_tokens": usage.outputTokens,
    "gen_ai.client.inference.usage.reasoning.output_tokens": usage.reasoningTokens,
  });
}

/** Returns the value of the `error.type` attribute for a failed step. */
export function errorTypeOf(error: unknown): string {
  if (AgentError.isAgentError(error)) return error.code;
  return error instanceof Error ? error.name : "_OTHER";
}

/** Returns the messages that the run started with. */
export function inputOf({ messages, iterations }: ToolLoopOutput): readonly ModelMessage[] {
  const first = iterations[0];
  const end = first === undefined ? -1 : messages.indexOf(first.assistantMessage);
  return end === -1 ? messages : messages.slice(0, end);
}

/**
 * Returns the last assistant message of the run in an array, or an empty array if the run has no
 * assistant message.
 */
export function outputOf({ iterations }: ToolLoopOutput): readonly AssistantMessage[] {
  return iterations.slice(-1).map(({ assistantMessage }) => assistantMessage);
}

/** Converts a message to the format defined by the OpenTelemetry semantic conventions. */
export function describeMessage(
  { role, content }: ModelMessage,
): { role: string; parts: unknown[] } {
  if (typeof content === "string") return { role, parts: [{ type: "text", content }] };
  const parts: readonly (TextPart | ReasoningPart | FilePart | ToolCall | ToolResult)[] = content;
  return { role, parts: parts.map(describePart) };
}

function describePart(part: TextPart | ReasoningPart | FilePart | ToolCall | ToolResult): unknown {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: part.text };
    case "file":
      // Only the media type is recorded, because traces should not contain the bytes of files.
      return { type: "omitted_file", mime_type: part.mediaType };
    case "tool-call": {
      const { toolCallId, toolName, rawInput, input } = part;
      return { type: "tool_call", id: toolCallId, name: toolName, arguments: rawInput ?? input };
    }
    case "tool-result":
      return {
        type: "tool_call_response",
        id: part.toolCallId,
        response: describeResult(part),
      };
    default:
      return part satisfies never;
  }
}

/**
 * Converts the result of a tool call to the format defined by the OpenTelemetry semantic
 * conventions.
 */
export function describeResult({ output }: ToolResult): unknown {
  if (output.type === "execution-denied") return output.reason ?? "";
  return output.type === "content" ? output.value.map(describePart) : output.value;
}

/** Serializes content for a span attribute. Never throws. */
export function toContentText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    // A tool input or result that cannot be serialized must not end the run.
    return `not serializable: ${errorMessageOf(error)}`;
  }
}
