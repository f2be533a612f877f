import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { createSubAgent } from "../agent/sub_agent.ts";
import { MemoryJournal } from "../journal/memory.ts";
import { recordSteps } from "../journal/journal.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel, ModelMessage } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { findTranscriptViolation } from "../shared/transcript.ts";
import { jsonSchema } from "../shared/typed_schema.ts";
import type { StandardSchema } from "../shared/schema.ts";
import { type ScriptedModel, scriptedModel, type ScriptedTurn } from "../testing/scripted_model.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { requireValue } from "./final_answer.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";
import { streamToolLoop } from "./stream.ts";
import { customStop, maxTotalTokens, modelStopsNaturally } from "./stop_conditions.ts";

const TOTAL = jsonSchema<{ total: number }>({
  type: "object",
  properties: { total: { type: "number" } },
  required: ["total"],
});

const LOOK: Tool = { name: "look", inputSchema: { type: "object" }, execute: () => "seen" };

const GOOD = { toolName: "final_answer", input: { total: 5 } };
const BAD = { toolName: "final_answer", input: { total: "five" } };
const LOOKING = { calls: [{ toolName: "look" }] };

interface Played {
  readonly output: ToolLoopOutput;
  readonly model: ScriptedModel;
}

async function play(
  turns: readonly ScriptedTurn[],
  { nativeOutput, ...options }: Partial<ToolLoopConfig> & Pick<LanguageModel, "nativeOutput"> = {},
): Promise<Played> {
  const scripted = scriptedModel(turns);
  const model = nativeOutput === undefined ? scripted : Object.assign(scripted, { nativeOutput });
  const registry = new ToolRegistry([LOOK]);
  const output = await runToolLoop({ model, registry, output: TOTAL, ...options }, "How much?");
  model.assertComplete();
  assertEquals(findTranscriptViolation(output.messages), undefined);
  return { output, model };
}

/** Returns the names of the tools in each request. */
function toolNames({ requests }: ScriptedModel): string[][] {
  return requests.map(({ tools }) => tools.map(({ name }) => name));
}

function resultsOf({ iterations }: ToolLoopOutput, index = 0): unknown[] {
  return (iterations[index]?.toolResults ?? []).map(({ code, output }) => [code, output]);
}

function textOf(message: ModelMessage | undefined): string {
  const [part] = message?.content ?? [];
  return typeof part === "object" && part.type === "text" ? part.text : "";
}

Deno.test("runToolLoop() returns the input of a valid call to final_answer as the value", async () => {
  const { output, model } = await play([LOOKING, { calls: [GOOD] }]);
  assertEquals([output.value, output.finalText, output.stopReason], [
    { total: 5 },
    '{"total":5}',
    "model_stop",
  ]);
  assertEquals(toolNames(model), [["look", "final_answer"], ["look", "final_answer"]]);
  assertEquals(model.requests[0]?.tools[1]?.inputSchema, {
    type: "object",
    properties: { total: { type: "number" } },
    required: ["total"],
  });
  assertEquals(model.requests[0]?.tools, model.requests[1]?.tools);
  assertEquals(model.requests[0]?.options, {});
  assertEquals(resultsOf(output, 1), [[undefined, { type: "text", value: "Accepted" }]]);
  assertEquals(output.messages.at(-1)?.role, "tool");
  assertEquals("outputIssues" in output, false);
});

Deno.test("runToolLoop() sends the same tools array to the model until the registry changes", async () => {
  const registry = new ToolRegistry([LOOK]);
  const seen: unknown[] = [];
  const { output } = await play([
    (request) => {
      seen.push(request.tools);
      return LOOKING;
    },
    (request) => {
      seen.push(request.tools);
      registry.register({ ...LOOK, name: "later" });
      return LOOKING;
    },
    (request) => {
      seen.push(request.tools);
      return { calls: [GOOD] };
    },
  ], { registry });
  assertEquals([seen[0] === seen[1], seen[1] === seen[2]], [true, false]);
  assertEquals(output.value, { total: 5 });
});

