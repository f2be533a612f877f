import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { asTool } from "../agent/agent_tool.ts";
import { createSubAgent, runSubAgentTask } from "../agent/sub_agent.ts";
import { MemoryJournal, recordSteps, type StepRunner } from "../journal.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { ApprovalDecision } from "./approval.ts";
import type { IterationPlan } from "./iteration_plan.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

/** Creates a registry with the tool `work`, and the names of the executed tools. */
function createTools(): { registry: ToolRegistry; executed: string[]; another: Tool } {
  const executed: string[] = [];
  const tool = (label: string): Tool => ({
    name: "work",
    description: "Works",
    inputSchema: { type: "object" },
    execute: () => void executed.push(label),
  });
  return { registry: new ToolRegistry([tool("work")]), executed, another: tool("another") };
}

const CALL: ScriptedTurn = { calls: [{ toolName: "work" }] };

/** Changes of a registry after which a grant for `work` must not apply. */
const CHANGES: Readonly<Record<string, (registry: ToolRegistry, another: Tool) => void>> = {
  removes: (registry) => void registry.unregister("work"),
  replaces: (registry, another) => registry.register(another, { replace: true }),
  hides: (registry, another) => registry.register(another, { replace: true, hidden: true }),
  "removes and registers": (registry, another) => {
    registry.unregister("work");
    registry.register(another);
  },
};

function codesOf({ iterations }: ToolLoopOutput): readonly unknown[] {
  return iterations[0]?.toolResults.map(({ code }) => code) ?? [];
}

for (const [name, change] of Object.entries(CHANGES)) {
  Deno.test(`runToolLoop() does not execute an approved tool if the handler ${name} it`, async () => {
    for (const journal of [{}, { stepRunner: recordSteps(new MemoryJournal()) }]) {
      const { another, executed, registry } = createTools();
      const output = await runToolLoop({
        model: scriptedModel([CALL, { text: "done" }]),
        registry,
        approvalHandler: () => {
          change(registry, another);
          return true;
        },
        ...journal,
      }, "go");
      assertEquals([executed, codesOf(output)], [[], ["tool_not_found"]]);
    }
  });

  Deno.test(`runToolLoop() does not execute a tool if an earlier tool of the response ${name} it`, async () => {
    const { another, executed, registry } = createTools();
    registry.register({
      name: "change",
      inputSchema: { type: "object" },
      execute: () => change(registry, another),
    });
    const calls = [{ toolName: "change" }, { toolName: "work" }];
    const model = scriptedModel([{ calls }, { text: "done" }]);
    const output = await runToolLoop({ model, registry, toolConcurrency: 1 }, "go");
    assertEquals([executed, codesOf(output)], [[], [undefined, "tool_not_found"]]);
  });

  Deno.test(`runToolLoop() does not execute a planned tool if the program ${name} it during the model call`, async () => {
    const { another, executed, registry } = createTools();
    const turn: ScriptedTurn = () => {
      change(registry, another);
      return CALL;
    };
    const prepareIteration = ({ iteration }: { iteration: number }): IterationPlan =>
      iteration === 0 ? { tools: ["work"] } : {};
    const output = await runToolLoop({
      model: scriptedModel([turn, { text: "done" }]),
      registry,
      prepareIteration,
    }, "go");
    assertEquals([executed, codesOf(output)], [[], ["tool_not_found"]]);
  });

  Deno.test(`runToolLoop() does not execute a tool if the program ${name} it while its start is recorded, or in around`, async () => {
    const inner = recordSteps(new MemoryJournal());
    const wrappers: readonly ((change: () => void) => Partial<ToolLoopConfig>)[] = [
      (change) => ({
        stepRunner: {
          ...inner,
          async run(key, kind, step) {
            if (kind === "begin") change();
            return await inner.run(key, kind, step);
          },
        },
      }),
      (change) => ({
        around: async (step, next) => {
          if (step.kind === "tool") change();
          return await next();
        },
      }),
    ];
    for (const wrap of wrappers) {
      for (const onToolError of ["continue", "throw"] as const) {
        const { another, executed, registry } = createTools();
        const events: string[] = [];
        const output = await runToolLoop({
          model: scriptedModel([CALL, { text: "done" }]),
          registry,
          approvalHandler: () => true,
          onToolError,
          onEvent: ({ type }) => events.push(type),
          ...wrap(() => change(registry, another)),
        }, "go");
        assertEquals([executed, codesOf(output)], [[], ["tool_not_found"]]);
        assertEquals(events.includes("tool_started"), false);
      }
    }
  });
}

