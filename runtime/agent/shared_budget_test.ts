/** Budgets of a run that also apply to the sub-agents that its tools start. */

import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Budget } from "../budget/budget.ts";
import type { BudgetLimits } from "../budget/limits.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import type { AgentConfig } from "./agent.ts";
import type { LanguageModel, ModelRequest } from "../shared/model.ts";
import type { RunOptions } from "../loop/options.ts";
import { createGate, type ScriptedAnswer, scriptedModel } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";
import { type AgentToolConfig, asTool } from "./agent_tool.ts";
import { ToolLoopAgent } from "./agent.ts";

const usage = { inputTokens: 90, outputTokens: 10, totalTokens: 100 };

/** A model that calls a tool in every response, and uses 100 tokens for it. */
function caller(toolName: string, onCall: () => void = () => {}): LanguageModel {
  return {
    modelId: `calls ${toolName}`,
    generate: () => {
      onCall();
      const call = { type: "tool-call", toolCallId: "", toolName, input: { task: "x" } } as const;
      return Promise.resolve({
        message: { role: "assistant", content: [call] },
        finishReason: "tool-calls",
        usage,
      });
    },
  };
}

const work: Tool = { name: "work", inputSchema: { type: "object" }, execute: () => "ok" };

interface Team extends Partial<AgentConfig> {
  readonly onCall?: () => void;
  /** Options of the sub-agent `inner`, which calls a tool in every response. */
  readonly inner?: Partial<Pick<AgentToolConfig, "budget" | "model" | "onBudgetExceeded">>;
}

/** An agent whose tool starts a sub-agent, which starts another one. */
function boss({ onCall, inner, ...config }: Team = {}): ToolLoopAgent {
  const endless = { maxIterations: 1_000_000 };
  const innermost = asTool({
    name: "inner",
    description: "Works",
    model: caller("work", onCall),
    ...endless,
    ...inner,
  });
  const outer = asTool({
    name: "outer",
    description: "Delegates",
    model: caller("inner", onCall),
    ...endless,
  });
  const turn = { calls: [{ toolName: "outer", input: { task: "x" } }], usage };
  return new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([turn, { text: "went on", usage }]),
    tools: [innermost, outer, work],
    ...config,
  });
}

async function run(team: Team, options: RunOptions) {
  let calls = 0;
  await using agent = boss({ ...team, onCall: () => calls++ });
  const { stopReason, stopConditionName, totalUsage } = await agent.run("go", options);
  return [stopReason, stopConditionName, totalUsage.totalTokens, calls];
}

Deno.test("a budget ends nested sub-agents, and then the run", async () => {
  const expected = ["budget_exceeded", "budget.maxTokens", 1000, 9];
  assertEquals(await run({}, { budget: { maxTokens: 1000 } }), expected);
  assertEquals(await run({ budget: { maxTokens: 1000 } }, {}), expected);
  const smaller = { budget: { maxTokens: 1000 } };
  assertEquals(await run({ budget: { maxTokens: 30_000_000 } }, smaller), expected);
});

Deno.test("a sub-agent whose calls use a million tokens makes one call beyond the limit", async () => {
  const spent: number[] = [];
  const hungry: LanguageModel = {
    ...caller("work"),
    generate: async (request) => {
      spent.push(1_000_000);
      const million = { inputTokens: 1_000_000, outputTokens: 0, totalTokens: 1_000_000 };
      return { ...await caller("work").generate(request), usage: million };
    },
  };
  await using agent = boss({ inner: { model: hungry } });
  const { stopConditionName } = await agent.run("go", { budget: { maxTokens: 1000 } });
  assertEquals([stopConditionName, spent.length], ["budget.maxTokens", 1]);
});