Deno.test("runToolLoop() returns an invalid final answer to the model once, then ends with output_invalid", async () => {
  const { output } = await play([{ calls: [BAD] }, { calls: [GOOD] }]);
  assertEquals([output.value, output.stopReason], [{ total: 5 }, "model_stop"]);
  assertEquals(resultsOf(output), [[
    "invalid_input",
    {
      type: "error-text",
      value: 'Invalid input for tool "final_answer": /total: must be number, got string. ' +
        "Correct the input and call the tool again.",
    },
  ]]);
  const { output: lost } = await play([{ calls: [BAD] }, { calls: [BAD] }]);
  assertEquals(lost.stopReason, "output_invalid");
  assertEquals(lost.outputIssues, [{ path: "/total", message: "must be number, got string" }]);
  assertEquals("value" in lost, false);
});

Deno.test("runToolLoop() treats input that is not valid JSON as an invalid final answer", async () => {
  const { output } = await play([
    { calls: [{ toolName: "final_answer", rawInput: '{"total":' }] },
  ], { outputRetries: 0 });
  assertEquals([output.stopReason, output.outputIssues], ["output_invalid", [{
    path: "",
    message: "not valid JSON",
  }]]);
  assertStringIncludes(JSON.stringify(resultsOf(output)), "not valid JSON. Correct");
});

for (const [outputRetries, calls] of [[0, 1], [1, 2], [3, 4]] as const) {
  Deno.test(`runToolLoop() calls the model ${calls} times with outputRetries ${outputRetries}`, async () => {
    const { output } = await play(Array(calls).fill({ calls: [BAD] }), { outputRetries });
    assertEquals([output.stopReason, output.iterations.length], ["output_invalid", calls]);
  });
}

Deno.test("runToolLoop() does not accept a final answer together with other calls, and executes the others", async () => {
  const events: string[] = [];
  const { output } = await play([
    { calls: [GOOD, { toolName: "look" }, GOOD] },
    { calls: [{ toolName: "final_answer", input: { total: 6 } }] },
  ], {
    onEvent: (event) => {
      if (event.type === "tool_started") events.push(event.toolCall.toolName);
    },
  });
  const refused = ["not_started", {
    type: "error-text",
    value:
      'Not executed: call tool "final_answer" alone, after the results of all other tool calls.',
  }];
  assertEquals(resultsOf(output), [refused, [undefined, { type: "text", value: "seen" }], refused]);
  assertEquals([output.value, events], [{ total: 6 }, ["look"]]);
});

Deno.test("runToolLoop() accepts text that is valid JSON instead of a call to final_answer", async () => {
  const { output, model } = await play([{ text: ' {"total": 5}\n' }]);
  assertEquals([output.value, output.finalText], [{ total: 5 }, '{"total":5}']);
  assertEquals(model.requests.length, 1);
});

Deno.test("runToolLoop() requires a call to final_answer once after text that is not JSON", async () => {
  const { output, model } = await play([
    { text: "It is five." },
    LOOKING,
    { calls: [GOOD] },
  ], { stopConditions: [modelStopsNaturally()] });
  assertEquals([output.value, output.stopReason], [{ total: 5 }, "model_stop"]);
  assertEquals(model.requests.map(({ options }) => options.toolChoice), [
    undefined,
    { toolName: "final_answer" },
    undefined,
  ]);
  const correction = output.messages[2];
  assertEquals([correction?.role, correction?.providerOptions], ["user", {
    parley: { origin: "loop" },
  }]);
  assertEquals(
    textOf(correction),
    'Your final answer is not valid: /: not valid JSON. Call the tool "final_answer" with your final answer.',
  );
});

Deno.test("runToolLoop() ends with output_invalid after text and an invalid call", async () => {
  const { output } = await play([{ text: "It is five." }, { calls: [BAD] }]);
  assertEquals(output.stopReason, "output_invalid");
  const { output: first } = await play([{ text: "It is five." }], { outputRetries: 0 });
  assertEquals([first.stopReason, first.finalText, first.messages.length], [
    "output_invalid",
    "It is five.",
    2,
  ]);
});

