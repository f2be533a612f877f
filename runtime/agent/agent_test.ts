import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { AgentLifecycleState, AgentOperation } from "../lifecycle/lifecycle.ts";
import type { LoopEvent } from "../loop/events.ts";
import { AgentError } from "../shared/error.ts";
import {
  createGate,
  findTranscriptViolation,
  type Gate,
  scriptedModel,
  type ScriptedTurn,
} from "../testing.ts";
import { jsonSchema } from "../shared/typed_schema.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { type AgentConfig, ToolLoopAgent } from "./agent.ts";

const TWO_CALLS: ScriptedTurn = { calls: [{ toolName: "work" }, { toolName: "work" }] };

function makeAgent(
  turns: readonly ScriptedTurn[],
  execute: Tool["execute"] = () => "ok",
  config: Partial<AgentConfig> = {},
): ToolLoopAgent {
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel(turns),
    graceMs: 0,
    ...config,
  });
  agent.registry.register({ name: "work", inputSchema: { type: "object" }, execute });
  return agent;
}

async function ready(...args: Parameters<typeof makeAgent>): Promise<ToolLoopAgent> {
  const agent = makeAgent(...args);
  await agent.initialize();
  return agent;
}

/**
 * Functions that create an agent in each state. If the state requires a run in progress, the run
 * waits for `gate`.
 */
const IN_STATE: Readonly<Record<AgentLifecycleState, (gate: Gate) => Promise<ToolLoopAgent>>> = {
  initializing: () => Promise.resolve(makeAgent([{ text: "hi" }])),
  ready: () => ready([{ text: "hi" }]),
  async running(gate) {
    const agent = await ready([() => gate.wait().then(() => ({ text: "hi" }))]);
    void agent.run("go");
    await gate.reached;
    return agent;
  },
  async paused() {
    const agent = await ready([{ text: "hi" }]);
    await agent.pause();
    return agent;
  },
  async terminating(gate) {
    const agent = await ready([{ calls: [{ toolName: "work" }] }], () => gate.wait(), {
      graceMs: 60_000,
    });
    void agent.run("go");
    await gate.reached;
    void agent.terminate();
    return agent;
  },
  async terminated() {
    const agent = await ready([]);
    await agent.terminate();
    return agent;
  },
};

/**
 * Result of each operation in each state: the next state, or `!` followed by the required state if
 * the operation rejects.
 */
const MATRIX: Readonly<Record<AgentLifecycleState, Readonly<Record<AgentOperation, string>>>> = {
  initializing: {
    initialize: "ready",
    run: "ready",
    pause: "!running",
    resume: "!paused",
    terminate: "terminated",
  },
  ready: {
    initialize: "ready",
    run: "ready",
    pause: "paused",
    resume: "!paused",
    terminate: "terminated",
  },
  running: {
    initialize: "!initializing",
    run: "!ready",
    pause: "paused",
    resume: "!paused",
    terminate: "terminated",
  },
  paused: {
    initialize: "!initializing",
    run: "!ready",
    pause: "paused",
    resume: "ready",
    terminate: "terminated",
  },
  terminating: {
    initialize: "!initializing",
    run: "!ready",
    pause: "!running",
    resume: "!paused",
    terminate: "terminated",
  },
  terminated: {
    initialize: "!initializing",
    run: "!ready",
    pause: "!running",
    resume: "!paused",
    terminate: "terminated",
  },
};

function describe(outcome: string): string {
  return outcome.startsWith("!")
    ? `throws because it requires state "${outcome.slice(1)}"`
    : `results in state "${outcome}"`;
}

for (const [state, operations] of Object.entries(MATRIX)) {
  for (const [operation, outcome] of Object.entries(operations)) {
    Deno.test(`ToolLoopAgent.${operation}() in state "${state}" ${describe(outcome)}`, async () => {
      const gate = createGate();
      const agent = await IN_STATE[state as AgentLifecycleState](gate);
      assertEquals(agent.lifecycle.state, state);
      assertEquals(agent.lifecycle.can(operation as AgentOperation), !outcome.startsWith("!"));
      const done = agent[operation as AgentOperation]("go");
      if (outcome.startsWith("!")) {
        const error = await assertRejects(() => done, AgentError);
        assertEquals(error.details, {
          currentState: state,
          requiredState: outcome.slice(1),
          operation,
        });
        assertEquals(agent.lifecycle.state, state);
        gate.release();
      } else {
        gate.release();
        await done;
        assertEquals(agent.lifecycle.state, outcome);
      }
      await agent.terminate();
    });
  }
}

