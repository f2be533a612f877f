import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { Budget } from "../budget/budget.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel } from "../testing.ts";
import { ParallelWorkflow } from "./parallel.ts";
import { RouterWorkflow } from "./router.ts";
import { SequentialWorkflow } from "./sequential.ts";

const usage = { inputTokens: 90, outputTokens: 10, totalTokens: 100 };
const look = { name: "look", inputSchema: { type: "object" }, execute: () => "ok" };

/** An agent that makes two model calls. */
function agentOf(name: string): ToolLoopAgent {
  const turns = [{ calls: [{ toolName: "look" }], usage }, { text: name, usage }];
  return new ToolLoopAgent({ name, tools: [look], model: scriptedModel(turns) });
}

function agents(): readonly ToolLoopAgent[] {
  return ["a", "b", "c"].map(agentOf);
}

Deno.test("the steps of a sequential workflow share a budget", async () => {
  const limits = { maxTokens: 300 };
  const workflow = new SequentialWorkflow("w", agents());
  const error = await assertRejects(() => workflow.run("go", { budget: limits }), AgentError);
  assertEquals([error.code, error.message.includes('stop reason "budget_exceeded"')], [
    "workflow_failed",
    true,
  ]);
  assertEquals(error.partialResult?.steps.map(({ agentName }) => agentName), ["a"]);
  assertEquals(
    error.partialResult?.failures?.map(({ stepIndex, output }) => [
      stepIndex,
      output?.stopConditionName,
    ]),
    [[1, "budget.maxTokens"]],
  );
});

Deno.test("limits start a new budget in each run of a workflow", async () => {
  const workflow = new SequentialWorkflow("w", [agentOf("a")]);
  assertEquals((await workflow.run("go", { budget: { maxTokens: 200 } })).finalText, "a");
  const later = new SequentialWorkflow("w", [agentOf("a")]);
  assertEquals((await later.run("go", { budget: { maxTokens: 200 } })).finalText, "a");
});

Deno.test("the steps of a parallel workflow share a budget", async () => {
  let executed = 0;
  const tool = { ...look, execute: () => ++executed };
  const pair = { calls: [{ toolName: "look" }, { toolName: "look" }] };
  const team = ["a", "b", "c"].map((name) =>
    new ToolLoopAgent({ name, tools: [tool], model: scriptedModel([pair, { text: name }]) })
  );
  const workflow = new ParallelWorkflow("p", team, { onFailure: "collect" });
  const { failures, steps } = await workflow.run("go", { budget: { maxToolCalls: 4 } });
  assertEquals([executed, steps.length, failures?.length], [4, 0, 3]);
});

Deno.test("a parallel workflow exceeds a budget by at most one call per agent", async () => {
  const budget = new Budget({ maxTokens: 300 });
  const workflow = new ParallelWorkflow("p", agents(), { onFailure: "collect" });
  const { failures } = await workflow.run("go", { budget });
  assertEquals([budget.used.modelCalls, failures?.length], [3, 3]);
  const calls = new Budget({ maxModelCalls: 2 });
  await new ParallelWorkflow("p", agents(), { onFailure: "collect" }).run("go", { budget: calls });
  assertEquals(calls.used.modelCalls, 2);
});

Deno.test("the agents that a router selects share a budget", async () => {
  const tried: number[] = [];
  const workflow = new RouterWorkflow("r", agents(), () => 0, {
    onError: (_error, indexes) => {
      tried.push(...indexes);
      return indexes.length < 3 ? indexes.length : undefined;
    },
  });
  const budget = new Budget({ maxTokens: 100 });
  await assertRejects(() => workflow.run("go", { budget }), AgentError, "budget_exceeded");
  assertEquals([budget.used.modelCalls, tried], [1, [0, 0, 1, 0, 1, 2]]);
});

Deno.test("a resumed workflow is charged for its recorded steps", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  const run = async (maxTokens: number) => {
    const budget = new Budget({ maxTokens });
    const workflow = new SequentialWorkflow("w", agents());
    const ended = await workflow.run("go", { budget, stepRunner, runId: "r" })
      .then(({ finalText }) => finalText, ({ code }) => code);
    return [ended, budget.used.usage.totalTokens];
  };
  assertEquals(await run(300), ["workflow_failed", 300]);
  assertEquals(await run(300), ["workflow_failed", 300]);
});

Deno.test("a workflow rejects an invalid budget and runs no agent", async () => {
  const workflow = new SequentialWorkflow("w", agents());
  for (const budget of [{ maxTokenz: 1 }, 5, { maxTokens: -1 }, { maxCost: 1 }]) {
    const error = await assertRejects(() => workflow.run("go", { budget: budget as never }), Error);
    assertEquals(error instanceof TypeError || error instanceof RangeError, true);
  }
});
