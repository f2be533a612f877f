import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Budget } from "../budget/budget.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import type { LanguageModel } from "../shared/model.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import { streamToolLoop } from "./stream.ts";
import type { ToolLoopConfig } from "./options.ts";

const usage = { inputTokens: 90, outputTokens: 10, totalTokens: 100 };
const call: ScriptedTurn = { text: "I will look", calls: [{ toolName: "look" }], usage };
const pair: ScriptedTurn = { calls: [{ toolName: "look" }, { toolName: "look" }], usage };
const end: ScriptedTurn = { text: "Done", usage };

function lookTool(onCall: () => void = () => {}): Tool {
  const execute = () => {
    onCall();
    return "ok";
  };
  return { name: "look", inputSchema: { type: "object" }, execute };
}

/** Returns a model with an id that repeats turns. */
function modelOf(modelId: string, turns: readonly ScriptedTurn[]): LanguageModel {
  const { generate } = scriptedModel(turns);
  return { modelId, generate };
}

async function run(turns: readonly ScriptedTurn[], options: Partial<ToolLoopConfig>) {
  const model = scriptedModel(turns);
  const registry = new ToolRegistry([lookTool()]);
  const output = await runToolLoop({ model, registry, ...options }, "go");
  return { ...output, calls: model.requests.length };
}

Deno.test("a run makes no model call after the tokens of its budget are used up", async () => {
  const output = await run([call, call, call, end], { budget: { maxTokens: 200 } });
  assertEquals([output.stopReason, output.stopConditionName, output.calls], [
    "budget_exceeded",
    "budget.maxTokens",
    2,
  ]);
  // The tool calls of the last response were executed, because they use no tokens.
  assertEquals(output.iterations[1]?.toolResults[0]?.isError, false);
});

Deno.test("a run whose last call uses up its budget has its final text", async () => {
  const output = await run([call, end], { budget: { maxTokens: 150 } });
  assertEquals([output.stopReason, output.finalText], ["model_stop", "Done"]);
});

Deno.test("a limit of 0 prevents the first call", async () => {
  for (const name of ["maxTokens", "maxModelCalls", "maxDurationMs"] as const) {
    const output = await run([end], { budget: { [name]: 0 } });
    assertEquals([output.stopConditionName, output.calls], [`budget.${name}`, 0]);
  }
});

Deno.test("maxModelCalls limits the model calls", async () => {
  const output = await run([call, call, call, end], { budget: { maxModelCalls: 3 } });
  assertEquals([output.stopConditionName, output.calls], ["budget.maxModelCalls", 3]);
});

Deno.test("tool calls beyond maxToolCalls are not executed, and the run ends", async () => {
  let executed = 0;
  const registry = new ToolRegistry([lookTool(() => executed++)]);
  const budget = new Budget({ maxToolCalls: 3 });
  const output = await run([pair, pair, end], { registry, budget, onToolError: "throw" });
  assertEquals([output.stopConditionName, output.calls, executed], ["budget.maxToolCalls", 2, 3]);
  const [first, second] = output.iterations[1]?.toolResults ?? [];
  assertEquals([first?.isError, second?.isError, second?.code], [false, true, "not_started"]);
  assertEquals(budget.used.toolCalls, 3);
});

Deno.test("a cost is the sum of the costs of each model", async () => {
  const million = (inputTokens: number, outputTokens: number) => ({
    text: "x",
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  });
  const prices = { "small*": { input: 1, output: 2 }, large: { input: 5, output: 20 } };
  const budget = new Budget({ maxCost: 21, prices });
  const registry = new ToolRegistry();
  const small = modelOf("small-2026", [million(1_000_000, 0)]);
  await runToolLoop({ model: small, registry, budget }, "go");
  assertEquals([budget.used.cost, budget.exceeded], [1, undefined]);
  const large = modelOf("large", [million(0, 1_000_000), million(0, 0)]);
  await runToolLoop({ model: large, registry, budget }, "go");
  assertEquals([budget.used.cost, budget.exceeded], [21, "maxCost"]);
  const { stopConditionName } = await runToolLoop({ model: large, registry, budget }, "go");
  assertEquals(stopConditionName, "budget.maxCost");
  assertEquals(budget.used.usageByModel, {
    "small-2026": { inputTokens: 1_000_000, outputTokens: 0, totalTokens: 1_000_000 },
    large: { inputTokens: 0, outputTokens: 1_000_000, totalTokens: 1_000_000 },
  });
});

