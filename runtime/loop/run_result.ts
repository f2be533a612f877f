/**
 * The result of a run as it is stored.
 *
 * @module
 */

import { defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import { hasAnswer } from "../shared/has_answer.ts";
import type { JsonValue } from "../shared/json.ts";
import { sizeOfJson } from "../shared/json_size.ts";
import type { AssistantMessage } from "../shared/model.ts";
import { AgentStopReason, type ToolLoopOutput } from "../shared/output.ts";
import type { SchemaIssue } from "../shared/schema.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";
import type { TokenUsage } from "../shared/usage.ts";
import { readAssistantMessage, readUsage, textOf } from "./response.ts";

/**
 * Result of a run with the status `"done"`: the members of the run's `ToolLoopOutput`, with
 * the last assistant message instead of all messages.
 *
 * A run that reaches a limit, such as `maxTotalTokens`, is also done. `hasAnswer` says whether the
 * run ended with a final answer.
 */
export interface RunResult {
  /**
   * Text of the last assistant message, or `""` if this message has no text, for example because a
   * limit ended the run after a tool call.
   */
  readonly finalText: string;
  /**
   * The last assistant message of the run, with the files that the model has created. Absent if the
   * model was not called, if an older version of this package stored the result, or if the result
   * with the message is too large to be stored: larger than `maxValueBytes` of durable runs, or
   * `maxRunChars` of sessions.
   */
  readonly message?: AssistantMessage;
  /** Whether the run ended with a final answer, according to the function `hasAnswer`. */
  readonly hasAnswer: boolean;
  /** Reason why the run ended. */
  readonly stopReason: AgentStopReason;
  /** Name of the stop condition that was met, or the `stop` name of the plan that ended the run. */
  readonly stopConditionName?: string;
  /**
   * The final answer of an agent with an `output` schema, as stored: dates are strings. Absent if
   * the agent has no `output` schema, or the run ended without a valid final answer.
   */
  readonly value?: unknown;
  /**
   * Issues found in the last final answer. Present if the last final answer did not match the
   * `output` schema.
   */
  readonly outputIssues?: readonly SchemaIssue[];
  /** Tokens used by the run, including its sub-agents. */
  readonly totalUsage: TokenUsage;
}

/**
 * Converts the output of a run to the JSON that an engine stores. The text of the run is stored in
 * the message; it is stored again only if it is not that of the message, such as the JSON text of a
 * final answer that is the input of a tool call.
 *
 * @param maxBytes Maximum size of a result with a message. A larger result is stored without the
 * message.
 */
export function toStoredResult(output: ToolLoopOutput, maxBytes: number): JsonValue {
  const { finalText, outputIssues, stopConditionName, stopReason, totalUsage, value } = output;
  const message = output.messages.findLast((each) => each.role === "assistant");
  const rest = {
    hasAnswer: hasAnswer(output),
    stopReason,
    stopConditionName,
    value,
    outputIssues,
    totalUsage,
  };
  if (message?.role === "assistant") {
    const isText = textOf(message) === finalText;
    const result = toStepValue({ ...isText ? {} : { finalText }, message, ...rest });
    if (sizeOfJson(result) <= maxBytes) return result;
  }
  return toStepValue({ finalText, ...rest });
}

/** Reads a stored result. Returns `undefined` if it is not the result of a run. */
export function readStoredResult(value: unknown): RunResult | undefined {
  const stored = fromStepValue(value);
  if (!isRecord(stored)) return undefined;
  const { outputIssues, stopConditionName, totalUsage } = stored;
  const stopReason = Object.values(AgentStopReason).find((one) => one === stored.stopReason);
  const texts = readTexts(stored);
  if (texts === undefined || stopReason === undefined) return undefined;
  return defined({
    ...texts,
    hasAnswer: stored.hasAnswer === true,
    stopReason,
    stopConditionName: typeof stopConditionName === "string" ? stopConditionName : undefined,
    value: stored.value,
    outputIssues: Array.isArray(outputIssues) ? outputIssues.filter(isIssue) : undefined,
    totalUsage: readUsage(totalUsage),
  });
}

/** Reads the text and the message of a result. Returns `undefined` if they are not valid. */
function readTexts(
  { finalText, message: stored }: UnknownRecord,
): Pick<RunResult, "finalText" | "message"> | undefined {
  if (stored === undefined) return typeof finalText === "string" ? { finalText } : undefined;
  const message = isRecord(stored) && stored.role === "assistant"
    ? readAssistantMessage(stored)
    : undefined;
  if (message === undefined) return undefined;
  if (finalText === undefined) return { finalText: textOf(message), message };
  return typeof finalText === "string" ? { finalText, message } : undefined;
}

function isIssue(value: unknown): value is SchemaIssue {
  return isRecord(value) && typeof value.path === "string" && typeof value.message === "string";
}
