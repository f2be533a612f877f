import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { MemoryJournal, recordSteps, type StepRunner } from "../journal.ts";
import type { ApprovalRequest } from "../loop/approval.ts";
import type { LoopEvent } from "../loop/events.ts";
import { AgentError } from "../shared/error.ts";
import {
  createGate,
  findTranscriptViolation,
  scriptedModel,
  type ScriptedTurn,
} from "../testing.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { ToolLoopAgent } from "./agent.ts";
import { createSubAgent, runSubAgentTask, type SubAgentConfig } from "./sub_agent.ts";

function tool(name: string, execute: Tool["execute"] = () => name): Tool {
  return { name, inputSchema: { type: "object" }, execute };
}

function parentWith(
  names: readonly string[],
  turns: readonly ScriptedTurn[] = [],
  config: Partial<ConstructorParameters<typeof ToolLoopAgent>[0]> = {},
): ToolLoopAgent {
  const parent = new ToolLoopAgent({ name: "parent", model: scriptedModel(turns), ...config });
  for (const name of names) parent.registry.register(tool(name));
  return parent;
}

function child(turns: readonly ScriptedTurn[], more: Partial<SubAgentConfig> = {}): SubAgentConfig {
  return { name: "child", model: scriptedModel(turns), ...more };
}

function call(toolName: string): ScriptedTurn {
  return { calls: [{ toolName }] };
}

Deno.test("createSubAgent() grants the listed tools, or all tools if allowedTools is omitted", () => {
  const parent = parentWith(["a", "b", "c"]);
  assertEquals(createSubAgent(parent, child([])).registry.names(), ["a", "b", "c"]);
  assertEquals(
    createSubAgent(parent, child([], { allowedTools: ["c", "a", "a"] })).registry.names(),
    ["a", "c"],
  );
  assertEquals(createSubAgent(parent, child([], { allowedTools: [] })).registry.names(), []);
});

Deno.test("createSubAgent() throws if the parent does not have a listed tool", () => {
  const parent = parentWith(["a"], [], { agentDid: "did:example:p" });
  const error = assertThrows(
    () => createSubAgent(parent, child([], { allowedTools: ["a", "root"] })),
    AgentError,
  );
  assert(error.isDelegationFailed());
  assertEquals(error.details, {
    parentDid: "did:example:p",
    reason: 'tool "root" is not granted by the parent; available tools: a',
  });
});

Deno.test("createSubAgent() returns an agent that cannot add tools and loses tools that its parent loses", () => {
  const parent = parentWith(["a", "b"]);
  const sub = createSubAgent(parent, child([]));
  parent.registry.register(tool("later"));
  parent.registry.unregister("a");
  assertEquals(sub.registry.names(), ["b"]);
  assert(assertThrows(() => sub.registry.register(tool("mine")), AgentError).isDelegationFailed());
  assertEquals(parent.registry.names(), ["b", "later"]);
});

Deno.test("createSubAgent() throws if the parent is terminated or the nesting is too deep", async () => {
  let agent = parentWith(["a"]);
  for (let depth = 1; depth <= 8; depth++) agent = createSubAgent(agent, child([]));
  assert(assertThrows(() => createSubAgent(agent, child([])), AgentError).isDelegationFailed());
  await agent.terminate();
  assertEquals(
    assertThrows(() => createSubAgent(agent, child([])), AgentError).code,
    "invalid_state",
  );
});

Deno.test("createSubAgent() uses the parent's approval handler if none is configured", async () => {
  const asked: Pick<ApprovalRequest, "agentName" | "path">[] = [];
  const parent = parentWith(["a"], [], {
    approvalHandler: ({ agentName, path }) => {
      asked.push({ agentName, path });
      return false;
    },
  });
  const denied = await runSubAgentTask(parent, child([call("a"), {}]), "go");
  assertEquals(denied.iterations[0]?.toolResults[0]?.code, "approval_denied");
  assertEquals(asked, [{ agentName: "child", path: ["parent", "child"] }]);
  const own = await runSubAgentTask(
    parent,
    child([call("a"), {}], { approvalHandler: () => true }),
    "go",
  );
  assertEquals(own.iterations[0]?.toolResults[0]?.isError, false);
});

Deno.test("runSubAgentTask() terminates the sub-agent and wraps its error with the partial output", async () => {
  const parent = parentWith(["a"]);
  const turns = [call("a"), { error: new Error("no key") }];
  const error = await assertRejects(() => runSubAgentTask(parent, child(turns), "go"), AgentError);
  assert(error.isDelegationFailed());
  assert(AgentError.isAgentError(error.cause) && error.cause.code === "model_error");
  assertEquals(error.partialOutput?.iterations.length, 1);
  assertEquals(parent.healthProfile.delegatedUsage.totalTokens, 2);
});

