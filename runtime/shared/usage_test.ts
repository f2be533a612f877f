import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns, openRuns, readRunResult } from "../runs.ts";
import { scriptedModel } from "../testing.ts";
import { addCounts, addUsage, readCount, type TokenUsage } from "./usage.ts";

const MAX = Number.MAX_SAFE_INTEGER;

Deno.test("readCount() returns safe integers that are not negative", () => {
  const values: readonly unknown[] = [
    0,
    1,
    MAX,
    -0,
    -1,
    0.5,
    NaN,
    Infinity,
    1e308,
    MAX + 1,
    "1",
    1n,
  ];
  assertEquals(values.map(readCount).filter((value) => value !== undefined), [0, 1, MAX, 0]);
});

Deno.test("addCounts() and addUsage() return at most the largest safe integer", () => {
  assertEquals([addCounts(1, 2), addCounts(1, 2, 3), addCounts(MAX, 1)], [3, 6, MAX]);
  assertEquals([addCounts(1e308, 1e308), addCounts(NaN, 1)], [MAX, MAX]);
  const usage = {
    inputTokens: MAX,
    outputTokens: 1,
    totalTokens: MAX,
    cachedInputTokens: MAX,
    cacheWriteTokens: MAX,
    reasoningTokens: MAX,
  };
  assertEquals(addUsage(usage, usage), { ...usage, outputTokens: 2 });
});

Deno.test("the usage of a run can be stored for all counts that a model reports", async () => {
  const counts = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom(1e308, MAX, MAX + 1, -1, NaN, "7", null, undefined),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(counts, { minLength: 12, maxLength: 12 }), async (values) => {
      const usageOf = (start: number): TokenUsage => {
        const [inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens] = values
          .slice(start);
        const usage: unknown = {
          inputTokens,
          outputTokens,
          totalTokens,
          cachedInputTokens,
          reasoningTokens,
        };
        // The model reports values that the type does not permit.
        return usage as TokenUsage;
      };
      const make = () =>
        new ToolLoopAgent({
          name: "clerk",
          model: scriptedModel([
            { calls: [{ toolName: "work" }], usage: usageOf(0) },
            { text: "Done", usage: usageOf(6) },
          ]),
          tools: [{ name: "work", inputSchema: { type: "object" }, execute: () => "ok" }],
        });
      await using runs = openRuns(memoryRuns(), { clerk: { version: "1", make } });
      void runs.work();
      await runs.start({ runId: "r1", agent: "clerk", input: "Go" });
      const run = await runs.result("r1");
      const usage = readRunResult(run)?.totalUsage;
      assertEquals(run.status, "done");
      for (const [name, count] of Object.entries(usage ?? {})) {
        assert(name === "estimated" || readCount(count) !== undefined, `${name} ${count}`);
      }
      assertEquals(JSON.parse(JSON.stringify(usage)), usage);
    }),
    propertyRuns(50),
  );
});