Deno.test("a sub-agent reports the limit to the model of its caller", async () => {
  await using agent = boss({ inner: { budget: { maxModelCalls: 2 } } });
  const budget = new Budget({ maxModelCalls: 4 });
  const { iterations, stopConditionName } = await agent.run("go", { budget });
  assertEquals(stopConditionName, "budget.maxModelCalls");
  assertEquals(iterations[0]?.toolResults[0]?.output, {
    type: "error-text",
    value: 'Agent "outer" ended without a final answer: stop reason "budget_exceeded"',
  });
});

Deno.test("the own budget of a sub-agent ends only the sub-agent, and both are charged", async () => {
  const inner = { budget: { maxTokens: 300 } };
  const tools = [
    asTool({
      name: "inner",
      description: "Works",
      model: caller("work"),
      ...inner,
      maxIterations: 100,
    }),
    work,
  ];
  const model = scriptedModel([
    { calls: [{ toolName: "inner", input: { task: "x" } }], usage },
    { text: "went on", usage },
  ]);
  await using agent = new ToolLoopAgent({ name: "boss", model, tools });
  const budget = new Budget({ maxTokens: 1000 });
  const output = await agent.run("go", { budget });
  assertEquals([output.stopReason, output.finalText], ["model_stop", "went on"]);
  assertEquals(budget.used.usageByModel, {
    scripted: { inputTokens: 180, outputTokens: 20, totalTokens: 200 },
    "calls work": { inputTokens: 270, outputTokens: 30, totalTokens: 300 },
  });
  assertEquals([budget.used.modelCalls, budget.used.toolCalls], [5, 4]);
});

Deno.test("a sub-agent with its own budget cannot leave the budget of its caller", async () => {
  const own = new Budget({ maxTokens: 1_000_000 });
  const ended = await run({ inner: { budget: own } }, { budget: { maxTokens: 1000 } });
  assertEquals(ended, ["budget_exceeded", "budget.maxTokens", 1000, 9]);
  assertEquals(own.used.usage.totalTokens, 800);
});

Deno.test("a run is charged once for a budget that its sub-agents also receive", async () => {
  const budget = new Budget({ maxTokens: 1000 });
  assertEquals((await run({ budget, inner: { budget } }, { budget }))[2], 1000);
  assertEquals(budget.used.usage.totalTokens, 1000);
});

Deno.test("finalize makes no call beyond the budget of a caller", async () => {
  const inner = { onBudgetExceeded: "finalize" } as const;
  assertEquals((await run({ inner }, { budget: { maxTokens: 1000 } }))[2], 1000);
  // The sub-agent makes the final call if its own limit is used up.
  const own = { ...inner, budget: { maxTokens: 300 } };
  assertEquals((await run({ inner: own }, { budget: { maxModelCalls: 6 } }))[3], 5);
});

Deno.test("tool calls of sub-agents count toward the budget of the run", async () => {
  const budget = new Budget({ maxToolCalls: 5 });
  const [stopReason, name] = await run({}, { budget });
  assertEquals([stopReason, name, budget.used.toolCalls], [
    "budget_exceeded",
    "budget.maxToolCalls",
    5,
  ]);
});

Deno.test("a time limit ends a sub-agent in a model call", async () => {
  using time = new FakeTime();
  const gate = createGate();
  const model: LanguageModel = {
    modelId: "slow",
    generate: () => gate.wait().then(() => Promise.reject(new Error("unused"))),
  };
  await using agent = boss({ inner: { model } });
  const running = agent.run("go", { budget: { maxDurationMs: 5_000 } });
  await gate.reached;
  await time.tickAsync(5_000);
  const { stopConditionName, stopReason } = await running;
  assertEquals([stopReason, stopConditionName], ["budget_exceeded", "budget.maxDurationMs"]);
});

Deno.test("a model of a sub-agent without a price fails the whole run", async () => {
  let calls = 0;
  await using agent = boss({ onCall: () => calls++, onError: () => {} });
  const budget = { maxCost: 1, prices: { scripted: { input: 1, output: 1 } } };
  await assertRejects(
    () => agent.run("go", { budget }),
    Error,
    '"prices" must have a price for model "calls inner"; add the model, or "*" for all other models',
  );
  assertEquals(calls, 1);
});

