/**
 * Results of tool calls: from what a tool returned or threw, and back from a journal.
 *
 * @module
 */

import { errorMessageOf, formatNames } from "../shared/error.ts";
import { copyJson, isJsonValue, type JsonValue } from "../shared/json.ts";
import type { ToolCall, ToolResult, ToolResultCode, ToolResultOutput } from "../shared/model.ts";
import type { TokenUsage } from "../shared/usage.ts";
import { ToolError, ToolOutput } from "../tools/tool.ts";

/** What a tool call leaves: its result, and what it did beside it. */
export interface ToolStep {
  /** The result. */
  readonly result: ToolResult;
  /** Whether the tool asked for the end of the run. */
  readonly stopRequested: boolean;
  /** What its sub-agents used, by agent path. */
  readonly usageByAgent?: Readonly<Record<string, TokenUsage>> | undefined;
}

/** Longer error texts are cut: they go back to the model, and cost. */
const MAX_ERROR_LENGTH = 2_000;
const MAX_NAMES = 50;
const SUCCESS: readonly string[] = ["text", "json", "content"];

/** The result of a call. */
export function toolResult(
  { toolCallId, toolName }: ToolCall,
  output: ToolResultOutput,
  durationMs: number,
  code?: ToolResultCode,
): ToolResult {
  const isError = !SUCCESS.includes(output.type);
  const result = {
    type: "tool-result",
    toolCallId,
    toolName,
    output,
    isError,
    durationMs,
  } as const;
  return code === undefined ? result : { ...result, code };
}

/** The result of a call that failed or was not executed. */
export function errorResult(
  call: ToolCall,
  code: ToolResultCode,
  text: string,
  durationMs = 0,
): ToolResult {
  return toolResult(call, { type: "error-text", value: cut(text) }, durationMs, code);
}

/** The result of a call whose tool returned. */
export function returnedResult(call: ToolCall, value: unknown, durationMs: number): ToolResult {
  try {
    return toolResult(call, toOutput(value), durationMs);
  } catch (error) {
    const text = `The result is not serializable: ${errorMessageOf(error)}`;
    return errorResult(call, "not_serializable", text, durationMs);
  }
}

/** The result of a call whose tool threw. */
export function thrownResult(call: ToolCall, error: unknown, durationMs: number): ToolResult {
  const code = "tool_execution_failed";
  return error instanceof ToolError && typeof error.content !== "string"
    ? toolResult(call, { type: "error-json", value: error.content }, durationMs, code)
    : errorResult(call, code, errorMessageOf(error), durationMs);
}

/** What the model is told when it names a tool that is not there. */
export function unknownToolText(name: string, available: readonly string[]): string {
  const shown = available.length > MAX_NAMES ? [...available.slice(0, MAX_NAMES), "…"] : available;
  return `Tool "${name}" is not available. Available tools: ${formatNames(shown)}`;
}

/** Text as the model is told it: not without end. */
export function cut(text: string): string {
  return text.length <= MAX_ERROR_LENGTH ? text : `${text.slice(0, MAX_ERROR_LENGTH - 1)}…`;
}

function toOutput(value: unknown): ToolResultOutput {
  if (value === undefined || typeof value === "string") return { type: "text", value: value ?? "" };
  if (value instanceof ToolOutput) return value.output;
  return { type: "json", value: isJsonValue(value) ? copyJson(value) : toPlainJson(value) };
}

/** What JSON makes of dates, class instances and undefined fields; throws where JSON would lose a value silently. */
function toPlainJson(value: unknown): JsonValue {
  const text = JSON.stringify(value, refuseLive);
  if (text === undefined) throw new TypeError("it has no JSON form");
  return JSON.parse(text);
}

/** Functions, promises, maps, NaN: JSON makes nothing of what has no fields and is no JSON itself. */
function refuseLive(key: string, value: unknown): unknown {
  const isFunction = typeof value === "function";
  const isKept = value === undefined || isJsonValue(value, 1) ||
    Object.keys(Object(value)).length > 0;
  if (isKept && !isFunction) return value;
  const what = isFunction ? "a function" : errorMessageOf(value);
  throw new TypeError(`${key ? `"${key}"` : "it"} is ${what}`);
}