Deno.test("runToolLoop() requests the final answer at the iteration limit, and returns it with stop reason max_iterations", async () => {
  const { output, model } = await play([LOOKING, { calls: [GOOD] }], { maxIterations: 1 });
  assertEquals([output.value, output.stopReason, output.finalText], [
    { total: 5 },
    "max_iterations",
    '{"total":5}',
  ]);
  assertEquals(toolNames(model)[1], ["final_answer"]);
  assertEquals(model.requests[1]?.options.toolChoice, { toolName: "final_answer" });
});

Deno.test("runToolLoop() makes one call for the final answer after the iteration limit", async () => {
  const { output } = await play([LOOKING, { calls: [BAD] }], { maxIterations: 1 });
  assertEquals([output.stopReason, output.outputIssues?.length], ["max_iterations", 1]);
  const { output: none } = await play([LOOKING], { maxIterations: 1, onMaxIterations: "return" });
  assertEquals([none.stopReason, none.value, none.outputIssues], [
    "max_iterations",
    undefined,
    undefined,
  ]);
});

Deno.test("runToolLoop() explains before the final model call why text is not a valid final answer", async () => {
  const { output, model } = await play([{ text: "five" }, { calls: [GOOD] }], { maxIterations: 1 });
  assertEquals([output.stopReason, output.value], ["max_iterations", { total: 5 }]);
  assertStringIncludes(
    textOf(model.requests[1]?.messages.at(-1)),
    "Your final answer is not valid",
  );
});

Deno.test("runToolLoop() makes no further model call when a token limit ends the run", async () => {
  for (const turn of [LOOKING, { calls: [BAD] }, { text: "five" }]) {
    const { output } = await play([turn], { stopConditions: [maxTotalTokens(1)] });
    assertEquals([output.stopReason, output.value], ["max_total_tokens", undefined]);
    assertEquals(output.messages.at(-1)?.role, "text" in turn ? "assistant" : "tool");
  }
});

Deno.test("modelStopsNaturally() does not hide other stop conditions after text that is not a valid final answer", async () => {
  for (
    const [limit, reason] of [
      [maxTotalTokens(1), "max_total_tokens"],
      [customStop("enough", () => true), "custom_condition"],
    ] as const
  ) {
    const { output } = await play([{ text: "five" }], {
      stopConditions: [modelStopsNaturally(), limit],
    });
    assertEquals([output.stopReason, output.iterations.length], [reason, 1]);
  }
  const { output } = await play([{ text: "five" }], {
    stopConditions: [modelStopsNaturally()],
    maxIterations: 1,
    onMaxIterations: "return",
  });
  assertEquals(output.stopReason, "max_iterations");
});

Deno.test("customStop() with finalize requests the final answer before the run ends", async () => {
  const enough = customStop("enough", () => true, { finalize: true });
  const { output, model } = await play([LOOKING, { calls: [GOOD] }], { stopConditions: [enough] });
  assertEquals([output.value, output.stopReason, output.stopConditionName], [
    { total: 5 },
    "custom_condition",
    "enough",
  ]);
  assertEquals(toolNames(model)[1], ["final_answer"]);
  assertThrows(
    () => customStop("enough", () => true, { finalize: "yes" as never }),
    TypeError,
    '"finalize" must be a boolean, got "yes"',
  );
});

Deno.test("customStop() with finalize requests text in a run without output", async () => {
  const model = scriptedModel([LOOKING, { text: "five" }]);
  const stopConditions = [customStop("enough", () => true, { finalize: true })];
  const registry = new ToolRegistry([LOOK]);
  const output = await runToolLoop({ model, registry, stopConditions }, "How much?");
  assertEquals([output.finalText, output.stopReason, output.stopConditionName], [
    "five",
    "custom_condition",
    "enough",
  ]);
  assertEquals([model.requests[1]?.tools, model.requests[1]?.options.toolChoice], [[], "none"]);
});