Deno.test("runToolLoop() executes the function that a tool had when it was registered", async () => {
  const executed: string[] = [];
  const tool = {
    name: "work",
    inputSchema: { type: "object" },
    label: "work",
    execute(): void {
      executed.push(this.label);
    },
  };
  const registry = new ToolRegistry([tool]);
  await runToolLoop({
    model: scriptedModel([CALL, { text: "done" }]),
    registry,
    approvalHandler: () => {
      tool.execute = () => void executed.push("another");
      return true;
    },
  }, "go");
  assertEquals(executed, ["work"]);
});

const DEFER: ApprovalDecision = { decision: "defer" };
const APPROVE: ApprovalDecision = { decision: "approve" };

/** Defers a call to `work`, changes the registry, and approves the call in a second run. */
async function approveLater(
  change: (registry: ToolRegistry, another: Tool) => ToolRegistry | void,
  journal?: MemoryJournal,
): Promise<{ readonly executed: readonly string[]; readonly stopReason: string }> {
  const { another, executed, registry } = createTools();
  const callOrEnd: ScriptedTurn = ({ messages }) =>
    messages.at(-1)?.role === "tool" ? { text: "done" } : CALL;
  const run = (registry: ToolRegistry, config: Partial<ToolLoopConfig>) =>
    runToolLoop({
      model: scriptedModel([callOrEnd, callOrEnd]),
      registry,
      runId: "r",
      onError: () => {},
      ...journal && { stepRunner: recordSteps(journal) },
      ...config,
    }, "go");
  const { pending } = await run(registry, { approvalHandler: () => DEFER });
  const changed = change(registry, another) ?? registry;
  const decisions = { [pending?.approvals[0]?.key ?? ""]: APPROVE };
  const { stopReason } = await run(changed, { decisions });
  return { executed, stopReason };
}

for (const journal of ["without", "with"]) {
  const open = () => journal === "with" ? new MemoryJournal() : undefined;

  Deno.test(`runToolLoop() does not use a deferred decision for another tool, ${journal} a journal`, async () => {
    const changes: readonly Partial<Tool>[] = [
      { description: "Deletes" },
      { inputSchema: { type: "object", properties: { all: {} } } },
      { annotations: { destructive: true } },
      {},
    ];
    for (const change of changes) {
      const replace = (registry: ToolRegistry, another: Tool) =>
        registry.register({ ...another, ...change }, { replace: true });
      const { executed, stopReason } = await approveLater(replace, open());
      assertEquals([executed, stopReason], [[], "approval_pending"]);
    }
    const { executed } = await approveLater((registry, another) => {
      registry.unregister("work");
      registry.register(another);
    }, open());
    assertEquals(executed, []);
  });

  Deno.test(`runToolLoop() uses a deferred decision for the same tool, also after a restart, ${journal} a journal`, async () => {
    const unchanged = await approveLater(() => {}, open());
    assertEquals(unchanged, { executed: ["work"], stopReason: "model_stop" });
    const other: Tool = { name: "other", inputSchema: { type: "object" }, execute: () => "ok" };
    const unrelated = await approveLater((registry) => {
      registry.register(other);
      registry.unregister("other");
    }, open());
    assertEquals(unrelated, { executed: ["work"], stopReason: "model_stop" });
    // After a restart, the registry is another object with the same tools.
    const restarted = await approveLater((_, another) => new ToolRegistry([another]), open());
    assertEquals(restarted, { executed: ["another"], stopReason: "model_stop" });
  });
}

