import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { runSubAgentTask } from "../agent/sub_agent.ts";
import { recordSteps } from "../journal/journal.ts";
import { MemoryJournal } from "../journal/memory.ts";
import { AgentError } from "../shared/error.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { createGate } from "../testing/gate.ts";
import { scriptedModel, type ScriptedTurn } from "../testing/scripted_model.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { type Around, combineAround, type StepInfo } from "./around.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";
import { streamToolLoop } from "./stream.ts";

const TURNS: readonly ScriptedTurn[] = [
  { calls: [{ toolName: "look", input: { at: 1 } }, { toolName: "look", input: { at: 2 } }] },
  { text: "done" },
];

function configOf(around: Around, rest: Partial<ToolLoopConfig> = {}): ToolLoopConfig {
  const registry = new ToolRegistry([{ name: "look", inputSchema: {}, execute: () => "seen" }]);
  return { model: scriptedModel(TURNS, "m"), registry, agentName: "scout", around, ...rest };
}

/** Creates a function that records when steps start and end. */
function recorder(name = ""): { readonly around: Around; readonly steps: string[] } {
  const steps: string[] = [];
  const around: Around = async (step, next) => {
    const label = `${name}${step.path.join("/")} ${labelOf(step)}`;
    steps.push(`> ${label}`);
    try {
      return await next();
    } finally {
      steps.push(`< ${label}`);
    }
  };
  return { around, steps };
}

function labelOf(step: StepInfo): string {
  switch (step.kind) {
    case "run":
      return "run";
    case "model":
      return `model ${step.iteration}`;
    case "tool":
      return `tool ${step.toolCall.toolCallId}`;
  }
}

Deno.test("around wraps the run, its model calls and its tool executions", async () => {
  const { around, steps } = recorder();
  const output = await runToolLoop(configOf(around), "go");
  assertEquals(output.finalText, "done");
  assertEquals(steps, [
    "> scout run",
    "> scout model 0",
    "< scout model 0",
    "> scout tool call_0_0",
    "> scout tool call_0_1",
    "< scout tool call_0_0",
    "< scout tool call_0_1",
    "> scout model 1",
    "< scout model 1",
    "< scout run",
  ]);
});

Deno.test("around receives a description of each step", async () => {
  const infos: StepInfo[] = [];
  const around: Around = (step, next) => {
    infos.push(step);
    return next();
  };
  const model = { ...scriptedModel(TURNS, "m"), provider: "acme" };
  const config = configOf(around, {
    model,
    runId: "r",
    agentDid: "did:x:1",
    generateOptions: { seed: 7 },
  });
  await runToolLoop(config, "go");
  const origin = { runId: "r", path: ["scout"], agentName: "scout" };
  assertEquals(infos.slice(0, 3), [
    { ...origin, kind: "run", agentDid: "did:x:1" },
    {
      ...origin,
      kind: "model",
      iteration: 0,
      modelId: "m",
      provider: "acme",
      options: { seed: 7 },
    },
    {
      ...origin,
      kind: "tool",
      iteration: 0,
      toolCall: {
        type: "tool-call",
        toolCallId: "call_0_0",
        toolName: "look",
        input: { at: 1 },
      },
      idempotencyKey: "r/i0/tool/0",
    },
  ]);
});

Deno.test("around receives the outcomes of the steps", async () => {
  const outcomes: unknown[] = [];
  const around: Around = async (_, next) => {
    const outcome = await next();
    outcomes.push(outcome);
    return outcome;
  };
  const output = await runToolLoop(configOf(around), "go");
  const [response, first, second, , run] = outcomes;
  assertStrictEquals(run, output);
  assertEquals([first, second], [...output.iterations[0]?.toolResults ?? []]);
  assert(response instanceof Object && "message" in response);
  assertEquals(response.message, output.iterations[0]?.assistantMessage);
});