/** Runs an agent with two sub-agents, one after the other, until the run crashes or ends. */
async function runInTurn(
  journal: MemoryJournal,
  budget: BudgetLimits,
  { crashAt = -1 }: { readonly crashAt?: number } = {},
) {
  const calls = { first: 0, second: 0 };
  const worker = (name: "first" | "second", maxIterations: number) =>
    asTool({
      name,
      description: "Works",
      allowedTools: ["work"],
      model: caller("work", () => calls[name]++),
      maxIterations,
    });
  // A resumed run does not repeat the first model call.
  const turnOf = ({ messages }: ModelRequest): ScriptedAnswer => {
    const toolName = messages.some(({ role }) => role === "tool") ? "second" : "first";
    return { calls: [{ toolName, input: { task: "x" } }], usage };
  };
  await using agent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([turnOf, turnOf]),
    tools: [worker("first", 4), worker("second", 50), work],
    prepareIteration: ({ iteration }) => {
      if (iteration === crashAt) throw new Error("crash");
      return undefined;
    },
  });
  const shared = new Budget(budget);
  const options = { runId: "r", stepRunner: recordSteps(journal), budget: shared };
  const stopReason = await agent.run("go", options)
    .then(({ stopReason }) => stopReason, ({ code }) => code);
  const { modelCalls, toolCalls, usage: { totalTokens } } = shared.used;
  return { ended: [stopReason, calls.first, calls.second], modelCalls, toolCalls, totalTokens };
}

Deno.test("a resumed run is charged for what its recorded sub-agents have used", async () => {
  const limits: readonly (readonly [BudgetLimits, number])[] = [
    // The run itself uses 200 tokens, and the recorded sub-agent 400.
    [{ maxTokens: 800 }, 2],
    [{ maxCost: 0.75, prices: { "*": { input: 1000, output: 1000 } } }, 2],
    [{ maxModelCalls: 9 }, 3],
    // The calls of "first" and "second", and 4 calls of the recorded sub-agent.
    [{ maxToolCalls: 8 }, 2],
  ];
  for (const [limit, calls] of limits) {
    const journal = new MemoryJournal();
    const { ended } = await runInTurn(journal, limit, { crashAt: 1 });
    assertEquals(ended, ["core", 4, 0]);
    const resumed = await runInTurn(journal, limit);
    assertEquals(resumed.ended, ["budget_exceeded", 0, calls]);
    const again = await runInTurn(journal, limit);
    assertEquals(again, { ...resumed, ended: ["budget_exceeded", 0, 0] });
  }
});

Deno.test("a run that was recorded without a budget is charged for its sub-agents' tokens", async () => {
  const journal = new MemoryJournal();
  const sub = asTool({
    name: "sub",
    description: "Works",
    model: scriptedModel([{ text: "Done", usage }]),
  });
  const attempt = async (journal: MemoryJournal, budget?: Budget) => {
    await using agent = new ToolLoopAgent({
      name: "boss",
      model: scriptedModel([
        { calls: [{ toolName: "sub", input: { task: "x" } }], usage },
        { text: "Done", usage },
      ]),
      tools: [sub],
    });
    const options = { runId: "r", stepRunner: recordSteps(journal) };
    return await agent.run("go", budget === undefined ? options : { ...options, budget });
  };
  await attempt(journal);
  const text = journal.toText();
  // Earlier versions did not record the usage of each model.
  const old = text.replace(/,"usageByModel":\{.*?\}\}/, "");
  assertEquals(old.length < text.length, true);
  for (const stored of [text, old]) {
    const budget = new Budget({ maxTokens: 250 });
    const { stopReason } = await attempt(MemoryJournal.fromText(stored), budget);
    assertEquals([stopReason, budget.used.usage.totalTokens], ["model_stop", 300]);
  }
});
