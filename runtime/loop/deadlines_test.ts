import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel, ModelRequest } from "../shared/model.ts";
import type { StandardSchema } from "../shared/schema.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

const CALL: ScriptedTurn = { calls: [{ toolName: "work" }] };

function config(
  turns: readonly ScriptedTurn[],
  execute: Tool["execute"],
  more: Partial<ToolLoopConfig & Tool> = {},
): ToolLoopConfig {
  const { timeoutMs, ...rest } = more;
  const tool = { name: "work", inputSchema: { type: "object" }, execute };
  const registry = new ToolRegistry([timeoutMs === undefined ? tool : { ...tool, timeoutMs }]);
  return { model: scriptedModel(turns), registry, ...rest };
}

Deno.test("runToolLoop() aborts a tool after its timeout and ignores its late result", async () => {
  using time = new FakeTime();
  const gate = createGate();
  let reason: unknown;
  const run = runToolLoop(
    config([CALL, { text: "sorry" }], async (_, { signal }) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      await gate.wait();
      throw new Error("thrown after the timeout");
    }),
    "go",
  );
  await gate.reached;
  await time.tickAsync(119_999);
  assertEquals(reason, undefined);
  await time.tickAsync(1);
  const output = await run;
  assertEquals(output.finalText, "sorry");
  const [result] = output.iterations[0]?.toolResults ?? [];
  assertEquals([result?.code, result?.output], [
    "tool_timeout",
    { type: "error-text", value: 'Tool "work" timed out after 120000 ms' },
  ]);
  assertEquals(reason instanceof DOMException && reason.name, "TimeoutError");
  gate.release();
});

Deno.test("runToolLoop() ignores the late result of a timed-out tool while another tool is running", async () => {
  using time = new FakeTime();
  const late = createGate();
  const slow = createGate();
  const tools: readonly Tool[] = [
    {
      name: "late",
      inputSchema: { type: "object" },
      timeoutMs: 20,
      execute: () => late.wait().then(() => "late done"),
    },
    { name: "slow", inputSchema: { type: "object" }, execute: () => slow.wait().then(() => "ok") },
  ];
  const finished: unknown[] = [];
  const run = runToolLoop({
    model: scriptedModel([{ calls: [{ toolName: "late" }, { toolName: "slow" }] }, {}]),
    registry: new ToolRegistry(tools),
    onEvent: (event) => {
      if (event.type === "tool_finished") finished.push(event.toolResult.toolName);
    },
  }, "go");
  await Promise.all([late.reached, slow.reached]);
  await time.tickAsync(20);
  late.release();
  await time.tickAsync(1);
  assertEquals(finished, ["late"]);
  slow.release();
  const output = await run;
  assertEquals(
    output.iterations[0]?.toolResults.map(({ code, output }) => [code, output]),
    [
      ["tool_timeout", { type: "error-text", value: 'Tool "late" timed out after 20 ms' }],
      [undefined, { type: "text", value: "ok" }],
    ],
  );
  assertEquals(finished, ["late", "slow"]);
});

Deno.test("runToolLoop() applies the tool's own timeout if set, where 0 disables the timeout", async () => {
  using time = new FakeTime();
  const short = createGate();
  const first = runToolLoop(config([CALL, {}], () => short.wait(), { timeoutMs: 50 }), "go");
  await short.reached;
  await time.tickAsync(50);
  assertEquals((await first).iterations[0]?.toolResults[0]?.code, "tool_timeout");

  const patient = createGate();
  const second = runToolLoop(config([CALL, {}], () => patient.wait(), { toolTimeoutMs: 0 }), "go");
  await patient.reached;
  await time.tickAsync(10_000_000);
  patient.release();
  assertEquals((await second).iterations[0]?.toolResults[0]?.code, undefined);
  short.release();
});

Deno.test("runToolLoop() never sets a timer with a negative delay if a tool blocks the event loop", async () => {
  const { setTimeout: start } = globalThis;
  const delays: unknown[] = [];
  globalThis.setTimeout = ((...args: Parameters<typeof start>) => {
    delays.push(args[1]);
    return start(...args);
  }) as typeof start;
  try {
    const busy = (): string => {
      for (const end = Date.now() + 20; Date.now() < end;);
      return "late";
    };
    const output = await runToolLoop(config([CALL, {}], busy, { timeoutMs: 5 }), "go");
    // The tool blocked the event loop past its timeout. The tool's result is kept.
    assertEquals(output.iterations[0]?.toolResults[0]?.output, { type: "text", value: "late" });
  } finally {
    globalThis.setTimeout = start;
  }
  assertEquals(delays.filter((delay) => !(Number(delay) >= 0)), []);
});