Deno.test("runToolLoop() requests JSON text from a model that supports it with tools", async () => {
  const { output, model } = await play([LOOKING, { text: '{"total":5}' }], {
    nativeOutput: "with-tools",
  });
  assertEquals([output.value, output.stopReason], [{ total: 5 }, "model_stop"]);
  assertEquals(toolNames(model), [["look"], ["look"]]);
  assertEquals(model.requests[1]?.options.responseFormat, {
    type: "json",
    name: "final_answer",
    schema: TOTAL,
  });
});

Deno.test("runToolLoop() uses final_answer if the model supports JSON only without tools", async () => {
  const { model } = await play([{ calls: [GOOD] }], { nativeOutput: "without-tools" });
  assertEquals(toolNames(model), [["look", "final_answer"]]);
  const { model: bare } = await play([{ text: '{"total":5}' }], {
    registry: new ToolRegistry(),
    nativeOutput: "without-tools",
  });
  assertEquals([toolNames(bare), bare.requests[0]?.options.responseFormat?.type], [[[]], "json"]);
});

Deno.test("the model of a plan determines how the final answer is requested, also in a resumed run", async () => {
  for (
    const [modelMode, planMode, turns, tools] of [
      ["with-tools", undefined, [{ text: "five" }, { calls: [GOOD] }], ["look", "final_answer"]],
      [undefined, "with-tools", [{ text: "five" }, { text: '{"total":5}' }], ["look"]],
    ] as const
  ) {
    const other = Object.assign(scriptedModel(turns), planMode && { nativeOutput: planMode });
    const journal = new MemoryJournal();
    const options = {
      ...modelMode && { nativeOutput: modelMode },
      runId: "r",
      prepareIteration: () => ({ model: other }),
    };
    const { output } = await play([], { ...options, stepRunner: recordSteps(journal) });
    other.assertComplete();
    assertEquals(output.value, { total: 5 });
    assertEquals(toolNames(other), [[...tools], [...tools]]);
    assertEquals(
      other.requests.map((request) => request.options.responseFormat?.type),
      planMode ? ["json", "json"] : [undefined, undefined],
    );
    const { output: resumed } = await play([], {
      ...options,
      stepRunner: recordSteps(MemoryJournal.fromText(journal.toText())),
    });
    assertEquals(resumed, output);
  }
});

Deno.test("a step that is executed again asks for the final answer as its last plan requires", async () => {
  const other = Object.assign(scriptedModel([{ error: new Error("busy") }]), {
    nativeOutput: "with-tools" as const,
  });
  const plans = [{ model: other }, undefined];
  const { output } = await play([{ calls: [GOOD] }], {
    prepareIteration: () => plans.shift(),
    stepRunner: {
      run: (_key, kind, step) => kind === "model" ? step().catch(() => step()) : step(),
    },
  });
  assertEquals([output.value, output.iterations.length], [{ total: 5 }, 1]);
});

Deno.test("outputMode takes precedence over what the model declares", async () => {
  const { model } = await play([{ text: '{"total":5}' }], { outputMode: "native" });
  assertEquals(toolNames(model), [["look"]]);
  const { model: other } = await play([{ calls: [GOOD] }], {
    outputMode: "tool",
    nativeOutput: "with-tools",
  });
  assertEquals(other.requests[0]?.options.responseFormat, undefined);
});

Deno.test("runToolLoop() returns invalid JSON text to the model in a user message", async () => {
  const { output, model } = await play([{ text: '{"total":"5"}' }, { text: '{"total":5}' }], {
    outputMode: "native",
  });
  assertEquals(output.value, { total: 5 });
  assertEquals(
    textOf(model.requests[1]?.messages.at(-1)),
    "Your final answer is not valid: /total: must be number, got string. " +
      "Respond only with JSON that matches the schema.",
  );
  assertEquals(model.requests[1]?.options.toolChoice, undefined);
  const { output: lost } = await play([{ text: "5" }, { text: "[]" }], { outputMode: "native" });
  assertEquals([lost.stopReason, lost.outputIssues], ["output_invalid", [{
    path: "",
    message: "must be object",
  }]]);
});