Deno.test("runToolLoop() does not use a recorded approval for another tool", async () => {
  const changes: readonly ((registry: ToolRegistry, another: Tool) => ToolRegistry | void)[] = [
    (registry, another) => registry.register(another, { replace: true }),
    (_, another) => new ToolRegistry([{ ...another, description: "Deletes" }]),
    () => {},
  ];
  for (const change of changes) {
    const { another, executed, registry } = createTools();
    const stepRunner = recordSteps(new MemoryJournal());
    const controller = new AbortController();
    const run = (registry: ToolRegistry, config: Partial<ToolLoopConfig>) =>
      runToolLoop({
        model: scriptedModel([CALL, { text: "done" }]),
        registry,
        runId: "r",
        stepRunner,
        ...config,
      }, "go");
    const first = await run(registry, {
      approvalHandler: () => true,
      signal: controller.signal,
      stepRunner: stepRunnerThatAborts(stepRunner, controller),
    });
    assertEquals([first.stopReason, executed], ["aborted", []]);
    const changed = change(registry, another) ?? registry;
    const isSame = change === changes.at(-1);
    const model = scriptedModel([{ text: "done" }]);
    const output = await run(changed, { approvalHandler: () => false, model });
    assertEquals(executed, isSame ? ["work"] : []);
    assertEquals(codesOf(output), [isSame ? undefined : "approval_denied"]);
    // A recorded result is replayed, even if the tool changes later.
    if (isSame) {
      registry.register(another, { replace: true });
      const replayed = await run(registry, {
        approvalHandler: () => false,
        model: scriptedModel([]),
      });
      assertEquals([executed, codesOf(replayed)], [["work"], [undefined]]);
    }
  }
});

/** Approves a tool that waits for a signal, changes the registry, and resumes the run. */
async function resumeAfterWait(
  change: (registry: ToolRegistry, another: Tool) => ToolRegistry | void,
  { handler, ...config }: Partial<ToolLoopConfig> & { handler: boolean },
  annotations?: Tool["annotations"],
): Promise<{ readonly executed: readonly string[]; readonly output: ToolLoopOutput }> {
  const executed: string[] = [];
  const tool = (label: string): Tool => ({
    name: "work",
    description: "Works",
    inputSchema: { type: "object" },
    ...annotations && { annotations },
    execute: async (_input, { wait }) => {
      await wait("go");
      executed.push(label);
    },
  });
  const registry = new ToolRegistry([tool("work")]);
  const stepRunner = recordSteps(new MemoryJournal());
  const callOrEnd: ScriptedTurn = ({ messages }) =>
    messages.at(-1)?.role === "tool" ? { text: "done" } : CALL;
  const run = (registry: ToolRegistry, more: Partial<ToolLoopConfig>) =>
    runToolLoop({
      model: scriptedModel([callOrEnd, callOrEnd]),
      registry,
      runId: "r",
      stepRunner,
      onError: () => {},
      ...config,
      ...more,
    }, "go");
  const approvalHandler = () => true;
  const first = await run(registry, handler ? { approvalHandler } : { decisions: {} });
  const decisions = { [first.pending?.approvals[0]?.key ?? ""]: APPROVE };
  const second = handler ? first : await run(registry, { decisions });
  assertEquals(second.stopReason, "waiting");
  const changed = change(registry, tool("another")) ?? registry;
  const more = handler ? { approvalHandler: () => false } : { decisions: {} };
  return { executed, output: await run(changed, { ...more, signals: { go: 1 } }) };
}

Deno.test("runToolLoop() does not execute another tool instead of an approved tool that waits", async () => {
  const changes: readonly Parameters<typeof resumeAfterWait>[0][] = [
    (registry, another) => registry.register(another, { replace: true }),
    (registry, another) => {
      registry.unregister("work");
      registry.register(another);
    },
    (_, another) => new ToolRegistry([{ ...another, description: "Deletes" }]),
  ];
  for (const change of changes) {
    for (const handler of [true, false]) {
      for (const onUnknownOutcome of ["tell", "ask", "repeat"] as const) {
        for (const annotations of [undefined, { readOnly: true }]) {
          const config = { handler, onUnknownOutcome };
          const { executed } = await resumeAfterWait(change, config, annotations);
          assertEquals(executed, []);
        }
      }
    }
  }
});