Deno.test("a model without a price fails the run after its first response", async () => {
  const budget = new Budget({ maxCost: 1, prices: { other: { input: 1, output: 1 } } });
  const text = '"prices" must have a price for model "scripted"; add the model, or "*" for all ' +
    "other models";
  let executed = 0;
  const registry = new ToolRegistry([lookTool(() => executed++)]);
  await assertRejects(() => run([call, end], { budget, registry }), Error, text);
  assertEquals([executed, budget.used.modelCalls], [0, 1]);
  // The cost of the first run is not known, so no other run can use the budget.
  const error = await assertRejects(() => run([end], { budget }), Error);
  assertStringIncludes(error.message, text);
  assertEquals(budget.used.modelCalls, 1);
});

Deno.test("the tokens that prepareIteration uses are charged", async () => {
  const budget = new Budget({ maxTokens: 500, prices: { "*": { input: 1_000, output: 0 } } });
  const output = await run([call, call, end], {
    budget,
    prepareIteration: ({ iteration }) =>
      iteration === 1
        ? { usage: { inputTokens: 300, outputTokens: 0, totalTokens: 300 }, usageModelId: "small" }
        : undefined,
  });
  assertEquals([output.stopConditionName, output.calls], ["budget.maxTokens", 2]);
  assertEquals([budget.used.usageByModel.small?.totalTokens, budget.used.cost], [300, 0.48]);
});

Deno.test("finalize calls the model once more, without tools", async () => {
  const model = scriptedModel([call, call, { text: "What I know", usage }]);
  const registry = new ToolRegistry([lookTool()]);
  const events: string[] = [];
  const output = await runToolLoop({
    model,
    registry,
    budget: { maxTokens: 200 },
    onBudgetExceeded: "finalize",
    onEvent: ({ type }: LoopEvent) => void events.push(type),
  }, "go");
  assertEquals([output.stopReason, output.stopConditionName, output.finalText], [
    "budget_exceeded",
    "budget.maxTokens",
    "What I know",
  ]);
  assertEquals([model.requests.length, model.requests[2]?.tools.length], [3, 0]);
  assertEquals(output.totalUsage.totalTokens, 300);
  const count = (type: string) => events.filter((each) => each === type).length;
  assertEquals(count("iteration_started"), count("iteration_finished"));
});

Deno.test("finalize makes no call if the budget is used up before the run or its time is over", async () => {
  const budget = new Budget({ maxTokens: 100 });
  await run([end], { budget });
  const second = await run([end], { budget, onBudgetExceeded: "finalize" });
  assertEquals([second.stopReason, second.calls], ["budget_exceeded", 0]);
});

Deno.test("the final call at maxIterations is not made if the budget is used up", async () => {
  const options = { maxIterations: 2, onMaxIterations: "finalize" } as const;
  const output = await run([call, call, end], { ...options, budget: { maxTokens: 200 } });
  assertEquals([output.stopReason, output.calls], ["max_iterations", 2]);
});

Deno.test("a time limit aborts a model call in progress", async () => {
  using time = new FakeTime();
  const gate = createGate();
  const reasons: unknown[] = [];
  const model: LanguageModel = {
    modelId: "slow",
    generate: ({ signal }) => {
      signal?.addEventListener("abort", () => reasons.push(String(signal.reason)));
      return gate.wait().then(() => Promise.reject(new Error("unused")));
    },
  };
  const running = runToolLoop({
    model,
    registry: new ToolRegistry(),
    budget: { maxDurationMs: 60_000 },
  }, "go");
  await gate.reached;
  await time.tickAsync(60_000);
  const { stopConditionName, stopReason } = await running;
  assertEquals([stopReason, stopConditionName], ["budget_exceeded", "budget.maxDurationMs"]);
  assertEquals(reasons, ["TimeoutError: The budget of 60000 ms is used up"]);
});