/** Creates a parent agent whose `ask` tool runs a sub-agent with the given model responses. */
function delegating(
  turns: readonly ScriptedTurn[],
  parentTurns: readonly ScriptedTurn[],
  config: Partial<ConstructorParameters<typeof ToolLoopAgent>[0]> = {},
): ToolLoopAgent {
  const parent = parentWith(["work"], parentTurns, { graceMs: 0, ...config });
  const model = scriptedModel(turns);
  parent.registry.register(tool("ask", async (_input, context) => {
    const sub = { name: "child", model, allowedTools: ["work"] };
    return (await runSubAgentTask(parent, sub, "please", { context })).finalText;
  }));
  return parent;
}

Deno.test("runSubAgentTask() with a context makes the sub-agent's tokens and events part of the run", async () => {
  const events: LoopEvent[] = [];
  const parent = delegating([call("work"), { text: "child's answer" }], [call("ask"), {
    text: "done",
  }]);
  await parent.initialize();
  const output = await parent.run("go", { runId: "r", onEvent: (event) => events.push(event) });
  assertEquals(output.iterations[0]?.toolResults[0]?.output, {
    type: "text",
    value: "child's answer",
  });
  assertEquals(output.totalUsage.totalTokens, 8);
  assertEquals(output.usageByAgent, {
    "parent": { inputTokens: 2, outputTokens: 2, totalTokens: 4 },
    "parent/child": { inputTokens: 2, outputTokens: 2, totalTokens: 4 },
  });
  const inner = events.filter(({ path }) => path.length === 2);
  assertEquals(inner.at(0)?.type, "run_started");
  assertEquals(inner.at(-1)?.type, "run_finished");
  assert(inner.every(({ runId }) => runId === "r/i0/tool/0/child.0"));
  assertEquals(parent.healthProfile.usage.totalTokens, 4);
  assertEquals(parent.healthProfile.delegatedUsage.totalTokens, 4);
});

Deno.test("runSubAgentTask() rejects a context that was not created by the loop", async () => {
  const parent = parentWith([], [call("ask"), {}]);
  const model = scriptedModel([{ text: "done" }]);
  parent.registry.register(
    tool("ask", (_, context) => {
      const copy = { ...context, signal: AbortSignal.timeout(1) };
      return runSubAgentTask(parent, { name: "child", model }, "go", { context: copy });
    }),
  );
  await parent.initialize();
  const output = await parent.run("go");
  assertEquals([output.iterations[0]?.toolResults[0]?.output, model.requests.length], [
    {
      type: "error-text",
      value: 'Cannot delegate from "parent": "context" must be the context that the tool received',
    },
    0,
  ]);
  await parent.terminate();
});

Deno.test("runSubAgentTask() rejects a context that is not an object", async () => {
  const parent = parentWith([], []);
  for (const context of ["text", 5]) {
    const model = scriptedModel([]);
    const run = () => runSubAgentTask(parent, { name: "child", model }, "go", Object({ context }));
    await assertRejects(run, AgentError, '"context" must be the context');
    assertEquals(model.requests.length, 0);
  }
});

Deno.test("ToolLoopAgent.terminate() terminates the sub-agents first", async () => {
  const inChild = createGate();
  const ended: string[] = [];
  const parent = delegating([() => inChild.wait()], [call("ask")], {
    graceMs: 60_000,
    onEvent: (event) => {
      if (event.type === "run_finished") ended.push(`${event.path.join("/")} ${event.stopReason}`);
    },
  });
  await parent.initialize();
  const run = parent.run("go");
  await inChild.reached;
  await parent.terminate();
  const output = await run;
  assertEquals(ended, ["parent/child terminated", "parent terminated"]);
  assertEquals(findTranscriptViolation(output.messages), undefined);
  inChild.release();
});

