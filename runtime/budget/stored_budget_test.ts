import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { asTool } from "../agent/agent_tool.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import type { RunOptions } from "../loop/options.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel } from "../shared/model.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import type { BudgetStore } from "./budget_store.ts";
import { memoryBudgetStore } from "./memory_budget_store.ts";
import type { CallToEstimate, EstimatedUsage } from "./stored_account.ts";
import { storedBudget } from "./stored_budget.ts";

const usage = { inputTokens: 90, outputTokens: 10, totalTokens: 100 };
const call: ScriptedTurn = { calls: [{ toolName: "look" }], usage };
const end: ScriptedTurn = { text: "Done", usage };

function estimate(): EstimatedUsage {
  return { inputTokens: 120, outputTokens: 30 };
}

async function run(model: LanguageModel, options: RunOptions) {
  await using agent = new ToolLoopAgent({
    name: "clerk",
    model,
    modelRetries: 0,
    tools: [{ name: "look", inputSchema: { type: "object" }, execute: () => "ok" }],
  });
  return await agent.run("go", options);
}

Deno.test("a stored budget reserves the estimate and settles the usage", async () => {
  const store = memoryBudgetStore();
  const budget = storedBudget(store, { key: "k", maxTokens: 340, estimate });
  const model = scriptedModel([call, call, call, end]);
  const output = await run(model, { budget });
  // After two calls, 200 tokens are used, and 150 more would exceed the limit.
  assertEquals([output.stopReason, output.stopConditionName, model.requests.length], [
    "budget_exceeded",
    "budget.maxTokens",
    2,
  ]);
  assertEquals(await store.read("k"), { used: 200, reserved: 0 });
  assertEquals([budget.used.modelCalls, budget.used.usage.totalTokens], [2, 200]);
});

Deno.test("a key function is called before each model call", async () => {
  const store = memoryBudgetStore();
  const keys = ["monday", "tuesday"];
  const budget = storedBudget(store, { key: () => keys.shift() ?? "", maxTokens: 150, estimate });
  await run(scriptedModel([call, end]), { budget });
  assertEquals([await store.read("monday"), await store.read("tuesday")], [
    { used: 100, reserved: 0 },
    { used: 100, reserved: 0 },
  ]);
});

Deno.test("a stored cost is counted in millionths", async () => {
  const store = memoryBudgetStore();
  const prices = { scripted: { input: 2, output: 10 } };
  const budget = storedBudget(store, { key: "k", maxCost: 0.001, prices, estimate });
  const model = scriptedModel([call, call, call, end]);
  const { stopConditionName } = await run(model, { budget });
  // A call is estimated at 540 millionths, and costs 280.
  assertEquals([stopConditionName, model.requests.length], ["budget.maxCost", 2]);
  assertEquals(await store.read("k"), { used: 560, reserved: 0 });
  assertEquals(budget.used.cost, 0.00056);
});

Deno.test("a call that the provider rejects is released, and an aborted call counts in full", async () => {
  const store = memoryBudgetStore();
  const budget = storedBudget(store, { key: "k", maxTokens: 1000, estimate });
  const failing = scriptedModel([{ failure: { reason: "bad key", retryable: false } }]);
  await assertRejects(() => run(failing, { budget }), AgentError, "bad key");
  assertEquals(await store.read("k"), { used: 0, reserved: 0 });
  const gate = createGate();
  const slow: LanguageModel = {
    modelId: "slow",
    generate: () => gate.wait().then(() => Promise.reject(new Error("unused"))),
  };
  const controller = new AbortController();
  const running = run(slow, { budget, signal: controller.signal });
  await gate.reached;
  controller.abort();
  assertEquals((await running).stopReason, "aborted");
  assertEquals(await store.read("k"), { used: 0, reserved: 150 });
});

Deno.test("a call whose usage is not reported has used the reserved amount", async () => {
  const store = memoryBudgetStore();
  const budget = storedBudget(store, { key: "k", maxTokens: 1000, estimate });
  await run(
    scriptedModel([{ text: "Done", usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }]),
    { budget },
  );
  assertEquals(await store.read("k"), { used: 150, reserved: 0 });
});

