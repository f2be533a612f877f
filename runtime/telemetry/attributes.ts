/**
 * Span attributes defined by the OpenTelemetry semantic conventions for generative AI.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  ReasoningPart,
  TextPart,
  ToolCall,
  ToolResult,
} from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";
import type { TelemetryAttributes } from "./options.ts";

/** Returns the value of the attribute `error.type` for a failed run. */
export function errorTypeOf(error: unknown): string {
  if (AgentError.isAgentError(error)) return error.code;
  return error instanceof Error ? error.name : "_OTHER";
}

/** Returns the attributes for token counts. */
export function usageAttributes(usage: TokenUsage): TelemetryAttributes {
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    ...cachedInputTokens === undefined
      ? {}
      : { "gen_ai.usage.cache_read.input_tokens": cachedInputTokens },
    ...cacheWriteTokens === undefined
      ? {}
      : { "gen_ai.usage.cache_write.input_tokens": cacheWriteTokens },
    ...reasoningTokens === undefined
      ? {}
      : { "gen_ai.usage.reasoning.output_tokens": reasoningTokens },
  };
}

/** Returns the messages that the run started with. */
export function inputOf({ messages, iterations }: ToolLoopOutput): readonly ModelMessage[] {
  const first = iterations[0];
  const end = first === undefined ? -1 : messages.indexOf(first.assistantMessage);
  return end === -1 ? messages : messages.slice(0, end);
}

/** Returns the last assistant message of the run in an array, or an empty array if there is none. */
export function outputOf({ iterations }: ToolLoopOutput): readonly AssistantMessage[] {
  return iterations.slice(-1).map(({ assistantMessage }) => assistantMessage);
}

/** Converts a message to the format that the OpenTelemetry conventions define. */
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

/** Converts the result of a tool call to the format that the OpenTelemetry conventions define. */
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
