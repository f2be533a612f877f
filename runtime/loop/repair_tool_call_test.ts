import { assertEquals, assertRejects } from "@std/assert";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";
import type { RepairRequest } from "./tool_call_repair.ts";

const BROKEN: ScriptedTurn = { calls: [{ toolName: "add", rawInput: '{"a":1,' }] };
const INVALID: ScriptedTurn = { calls: [{ toolName: "add", input: { a: "one" } }] };
const END: ScriptedTurn = { text: "done" };

/** Creates a registry with one tool that requires a number and records its inputs. */
function adder(): { registry: ToolRegistry; inputs: unknown[] } {
  const inputs: unknown[] = [];
  const registry = new ToolRegistry([{
    name: "add",
    inputSchema: { type: "object", required: ["a"], properties: { a: { type: "number" } } },
    execute: (input) => {
      inputs.push(input);
      return "added";
    },
  }]);
  return { registry, inputs };
}

function codesOf({ iterations }: ToolLoopOutput): unknown[] {
  return iterations.flatMap(({ toolResults }) => toolResults.map(({ code }) => code));
}

const BAD_CALLS: readonly (readonly [string, ScriptedTurn, RegExp])[] = [
  ["is not valid JSON", BROKEN, /: not valid JSON$/],
  ["does not match the schema", INVALID, /\/a: /],
];

for (const [what, turn, reason] of BAD_CALLS) {
  Deno.test(`repairToolCall repairs input that ${what}, and the transcript keeps the original`, async () => {
    const { registry, inputs } = adder();
    const asked: RepairRequest[] = [];
    const approved: unknown[] = [];
    const output = await runToolLoop({
      model: scriptedModel([turn, END]),
      registry,
      repairToolCall: (request) => {
        asked.push(request);
        return { input: { a: 1 } };
      },
      approvalHandler: ({ toolCall }) => approved.push(toolCall.input, toolCall.rawInput) > 0,
    }, "go");
    assertEquals([inputs, codesOf(output)], [[{ a: 1 }], [undefined]]);
    assertEquals(approved, [{ a: 1 }, undefined]);
    const [request] = asked;
    assertEquals([asked.length, request?.tool.name, request?.iteration], [1, "add", 0]);
    assertEquals(reason.test(request?.reason ?? ""), true);
    const [said] = output.iterations[0]?.assistantMessage.content ?? [];
    assertEquals(said, request?.toolCall);
  });
}

Deno.test("repairToolCall is called once per call, and the model receives the error if the repair fails", async () => {
  const cases: [string, NonNullable<ToolLoopConfig["repairToolCall"]>][] = [
    ["invalid again", () => ({ input: { a: "still" } })],
    ["no repair", () => undefined],
    ["throws", () => {
      throw new Error("no idea");
    }],
    ["rejects", () => Promise.reject(new Error("no idea"))],
    ["malformed", () => 5 as never],
    ["not a JSON value", () => ({ input: () => {} })],
  ];
  for (const [what, repair] of cases) {
    for (const stepRunner of [undefined, recordSteps(new MemoryJournal())]) {
      const { registry, inputs } = adder();
      let asked = 0;
      const output = await runToolLoop({
        model: scriptedModel([INVALID, END]),
        registry,
        ...stepRunner === undefined ? {} : { stepRunner, runId: "r" },
        repairToolCall: (request) => {
          asked++;
          return repair(request);
        },
      }, "go");
      assertEquals([asked, inputs, codesOf(output)], [1, [], ["invalid_input"]], what);
    }
  }
});

Deno.test("repairToolCall is not called for valid calls, unknown tools or input replaced by an approval decision", async () => {
  const { registry, inputs } = adder();
  const calls = [
    { toolName: "add", input: { a: 1 } },
    { toolName: "nothing", input: {} },
    { toolName: "add", input: { a: 2 } },
  ];
  const output = await runToolLoop({
    model: scriptedModel([{ calls }, END]),
    registry,
    approvalHandler: ({ toolCall: { input } }) =>
      JSON.stringify(input) === '{"a":2}' ? { decision: "approve", input: { a: "two" } } : true,
    repairToolCall: () => {
      throw new Error("called unexpectedly");
    },
  }, "go");
  assertEquals([inputs, codesOf(output)], [[{ a: 1 }], [
    undefined,
    "tool_not_found",
    "invalid_input",
  ]]);
});

