import { assertEquals } from "@std/assert";
import { maxTotalTokens } from "./stop_conditions.ts";
import { openAiChat } from "../models.ts";
import type { LanguageModel } from "../shared/model.ts";
import type { TokenUsage } from "../shared/usage.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { runToolLoop } from "./loop.ts";

const NONE: TokenUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
const ESTIMATE: TokenUsage = { inputTokens: 600, outputTokens: 100, totalTokens: 700 };

/** Returns a model that always calls a tool and reports a usage. */
function modelWith(reported: object): LanguageModel {
  // A model that an application implements may return any value.
  const usage: TokenUsage = Object.assign({}, NONE, { totalTokens: undefined }, reported);
  return {
    modelId: "m",
    generate: () =>
      Promise.resolve({
        message: {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "", toolName: "work", input: {} }],
        },
        finishReason: "tool-calls",
        usage,
      }),
  };
}

/** Runs a model with a token limit. Returns the stop reason and the usage of the first call. */
async function runWithLimit(model: LanguageModel, maxTokens: number) {
  const work = { name: "work", inputSchema: { type: "object" }, execute: () => "ok" };
  const { iterations, stopReason } = await runToolLoop({
    model,
    registry: new ToolRegistry([work]),
    maxIterations: 5,
    stopConditions: [maxTotalTokens(maxTokens)],
    estimateUsage: () => ESTIMATE,
  }, "go");
  return { stopReason, usage: iterations[0]?.usage };
}

Deno.test("a total below the sum of input and output does not disable maxTotalTokens()", async () => {
  const counts = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
  for (const totalTokens of [0, 5, -1, NaN, 1e308, "0", null]) {
    const { stopReason, usage } = await runWithLimit(modelWith({ ...counts, totalTokens }), 1_000);
    assertEquals([stopReason, usage], [
      "max_total_tokens",
      { ...counts, totalTokens: 2_000_000 },
    ]);
  }
  const more = await runWithLimit(modelWith({ ...counts, totalTokens: 3_000_000 }), 1_000);
  assertEquals(more.usage?.totalTokens, 3_000_000);
});

Deno.test("estimateUsage supplies the counts that a model does not report", async () => {
  const absent = { inputTokens: undefined, outputTokens: undefined };
  for (const invalid of [undefined, null, -1, 0.5, 1e308, "9"]) {
    const both = await runWithLimit(
      modelWith({ inputTokens: invalid, outputTokens: invalid, totalTokens: invalid }),
      1_000,
    );
    assertEquals(both, {
      stopReason: "max_total_tokens",
      usage: { ...ESTIMATE, estimated: true },
    });
    const output = await runWithLimit(modelWith({ ...absent, inputTokens: 50 }), 1_000);
    assertEquals(output.usage, {
      inputTokens: 50,
      outputTokens: 100,
      totalTokens: 150,
      estimated: true,
    });
  }
  const total = await runWithLimit(modelWith({ ...absent, totalTokens: 5_000 }), 1_000);
  assertEquals(total.usage, { ...ESTIMATE, totalTokens: 5_000, estimated: true });
  assertEquals((await runWithLimit(modelWith({}), 1_000)).usage, NONE);
});

Deno.test("openAiChat() reports a total of at least the sum of input and output", async () => {
  const body = {
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "ok" } }],
    usage: { prompt_tokens: 900, completion_tokens: 200, total_tokens: 0 },
  };
  const model = openAiChat({
    baseUrl: "http://localhost/v1",
    model: "m",
    fetch: () => Promise.resolve(Response.json(body)),
  });
  const { usage } = await runWithLimit(model, 1_000);
  assertEquals(usage?.totalTokens, 1_100);
});
