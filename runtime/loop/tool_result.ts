/**
 * Creation of tool results from returned values and errors.
 *
 * @module
 */

import { errorMessageOf, formatNames } from "../shared/error.ts";
import { toJson } from "../shared/to_json.ts";
import { asRecord, defined, type UnknownRecord } from "@parley/internal/json";
import type { RecordedUse } from "../budget/run_budget.ts";
import { copyPart } from "./copy_parts.ts";
import { limitOutput, type OutputLimits } from "./output_limit.ts";
import { isFileData } from "./response.ts";
import type { ToolCall, ToolResult, ToolResultCode, ToolResultOutput } from "../shared/model.ts";
import type { DelegatedUsage } from "./usage_totals.ts";
import { ToolError, ToolOutput } from "../tools/tool.ts";
import { excerpt } from "@parley/internal/escape-text";

/** Outcome of a tool execution, as recorded in the journal. */
export interface ToolStep extends DelegatedUsage {
  /** Result that is returned to the model. */
  readonly result: ToolResult;
  /** Whether the tool has called `context.stop()`. */
  readonly stopRequested: boolean;
  /** Amounts that the sub-agents have used of the run's budgets. Absent without a budget. */
  readonly budgetUse?: RecordedUse | undefined;
}

/**
 * Maximum length of an error message, in characters. A message that exceeds this length is
 * truncated, because providers charge for input tokens.
 */
const MAX_ERROR_LENGTH = 2_000;
const MAX_NAMES = 50;
const SUCCESS: readonly string[] = ["text", "json", "content"];

/** Creates the result of a tool call. */
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

/** Creates the result of a tool call that failed or was not executed. */
export function errorResult(
  call: ToolCall,
  code: ToolResultCode,
  text: string,
  durationMs = 0,
): ToolResult {
  return toolResult(call, { type: "error-text", value: cut(text) }, durationMs, code);
}

/**
 * Creates the result of a tool call from the value that the tool returned, truncated to the output
 * limits.
 *
 * @throws {TypeError} If the value is not serializable as JSON.
 */
export function returnedResult(
  call: ToolCall,
  value: unknown,
  durationMs: number,
  limits: OutputLimits,
): ToolResult {
  const output = toOutput(value);
  const limited = limitOutput(output, limits);
  const result = toolResult(call, limited, durationMs);
  return limited === output ? result : { ...result, isTruncated: true };
}

/** Creates the result of a tool call from the error that the tool threw. */
export function thrownResult(
  call: ToolCall,
  error: unknown,
  durationMs: number,
  limits: OutputLimits,
): ToolResult {
  const code = "tool_execution_failed";
  if (!(error instanceof ToolError) || typeof error.content === "string") {
    return errorResult(call, code, errorMessageOf(error), durationMs);
  }
  try {
    const output = limitOutput({ type: "error-json", value: toJson(error.content) }, limits);
    return toolResult(call, output, durationMs, code);
  } catch {
    return errorResult(call, code, errorMessageOf(error), durationMs);
  }
}

/** Formats the error message for a call to an unknown tool. */
export function unknownToolText(name: string, available: readonly string[]): string {
  const shown = available.length > MAX_NAMES ? [...available.slice(0, MAX_NAMES), "…"] : available;
  return `Tool "${name}" is not available. Available tools: ${formatNames(shown)}`;
}

/** Formats the error message for a call with invalid input. */
export function invalidInputText({ toolName }: ToolCall, fact: string): string {
  return `Invalid input for tool "${toolName}": ${fact}`;
}

/** Adds the instruction to correct the input to an error message for a call with invalid input. */
export function withRemedy(reason: string): string {
  return `${reason.replace(/\.$/, "")}. Correct the input and call the tool again.`;
}

/** Returns true if a tool was executed and failed. */
export function hasFailed({ code, isError }: ToolResult): boolean {
  // A tool that is no longer registered, or that a budget does not allow, was not executed.
  return isError && code !== "tool_not_found" && code !== "not_started";
}

/** Truncates a string that is sent to the model. */
export function cut(text: string): string {
  return excerpt(text, MAX_ERROR_LENGTH);
}

/** Returns true if a value is a valid output. JSON data in the output is not inspected. */
export function isOutput(value: unknown): value is ToolResultOutput {
  const { type, value: content, reason } = asRecord(value);
  switch (type) {
    case "text":
    case "error-text":
      return typeof content === "string";
    case "json":
    case "error-json":
      return content !== undefined;
    case "execution-denied":
      return reason === undefined || typeof reason === "string";
    case "content":
      return Array.isArray(content) && content.every(isContentPart);
    default:
      return false;
  }
}

function isContentPart(part: unknown): boolean {
  const { type, text, mediaType, data } = asRecord(part);
  if (type === "text") return typeof text === "string";
  return type === "file" && typeof mediaType === "string" && isFileData(data);
}

/**
 * Converts the value that a tool returned. The output shares no data with the value, so the tool
 * cannot change its result later.
 */
function toOutput(value: unknown): ToolResultOutput {
  if (value === undefined || typeof value === "string") return { type: "text", value: value ?? "" };
  if (!(value instanceof ToolOutput)) return { type: "json", value: toJson(value) };
  const { output } = value;
  const { type, value: given, reason }: UnknownRecord = { ...output };
  if (type === "json" || type === "error-json") return { type, value: toJson(given) };
  const copy = type === "execution-denied"
    ? defined({ type, reason })
    : { type, value: Array.isArray(given) ? given.map(copyPart) : given };
  if (isOutput(copy)) return copy;
  throw new TypeError(`the members of the ToolOutput do not match its type "${type}"`);
}