Deno.test("runToolLoop() resumes an approved tool that waits, also after a restart", async () => {
  for (const handler of [true, false]) {
    for (const annotations of [undefined, { readOnly: true }]) {
      const same = await resumeAfterWait(() => {}, { handler }, annotations);
      assertEquals(same.executed, ["work"]);
      const restart = await resumeAfterWait(
        (_, another) => new ToolRegistry([another]),
        { handler },
        annotations,
      );
      assertEquals(restart.executed, ["another"]);
    }
  }
});

Deno.test("runToolLoop() defers the decision on a tool that replaced a tool that was started without one", async () => {
  for (const annotations of [undefined, { readOnly: true }]) {
    const executed: string[] = [];
    const tool = (description: string): Tool => ({
      name: "work",
      description,
      inputSchema: { type: "object" },
      ...annotations && { annotations },
      execute: async (_input, { wait }) => {
        await wait("go");
        executed.push(description);
      },
    });
    const registry = new ToolRegistry([tool("one")]);
    const stepRunner = recordSteps(new MemoryJournal());
    const run = (more: Partial<ToolLoopConfig>, turn: ScriptedTurn = { text: "done" }) =>
      runToolLoop({
        model: scriptedModel([turn]),
        registry,
        runId: "r",
        stepRunner,
        ...more,
      }, "go");
    assertEquals((await run({}, CALL)).stopReason, "waiting");
    registry.register(tool("two"), { replace: true });
    const asked = await run({ decisions: {} });
    assertEquals([asked.stopReason, executed], ["approval_pending", []]);
    const key = asked.pending?.approvals[0]?.key ?? "";
    assertEquals((await run({ decisions: { [key]: APPROVE } })).stopReason, "waiting");
    // The call of the approved tool was started, so no further decision is needed.
    const resumed = await run({ decisions: {}, signals: { go: 1 } });
    assertEquals([resumed.stopReason, executed], ["model_stop", ["two"]]);
  }
});

/** Aborts a run after an approval was recorded. */
function stepRunnerThatAborts(inner: StepRunner, controller: AbortController): StepRunner {
  return {
    async run(key, kind, step) {
      const value = await inner.run(key, kind, step);
      if (kind === "approval") controller.abort();
      return value;
    },
  };
}

/** Runs an agent whose plan allows one tool, which starts a sub-agent that calls `wipe`. */
async function delegate(
  makeTool: (agent: () => ToolLoopAgent, turns: readonly ScriptedTurn[]) => Tool,
  plan: IterationPlan,
): Promise<{ readonly wiped: number; readonly output: ToolLoopOutput }> {
  let wiped = 0;
  const agent: ToolLoopAgent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([
      { calls: [{ toolName: "helper", input: { task: "x" } }] },
      { text: "done" },
    ]),
    prepareIteration: () => plan,
    onError: () => {},
  });
  const wipe: Tool = { name: "wipe", inputSchema: { type: "object" }, execute: () => ++wiped };
  agent.registry.register(wipe);
  agent.registry.register({ ...wipe, name: "secret", execute: () => "ok" }, { hidden: true });
  const turns: ScriptedTurn[] = [
    { calls: [{ toolName: "wipe" }, { toolName: "secret" }] },
    { text: "wiped" },
  ];
  agent.registry.register(makeTool(() => agent, turns));
  return { output: await agent.run("go"), wiped };
}

const HELPERS: Readonly<Record<string, Parameters<typeof delegate>[0]>> = {
  "asTool()": (_agent, turns) =>
    asTool({ name: "helper", description: "d", model: scriptedModel(turns) }) as Tool,
  "asTool() with names": (_agent, turns) =>
    asTool({
      name: "helper",
      description: "d",
      model: scriptedModel(turns),
      allowedTools: ["wipe"],
    }) as Tool,
  "runSubAgentTask()": (agent, turns) => ({
    name: "helper",
    inputSchema: { type: "object" },
    execute: async (_input, context) => {
      const config = { name: "child", model: scriptedModel(turns) };
      return (await runSubAgentTask(agent(), config, "x", { context })).finalText;
    },
  }),
  "runSubAgentTask() of another sub-agent": (agent, turns) => {
    let parent: ToolLoopAgent | undefined;
    return {
      name: "helper",
      inputSchema: { type: "object" },
      execute: async (_input, context) => {
        parent ??= createSubAgent(agent(), { name: "middle", model: scriptedModel([]) });
        const config = { name: "child", model: scriptedModel(turns) };
        return (await runSubAgentTask(parent, config, "x", { context })).finalText;
      },
    };
  },
};