Deno.test("ToolLoopAgent.pause() during a model call suspends the run before any tools are called, and resume() repeats no step", async () => {
  const inModel = createGate();
  const model = scriptedModel([() => inModel.wait().then(() => TWO_CALLS), { text: "done" }]);
  let executed = 0;
  const agent = await ready([], () => ++executed, { model });
  const run = agent.run("go");
  await inModel.reached;
  const paused = agent.pause();
  assertEquals([agent.lifecycle.state, agent.lifecycle.isPauseRequested], ["running", true]);
  inModel.release();
  await paused;
  assertEquals([agent.lifecycle.state, agent.lifecycle.hasActiveRun, executed], [
    "paused",
    true,
    0,
  ]);
  await agent.resume();
  assertEquals([(await run).finalText, executed, model.requests.length], ["done", 2, 2]);
  assertEquals(agent.lifecycle.state, "ready");
});

Deno.test("ToolLoopAgent.resume() in a listener continues the run immediately", async () => {
  for (const early of [true, false]) {
    const inModel = createGate();
    const model = scriptedModel([() => inModel.wait().then(() => TWO_CALLS), { text: "done" }]);
    let resumed = 0;
    const resume = (): void => {
      resumed++;
      void agent.resume();
    };
    const onEvent = (event: LoopEvent): void => {
      if (early && event.type === "run_paused") resume();
    };
    const agent = await ready([], () => 1, { model, onEvent, toolTimeoutMs: 0, modelTimeoutMs: 0 });
    agent.lifecycle.onTransition(({ to }) => {
      if (!early && to === "paused") resume();
    });
    const run = agent.run("go");
    await inModel.reached;
    const paused = agent.pause();
    inModel.release();
    await paused;
    assertEquals([(await run).finalText, resumed, agent.lifecycle.state], ["done", 1, "ready"]);
  }
});

Deno.test("ToolLoopAgent.pause() waits for a running tool and starts no other tool", async () => {
  const inTool = createGate();
  let started = 0;
  const agent = await ready([TWO_CALLS, { text: "done" }], () => {
    started++;
    return inTool.wait();
  }, { toolConcurrency: 1 });
  const run = agent.run("go");
  await inTool.reached;
  const paused = agent.pause();
  inTool.release();
  await paused;
  assertEquals([agent.lifecycle.state, started], ["paused", 1]);
  await agent.resume();
  assertEquals([(await run).finalText, started], ["done", 2]);
});

Deno.test("ToolLoopAgent.resume() cancels a requested pause", async () => {
  const inModel = createGate();
  const agent = await ready([() => inModel.wait().then(() => ({ text: "hi" }))]);
  const run = agent.run("go");
  await inModel.reached;
  const paused = agent.pause();
  await agent.resume();
  await paused;
  assertEquals([agent.lifecycle.state, agent.lifecycle.isPauseRequested], ["running", false]);
  inModel.release();
  assertEquals((await run).finalText, "hi");
});

Deno.test("ToolLoopAgent.pause() pauses the agent even if the run ends before the pause takes effect", async () => {
  const inModel = createGate();
  const agent = await ready([() => inModel.wait().then(() => ({ text: "hi" }))]);
  const run = agent.run("go");
  await inModel.reached;
  const paused = agent.pause();
  inModel.release();
  assertEquals((await run).stopReason, "model_stop");
  await paused;
  assertEquals([agent.lifecycle.state, agent.lifecycle.hasActiveRun], ["paused", false]);
  await agent.resume();
  assertEquals(agent.lifecycle.state, "ready");
});

Deno.test("ToolLoopAgent.terminate() during a tool call ends the run with a valid transcript", async () => {
  const inTool = createGate();
  const agent = await ready([TWO_CALLS], () => inTool.wait(), { toolConcurrency: 1 });
  const run = agent.run("go");
  await inTool.reached;
  await agent.terminate();
  const output = await run;
  assertEquals(output.stopReason, "terminated");
  assertEquals(output.iterations[0]?.toolResults.map(({ code }) => code), [
    "outcome_unknown",
    "not_started",
  ]);
  assertEquals(findTranscriptViolation(output.messages), undefined);
  assert(agent.isTerminated);
  inTool.release();
});

Deno.test("ToolLoopAgent.terminate() ends a suspended run", async () => {
  const inModel = createGate();
  const agent = await ready([() => inModel.wait().then(() => TWO_CALLS)]);
  const run = agent.run("go");
  await inModel.reached;
  const paused = agent.pause();
  inModel.release();
  await paused;
  await agent.terminate();
  assertEquals([(await run).stopReason, agent.lifecycle.state], ["terminated", "terminated"]);
});