for (
  const [text, value] of [
    ['```json\n{"total":5}\n```', { total: 5 }],
    ['```\n{"total":5}```\n', { total: 5 }],
    ['Here it is:\n```json\n{"total":5}\n```', undefined],
    ["``````", undefined],
    ["```", undefined],
    ["", undefined],
    [`${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`, undefined],
  ] as const
) {
  Deno.test(`runToolLoop() accepts only JSON, or a code block with JSON, as a final answer: ${JSON.stringify(text.slice(0, 40))}`, async () => {
    const { output } = await play([{ text }], { outputMode: "native", outputRetries: 0 });
    assertEquals(output.value, value);
    assertEquals(output.stopReason, value ? "model_stop" : "output_invalid");
  });
}

Deno.test("runToolLoop() lists final_answer among the available tools after a call to an unknown tool", async () => {
  const unknown = { calls: [{ toolName: "loook" }] };
  const { output } = await play([unknown, { calls: [GOOD] }]);
  assertStringIncludes(JSON.stringify(resultsOf(output)), "Available tools: look, final_answer");
  const { output: native } = await play([unknown, { text: '{"total":5}' }], {
    nativeOutput: "with-tools",
  });
  assertStringIncludes(JSON.stringify(resultsOf(native)), 'Available tools: look"');
});

Deno.test("runToolLoop() uses the name final_answer_1 if a registered tool is named final_answer", async () => {
  const registry = new ToolRegistry([
    { ...LOOK, name: "final_answer" },
    { ...LOOK, name: "final_answer_1" },
  ]);
  const { output, model } = await play([
    { calls: [{ toolName: "final_answer" }] },
    { calls: [{ toolName: "final_answer_2", input: { total: 5 } }] },
  ], { registry });
  assertEquals(toolNames(model)[0], ["final_answer", "final_answer_1", "final_answer_2"]);
  assertEquals([output.value, resultsOf(output)], [{ total: 5 }, [[undefined, {
    type: "text",
    value: "seen",
  }]]]);
});

Deno.test("runToolLoop() rejects a truncated or blocked final answer", async () => {
  const { output } = await play([{ text: '{"total":5}', finishReason: "length" }]);
  assertEquals([output.stopReason, output.value], ["output_truncated", undefined]);
  const { output: cut } = await play([
    { calls: [GOOD], finishReason: "length" },
    { calls: [GOOD] },
  ]);
  assertEquals([resultsOf(cut).flat()[0], cut.value], ["output_truncated", { total: 5 }]);
  const { output: blocked } = await play([{ calls: [GOOD], finishReason: "content-filter" }]);
  assertEquals([blocked.stopReason, blocked.value], ["content_filtered", undefined]);
});

Deno.test("runToolLoop() requests no approval for final_answer and does not count it as an execution", async () => {
  const asked: string[] = [];
  const events: string[] = [];
  const { output } = await play([LOOKING, { calls: [GOOD] }], {
    approvalHandler: ({ toolCall }) => {
      asked.push(toolCall.toolName);
      return true;
    },
    onEvent: ({ type }) => {
      if (type === "tool_started" || type === "tool_finished") events.push(type);
    },
  });
  assertEquals([asked, output.value], [["look"], { total: 5 }]);
  assertEquals(events, ["tool_started", "tool_finished", "tool_finished"]);
});

/** A schema that converts `{ total: "5" }` to a number, asynchronously if `delay` is set. */
function amount(delay?: Promise<unknown>): StandardSchema<{ total: string }, number> {
  const json = () => ({ type: "object", properties: { total: { type: "string" } } });
  const read = (value: unknown) => ({ value: Number(Object(value).total) });
  return {
    "~standard": {
      version: 1,
      vendor: "by hand",
      validate: (value) => delay === undefined ? read(value) : delay.then(() => read(value)),
      jsonSchema: { input: json, output: json },
    },
  };
}