for (const [name, makeTool] of Object.entries(HELPERS)) {
  Deno.test(`${name} grants no tool that the plan of the caller's iteration excludes`, async () => {
    assertEquals((await delegate(makeTool, { tools: ["helper"] })).wiped, 0);
    assertEquals((await delegate(makeTool, { tools: ["helper", "wipe"] })).wiped, 1);
    assertEquals((await delegate(makeTool, {})).wiped, 1);
  });
}

Deno.test("runSubAgentTask() grants hidden tools, which a plan cannot name", async () => {
  const { output } = await delegate((agent) => ({
    name: "helper",
    inputSchema: { type: "object" },
    execute: async (_input, context) => {
      const config = { name: "child", model: scriptedModel([{ text: "ok" }]) };
      const granted = { ...config, allowedTools: ["secret"] };
      await runSubAgentTask(agent(), granted, "x", { context });
      const excluded = { ...config, allowedTools: ["wipe"] };
      const error = await assertRejects(() => runSubAgentTask(agent(), excluded, "x", { context }));
      assertStringIncludes(
        String(error),
        'tool "wipe" is not granted by the parent; available tools: secret, helper',
      );
      return "checked";
    },
  }), { tools: ["helper"] });
  assertEquals(output.iterations[0]?.toolResults[0]?.output, { type: "text", value: "checked" });
});

Deno.test("runSubAgentTask() grants no tool that an outer run has excluded or has not granted", async () => {
  for (const plan of [{ tools: ["helper"] }, {}]) {
    for (const allowedTools of [undefined, ["wipe"]]) {
      let wiped = 0;
      const helper = asTool({
        name: "helper",
        description: "d",
        allowedTools: ["ask"],
        model: scriptedModel([{ calls: [{ toolName: "ask" }] }, { text: "asked" }]),
      });
      const wipe: Tool = { name: "wipe", inputSchema: { type: "object" }, execute: () => ++wiped };
      const boss: ToolLoopAgent = new ToolLoopAgent({
        name: "boss",
        model: scriptedModel([
          { calls: [{ toolName: "helper", input: { task: "x" } }] },
          { text: "done" },
        ]),
        prepareIteration: () => plan,
        tools: [wipe, helper],
        onError: () => {},
      });
      const turns: ScriptedTurn[] = [{ calls: [{ toolName: "wipe" }] }, { text: "wiped" }];
      boss.registry.register({
        name: "ask",
        inputSchema: { type: "object" },
        execute: async (_input, context) => {
          const model = scriptedModel(turns);
          const config = { name: "expert", model, ...allowedTools && { allowedTools } };
          return (await runSubAgentTask(boss, config, "x", { context })).finalText;
        },
      }, { hidden: true });
      assertEquals([(await boss.run("go")).stopReason, wiped], ["model_stop", 0]);
    }
  }
});

Deno.test("asTool() and createSubAgent() grant the names that they have checked", async () => {
  const executed: string[] = [];
  const tools = ["read", "wipe"].map((name): Tool => ({
    name,
    inputSchema: { type: "object" },
    execute: () => void executed.push(name),
  }));
  const allowedTools = ["read"];
  const helper = asTool({
    name: "helper",
    description: "d",
    allowedTools,
    model: scriptedModel([{ calls: [{ toolName: "wipe" }] }, { text: "wiped" }]),
  });
  allowedTools.push("wipe");
  const boss = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([
      { calls: [{ toolName: "helper", input: { task: "x" } }] },
      { text: "done" },
    ]),
    tools: [helper, ...tools],
  });
  await boss.run("go");
  assertEquals(executed, []);

  class Names extends Array<string> {
    override [Symbol.iterator]() {
      return ["read", "unknown"].values();
    }
  }
  const names = Names.of("read");
  const error = await assertRejects(async () => {
    await Promise.resolve();
    createSubAgent(boss, { name: "s", model: scriptedModel([]), allowedTools: names });
  });
  assertStringIncludes(String(error), 'tool "unknown" is not granted');
});