Deno.test("ToolLoopAgent.run() leaves the agent ready if the run fails", async () => {
  const agent = await ready([{ error: new Error("no") }, { text: "hi" }]);
  await assertRejects(() => agent.run("go"), AgentError, "no");
  assertEquals((await agent.run("go")).finalText, "hi");
  assertEquals(agent.healthProfile.snapshot().errors, 1);
});

Deno.test("ToolLoopAgent.initialize() can be repeated if onInitialize fails", async () => {
  let tries = 0;
  const onInitialize = (): void => {
    if (++tries === 1) throw new Error("not yet");
  };
  const agent = makeAgent([], undefined, { onInitialize });
  await assertRejects(() => agent.initialize(), AgentError, "not yet");
  assertEquals(agent.lifecycle.state, "initializing");
  await Promise.all([agent.initialize(), agent.initialize()]);
  assertEquals([agent.lifecycle.state, tries], ["ready", 2]);
});

Deno.test("ToolLoopAgent.run() initializes the agent once, before the first model call", async () => {
  const order: string[] = [];
  const agent = makeAgent([{ text: "one" }, { text: "two" }], undefined, {
    onInitialize: () => void order.push("initialize"),
    onEvent: ({ type }) => void (type === "model_started" && order.push("model")),
  });
  const states: string[] = [];
  agent.lifecycle.onTransition(({ to }) => states.push(to));
  assertEquals((await agent.run("go")).finalText, "one");
  assertEquals((await agent.run("go")).finalText, "two");
  assertEquals(order, ["initialize", "model", "model"]);
  assertEquals(states, ["ready", "running", "ready", "running", "ready"]);
});

Deno.test("During an initialization, ToolLoopAgent.run() rejects, and initialize() waits for it to end", async () => {
  for (const begin of ["run", "initialize"] as const) {
    const gate = createGate();
    const agent = makeAgent([{ text: "hi" }, { text: "hi" }], undefined, {
      onInitialize: () => gate.wait(),
    });
    const first = agent[begin]("go");
    await gate.reached;
    assertEquals(agent.lifecycle.state, "initializing");
    assertEquals([agent.lifecycle.can("run"), agent.lifecycle.hasActiveRun], [
      false,
      begin === "run",
    ]);
    const error = await assertRejects(() => agent.run("go"), AgentError);
    assertEquals(error.details, {
      currentState: "initializing",
      requiredState: "ready",
      operation: "run",
    });
    const joined = agent.initialize();
    gate.release();
    await Promise.all([first, joined]);
    assertEquals((await agent.run("go")).finalText, "hi");
  }
});

Deno.test("ToolLoopAgent.run() rejects if onInitialize or an event listener calls it during the initialization", async () => {
  const errors: unknown[] = [];
  const again = (agent: ToolLoopAgent): Promise<unknown> =>
    agent.run("again").catch((error) => errors.push(error));
  const agent = makeAgent([{ text: "hi" }], undefined, {
    onInitialize: async (self) => void await again(self),
  });
  agent.lifecycle.onTransition(({ trigger }) => {
    if (trigger === "initialized") void again(agent);
  });
  assertEquals((await agent.run("go")).finalText, "hi");
  assertEquals(errors.map((error) => AgentError.isAgentError(error) && error.code), [
    "invalid_state",
    "invalid_state",
  ]);
});

Deno.test("ToolLoopAgent.initialize() joins the initialization in progress if onInitialize calls it", async () => {
  let calls = 0;
  const joined: Promise<void>[] = [];
  const agent = makeAgent([{ text: "hi" }], undefined, {
    onInitialize: (self) => {
      calls++;
      joined.push(self.initialize());
    },
  });
  assertEquals([(await agent.run("go")).finalText, calls], ["hi", 1]);
  await Promise.all(joined);
});

Deno.test("ToolLoopAgent.run() rejects with code core if onInitialize fails, and can be repeated", async () => {
  let tries = 0;
  const agent = makeAgent([{ text: "hi" }], undefined, {
    onInitialize: () => {
      if (++tries === 1) throw new Error("not yet");
    },
  });
  const error = await assertRejects(() => agent.run("go"), AgentError, "not yet");
  assertEquals([error.code, agent.lifecycle.state, agent.lifecycle.hasActiveRun], [
    "core",
    "initializing",
    false,
  ]);
  assertEquals([(await agent.run("go")).finalText, tries], ["hi", 2]);
});

