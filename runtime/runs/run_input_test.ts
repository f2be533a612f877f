import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { Budget } from "../budget/budget.ts";
import { AgentError } from "../shared/error.ts";
import { sqliteRuns } from "../sqlite.ts";
import { type ScriptedModel, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { memoryRuns } from "./memory.ts";
import { openRuns } from "./open_runs.ts";
import { readRunResult } from "./run_result.ts";

const usage = { inputTokens: 90, outputTokens: 10, totalTokens: 100 };
const pay: ScriptedTurn = { calls: [{ toolName: "pay" }], usage };
const ENGINES = { memoryRuns: () => memoryRuns(), sqliteRuns: () => sqliteRuns(":memory:") };

/** An agent whose first payment waits for a decision. */
function agentWith(model: ScriptedModel): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "clerk",
    model,
    tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => "ok" }],
    approvalHandler: ({ iteration }) => iteration === 0 ? { decision: "defer" } : true,
  });
}

for (const [name, open] of Object.entries(ENGINES)) {
  Deno.test(`a run in ${name}() is charged for the steps of its earlier executions`, async () => {
    const model = scriptedModel([pay, pay, pay, { text: "Done", usage }]);
    await using runs = openRuns(open(), {
      clerk: { version: "1", make: () => agentWith(model) },
    });
    const working = runs.work();
    await runs.start({
      runId: "r",
      agent: "clerk",
      input: "Pay",
      budget: { maxTokens: 200 },
    });
    const waiting = await runs.result("r", { until: "waiting" });
    assertEquals(waiting.input, { message: "Pay", budget: { maxTokens: 200 } });
    await runs.signal("r", waiting.waitingFor[0]?.key ?? "", { decision: "approve" });
    const result = readRunResult(await runs.result("r"));
    assertEquals([result?.stopReason, result?.stopConditionName, result?.totalUsage.totalTokens], [
      "budget_exceeded",
      "budget.maxTokens",
      200,
    ]);
    assertEquals([result?.hasAnswer, model.requests.length], [false, 2]);
    await runs.close();
    await working;
  });
}

for (const [name, open] of Object.entries(ENGINES)) {
  Deno.test(`a run in ${name}() continues the conversation that it was started with`, async () => {
    const model = scriptedModel([pay, { text: "Done" }]);
    const make = () => agentWith(model);
    await using runs = openRuns(open(), { clerk: { version: "1", make } });
    const working = runs.work();
    const run = {
      runId: "r",
      agent: "clerk",
      input: "Pay",
      messages: [{ role: "user", content: "A" }, { role: "assistant", content: "B" }],
    } as const;
    assert(await runs.start(run));
    assert(!await runs.start(run));
    const error = await assertRejects(() => runs.start({ ...run, messages: [] }), AgentError);
    assertEquals(error.code, "run_conflict");
    const { waitingFor } = await runs.result("r", { until: "waiting" });
    await runs.signal("r", waitingFor[0]?.key ?? "", { decision: "approve" });
    assertEquals(readRunResult(await runs.result("r"))?.finalText, "Done");
    const sent = model.requests.map(({ messages }) => messages.slice(0, 3).map(({ role }) => role));
    assertEquals(sent, [["user", "assistant", "user"], ["user", "assistant", "user"]]);
    await runs.close();
    await working;
  });
}

Deno.test("messages that are not an array do not start a run", async () => {
  const clerk = { version: "1", make: () => agentWith(scriptedModel([])) };
  await using runs = openRuns(memoryRuns(), { clerk });
  const run = { runId: "r", agent: "clerk", input: "Pay", messages: "A" as never };
  await assertRejects(() => runs.start(run), TypeError, '"messages"');
});

Deno.test("a run with the same id and another budget is a conflict", async () => {
  const clerk = { version: "1", make: () => agentWith(scriptedModel([])) };
  await using runs = openRuns(memoryRuns(), { clerk });
  const run = { runId: "r", agent: "clerk", input: "Pay" };
  const prices = { "*": { input: 1, output: 2 } };
  assert(await runs.start({ ...run, budget: { maxTokens: 1, maxCost: 2, prices } }));
  assert(!await runs.start({ ...run, budget: { prices, maxCost: 2, maxTokens: 1 } }));
  for (const other of [run, { ...run, budget: { maxTokens: 2 } }]) {
    const error = await assertRejects(() => runs.start(other), AgentError);
    assertEquals(error.code, "run_conflict");
  }
});

Deno.test("a run whose budget is invalid or cannot be stored does not start", async () => {
  const clerk = { version: "1", make: () => agentWith(scriptedModel([])) };
  await using runs = openRuns(memoryRuns(), { clerk });
  const rows: readonly (readonly [unknown, string])[] = [
    [new Budget({ maxTokens: 1 }), "a Budget object cannot be stored"],
    [
      { maxCost: 1, prices: () => 1 },
      '"budget" must be JSON data, because it is stored with the run',
    ],
    [{ maxDurationMs: Infinity }, '"budget" must be JSON data'],
    [{ maxTokenz: 1 }, 'did you mean "maxTokens"?'],
    [{ maxCost: 1 }, '"budget.prices" must be a price table'],
    [1, '"budget" must be an object, got 1'],
  ];
  for (const [budget, message] of rows) {
    const run = { runId: "r", agent: "clerk", input: "Pay", budget: budget as never };
    await assertRejects(() => runs.start(run), TypeError, message);
  }
  assertEquals(await runs.get("r"), undefined);
});
