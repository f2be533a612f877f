/**
 * The results of durable runs.
 *
 * @module
 */

import { assertRecord } from "@parley/internal/assert-argument";
import { readStoredResult, type RunResult } from "../loop/run_result.ts";
import { AgentError } from "../shared/error.ts";
import { toSchemaCheck } from "../shared/schema.ts";
import type { Schema } from "../shared/typed_schema.ts";
import { jsonSchemaValidator } from "../tools/json_schema.ts";
import type { RunRecord } from "./run_record.ts";

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
  const stored = readStoredResult(result);
  if (stored !== undefined) return stored;
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
