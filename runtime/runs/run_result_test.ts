import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type AgentConfig, ToolLoopAgent } from "../agent/agent.ts";
import { maxTotalTokens } from "../loop/stop_conditions.ts";
import { memoryRuns, openRuns, readRunResult, requireRunValue, type RunRecord } from "../runs.ts";
import { AgentError } from "../shared/error.ts";
import { jsonSchema } from "../shared/typed_schema.ts";
import { scriptedModel, type ScriptedTurn } from "../testing.ts";

const TOTAL = jsonSchema<{ total: number }>({
  type: "object",
  properties: { total: { type: "number" } },
  required: ["total"],
});
const ANSWER: ScriptedTurn = {
  calls: [{ toolName: "final_answer", input: { total: 12 } }],
};
const USAGE = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** Executes a durable run and returns its record when the run has ended or waits. */
async function runOnce(
  turns: readonly ScriptedTurn[],
  config: Omit<AgentConfig, "model" | "name" | "tools"> = {},
): Promise<RunRecord> {
  const model = scriptedModel(turns);
  const tools = [{ name: "work", inputSchema: { type: "object" }, execute: () => "ok" }];
  const make = (): ToolLoopAgent =>
    new ToolLoopAgent({ name: "clerk", model, modelRetries: 0, tools, ...config });
  const runs = openRuns(memoryRuns(), { clerk: { version: "1", make } }, { onError: () => {} });
  const working = runs.work();
  await runs.start({ runId: "r1", agent: "clerk", input: "Go" });
  const run = await runs.result("r1", { until: "waiting" });
  await runs.close();
  await working;
  return run;
}

Deno.test("readRunResult() returns the text, the stop reason and the usage of a run that is done", async () => {
  assertEquals(readRunResult(await runOnce([{ text: "Done" }])), {
    finalText: "Done",
    hasAnswer: true,
    stopReason: "model_stop",
    totalUsage: USAGE,
  });
});

Deno.test("readRunResult() tells that a limit ended a run", async () => {
  const run = await runOnce([{ calls: [{ toolName: "work" }] }], {
    stopConditions: [maxTotalTokens(1)],
  });
  const result = readRunResult(run);
  assertEquals([run.status, result?.stopReason, result?.finalText], [
    "done",
    "max_total_tokens",
    "",
  ]);
  const error = await assertRejects(() => requireRunValue(run, TOTAL), AgentError);
  assertEquals(error.code, "output_invalid");
});

Deno.test("readRunResult() returns bytes in a value as bytes", async () => {
  const run = await runOnce([{ text: "Done" }]);
  const result = { finalText: "", stopReason: "model_stop", value: { $bytes: "AQI=" } };
  assertEquals(readRunResult({ ...run, result })?.value, new Uint8Array([1, 2]));
});

Deno.test("readRunResult() throws if the stored result is not the result of a run", async () => {
  const run = await runOnce([{ text: "Done" }]);
  const damaged = [null, "Done", [], {}, { finalText: "a", stopReason: "bored" }, {
    finalText: 1,
    stopReason: "model_stop",
  }];
  for (const result of damaged) {
    const error = assertThrows(() => readRunResult({ ...run, result }), AgentError);
    assertEquals(error.code, "run_damaged");
  }
  assertThrows(() => Reflect.apply(readRunResult, undefined, [undefined]), TypeError);
});

Deno.test("requireRunValue() returns the value of a run with an output schema", async () => {
  const { total } = await requireRunValue(await runOnce([ANSWER], { output: TOTAL }), TOTAL);
  assertEquals(total, 12);
});

Deno.test("requireRunValue() rejects a value that does not match the schema", async () => {
  const run = await runOnce([ANSWER], { output: TOTAL });
  const other = jsonSchema<{ name: string }>({ type: "object", required: ["name"] });
  const error = await assertRejects(() => requireRunValue(run, other), AgentError);
  assertEquals(error.code, "output_invalid");
  assertEquals(
    error.message,
    'Cannot read the value of the output: /: "name" is required (stop reason "model_stop")',
  );
});

Deno.test("requireRunValue() contains the issues of the last invalid answer", async () => {
  const invalid = { calls: [{ toolName: "final_answer", input: { total: "12" } }] };
  const run = await runOnce([invalid], { output: TOTAL, outputRetries: 0 });
  const error = await assertRejects(() => requireRunValue(run, TOTAL), AgentError);
  assertEquals(error.is("output_invalid") && error.details.issues.map(({ path }) => path), [
    "/total",
  ]);
});

Deno.test("requireRunValue() names the status of a run that is not done, and its error", async () => {
  const turn = { calls: [{ toolName: "work" }] };
  const waiting = await runOnce([turn], { approvalHandler: () => ({ decision: "defer" }) });
  const failed = await runOnce([{ failure: { reason: "bad key", retryable: false } }]);
  assertEquals([readRunResult(waiting), readRunResult(failed)], [undefined, undefined]);
  for (
    const [run, text] of [
      [waiting, 'the run has the status "waiting"'],
      [failed, 'the run has the status "failed": Cannot get a response from the model: bad key'],
    ] as const
  ) {
    const error = await assertRejects(() => requireRunValue(run, TOTAL), AgentError);
    assertEquals([error.code, error.message], [
      "core",
      `Cannot read the value of run "r1": ${text}`,
    ]);
  }
});