Deno.test("runToolLoop() returns the value as converted by a Standard Schema", async () => {
  for (const delay of [undefined, Promise.resolve()]) {
    const output = await runToolLoop({
      model: scriptedModel([{ calls: [{ toolName: "final_answer", input: { total: "5" } }] }]),
      registry: new ToolRegistry(),
      output: amount(delay),
    }, "How much?");
    assertEquals([requireValue(output) + 1, output.finalText], [6, '{"total":"5"}']);
  }
});

Deno.test("runToolLoop() limits the time of a validation, and ends if it is aborted during a validation", async () => {
  const never = new Promise(() => {});
  const { output } = await play([{ calls: [GOOD] }], {
    output: amount(never),
    toolTimeoutMs: 1,
    outputRetries: 0,
  });
  assertEquals(output.outputIssues?.[0]?.message, "the validation timed out after 1 ms");
  const controller = new AbortController();
  const schema = amount(never);
  const { "~standard": { validate } } = schema;
  const { output: aborted } = await play([{ calls: [GOOD] }], {
    output: {
      "~standard": {
        ...schema["~standard"],
        validate: (value) => {
          queueMicrotask(() => controller.abort());
          return validate(value);
        },
      },
    },
    signal: controller.signal,
  });
  assertEquals([aborted.stopReason, aborted.value, aborted.outputIssues], [
    "aborted",
    undefined,
    undefined,
  ]);
  assertEquals(resultsOf(aborted).flat()[0], "not_started");
});

Deno.test("The value is a copy that does not share data with the transcript", async () => {
  const { output } = await play([{ calls: [GOOD] }]);
  Object.assign(Object(output.value), { total: 6 });
  assertEquals(output.iterations[0]?.toolCalls[0]?.input, { total: 5 });
});

Deno.test("A resumed run has the same value, transcript and stop reason", async () => {
  const turns = [{ calls: [GOOD, { toolName: "look" }] }, { text: "five" }, { calls: [BAD] }, {
    calls: [GOOD],
  }];
  const journal = new MemoryJournal();
  const options = { runId: "r", outputRetries: 2 };
  const { output } = await play(turns, { ...options, stepRunner: recordSteps(journal) });
  const { output: resumed } = await play([], {
    ...options,
    stepRunner: recordSteps(MemoryJournal.fromText(journal.toText())),
  });
  assertEquals(resumed, output);
  assertEquals(resumed.value, { total: 5 });
});

Deno.test("streamToolLoop() yields the deltas of the final answer and returns the value", async () => {
  const model = scriptedModel([{ calls: [GOOD] }]);
  const registry = new ToolRegistry();
  const stream = streamToolLoop({ model, registry, output: TOTAL }, "How much?");
  const types: string[] = [];
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) types.push(step.value.type);
  assertEquals(types, [
    "run_started",
    "iteration_started",
    "model_started",
    "tool_input_delta",
    "model_finished",
    "tool_finished",
    "iteration_finished",
    "run_finished",
  ]);
  assertEquals(step.value?.value, { total: 5 });
});

Deno.test("requireValue() throws output_invalid with the stop reason, the issues and the output", async () => {
  const { output } = await play([{ calls: [BAD] }], { outputRetries: 0 });
  const error = assertThrows(() => requireValue(output), AgentError);
  assertEquals(
    error.message,
    'Cannot read the value of the output: /total: must be number, got string (stop reason "output_invalid")',
  );
  assertEquals([error.code, error.details, error.partialOutput], ["output_invalid", {
    stopReason: "output_invalid",
    issues: [{ path: "/total", message: "must be number, got string" }],
  }, output]);
  const { output: cut } = await play([LOOKING], { stopConditions: [maxTotalTokens(1)] });
  assertThrows(() => requireValue(cut), AgentError, "no final answer");
});