Deno.test("ToolLoopAgent.run() validates its arguments before it initializes the agent", async () => {
  let calls = 0;
  const agent = makeAgent([{ text: "hi" }], undefined, { onInitialize: () => void calls++ });
  await assertRejects(() => agent.run([]), TypeError);
  await assertRejects(() => agent.run(undefined), TypeError);
  assertEquals([calls, agent.lifecycle.state], [0, "initializing"]);
  assertEquals((await agent.run("go")).finalText, "hi");
});

Deno.test("ToolLoopAgent.terminate() ends a run that is initializing the agent, without waiting for onInitialize", async () => {
  const gate = createGate();
  const agent = makeAgent([], undefined, { onInitialize: () => gate.wait() });
  const run = agent.run("go");
  await gate.reached;
  const joined = agent.initialize();
  const rejected = assertRejects(() => joined, AgentError, "initialize");
  await agent.terminate();
  const output = await run;
  assertEquals([output.stopReason, output.iterations], ["terminated", []]);
  assertEquals(findTranscriptViolation(output.messages), undefined);
  gate.release();
  await rejected;
  assertEquals(agent.lifecycle.history.map(({ to }) => to), ["terminating", "terminated"]);
});

Deno.test("ToolLoopAgent.run() ends if aborted during the initialization, and a later error of onInitialize is reported", async () => {
  for (const fails of [false, true]) {
    const gate = createGate();
    const errors: unknown[] = [];
    const controller = new AbortController();
    const agent = makeAgent([{ text: "hi" }], undefined, {
      onInitialize: async () => {
        await gate.wait();
        if (fails && errors.length === 0) throw new Error("too late");
      },
      onError: (error) => errors.push(error),
    });
    const run = agent.run("go", { signal: controller.signal });
    await gate.reached;
    controller.abort();
    assertEquals((await run).stopReason, "aborted");
    await assertRejects(() => agent.run("go"), AgentError, "initializing");
    const initialized = agent.initialize();
    gate.release();
    if (fails) await assertRejects(() => initialized, AgentError, "too late");
    else await initialized;
    assertEquals(errors.map(String), fails ? [String(errors[0])] : []);
    assertEquals((await agent.run("go")).finalText, "hi");
  }
});

Deno.test("ToolLoopAgent.run() with an aborted signal does not initialize the agent", async () => {
  let calls = 0;
  const agent = makeAgent([{ text: "hi" }], undefined, { onInitialize: () => void calls++ });
  const { stopReason } = await agent.run("go", { signal: AbortSignal.abort() });
  assertEquals([stopReason, calls, agent.lifecycle.state], ["aborted", 0, "initializing"]);
  assertEquals((await agent.run("go")).finalText, "hi");
});

Deno.test("ToolLoopAgent.stream() initializes the agent, yields the events of the run and returns its output", async () => {
  const perRun: string[] = [];
  const perAgent: string[] = [];
  const agent = makeAgent([{ calls: [{ toolName: "work" }] }, { text: "a b" }], undefined, {
    onEvent: ({ type }) => perAgent.push(type),
  });
  const stream = agent.stream("go", { onEvent: ({ type }) => perRun.push(type) });
  assertEquals(agent.lifecycle.state, "initializing");
  const types: string[] = [];
  let step = await stream.next();
  for (; step.done !== true; step = await stream.next()) types.push(step.value.type);
  assertEquals([types.at(0), types.at(-1)], ["run_started", "run_finished"]);
  assertEquals([perRun, perAgent], [types, types]);
  assertEquals(step.value?.finalText, "a b");
  assertEquals(agent.lifecycle.state, "ready");
});

Deno.test("ToolLoopAgent.stream() aborts the run when the reader leaves the loop", async () => {
  const inTool = createGate();
  const agent = makeAgent([TWO_CALLS, { text: "never" }], () => inTool.wait());
  for await (const { type } of agent.stream("go")) if (type === "tool_started") break;
  assertEquals(agent.lifecycle.state, "ready");
  assertEquals(agent.healthProfile.inferenceCalls, 1);
  inTool.release();
});

Deno.test("ToolLoopAgent.stream() can be paused and resumed", async () => {
  const agent = makeAgent([TWO_CALLS, { text: "done" }]);
  const types: string[] = [];
  let paused: Promise<void> | undefined;
  for await (const { type } of agent.stream("go")) {
    if (type === "tool_input_delta") paused ??= agent.pause();
    if (type === "run_paused") {
      await paused;
      assertEquals(agent.lifecycle.state, "paused");
      await agent.resume();
    }
    if (type === "run_paused" || type === "run_resumed") types.push(type);
  }
  assertEquals(types, ["run_paused", "run_resumed"]);
});

