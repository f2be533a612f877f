import { assertEquals, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { scriptedModel } from "../testing.ts";
import { Budget } from "./budget.ts";

Deno.test("new Budget() throws if a limit or a price is invalid", () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [undefined, '"limits" must be an object, got undefined'],
    [
      { maxTokenz: 1 },
      '"limits" must have only known options, got "maxTokenz"; did you mean "maxTokens"?',
    ],
    [{ maxTotalTokens: 1 }, 'did you mean "maxTokens"?'],
    [{ maxTokens: 1.5 }, '"limits.maxTokens" must be a non-negative integer, got 1.5'],
    [{ maxTokens: "9" }, '"limits.maxTokens" must be a non-negative integer, got "9"'],
    [{ maxToolCalls: NaN }, '"limits.maxToolCalls" must be a non-negative integer, got NaN'],
    [{ maxModelCalls: -1 }, '"limits.maxModelCalls" must be a non-negative integer, got -1'],
    [{ maxDurationMs: NaN }, '"limits.maxDurationMs" must be a non-negative number, got NaN'],
    [
      { maxCost: 1 },
      '"limits.prices" must be a price table or a function, because "maxCost" is set, got undefined',
    ],
    [{ maxCost: -1, prices: {} }, '"limits.maxCost" must be a non-negative number, got -1'],
    [{ maxCost: 1, prices: { m: { input: -1, output: 1 } } }, "limits.prices"],
    [{ maxCost: 1, prices: [] }, '"limits.prices" must be an object, got an array'],
    [new Map([["maxTokens", 1]]), '"limits" must be limits or a Budget, got an instance of Map'],
    // A budget of another copy of the package.
    [new (class Budget {})(), '"limits" must be limits or a Budget, got an instance of Budget'],
  ];
  for (const [limits, message] of rows) {
    assertThrows(() => new Budget(limits as never), Error, message);
  }
});

Deno.test("new Budget() reads each limit once", () => {
  let reads = 0;
  const limits = {
    get maxTokens() {
      return reads++ === 0 ? 0 : 1_000_000;
    },
  };
  assertEquals(new Budget(limits).exceeded, "maxTokens");
});

Deno.test("an agent with an invalid budget is not created", () => {
  const model = scriptedModel([]);
  const create = (budget: unknown) =>
    new ToolLoopAgent({ name: "a", model, budget: budget as never });
  assertThrows(() => create({ maxTokenz: 1 }), TypeError, '"budget" must have only known options');
  assertThrows(() => create({ maxTokens: -1 }), RangeError, '"budget.maxTokens" must be');
  assertThrows(() => create(true), TypeError, '"budget" must be');
});

Deno.test("a budget that was not used has no use and no cost", () => {
  const zero = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const none = { usage: zero, usageByModel: {}, toolCalls: 0, modelCalls: 0, durationMs: 0 };
  assertEquals(new Budget({}).used, none);
  assertEquals(new Budget({ prices: {} }).used, { ...none, cost: 0 });
});
