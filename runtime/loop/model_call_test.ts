import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { asTool } from "../agent/agent_tool.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { maxTotalTokens } from "./stop_conditions.ts";
import { openAiChat } from "../models.ts";
import { HealthProfile } from "../lifecycle/health.ts";
import { scriptedModel } from "../testing.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel } from "../shared/model.ts";
import type { TokenUsage } from "../shared/usage.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

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

Deno.test("the error of a run has the retry delay and the status of any error of the model", async () => {
  const registry = new ToolRegistry([]);
  const details = { retryable: true, retryAfterMs: 3, statusCode: 529 };
  const thrown = Object.assign(new Error("busy"), details);
  const model: LanguageModel = { modelId: "m", generate: () => Promise.reject(thrown) };
  const error = await assertRejects(
    () => runToolLoop({ model, registry, modelRetries: 0 }, "go"),
    AgentError,
  );
  assertEquals([error.retryAfterMs, error.details], [3, { reason: "busy", status: 529 }]);
});

Deno.test("a requested delay that is not a non-negative number is ignored", async () => {
  for (const retryAfterMs of [NaN, -5]) {
    using time = new FakeTime();
    const delays: number[] = [];
    const error = AgentError.modelError("busy", { retryable: true, retryAfterMs });
    const run = runToolLoop({
      model: scriptedModel([{ error }, { text: "ok" }]),
      registry: new ToolRegistry([]),
      random: () => 0.5,
      onEvent: (event) => {
        if (event.type === "model_retry") delays.push(event.delayMs);
      },
    }, "go");
    await time.tickAsync(250);
    assertEquals([(await run).finalText, delays], ["ok", [250]]);
  }
});

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
});

Deno.test("a usage without tokens counts as not reported", async () => {
  const estimated = { ...ESTIMATE, estimated: true } as const;
  assertEquals((await runWithLimit(modelWith({}), 1_000)).usage, estimated);
  assertEquals((await runWithLimit(modelWith({ totalTokens: 0 }), 1_000)).usage, estimated);
  const cached = await runWithLimit(modelWith({ outputTokens: 3 }), 1_000);
  assertEquals(cached.usage, { inputTokens: 0, outputTokens: 3, totalTokens: 3 });
});

Deno.test("a limit on tokens that cannot apply is reported once per run", async () => {
  const work = { name: "work", inputSchema: { type: "object" }, execute: () => "ok" };
  const prices = { "*": { input: 1, output: 1 } };
  const limits: readonly (readonly [string | undefined, Partial<ToolLoopConfig>])[] = [
    ['stop condition "maxTotalTokens"', { stopConditions: [maxTotalTokens(1_000)] }],
    ['limit "budget.maxTokens"', { budget: { maxTokens: 1_000 } }],
    ['limit "budget.maxCost"', { budget: { maxCost: 1, prices } }],
    [undefined, { budget: { maxModelCalls: 10 } }],
    [undefined, {}],
  ];
  for (const [name, options] of limits) {
    const errors: unknown[] = [];
    const config = { registry: new ToolRegistry([work]), maxIterations: 3, ...options };
    const onError = (error: unknown) => void errors.push(String(error));
    const { stopReason } = await runToolLoop({ ...config, model: modelWith({}), onError }, "go");
    const expected = name === undefined ? [] : [
      `AgentError: Cannot apply ${name}: model "m" does not report its token usage; ` +
      'set "estimateUsage"',
    ];
    assertEquals([stopReason, errors], ["max_iterations", expected]);
    errors.length = 0;
    await runToolLoop({ ...config, model: modelWith({ inputTokens: 1 }), onError }, "go");
    await runToolLoop(
      { ...config, model: modelWith({}), onError, estimateUsage: () => ESTIMATE },
      "go",
    );
    assertEquals(errors, []);
  }
});

Deno.test("a sub-agent inherits estimateUsage", async () => {
  const expert = asTool({ name: "expert", description: "Helps", model: modelWith({}) });
  const model = scriptedModel([{ calls: [{ toolName: "expert", input: { task: "x" } }] }]);
  const agent = new ToolLoopAgent({
    name: "boss",
    model,
    tools: [expert, { name: "work", inputSchema: { type: "object" }, execute: () => "ok" }],
    stopConditions: [maxTotalTokens(1_000)],
    estimateUsage: () => ESTIMATE,
  });
  const { stopReason, totalUsage } = await agent.run("go");
  assertEquals([stopReason, totalUsage.totalTokens], ["max_total_tokens", 2 * 700 + 2]);
  await agent.terminate();
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

Deno.test("a model call that throws an exception at once is retried", async () => {
  let calls = 0;
  const answer = scriptedModel([{ text: "ok" }]);
  const model: LanguageModel = {
    modelId: "m",
    generate(request) {
      if (calls++ > 0) return answer.generate(request);
      throw Object.assign(new Error("busy"), { retryable: true });
    },
  };
  const registry = new ToolRegistry([]);
  const { finalText } = await runToolLoop({ model, registry, retryDelayMs: 0 }, "go");
  assertEquals([finalText, calls], ["ok", 2]);
});

Deno.test("a response that is malformed is not retried", async () => {
  let calls = 0;
  const model: LanguageModel = {
    modelId: "m",
    generate() {
      calls++;
      return Promise.resolve(JSON.parse("{}"));
    },
  };
  const run = runToolLoop({ model, registry: new ToolRegistry([]), retryDelayMs: 0 }, "go");
  await assertRejects(() => run, AgentError, '"message" must be an object');
  assertEquals(calls, 1);
});

Deno.test("a health profile or a random function that throws ends the run with its error", async () => {
  const busy = AgentError.modelError("busy", { retryable: true });
  const fail = (): never => {
    throw new Error("broken hook");
  };
  const profile = { recordInference: fail, recordToolInvocation: () => {}, recordError: () => {} };
  const healthProfile = Object.assign(new HealthProfile(), profile);
  for (
    const [hook, turn] of [
      [{ healthProfile }, { text: "ok" }],
      [{ healthProfile }, { error: busy }],
      [{ random: fail }, { error: busy }],
    ] as const
  ) {
    const config = { model: scriptedModel([turn]), registry: new ToolRegistry([]), ...hook };
    await assertRejects(() => runToolLoop(config, "go"), AgentError, "broken hook");
  }
});