Deno.test("ToolLoopAgent.stream() waits for a slow reader and does not report the wait as a pause", async () => {
  let executed = 0;
  const agent = makeAgent([TWO_CALLS, TWO_CALLS, { text: "done" }], () => ++executed);
  const stream = agent.stream("go", { maxQueued: 1 });
  const types: string[] = [];
  const first = await stream.next();
  if (!first.done) types.push(first.value.type);
  assertEquals(executed, 0);
  for await (const { type } of stream) types.push(type);
  assertEquals([executed, types.includes("run_paused"), types.at(-1)], [4, false, "run_finished"]);
});

Deno.test("ToolLoopAgent.stream() throws if an option is invalid, and rejects while a run is in progress", async () => {
  const gate = createGate();
  const agent = makeAgent([() => gate.wait().then(() => ({ text: "hi" }))]);
  assertThrows(() => agent.stream("go", { maxQueued: 0 }), RangeError);
  assertThrows(() => agent.stream("go", { runId: "" }), TypeError);
  const run = agent.run("go");
  await gate.reached;
  await assertRejects(() => agent.stream("go").next(), AgentError, "running");
  await agent.stream("go").return();
  gate.release();
  assertEquals((await run).finalText, "hi");
});

Deno.test("ToolLoopAgent.terminate() calls onTerminate once and terminates even if onTerminate fails", async () => {
  let calls = 0;
  const agent = await ready([], undefined, {
    onTerminate: () => {
      calls++;
      throw new Error("stuck");
    },
  });
  await assertRejects(() => agent.terminate(), AgentError, "stuck");
  await assertRejects(() => agent.terminate(), AgentError, "stuck");
  assertEquals([calls, agent.isTerminated], [1, true]);
});

Deno.test("ToolLoopAgent.terminate() calls onTerminate once if a listener calls terminate()", async () => {
  for (const prepare of [makeAgent, ready]) {
    let calls = 0;
    const agent = await prepare([], undefined, {
      onTerminate: () => {
        calls++;
      },
    });
    let again: Promise<void> | undefined;
    agent.lifecycle.onTransition(() => {
      again = agent.terminate();
    });
    const first = agent.terminate();
    assert(agent.isTerminated);
    assertEquals(again, first);
    await first;
    assertEquals(calls, 1);
  }
});

Deno.test("LifecycleManager delivers transitions in order if a listener causes another transition", async () => {
  const agent = makeAgent([]);
  agent.lifecycle.onTransition(({ to }) => {
    if (to === "ready") void agent.terminate();
  });
  const seen: string[] = [];
  agent.lifecycle.onTransition(({ to }) => seen.push(to));
  await agent.initialize();
  await agent.terminate();
  assertEquals(seen, ["ready", "terminated"]);
});

Deno.test("ToolLoopAgent terminates when it is disposed", async () => {
  let agent: ToolLoopAgent | undefined;
  {
    await using disposable = await ready([{ text: "hi" }]);
    agent = disposable;
    await disposable.run("go");
  }
  assert(agent.isTerminated);
});

Deno.test("ToolLoopAgent.terminate() can be called by a tool of the agent", async () => {
  const agent: ToolLoopAgent = await ready([TWO_CALLS], () => agent.terminate());
  assertEquals((await agent.run("go")).stopReason, "terminated");
  await agent.terminate();
});

Deno.test("the agent's onError receives the failures of transition listeners, and all listeners are called", async () => {
  const thrown = new Error("thrown");
  const rejected = new Error("rejected");
  const reported: unknown[] = [];
  const agent = makeAgent([{ text: "hi" }], undefined, {
    onError: (error) => void reported.push(error),
  });
  agent.lifecycle.onTransition(({ to }) => {
    if (to === "running") throw thrown;
  });
  agent.lifecycle.onTransition(async ({ to }) => {
    await Promise.resolve();
    if (to === "running") throw rejected;
  });
  const seen: string[] = [];
  agent.lifecycle.onTransition(({ to }) => seen.push(to));
  await agent.run("go");
  await agent.terminate();
  assertEquals(seen, ["ready", "running", "ready", "terminated"]);
  assertEquals(reported, [thrown, rejected]);
});