Deno.test("a recorded call is not charged to the store again", async () => {
  const store = memoryBudgetStore();
  const options = { runId: "r", stepRunner: recordSteps(new MemoryJournal()) };
  const budget = () => storedBudget(store, { key: "k", maxTokens: 1000, estimate });
  await run(scriptedModel([call, end]), { ...options, budget: budget() });
  const again = budget();
  await run(scriptedModel([]), { ...options, budget: again });
  assertEquals([(await store.read("k")).used, again.used.usage.totalTokens], [200, 200]);
});

Deno.test("a sub-agent reserves from the stored budget of the run", async () => {
  const store = memoryBudgetStore();
  const sub = asTool({
    name: "sub",
    description: "Works",
    model: scriptedModel([{ text: "x", usage }]),
  });
  await using agent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([{ calls: [{ toolName: "sub", input: { task: "x" } }], usage }, end]),
    tools: [sub],
  });
  const budget = storedBudget(store, { key: "k", maxTokens: 1000, estimate });
  await agent.run("go", { budget });
  assertEquals(await store.read("k"), { used: 300, reserved: 0 });
});

Deno.test("a reservation of one budget is released if another budget is used up", async () => {
  const store = memoryBudgetStore();
  const team = storedBudget(store, { key: "team", maxTokens: 1000, estimate });
  const user = storedBudget(store, { key: "user", maxTokens: 100, estimate });
  await using agent = new ToolLoopAgent({ name: "a", model: scriptedModel([end]), budget: team });
  const output = await agent.run("go", { budget: user });
  assertEquals([output.stopReason, team.used.modelCalls], ["budget_exceeded", 0]);
  assertEquals(await store.read("team"), { used: 0, reserved: 0 });
});

Deno.test("finalize makes the last call although the stored budget is used up", async () => {
  const store = memoryBudgetStore();
  const budget = storedBudget(store, { key: "k", maxTokens: 200, estimate });
  await using agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([call, { text: "So far", usage }, end]),
    tools: [{ name: "look", inputSchema: { type: "object" }, execute: () => "ok" }],
    onBudgetExceeded: "finalize",
  });
  const output = await agent.run("go", { budget });
  assertEquals([output.stopReason, output.finalText], ["budget_exceeded", "So far"]);
  assertEquals(await store.read("k"), { used: 200, reserved: 0 });
  // A run that has not called the model does not call it once more.
  assertEquals((await agent.run("go", { budget })).finalText, "");
});

/** Returns a store whose methods are replaced. */
function storeWith(changes: object): BudgetStore {
  const store = memoryBudgetStore();
  const methods: BudgetStore = {
    reserve: (key, amount, options) => store.reserve(key, amount, options),
    settle: (id, used) => store.settle(id, used),
    read: (key) => store.read(key),
  };
  return Object.assign(methods, changes);
}

Deno.test("a store or an estimate that fails ends the run with code core, without a model call", async () => {
  const failing = () => Promise.reject(new Error("no database"));
  const rows: readonly (readonly [object, object, string])[] = [
    [{ reserve: failing }, {}, "Cannot reserve a budget: no database"],
    [
      { reserve: () => Promise.resolve(true) },
      {},
      '"reserve" must return an id or undefined, got true',
    ],
    [
      { reserve: () => Promise.resolve(null) },
      {},
      '"reserve" must return an id or undefined, got null',
    ],
    [{}, { key: () => "" }, '"key" must be a non-empty string, got ""'],
    [{}, { estimate: () => ({ inputTokens: -1, outputTokens: 0 }) }, '"estimate" must return'],
    [{}, { estimate: () => ({ inputTokens: 1 }) }, '"estimate" must return'],
  ];
  for (const [methods, options, message] of rows) {
    const model = scriptedModel([end]);
    const budget = storedBudget(storeWith(methods), { key: "k", maxTokens: 1000, ...options });
    const error = await assertRejects(() => run(model, { budget }), AgentError, message);
    assertEquals([error.code, model.requests.length], ["core", 0]);
  }
});

