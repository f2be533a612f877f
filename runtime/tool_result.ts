/**
 * Results of tool calls: from what a tool returned or threw, and back from a journal.
 *
 * @module
 */

import { reasonOf } from "./error.ts";
import { isJsonValue, type JsonValue } from "./json.ts";
import { type ToolCall, type ToolResult, ToolResultCode, type ToolResultOutput } from "./model.ts";
import type { SchemaIssue } from "./schema.ts";
import { ToolError, ToolOutput } from "./tool.ts";
import type { TokenUsage } from "./usage.ts";

/** Longer error texts are cut: they go back to the model, and cost. */
const MAX_ERROR_LENGTH = 2_000;

/** What a tool call leaves: its result, and what it did beside it. */
export interface ToolStep {
  /** The result. */
  readonly result: ToolResult;
  /** Whether the tool asked for the end of the run. */
  readonly stopRequested: boolean;
  /** What its sub-agents used, by agent path. */
  readonly usageByAgent?: Readonly<Record<string, TokenUsage>>;
}

const MAX_NAMES = 50;
const MAX_ISSUES = 8;
const MAX_ISSUE_LENGTH = 200;
const SUCCESS: ReadonlySet<string> = new Set(["text", "json", "content"]);

/** The result of a call that failed or was not executed. */
export function errorResult(
  { toolCallId, toolName }: ToolCall,
  code: ToolResultCode,
  text: string,
  durationMs = 0,
): ToolResult {
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type: "error-text", value: cut(text) },
    isError: true,
    code,
    durationMs,
  };
}

/** The result of a call that was not approved. */
export function deniedResult({ toolCallId, toolName }: ToolCall, reason?: string): ToolResult {
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type: "execution-denied", ...reason === undefined ? {} : { reason: cut(reason) } },
    isError: true,
    code: ToolResultCode.ApprovalDenied,
    durationMs: 0,
  };
}

/** The result of a call whose tool returned. */
export function returnedResult(call: ToolCall, value: unknown, durationMs: number): ToolResult {
  let output: ToolResultOutput;
  try {
    output = toOutput(value);
  } catch (error) {
    const text = `The tool returned a value that is not serializable: ${reasonOf(error)}`;
    return errorResult(call, ToolResultCode.NotSerializable, text, durationMs);
  }
  const isError = !SUCCESS.has(output.type);
  const { toolCallId, toolName } = call;
  return { type: "tool-result", toolCallId, toolName, output, isError, durationMs };
}

/** The result of a call whose tool threw. */
export function thrownResult(call: ToolCall, error: unknown, durationMs: number): ToolResult {
  const code = ToolResultCode.ToolExecutionFailed;
  const result = errorResult(call, code, reasonOf(error), durationMs);
  if (!(error instanceof ToolError) || typeof error.content === "string") return result;
  return { ...result, output: { type: "error-json", value: error.content } };
}

/** The words of a result's output, for errors and people. */
export function describeOutput({ output }: ToolResult): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "execution-denied":
      return output.reason ?? "denied";
    default:
      return JSON.stringify(output.value);
  }
}

/** What the model is told when it names a tool that is not there. */
export function unknownToolText(name: string, available: readonly string[]): string {
  const shown = available.slice(0, MAX_NAMES).join(", ");
  const list = available.length > MAX_NAMES ? `${shown}, …` : shown;
  return `Tool "${name}" is not available. Available tools: ${list === "" ? "none" : list}`;
}

/** What the model is told of an input that breaks the tool's schema. */
export function invalidInputText(name: string, issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message }) =>
    `${path === "" ? "/" : path}: ${message.slice(0, MAX_ISSUE_LENGTH)}`
  );
  return `Invalid input for tool "${name}": ${lines.join("; ")}`;
}

function toOutput(value: unknown): ToolResultOutput {
  if (typeof value === "string") return { type: "text", value };
  if (value === undefined) return { type: "text", value: "" };
  if (value instanceof ToolOutput) return value.output;
  return { type: "json", value: isJsonValue(value) ? value : toPlainJson(value) };
}

/** What JSON makes of dates, class instances and undefined fields; throws where JSON would lose something silently. */
function toPlainJson(value: unknown): JsonValue {
  const text = JSON.stringify(value, refuseLive);
  if (text === undefined) throw new TypeError("it has no JSON form");
  return JSON.parse(text);
}

function refuseLive(key: string, value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`"${key}" is a ${typeof value}`);
  }
  return value;
}

function cut(text: string): string {
  return text.length <= MAX_ERROR_LENGTH ? text : `${text.slice(0, MAX_ERROR_LENGTH - 1)}…`;
}
