/**
 * Preparation of a tool call: looks up the tool and validates the input.
 *
 * @module
 */

import { copyJson } from "@parley/internal/json";
import { formatIssues } from "@parley/internal/schema";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { SchemaCheckResult } from "../shared/schema.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { CallDeadline } from "./deadlines.ts";
import { copyInput } from "./decisions.ts";
import { type InvalidToolCall, repairCall } from "./repair_tool_call.ts";
import type { Replay } from "./replay.ts";
import type { ToolCallExecution } from "./tool_call_execution.ts";
import { invalidInputText, unknownToolText, withRemedy } from "./tool_result.ts";

/**
 * Looks up the tool for a call and validates the call's input, synchronously if the schema allows
 * it.
 */
export function prepareToolCall(
  execution: ToolCallExecution,
  replay: Replay | undefined,
): Promise<void> | undefined {
  const { call: { rawInput, input, toolName }, run: { allowedTools, answer, config } } = execution;
  const { maxToolCallsPerIteration: most, onUnknownTool, registry } = config;
  if (answer?.isAnswerCall(execution.call)) {
    const text =
      `Not executed: call tool "${toolName}" alone, after the results of all other tool calls.`;
    return execution.settleWithError("not_started", text);
  }
  const isAllowed = allowedTools?.has(toolName) ?? true;
  const entry = isAllowed && !registry.isHidden(toolName) ? registry.find(toolName) : undefined;
  execution.entry = entry;
  if (!entry) {
    const names = registry.definitions().map(({ name }) => name)
      .filter((name) => allowedTools?.has(name) ?? true);
    if (answer?.toolName !== undefined) names.push(answer.toolName);
    if (onUnknownTool === "throw") throw AgentError.toolNotFound(toolName, names);
    return execution.settleWithError("tool_not_found", unknownToolText(toolName, names));
  }
  if (execution.position >= most) {
    const text =
      `Not executed: at most ${most} tool calls per response are executed. Call the tool again.`;
    return execution.settleWithError("too_many_calls", text);
  }
  const fact = rawInput === undefined
    ? validate(execution, entry, copyJson(input))
    : "not valid JSON";
  if (fact === undefined) return undefined;
  const repair = (fact: string): Promise<void> => {
    const reason = invalidInputText(execution.call, fact);
    return repairInput({ execution, entry, reason }, replay);
  };
  return typeof fact === "string"
    ? repair(fact)
    : fact.then((fact) => fact === undefined ? fact : repair(fact));
}

/**
 * Validates input for a call. Returns a description of the errors, or `undefined` if the input is
 * valid.
 *
 * The function is synchronous unless the validator returns a promise, because awaiting every
 * validation would account for 9 to 15% of an iteration's duration.
 */
function validate(
  execution: ToolCallExecution,
  entry: RegisteredTool,
  input: unknown,
): string | undefined | Promise<string | undefined> {
  const verdict = entry.checkInput(input);
  if (!(verdict instanceof Promise)) return applyVerdict(execution, verdict);
  // The validation promise never rejects, but may never settle. The wait for validation rejects
  // only on timeout or if the run is aborted.
  const { run, timeoutMs } = execution;
  return run.deadlines.wait(verdict, new CallDeadline(timeoutMs)).then(
    (verdict) => applyVerdict(execution, verdict),
    () => run.isAborted ? undefined : `the validation timed out after ${timeoutMs} ms`,
  );
}

function applyVerdict(
  execution: ToolCallExecution,
  verdict: SchemaCheckResult,
): string | undefined {
  if (verdict.ok) {
    execution.error = undefined;
    execution.input = verdict.value;
    return undefined;
  }
  execution.error = verdict.error;
  if (verdict.error !== undefined) reportSchema(execution, verdict.error);
  return formatIssues(verdict.issues);
}

/**
 * Reports an exception from the schema, which indicates a bug in the tool rather than invalid
 * input.
 */
function reportSchema({ call: { toolName }, run }: ToolCallExecution, cause: unknown): void {
  const text = `Cannot validate the input of tool "${toolName}": ${errorMessageOf(cause)}`;
  run.report(AgentError.core(text, { cause }));
}

/** Repairs invalid input, at most once. Sets an error result if the input is still invalid. */
async function repairInput(invalid: InvalidToolCall, replay: Replay | undefined): Promise<void> {
  const { entry, execution, reason } = invalid;
  const { repairToolCall } = execution.run.config;
  const repaired = repairToolCall && await repairCall(invalid, repairToolCall, replay);
  if (!repaired) return execution.settleWithError("invalid_input", withRemedy(reason));
  execution.call = repaired;
  await validateReplacement(execution, entry, repaired.input);
}

/** Validates input from a repair or an approval. Sets an error result if the input is invalid. */
export async function validateReplacement(
  execution: ToolCallExecution,
  entry: RegisteredTool,
  input: unknown,
): Promise<void> {
  const fact = await validate(execution, entry, copyInput(input));
  if (fact !== undefined) {
    const text = withRemedy(invalidInputText(execution.call, fact));
    execution.settleWithError("invalid_input", text);
  }
}