Deno.test("a store that cannot settle ends the run with code core", async () => {
  const settle = () => Promise.reject(new Error("no database"));
  const budget = storedBudget(storeWith({ settle }), { key: "k", maxTokens: 1000, estimate });
  const message = "Cannot settle a budget: no database";
  const error = await assertRejects(
    () => run(scriptedModel([end]), { budget }),
    AgentError,
    message,
  );
  assertEquals(error.code, "core");
});

Deno.test("a store that does not respond ends the run, and its late reservation is released", async () => {
  using time = new FakeTime();
  const gate = createGate();
  const store = memoryBudgetStore();
  const reserve: BudgetStore["reserve"] = async (...args) => {
    await gate.wait();
    return await store.reserve(...args);
  };
  const slow = { reserve, settle: (id: string, used: number) => store.settle(id, used) };
  const budget = storedBudget(storeWith(slow), { key: "k", maxTokens: 1000, timeoutMs: 50 });
  const running = assertRejects(() => run(scriptedModel([end]), { budget }), AgentError);
  await gate.reached;
  await time.tickAsync(50);
  assertEquals((await running).code, "core");
  gate.release();
  await time.runMicrotasks();
  assertEquals(await store.read("k"), { used: 0, reserved: 0 });
});

Deno.test("a run that is aborted during a reservation ends", async () => {
  const gate = createGate();
  const reserve = () => gate.wait().then(() => undefined);
  const budget = storedBudget(storeWith({ reserve }), { key: "k", maxTokens: 1000 });
  const controller = new AbortController();
  const running = run(scriptedModel([end]), { budget, signal: controller.signal });
  await gate.reached;
  controller.abort();
  assertEquals((await running).stopReason, "aborted");
  gate.release();
});

Deno.test("the default estimate is the last input or the length of the messages, and the output limit", async () => {
  const amounts: number[] = [];
  const store = memoryBudgetStore();
  const reserve: BudgetStore["reserve"] = (key, amount, options) => {
    amounts.push(amount);
    return store.reserve(key, amount, options);
  };
  const budget = storedBudget(storeWith({ reserve }), { key: "k", maxTokens: 100_000 });
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([end, call, end]),
    tools: [
      { name: "look", inputSchema: { type: "object" }, execute: () => "ok" },
    ],
  });
  await agent.run("x".repeat(3000), { budget });
  await agent.run("go", { budget });
  // A third of 3000 characters; a third of 2; the 90 input tokens of the last call.
  assertEquals(amounts, [1000 + 4096, 1 + 4096, 90 + 4096]);
  const estimated: CallToEstimate[] = [];
  const observed = storedBudget(store, {
    key: "k",
    maxTokens: 100_000,
    estimate: (call) => {
      estimated.push(call);
      return estimate();
    },
  });
  const model = scriptedModel([end]);
  const generateOptions = { maxOutputTokens: 7 };
  await new ToolLoopAgent({ name: "a", model, generateOptions }).run("go", { budget: observed });
  assertEquals([estimated[0]?.modelId, estimated[0]?.maxOutputTokens], ["scripted", 7]);
});

Deno.test("storedBudget() throws if an argument is invalid", () => {
  const store = memoryBudgetStore();
  const rows: readonly (readonly [unknown, object, string])[] = [
    [{}, { key: "k", maxTokens: 1 }, '"store" must be a BudgetStore'],
    [store, { maxTokens: 1 }, '"key" must be a non-empty string or a function'],
    [store, { key: "", maxTokens: 1 }, '"key" must be'],
    [store, { key: "k" }, 'Exactly one of "maxTokens" and "maxCost" must be set'],
    [store, { key: "k", maxTokens: 1, maxCost: 1, prices: {} }, "Exactly one of"],
    [store, { key: "k", maxCost: 1 }, '"prices" must be a price table or a function'],
    [store, { key: "k", maxTokens: 1, reservationMs: 0 }, '"reservationMs" must be'],
  ];
  for (const [given, options, message] of rows) {
    const error = assertThrows(
      () => storedBudget(given as BudgetStore, options as never),
      Error,
      message,
    );
    assert(error instanceof TypeError || error instanceof RangeError);
  }
});