Deno.test("runToolLoop() applies the timeout to each of several tools", async () => {
  using time = new FakeTime();
  const gates = [createGate(), createGate(), createGate()];
  let next = 0;
  const calls = gates.map(() => ({ toolName: "work" }));
  const run = runToolLoop(
    config([{ calls }, {}], () => gates[next++]?.wait(), { toolTimeoutMs: 100 }),
    "go",
  );
  await Promise.all(gates.map(({ reached }) => reached));
  await time.tickAsync(60);
  gates[1]?.release();
  await time.tickAsync(40);
  const output = await run;
  assertEquals(output.iterations[0]?.toolResults.map(({ code }) => code), [
    "tool_timeout",
    undefined,
    "tool_timeout",
  ]);
  for (const { release } of gates) release();
});

Deno.test("runToolLoop() retries a model call that times out, then rejects", async () => {
  using time = new FakeTime();
  const gates = [createGate(), createGate()];
  const run = runToolLoop(
    config(gates.map((gate) => () => gate.wait()), () => 1, {
      modelTimeoutMs: 1_000,
      modelRetries: 1,
      retryDelayMs: 0,
    }),
    "go",
  );
  const failed = assertRejects(() => run, AgentError, "timed out after 1000 ms");
  for (const gate of gates) {
    await gate.reached;
    await time.tickAsync(1_000);
  }
  assertEquals((await failed).code, "model_error");
  for (const gate of gates) gate.release();
});

Deno.test("runToolLoop() delays retries as the provider requests, or randomly below a doubling maximum", async () => {
  using time = new FakeTime();
  const waits: number[] = [];
  const busy = (retryAfterMs?: number): ScriptedTurn => ({
    error: AgentError.modelError("busy", {
      retryable: true,
      ...retryAfterMs === undefined ? {} : { retryAfterMs },
    }),
  });
  const run = runToolLoop(
    config([busy(), busy(), busy(7), { text: "ok" }], () => 1, {
      modelRetries: 3,
      random: () => 0.5,
      onEvent: (event: LoopEvent) => {
        if (event.type === "model_retry") waits.push(event.delayMs);
      },
    }),
    "go",
  );
  await time.tickAsync(250);
  await time.tickAsync(500);
  await time.tickAsync(7);
  assertEquals([(await run).finalText, waits], ["ok", [250, 500, 7]]);
});

Deno.test("runToolLoop() ends the delay before a retry if the signal is aborted", async () => {
  using time = new FakeTime();
  const controller = new AbortController();
  const run = runToolLoop(
    config([{ error: { retryable: true } }], () => 1, {
      signal: controller.signal,
      random: () => 1,
      onEvent: (event: LoopEvent) => {
        if (event.type === "model_retry") queueMicrotask(() => controller.abort());
      },
    }),
    "go",
  );
  assertEquals((await run).stopReason, "aborted");
  await time.tickAsync(0);
});

Deno.test("runToolLoop() aborts a wrapped model that receives a copy of the request", async () => {
  const controller = new AbortController();
  const { signal: inner } = await new Promise<ModelRequest>((resolve) => {
    const model: LanguageModel = {
      modelId: "outer",
      generate: (request) => {
        resolve({ ...request });
        controller.abort("enough");
        return new Promise(() => {});
      },
    };
    void runToolLoop({ ...config([], () => 1), model, signal: controller.signal }, "go");
  });
  assertEquals([inner?.aborted, inner?.reason], [true, "enough"]);
});

Deno.test("runToolLoop() stops waiting for a validation that never settles if the signal is aborted", async () => {
  const gate = createGate();
  const controller = new AbortController();
  const inputSchema: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => gate.wait().then(() => ({ value })),
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({}) },
    },
  };
  const registry = new ToolRegistry([{ name: "work", inputSchema, execute: () => 1 }]);
  const run = runToolLoop(
    { model: scriptedModel([CALL]), registry, signal: controller.signal },
    "go",
  );
  await gate.reached;
  controller.abort();
  const output = await run;
  assertEquals([output.stopReason, output.iterations[0]?.toolResults[0]?.code], [
    "aborted",
    "not_started",
  ]);
  gate.release();
});

Deno.test("runToolLoop() waits at most the grace period for tools after an abort", async () => {
  using time = new FakeTime();
  const quick = createGate();
  const stuck = createGate();
  const gates = [quick, stuck];
  let next = 0;
  const controller = new AbortController();
  const run = runToolLoop(
    config([{ calls: [{ toolName: "work" }, { toolName: "work" }] }], () => gates[next++]?.wait(), {
      signal: controller.signal,
    }),
    "go",
  );
  await stuck.reached;
  controller.abort();
  await time.tickAsync(200);
  quick.release();
  await time.tickAsync(50);
  const output = await run;
  assertEquals(output.iterations[0]?.toolResults.map(({ code }) => code), [
    undefined,
    "outcome_unknown",
  ]);
  stuck.release();
});