Deno.test("around wraps a model call and its retries once", async () => {
  const { around, steps } = recorder();
  const busy = AgentError.modelError("busy", { retryable: true, retryAfterMs: 0 });
  const model = scriptedModel([{ error: busy }, { text: "done" }]);
  await runToolLoop(configOf(around, { model }), "go");
  assertEquals(steps.filter((step) => step.includes("model")), [
    "> scout model 0",
    "< scout model 0",
  ]);
});

Deno.test("around receives the error that the run rejects with", async () => {
  const seen: unknown[] = [];
  const around: Around = async (step, next) => {
    try {
      return await next();
    } catch (error) {
      if (step.kind === "run") seen.push(error);
      throw error;
    }
  };
  const model = scriptedModel([{ error: new Error("gone") }]);
  const error = await assertRejects(
    () => runToolLoop(configOf(around, { model }), "go"),
    AgentError,
  );
  assertStrictEquals(seen[0], error);
  assertEquals([error.code, error.partialOutput?.messages.length], ["model_error", 1]);
});

Deno.test("around does not wrap steps that are replayed from a journal", async () => {
  const journal = new MemoryJournal();
  const options = { runId: "r", stepRunner: recordSteps(journal) };
  const first = recorder();
  await runToolLoop(configOf(first.around, options), "go");
  assertEquals(first.steps.length, 10);
  const second = recorder();
  const replayed: string[] = [];
  const output = await runToolLoop(
    configOf(second.around, {
      ...options,
      onEvent: (event) => {
        const isFinished = event.type === "model_finished" || event.type === "tool_finished";
        if (isFinished) replayed.push(`${event.type} ${event.isReplayed}`);
      },
    }),
    "go",
  );
  assertEquals(output.finalText, "done");
  assertEquals(second.steps, ["> scout run", "< scout run"]);
  assertEquals(replayed, [
    "model_finished true",
    "tool_finished true",
    "tool_finished true",
    "model_finished true",
  ]);
});

Deno.test("an agent's around wraps the run's around, and sub-agents inherit each of them once", async () => {
  const steps: string[] = [];
  const around = (name: string): Around => (step, next) => {
    steps.push(`${name} ${step.kind} ${step.path.join("/")}`);
    return next();
  };
  const outer = around("agent");
  const boss: ToolLoopAgent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([{ calls: [{ toolName: "ask" }] }, { text: "42" }]),
    around: outer,
  });
  boss.registry.register({
    name: "ask",
    inputSchema: {},
    execute: async (_, context) => {
      // The sub-agent's configuration repeats `outer`. `outer` must still wrap each step only once.
      const config = { name: "expert", model: scriptedModel([{ text: "42" }]), around: outer };
      return (await runSubAgentTask(boss, config, "?", { context })).finalText;
    },
  });
  await boss.initialize();
  await boss.run("?", { around: around("run") });
  await boss.terminate();
  const step = (text: string) => [`agent ${text}`, `run ${text}`];
  assertEquals(steps, [
    ...step("run boss"),
    ...step("model boss"),
    ...step("tool boss"),
    ...step("run boss/expert"),
    ...step("model boss/expert"),
    ...step("model boss"),
  ]);
});

Deno.test("around wraps the steps of a streamed run", async () => {
  const { around, steps } = recorder();
  for await (const _ of streamToolLoop(configOf(around), "go"));
  assertEquals([steps.length, steps.at(-1)], [10, "< scout run"]);
});

Deno.test("next() rejects if the run is aborted", async () => {
  const { around, steps } = recorder();
  const gate = createGate();
  const controller = new AbortController();
  const registry = new ToolRegistry([
    { name: "look", inputSchema: {}, execute: () => gate.wait() },
  ]);
  const config = configOf(around, { registry, signal: controller.signal, graceMs: 0 });
  const run = runToolLoop(config, "go");
  await gate.reached;
  controller.abort();
  const output = await run;
  gate.release();
  assertEquals([output.stopReason, steps.at(-1)], ["aborted", "< scout run"]);
  assertEquals(output.iterations[0]?.toolResults.map(({ code }) => code), [
    "outcome_unknown",
    "outcome_unknown",
  ]);
});

const KINDS = ["run", "model", "tool"] as const;