Deno.test("An agent uses its output schema unless the run has its own", async () => {
  const model = scriptedModel([
    { calls: [GOOD] },
    { calls: [{ toolName: "final_answer", input: { name: "Ada" } }] },
    { calls: [GOOD] },
  ]);
  await using agent = new ToolLoopAgent({ name: "till", model, output: TOTAL });
  await agent.initialize();
  assertEquals(requireValue(await agent.run("How much?")).total, 5);
  const output = jsonSchema<{ name: string }>({ type: "object", required: ["name"] });
  assertEquals(requireValue(await agent.run("Who?", { output })).name, "Ada");
  assertEquals(requireValue(await agent.run("And?", { output: undefined })).total, 5);
});

Deno.test("A sub-agent does not inherit the output schema of its parent and cannot be granted final_answer", async () => {
  const model = scriptedModel([{ text: "five" }]);
  await using agent = new ToolLoopAgent({ name: "till", model, output: TOTAL });
  await agent.initialize();
  const child = createSubAgent(agent, { name: "clerk", model });
  await child.initialize();
  assertEquals((await child.run("How much?")).stopReason, "model_stop");
  assertEquals(model.requests[0]?.tools, []);
  assertThrows(
    () => createSubAgent(agent, { name: "clerk", model, allowedTools: ["final_answer"] }),
    AgentError,
    'tool "final_answer" is not granted',
  );
});

for (
  const [option, value, message] of [
    ["output", { type: "array" }, '"output.type" must be "object", got "array"'],
    ["output", "text", '"output" must be a JSON Schema object or a Standard Schema, got "text"'],
    ["output", { type: "object", pattern: /x/ }, "JSON Schema must be serializable as JSON"],
    ["outputMode", "json", '"outputMode" must be "auto", "native" or "tool", got "json"'],
  ] as const
) {
  Deno.test(`runToolLoop() and ToolLoopAgent throw for ${option} ${JSON.stringify(value)}`, async () => {
    const config = { output: TOTAL, [option]: value };
    const model = scriptedModel([]);
    const registry = new ToolRegistry();
    await assertRejects(() => runToolLoop({ model, registry, ...config }, "x"), TypeError, message);
    assertThrows(() => new ToolLoopAgent({ name: "a", model, ...config }), TypeError, message);
  });
}

Deno.test("runToolLoop() throws a RangeError if outputRetries is negative", async () => {
  await assertRejects(() => play([], { outputRetries: -1 }), RangeError, '"outputRetries"');
});

Deno.test("a conversation that ends with an accepted final answer is continued only with a user message", async () => {
  const { output: { messages } } = await play([{ calls: [GOOD] }]);
  const registry = new ToolRegistry([LOOK]);
  const text = '"userMessage" must be set if "messages" ends with an accepted final answer';
  const model = scriptedModel([{ text: "Spurious" }]);
  await assertRejects(() => runToolLoop({ model, registry, messages }), TypeError, text);
  const recorded = { model, registry, messages, stepRunner: recordSteps(new MemoryJournal()) };
  await assertRejects(() => runToolLoop(recorded), AgentError, text);
  assertEquals(model.requests.length, 0);
  assertEquals((await runToolLoop({ model, registry, messages }, "Why?")).stopReason, "model_stop");
});

Deno.test("a conversation that ends with a result of a registered tool final_answer is continued without a message", async () => {
  const tool: Tool = { ...LOOK, name: "final_answer", execute: () => "Accepted" };
  const registry = new ToolRegistry([tool]);
  const model = scriptedModel([{ calls: [GOOD] }, { text: "Done" }]);
  const { messages } = await runToolLoop({ model, registry, maxIterations: 1 }, "How much?");
  assertEquals((await runToolLoop({ model, registry, messages })).finalText, "Done");
});

Deno.test("a conversation that ends with a rejected final answer is continued without a message", async () => {
  const { output: { messages } } = await play([{ calls: [BAD] }], { outputRetries: 0 });
  const model = scriptedModel([{ text: "Done" }]);
  const registry = new ToolRegistry([LOOK]);
  assertEquals((await runToolLoop({ model, registry, messages })).finalText, "Done");
});