Deno.test("repairToolCall is not called again if the run is resumed", async () => {
  const journal = new MemoryJournal();
  let asked = 0;
  const run = async (): Promise<ToolLoopOutput> =>
    await runToolLoop({
      model: scriptedModel([BROKEN, END]),
      registry: adder().registry,
      stepRunner: recordSteps(journal),
      runId: "r",
      repairToolCall: () => ({ input: { a: ++asked } }),
    }, "go");
  const first = await run();
  assertEquals(await run(), first);
  assertEquals([asked, journal.get("r/i0/repair/0")?.kind], [1, "repair"]);
});

Deno.test("repairToolCall is aborted with the run and not recorded", async () => {
  const journal = new MemoryJournal();
  const gate = createGate();
  const controller = new AbortController();
  const run = runToolLoop({
    model: scriptedModel([BROKEN, END]),
    registry: adder().registry,
    stepRunner: recordSteps(journal),
    runId: "r",
    signal: controller.signal,
    repairToolCall: async ({ signal }) => {
      const stopped = new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      );
      await Promise.race([gate.wait(), stopped]);
      return undefined;
    },
  }, "go");
  await gate.reached;
  controller.abort();
  assertEquals((await run).stopReason, "aborted");
  assertEquals(journal.get("r/i0/repair/0"), undefined);
  gate.release();
});

Deno.test("repairToolCall is subject to the tool's timeout", async () => {
  const gate = createGate();
  const output = await runToolLoop({
    model: scriptedModel([BROKEN, END]),
    registry: adder().registry,
    toolTimeoutMs: 1,
    repairToolCall: async () => {
      await gate.wait();
      return undefined;
    },
  }, "go");
  assertEquals(codesOf(output), ["invalid_input"]);
  gate.release();
});

Deno.test("estimateUsage counts unreported usage and marks it as estimated", async () => {
  const usage = { inputTokens: 7, outputTokens: 3, totalTokens: 10 };
  const seen: number[] = [];
  const output = await runToolLoop({
    model: scriptedModel([{ ...INVALID, usage }, { text: "four", usage: null }]),
    registry: adder().registry,
    estimateUsage: (messages, { content }) => {
      seen.push(messages.length, content.length);
      return { inputTokens: 20, outputTokens: 1, totalTokens: 21 };
    },
  }, "go");
  assertEquals(seen, [3, 1]);
  assertEquals(output.iterations.map(({ usage }) => usage), [usage, {
    inputTokens: 20,
    outputTokens: 1,
    totalTokens: 21,
    estimated: true,
  }]);
  assertEquals([output.totalUsage.totalTokens, output.totalUsage.estimated], [31, true]);
});

Deno.test("estimateUsage fails the run if it throws or does not return counts", async () => {
  const config = {
    model: scriptedModel([{ text: "a", usage: null }]),
    registry: new ToolRegistry(),
  };
  const error = await assertRejects(
    () =>
      runToolLoop({
        ...config,
        estimateUsage: () => {
          throw new Error("no tokenizer");
        },
      }, "go"),
    AgentError,
    "no tokenizer",
  );
  assertEquals(error.code, "core");
  const estimates = [
    "many",
    undefined,
    {},
    { inputTokens: 5 },
    { inputTokens: NaN, outputTokens: 1 },
    { inputTokens: -1, outputTokens: 1 },
    Promise.resolve({ inputTokens: 5, outputTokens: 5 }),
    Promise.reject(new Error("no tokenizer")),
  ];
  for (const estimate of estimates) {
    const run = runToolLoop({
      model: scriptedModel([{ text: "a", usage: null }]),
      registry: new ToolRegistry(),
      estimateUsage: () => estimate as never,
    }, "go");
    await assertRejects(() => run, AgentError, '"estimateUsage');
  }
});