Deno.test("LifecycleManager stops calling a removed listener and keeps the last 64 transitions", async () => {
  const agent = makeAgent([{ text: "hi" }]);
  const seen: string[] = [];
  const end = agent.lifecycle.onTransition(({ to }) => seen.push(to));
  await agent.initialize();
  await agent.run("go");
  end();
  await agent.terminate();
  assertEquals(seen, ["ready", "running", "ready"]);
  assertEquals(agent.lifecycle.history.map(({ trigger }) => trigger), [
    "initialized",
    "run",
    "settled",
    "terminate",
  ]);
});

Deno.test("new ToolLoopAgent() throws if the configuration is invalid", () => {
  const model = scriptedModel([]);
  assertThrows(() => new ToolLoopAgent({ name: "", model }), TypeError);
  assertThrows(() => new ToolLoopAgent({ name: "a", model: {} as never }), TypeError);
  assertThrows(() => new ToolLoopAgent({ name: "a", model, maxIterations: 0 }), RangeError);
});

Deno.test("the tools in an agent's configuration are registered after the tools in its registry", async () => {
  const registry = new ToolRegistry([{ name: "old", inputSchema: {}, execute: () => 1 }]);
  const model = scriptedModel([{ calls: [{ toolName: "new", input: { n: 2 } }] }, { text: "ok" }]);
  const agent = new ToolLoopAgent({
    name: "a",
    model,
    registry,
    tools: [
      {
        name: "new",
        inputSchema: jsonSchema<{ n: number }>({ type: "object" }),
        execute: ({ n }) => n * 2,
      },
      { name: "last", inputSchema: {}, execute: () => 1 },
    ],
  });
  assertEquals(registry.names(), ["old", "new", "last"]);
  await agent.initialize();
  const output = await agent.run("go");
  assertEquals(output.iterations[0]?.toolResults[0]?.output, { type: "json", value: 4 });
  assertEquals(model.requests[0]?.tools.map(({ name }) => name), ["old", "new", "last"]);
});

Deno.test("the ToolLoopAgent constructor leaves the registry unchanged if a tool cannot be registered", () => {
  const tool = (name: string): Tool => ({ name, inputSchema: {}, execute: () => 1 });
  const registry = new ToolRegistry([tool("old")]);
  const model = scriptedModel([]);
  const create = (tools: Tool[]) => () => new ToolLoopAgent({ name: "a", model, registry, tools });
  assertEquals(assertThrows(create([tool("new"), tool("old")]), AgentError).code, "core");
  assertEquals(assertThrows(create([tool("new"), tool("new")]), AgentError).code, "core");
  assertThrows(create([tool("new"), tool("not a name")]), TypeError);
  assertEquals(registry.names(), ["old"]);
});

Deno.test("ToolLoopAgent has read-only properties", () => {
  const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([]) });
  for (const name of ["name", "agentDid", "registry", "healthProfile", "lifecycle"]) {
    assert(!Reflect.set(agent, name, "another"), name);
  }
});

Deno.test('ToolLoopAgent.pause() suspends the run before the final model call of `onMaxIterations: "finalize"`', async () => {
  const working = createGate();
  const model = scriptedModel([{ calls: [{ toolName: "work" }] }, { text: "final" }]);
  const agent = new ToolLoopAgent({
    name: "a",
    model,
    maxIterations: 1,
    onMaxIterations: "finalize",
  });
  agent.registry.register({ name: "work", inputSchema: {}, execute: () => working.wait() });
  await agent.initialize();
  const run = agent.run("go");
  await working.reached;
  const paused = agent.pause();
  working.release();
  await paused;
  assertEquals([agent.lifecycle.state, model.requests.length], ["paused", 1]);
  await agent.resume();
  const output = await run;
  assertEquals([output.finalText, output.stopReason], ["final", "max_iterations"]);
  await agent.terminate();
});

Deno.test("ToolLoopAgent.run() uses the agent's settings if options of the run are undefined", async () => {
  const times: number[] = [];
  const agent = makeAgent([{ text: "{}" }], () => "ok", {
    now: () => 7,
    onEvent: ({ at }) => times.push(at),
    output: { type: "object" },
    outputMode: "native",
  });
  const options = { now: undefined, output: undefined, messages: undefined, onEvent: undefined };
  // The options of a program without a type check may contain `undefined`.
  const run: unknown = Reflect.apply(agent.run, agent, ["go", options]);
  assertEquals(Reflect.get(Object(await run), "value"), {});
  assertEquals([...new Set(times)], [7]);
  await agent.terminate();
});
