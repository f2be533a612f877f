/**
 * The results of durable runs.
 *
 * @module
 */

import { sizeOfJson } from "../shared/json_size.ts";
import { readAssistantMessage, readUsage, textOf } from "../loop/response.ts";
import { assertRecord } from "@parley/internal/assert-argument";
import { AgentError } from "../shared/error.ts";
import { defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import { hasAnswer } from "../shared/has_answer.ts";
import type { JsonValue } from "../shared/json.ts";
import type { AssistantMessage } from "../shared/model.ts";
import { AgentStopReason, type ToolLoopOutput } from "../shared/output.ts";
import { type SchemaIssue, toSchemaCheck } from "../shared/schema.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";
import type { Schema } from "../shared/typed_schema.ts";
import type { TokenUsage } from "../shared/usage.ts";
import { jsonSchemaValidator } from "../tools/json_schema.ts";
import type { RunRecord } from "./run_record.ts";

/**
 * Result of a durable run with the status `"done"`: the members of the run's `ToolLoopOutput`, with
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
   * with the message is larger than `maxValueBytes`.
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
 * Reads the result of a durable run.
 *
 * @param run The run, as returned by `Runs.result` or `Runs.get`.
 * @returns The result, or `undefined` if the status of the run is not `"done"`.
 * @throws {TypeError} If `run` is not an object.
 * @throws {AgentError} With code `run_damaged` if the stored result is not the result of a run.
 *
 * @example Print the answer, or why the run ended
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryRuns, openRuns, readRunResult } from "@parley/runtime/runs";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const make = () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) });
 * const runs = openRuns(memoryRuns(), { clerk: { version: "1", make } });
 * const working = runs.work();
 * await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
 * const run = await runs.result("r1");
 * const result = readRunResult(run);
 * const answer = result?.hasAnswer ? result.finalText : undefined;
 * assertEquals(answer ?? run.error?.message ?? result?.stopReason, "Hello");
 * await runs.close();
 * await working;
 * ```
 */
export function readRunResult(run: RunRecord): RunResult | undefined {
  assertRecord("run", run);
  const { result, runId, status } = run;
  if (status !== "done") return undefined;
  const stored = fromStepValue(result);
  if (isRecord(stored)) {
    const { outputIssues, stopConditionName, totalUsage, value } = stored;
    const stopReason = Object.values(AgentStopReason).find((one) => one === stored.stopReason);
    const texts = readTexts(stored);
    if (texts !== undefined && stopReason !== undefined) {
      return defined({
        ...texts,
        hasAnswer: stored.hasAnswer === true,
        stopReason,
        stopConditionName: typeof stopConditionName === "string" ? stopConditionName : undefined,
        value,
        outputIssues: Array.isArray(outputIssues) ? outputIssues.filter(isIssue) : undefined,
        totalUsage: readUsage(totalUsage),
      });
    }
  }
  const reason = "the stored result is not the result of a run";
  throw AgentError.run("run_damaged", "read", { runId, reason });
}

/**
 * Returns the final answer of a durable run whose agent has an `output` schema. The final answer
 * has been stored as JSON, so the schema validates it again.
 *
 * @typeParam Value Type of the final answer.
 * @param run The run, as returned by `Runs.result` or `Runs.get`.
 * @param schema Schema of the final answer as stored: the agent's `output` schema or, if that
 * schema transforms values, a schema of the transformed values.
 * @throws {TypeError} If `run` is not an object, or the schema is invalid.
 * @throws {AgentError} With code `output_invalid` if the run ended without a valid final answer,
 * for example at a limit, or the stored value does not match the schema.
 * @throws {AgentError} With code `core` if the status of the run is not `"done"`, and with code
 * `run_damaged` if the stored result is not the result of a run.
 *
 * @example Read the answer of a run in another process
 * ```ts
 * import { jsonSchema, ToolLoopAgent } from "@parley/runtime";
 * import { memoryRuns, openRuns, requireRunValue } from "@parley/runtime/runs";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const output = jsonSchema<{ total: number }>({
 *   type: "object",
 *   properties: { total: { type: "number" } },
 *   required: ["total"],
 * });
 * const model = scriptedModel([{ calls: [{ toolName: "final_answer", input: { total: 12 } }] }]);
 * const make = () => new ToolLoopAgent({ name: "clerk", model, output });
 * const runs = openRuns(memoryRuns(), { clerk: { version: "1", make } });
 * const working = runs.work();
 * await runs.start({ runId: "r1", agent: "clerk", input: "How much is it?" });
 * const { total } = await requireRunValue(await runs.result("r1"), output);
 * assertEquals(total, 12);
 * await runs.close();
 * await working;
 * ```
 */
export async function requireRunValue<Value>(
  run: RunRecord,
  schema: Schema<Value>,
): Promise<Value> {
  const check = toSchemaCheck(schema, jsonSchemaValidator());
  const result = readRunResult(run);
  if (result === undefined) {
    const { error, runId, status } = run;
    const cause = error === undefined ? "" : `: ${error.message}`;
    throw AgentError.core(
      `Cannot read the value of run "${runId}": the run has the status "${status}"${cause}`,
    );
  }
  const { outputIssues = [], stopReason, value } = result;
  if (value === undefined) throw AgentError.outputInvalid(stopReason, outputIssues);
  const checked = await check(value);
  if (!checked.ok) throw AgentError.outputInvalid(stopReason, checked.issues);
  // The cast is safe because the schema has validated the value, and `Value` is the type of the
  // schema.
  return checked.value as Value;
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