Deno.test("runSubAgentTask() suspends the whole run if an approval is deferred", async () => {
  const journal = new MemoryJournal();
  const worked: string[] = [];
  const make = (childTurns: ScriptedTurn[], parentTurns: ScriptedTurn[]): ToolLoopAgent => {
    const parent = delegating(childTurns, parentTurns, {
      approvalHandler: ({ toolCall }) =>
        toolCall.toolName === "work" ? { decision: "defer" } : true,
    });
    parent.registry.register(
      tool("work", () => {
        worked.push("work");
        return "worked";
      }),
      { replace: true },
    );
    return parent;
  };
  const today = make([call("work")], [call("ask")]);
  await today.initialize();
  const open = await today.run("go", { runId: "r", stepRunner: recordSteps(journal) });
  assertEquals([open.stopReason, open.messages.length, worked], ["approval_pending", 1, []]);
  // The digest was computed with Python's `hashlib` from
  // `["work",{},{"inputSchema":{"type":"object"},"name":"work"},1]`, because a tool was replaced.
  assertEquals(open.pending?.approvals, [{
    key: "r/i0/tool/0/child.0/i0/approval/0#jzygQCzZunnjg272-z0WyQ",
    path: ["parent", "child"],
    reason: "approval",
    toolCall: { type: "tool-call", toolCallId: "call_0_0", toolName: "work", input: {} },
  }]);
  assertEquals(open.totalUsage.totalTokens, 4);

  const tomorrow = make([{ text: "child's answer" }], [{ text: "done" }]);
  await tomorrow.initialize();
  const key = open.pending?.approvals[0]?.key ?? "";
  const output = await tomorrow.run("go", {
    runId: "r",
    stepRunner: recordSteps(MemoryJournal.fromText(journal.toText())),
    decisions: { [key]: { decision: "approve" } },
  });
  assertEquals([output.finalText, output.stopReason, worked], ["done", "model_stop", ["work"]]);
  assertEquals(output.totalUsage.totalTokens, 8);
  assertEquals(findTranscriptViolation(output.messages), undefined);
});

Deno.test("runSubAgentTask() uses the same run ids if the tool step is executed again", async () => {
  const childRuns = new Set<string>();
  const signals = new Set<AbortSignal>();
  const agent = parentWith(["ask"], [call("ask"), { text: "done" }]);
  agent.registry.register(
    tool("ask", async (_, context) => {
      signals.add(context.signal);
      if (signals.size === 1) context.stop();
      const { finalText } = await runSubAgentTask(agent, child([{ text: "answer" }]), "?", {
        context,
        onEvent: ({ runId }) => childRuns.add(runId),
      });
      return finalText;
    }),
    { replace: true },
  );
  await agent.initialize();
  const output = await agent.run("go", {
    runId: "r",
    stepRunner: {
      async run(_, kind, step) {
        if (kind === "tool") await step();
        return await step();
      },
    },
  });
  assertEquals([output.stopReason, output.finalText], ["model_stop", "done"]);
  assertEquals([signals.size, [...childRuns]], [2, ["r/i0/tool/0/child.0"]]);
  await agent.terminate();
});

Deno.test("createSubAgent() inherits the approval handler and onError of the parent if they are undefined", async () => {
  const model = scriptedModel([call("w"), { text: "done" }]);
  let executions = 0;
  const parent = new ToolLoopAgent({
    name: "parent",
    model,
    tools: [tool("w", () => ++executions)],
    approvalHandler: () => false,
  });
  const config = { name: "child", model, approvalHandler: undefined };
  // The options of a program without a type check may contain `undefined`.
  const created: unknown = Reflect.apply(createSubAgent, undefined, [parent, config]);
  assert(created instanceof ToolLoopAgent);
  const { iterations } = await created.run("go");
  assertEquals([executions, iterations[0]?.toolResults[0]?.code], [0, "approval_denied"]);
  await parent.terminate();
});

/** Faults of a lock. The types do not permit some results, but locks in JavaScript return them. */
const LOCK_FAULTS: readonly (readonly [string, () => unknown])[] = [
  ["throws", () => {
    throw new Error("no disk");
  }],
  ["rejects", () => Promise.reject(new Error("no disk"))],
  ["returns undefined", () => undefined],
  ["resolves to undefined", () => Promise.resolve(undefined)],
  ["resolves to 1", () => Promise.resolve(1)],
];

for (const [fault, fail] of LOCK_FAULTS) {
  Deno.test(`the run fails and no tool of a sub-agent is executed if the lock of the step runner ${fault}`, async () => {
    // The agent acquires the first lock for its tool, and the sub-agent the second.
    for (const failing of [1, 2]) {
      let [locks, payments] = [0, 0];
      const inner = recordSteps(new MemoryJournal());
      const lock: StepRunner["lock"] = (key, work) =>
        ++locks === failing ? fail() as never : inner.lock?.(key, work) ?? work();
      const boss: ToolLoopAgent = new ToolLoopAgent({
        name: "boss",
        model: scriptedModel([{ calls: [{ toolName: "ask" }] }, { text: "done" }]),
        tools: [
          { name: "pay", inputSchema: { type: "object" }, execute: () => ++payments },
          {
            name: "ask",
            inputSchema: { type: "object" },
            execute: async (_: unknown, context: ToolContext) => {
              const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "paid" }]);
              const config = { name: "child", model, allowedTools: ["pay"] };
              return (await runSubAgentTask(boss, config, "Pay", { context })).finalText;
            },
          },
        ],
      });
      await assertRejects(() => boss.run("go", { stepRunner: { ...inner, lock } }), AgentError);
      assertEquals([locks, payments], [failing, 0]);
    }
  });
}
