import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type AgentConfig, ToolLoopAgent } from "../agent/agent.ts";
import { maxTotalTokens } from "../loop/stop_conditions.ts";
import {
  memoryRuns,
  openRuns,
  type OpenRunsOptions,
  readRunResult,
  requireRunValue,
  type RunRecord,
} from "../runs.ts";
import type { JsonValue } from "../shared/json.ts";
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
  options: OpenRunsOptions = {},
): Promise<RunRecord> {
  const model = scriptedModel(turns);
  const tools = [{ name: "work", inputSchema: { type: "object" }, execute: () => "ok" }];
  const make = (): ToolLoopAgent =>
    new ToolLoopAgent({ name: "clerk", model, modelRetries: 0, tools, ...config });
  const runs = openRuns(memoryRuns(), { clerk: { version: "1", make } }, {
    onError: () => {},
    ...options,
  });
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
    message: { role: "assistant", content: [{ type: "text", text: "Done" }] },
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

Deno.test("readRunResult() returns the last message with the files that the model has created", async () => {
  const file = {
    type: "file",
    mediaType: "image/png",
    data: { type: "data", data: new Uint8Array([1, 2]) },
  } as const;
  const link = {
    type: "file",
    mediaType: "image/png",
    data: { type: "url", url: new URL("https://images.example/1") },
  } as const;
  const turn = () => ({
    message: {
      role: "assistant",
      content: [{ type: "text", text: "One " }, file, { type: "text", text: "and two" }, link],
    },
    finishReason: "stop",
  });
  const run = await runOnce([{ text: "Before", calls: [{ toolName: "work" }] }, turn]);
  const result = readRunResult(JSON.parse(JSON.stringify(run)));
  assertEquals([result?.finalText, result?.message], ["One and two", {
    role: "assistant",
    content: [{ type: "text", text: "One " }, file, { type: "text", text: "and two" }, link],
  }]);
  // The text is stored once.
  assertEquals(JSON.stringify(run.result).split("and two").length, 2);
});

Deno.test("a result that is too large with its message is stored without the message", async () => {
  const text = "x".repeat(200);
  const output = jsonSchema<{ text: string }>({ type: "object" });
  const answer = { calls: [{ toolCallId: "c1", toolName: "final_answer", input: { text } }] };
  const rest =
    `"hasAnswer":true,"stopReason":"model_stop","value":{"text":"${text}"},"totalUsage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`;
  const without = `{"finalText":"{\\"text\\":\\"${text}\\"}",${rest}`;
  const message =
    `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"final_answer","input":{"text":"${text}"}}]}`;
  const withMessage = without.replace(',"hasAnswer"', `,"message":${message},"hasAnswer"`);
  const stored: unknown[] = [];
  for (const maxValueBytes of [without.length, withMessage.length - 1, withMessage.length]) {
    const run = await runOnce([answer], { output }, { maxValueBytes });
    stored.push(run.result);
    assertEquals(readRunResult(run)?.finalText, JSON.stringify({ text }));
  }
  assertEquals(stored, [without, without, withMessage].map((each) => JSON.parse(each)));
  const maxValueBytes = without.length - 1;
  const { error, status } = await runOnce([answer], { output }, { maxValueBytes });
  assertEquals([status, error?.code], ["failed", "run_limit"]);
});

Deno.test("the text of a final answer in a tool call is stored with the message", async () => {
  const run = await runOnce([ANSWER], { output: TOTAL });
  const result = readRunResult(run);
  assertEquals([result?.finalText, result?.value], ['{"total":12}', { total: 12 }]);
  const [call] = result?.message?.content ?? [];
  assertEquals(call?.type === "tool-call" && call.input, { total: 12 });
});

Deno.test("readRunResult() returns no message if the model was not called", async () => {
  const prepareIteration = () => ({ stop: "closed" });
  assertEquals(readRunResult(await runOnce([], { prepareIteration })), {
    finalText: "",
    hasAnswer: true,
    stopReason: "custom_condition",
    stopConditionName: "closed",
    totalUsage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  });
});

Deno.test("readRunResult() returns bytes in a value as bytes", async () => {
  const run = await runOnce([{ text: "Done" }]);
  const result = { finalText: "", stopReason: "model_stop", value: { $bytes: "AQI=" } };
  assertEquals(readRunResult({ ...run, result })?.value, new Uint8Array([1, 2]));
});

Deno.test("readRunResult() throws if the stored result is not the result of a run", async () => {
  const run = await runOnce([{ text: "Done" }]);
  const stopReason = "model_stop";
  const message = { role: "assistant", content: [] };
  const damaged: readonly JsonValue[] = [
    null,
    "Done",
    [],
    {},
    { finalText: "a", stopReason: "bored" },
    { finalText: 1, stopReason },
    { finalText: 1, message, stopReason },
    { message: "Done", stopReason },
    { finalText: "a", message: null, stopReason },
    { message: { ...message, role: "user" }, stopReason },
    { message: { role: "assistant", content: [{ type: "text" }] }, stopReason },
  ];
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