/** Returns a value that is assignable to every type. */
function anything(): ReturnType<typeof JSON.parse> {
  return JSON.parse('"another outcome"');
}

/** Functions that violate the contract of `around`, and the expected error texts. */
const VIOLATIONS: readonly [violate: Around, text: string, isExecuted: boolean][] = [
  [() => Promise.resolve(anything()), 'did not call "next"', false],
  [() => Promise.reject(new Error("tired")), "threw an exception: tired", false],
  [
    () => {
      throw new Error("broken");
    },
    "threw an exception: broken",
    false,
  ],
  [
    async (_, next) => {
      await next();
      return next();
    },
    'called "next" more than once',
    true,
  ],
  [
    async (_, next) => {
      const outcome = await next();
      await next().catch(() => {});
      return outcome;
    },
    'called "next" more than once',
    true,
  ],
  [
    async (_, next) => {
      await next();
      return anything();
    },
    'did not return the outcome of "next"',
    true,
  ],
  [
    async (_, next) => {
      await next();
      throw new Error("late");
    },
    "threw an exception: late",
    true,
  ],
  [
    (_, next) => {
      void next();
      return anything();
    },
    'did not return the outcome of "next"',
    true,
  ],
];

Deno.test('the run fails with code core if around does not call "next" exactly once and return its outcome', async () => {
  for (const kind of KINDS) {
    for (const [violate, text, isExecuted] of VIOLATIONS) {
      let executions = 0;
      const registry = new ToolRegistry([
        { name: "look", inputSchema: {}, execute: () => ++executions },
      ]);
      const model = scriptedModel([{ calls: [{ toolName: "look" }] }, { text: "done" }]);
      const around: Around = (step, next) => step.kind === kind ? violate(step, next) : next();
      const error = await assertRejects(
        () => runToolLoop(configOf(around, { model, registry }), "go"),
        AgentError,
        `Cannot execute a ${kind} step: "around" `,
      );
      assertEquals([error.code, error.message.includes(text)], ["core", true], error.message);
      assert(executions <= 1 && model.requests.length <= 2, error.message);
      if (kind === "model") assertEquals(executions, 0, error.message);
      if (isExecuted) continue;
      assertEquals(kind === "tool" ? executions : model.requests.length, 0, error.message);
    }
  }
});

Deno.test("a run that fails because around violates its contract has a valid transcript", async () => {
  const around: Around = async (step, next) => {
    const outcome = await next();
    if (step.kind === "tool") throw new Error("late");
    return outcome;
  };
  const error = await assertRejects(() => runToolLoop(configOf(around), "go"), AgentError);
  const { messages }: Partial<ToolLoopOutput> = error.partialOutput ?? {};
  assertEquals(messages?.map(({ role }) => role), ["user", "assistant", "tool"]);
});

Deno.test('calling "next" after around has returned does not execute the step', async () => {
  const late: (() => Promise<unknown>)[] = [];
  const around: Around = (_, next) => {
    late.push(next);
    return Promise.reject(new Error("no"));
  };
  const config = configOf(around);
  await assertRejects(() => runToolLoop(config, "go"), AgentError, "no");
  await assertRejects(() => Promise.resolve(late[0]?.()), AgentError, "too late");
  assertEquals(scriptedModel([]).requests.length, 0);
});

Deno.test("combineAround() calls each function once", async () => {
  const names: string[] = [];
  const around = (name: string): Around => (_, next) => {
    names.push(name);
    return next();
  };
  const [a, b, c] = [around("a"), around("b"), around("c")];
  assertEquals(combineAround([undefined]), undefined);
  assertStrictEquals(combineAround([undefined, a, a]), a);
  const combined = combineAround([combineAround([a, b]), c, combineAround([b, c])]);
  const step: StepInfo = { kind: "run", runId: "r", path: [], agentName: "x" };
  const outcome = anything();
  assertStrictEquals(await combined?.(step, () => Promise.resolve(outcome)), outcome);
  assertEquals(names, ["a", "b", "c"]);
});