Deno.test("the time of a budget passes only while a run uses it", async () => {
  using time = new FakeTime();
  const budget = new Budget({ maxDurationMs: 100 });
  await run([end], { budget });
  await time.tickAsync(1_000_000);
  const slow = { ...lookTool(), execute: () => time.tick(60) };
  const registry = new ToolRegistry([slow]);
  const first = await run([call, end], { budget, registry });
  const second = await run([call, end], { budget, registry });
  assertEquals([first.stopReason, second.stopReason], ["model_stop", "budget_exceeded"]);
  assertEquals(budget.exceeded, "maxDurationMs");
  assertEquals((await run([end], { budget })).calls, 0);
});

Deno.test("an abort by the caller is not a used up budget", async () => {
  const controller = new AbortController();
  const registry = new ToolRegistry([lookTool(() => controller.abort())]);
  const budget = { maxDurationMs: 60_000 };
  const output = await run([call, end], { registry, budget, signal: controller.signal });
  assertEquals([output.stopReason, output.stopConditionName], ["aborted", undefined]);
});

Deno.test("a resumed run is charged for its recorded calls and repeats none of them", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  let executed = 0;
  const registry = new ToolRegistry([lookTool(() => executed++)]);
  const attempt = async (budget: { readonly maxTokens: number }) => {
    const output = await run([call, call, call, end], { registry, budget, stepRunner, runId: "r" });
    return [output.stopReason, output.totalUsage.totalTokens, output.calls, executed];
  };
  assertEquals(await attempt({ maxTokens: 200 }), ["budget_exceeded", 200, 2, 2]);
  assertEquals(await attempt({ maxTokens: 200 }), ["budget_exceeded", 200, 0, 2]);
  // Recorded calls are never prevented.
  assertEquals(await attempt({ maxTokens: 100 }), ["budget_exceeded", 200, 0, 2]);
  assertEquals(await attempt({ maxTokens: 300 }), ["budget_exceeded", 300, 1, 3]);
});

Deno.test("a resumed run replays its final call, and continues if its budget has become greater", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  const attempt = async (maxTokens: number, turns: readonly ScriptedTurn[]) => {
    const options = { stepRunner, runId: "r", onBudgetExceeded: "finalize" } as const;
    const output = await run(turns, { ...options, budget: { maxTokens } });
    return [output.stopReason, output.finalText, output.calls];
  };
  const last: ScriptedTurn = { text: "So far", usage };
  assertEquals(await attempt(100, [call, last]), ["budget_exceeded", "So far", 2]);
  assertEquals(await attempt(100, []), ["budget_exceeded", "So far", 0]);
  assertEquals(await attempt(1000, [end]), ["model_stop", "Done", 1]);
});

Deno.test("tool calls beyond the limit are not executed when the run is resumed", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  const attempt = async (maxToolCalls: number, turns: readonly ScriptedTurn[] = []) => {
    const budget = new Budget({ maxToolCalls });
    const output = await run(turns, { budget, stepRunner, runId: "r" });
    const codes = output.iterations[0]?.toolResults.map(({ code }) => code ?? "ok");
    return [output.stopReason, codes, budget.used.toolCalls];
  };
  assertEquals(await attempt(1, [pair]), ["budget_exceeded", ["ok", "not_started"], 1]);
  assertEquals(await attempt(1), ["budget_exceeded", ["ok", "not_started"], 1]);
  assertEquals(await attempt(9, [end]), ["model_stop", ["ok", "not_started"], 1]);
});

Deno.test("streamToolLoop() applies a budget", async () => {
  const model = scriptedModel([call, call, end]);
  const registry = new ToolRegistry([lookTool()]);
  const reasons: string[] = [];
  for await (const event of streamToolLoop({ model, registry, budget: { maxTokens: 100 } }, "go")) {
    if (event.type === "run_finished") reasons.push(event.stopReason);
  }
  assertEquals([reasons, model.requests.length], [["budget_exceeded"], 1]);
});

Deno.test("a run whose time is used up during a call that blocks makes no final call", async () => {
  const { now } = Date;
  try {
    // The clock advances, but no timer fires meanwhile.
    const registry = new ToolRegistry([lookTool(() => {
      Date.now = () => now() + 60_000;
    })]);
    const options = { registry, onBudgetExceeded: "finalize" } as const;
    const output = await run([call, end], { ...options, budget: { maxDurationMs: 50_000 } });
    assertEquals([output.stopConditionName, output.calls], ["budget.maxDurationMs", 1]);
  } finally {
    Date.now = now;
  }
});
