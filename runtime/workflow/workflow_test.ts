import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type AgentConfig, ToolLoopAgent } from "../agent/agent.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { maxTotalTokens } from "../loop/stop_conditions.ts";
import { AgentError } from "../shared/error.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { PendingApproval, WorkflowResult } from "../shared/output.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ParallelWorkflow } from "./parallel.ts";
import { RouterWorkflow } from "./router.ts";
import { SequentialWorkflow } from "./sequential.ts";
import type { WorkflowRunOptions } from "./workflow.ts";

async function agent(
  name: string,
  turns: readonly ScriptedTurn[] = [{ text: `${name}!` }],
  config: Partial<AgentConfig> = {},
): Promise<ToolLoopAgent> {
  const made = new ToolLoopAgent({ name, model: scriptedModel(turns), ...config });
  made.registry.register({ name: "work", inputSchema: { type: "object" }, execute: () => "ok" });
  await made.initialize();
  return made;
}

const FAILS: readonly ScriptedTurn[] = [{ error: new Error("broken") }];
const CALLS: ScriptedTurn = { calls: [{ toolName: "work" }] };
const DEFER: Partial<AgentConfig> = { approvalHandler: () => ({ decision: "defer" }) };

async function failure(run: () => Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(run, AgentError);
  assert(error.isWorkflowFailed());
  return error;
}

function approvalsIn({ pending = [] }: WorkflowResult): PendingApproval[] {
  return pending.flatMap(({ batch }) => batch.approvals);
}

function texts(steps: readonly { output: { finalText: string } }[] = []): string[] {
  return steps.map(({ output }) => output.finalText);
}

Deno.test("SequentialWorkflow.run() passes the final text of each agent to the next", async () => {
  const models = ["one", "two", "three"].map((text) => scriptedModel([{ text }]));
  const agents = await Promise.all(models.map((model, index) => agent(`a${index}`, [], { model })));
  const result = await new SequentialWorkflow("w", agents).run("start");
  assertEquals([result.workflowId, result.steps.map(({ agentName }) => agentName)], ["w", [
    "a0",
    "a1",
    "a2",
  ]]);
  assertEquals(models.map(({ requests }) => requests[0]?.messages.at(-1)?.content), [
    [{ type: "text", text: "start" }],
    [{ type: "text", text: "one" }],
    [{ type: "text", text: "two" }],
  ]);
  assert(result.totalDurationMs >= Math.max(...result.steps.map(({ durationMs }) => durationMs)));
  assert(!("failures" in result));
  assertEquals((await new SequentialWorkflow("none", []).run("start")).steps, []);
});

Deno.test("SequentialWorkflow.run() passes a final answer on as JSON text, and rejects if the final answer is invalid", async () => {
  const output = { type: "object", required: ["total"] };
  const next = scriptedModel([{ text: "done" }]);
  const answer = (input: unknown) => ({ calls: [{ toolName: "final_answer", input }] });
  const agents = [
    await agent("a", [answer({ total: 5 })], { output }),
    await agent("b", [], { model: next }),
  ];
  const { steps } = await new SequentialWorkflow("w", agents).run("start");
  assertEquals(steps[0]?.output.value, { total: 5 });
  assertEquals(next.requests[0]?.messages.at(-1)?.content, [{ type: "text", text: '{"total":5}' }]);
  const invalid = await agent("a", [answer({})], { output, outputRetries: 0 });
  const error = await failure(() => new SequentialWorkflow("w", [invalid]).run("start"));
  assertEquals(error.partialResult?.failures?.[0]?.output?.stopReason, "output_invalid");
});

Deno.test("SequentialWorkflow.run() rejects at the first failed step and reports the completed steps", async () => {
  const never = scriptedModel([{ text: "never" }]);
  const agents = [
    await agent("a"),
    await agent("b", FAILS),
    await agent("c", [], { model: never }),
  ];
  const error = await failure(() => new SequentialWorkflow("w", agents).run("start"));
  assertEquals([error.details, never.requests.length], [{
    workflowId: "w",
    stepIndex: 1,
    reason: 'agent "b": Cannot get a response from the model: broken',
  }, 0]);
  assertEquals(texts(error.partialResult?.steps), ["a!"]);
  assert(AgentError.isAgentError(error.cause) && error.cause.code === "model_error");
});

const STOP = {
  name: "stop",
  inputSchema: { type: "object" },
  execute: (_: unknown, context: ToolContext) => context.stop(),
};

/** Turns of runs that end without a final answer, and configurations, keyed by stop reason. */
const UNANSWERED: Readonly<Record<string, [ScriptedTurn, Partial<AgentConfig>]>> = {
  max_iterations: [{ ...CALLS, text: "so far" }, { maxIterations: 1 }],
  max_total_tokens: [{ ...CALLS, text: "so far" }, { stopConditions: [maxTotalTokens(0)] }],
  output_truncated: [{ text: "half of", finishReason: "length" }, {}],
  content_filtered: [{ text: "half of", finishReason: "content-filter" }, {}],
  model_stop: [{ text: "" }, {}],
};

Deno.test("workflows fail at a step whose run ends without a final answer", async () => {
  for (const [stopReason, [turn, config]] of Object.entries(UNANSWERED)) {
    const next = scriptedModel([{ text: "never" }]);
    const after = await agent("after", [], { model: next });
    const make = () => agent("first", [turn], config);
    const errors = [
      await failure(async () => new SequentialWorkflow("w", [await make(), after]).run("go")),
      await failure(async () => new ParallelWorkflow("w", [await make()]).run("go")),
      await failure(async () => new RouterWorkflow("w", [await make()], () => 0).run("go")),
    ];
    const reason =
      `agent "first": the run ended without a final answer: stop reason "${stopReason}"`;
    for (const { details, partialResult } of errors) {
      assertEquals(details, { workflowId: "w", stepIndex: 0, reason });
      assertEquals(partialResult?.failures?.[0]?.output?.stopReason, stopReason);
      assertEquals(partialResult?.steps, []);
    }
    assertEquals(next.requests.length, 0);
  }
});

Deno.test("RouterWorkflow.run() selects a different agent after a run without a final answer", async () => {
  const agents = [await agent("a", [{ text: "" }]), await agent("b")];
  const workflow = new RouterWorkflow("w", agents, () => 0, { onError: () => 1 });
  assertEquals((await workflow.run("go")).finalText, "b!");
});

Deno.test('workflows use "isAnswer" to accept or reject the output of a step', async () => {
  const half = () => agent("half", [{ text: "half of", finishReason: "length" }]);
  const isAnswer = () => true;
  const results = [
    await new SequentialWorkflow("w", [await half()], { isAnswer }).run("go"),
    await new ParallelWorkflow("w", [await half()], { isAnswer }).run("go"),
    await new RouterWorkflow("w", [await half()], () => 0, { isAnswer }).run("go"),
  ];
  assertEquals(results.map(({ finalText }) => finalText), ["half of", "half of", "half of"]);
  const broken = (): boolean => {
    throw new Error("no rule");
  };
  const odd = [Promise.resolve(true), undefined, null, 1, "true", {}]
    .map((value) => () => value as boolean);
  for (const rule of [() => false, broken, ...odd]) {
    const error = await failure(async () =>
      await new ParallelWorkflow("w", [await agent("a")], { isAnswer: rule }).run("go")
    );
    assertEquals(error.partialResult?.failures?.length, 1);
  }
  const ended = await failure(async () =>
    await new SequentialWorkflow("w", [await agent("a")], { isAnswer })
      .run("go", { signal: AbortSignal.abort() })
  );
  assertEquals(ended.partialResult?.failures?.[0]?.output?.stopReason, "aborted");
});

Deno.test("SequentialWorkflow.run() rejects if there is no text for the next agent", async () => {
  const stops = () => agent("stops", [{ calls: [{ toolName: "stop" }] }], { tools: [STOP] });
  const { finalText, status } = await new SequentialWorkflow("w", [await stops()]).run("go");
  assertEquals([finalText, status], ["", "completed"]);
  const error = await failure(async () =>
    await new SequentialWorkflow("w", [await stops(), await agent("b")]).run("go")
  );
  assertEquals(error.details, {
    workflowId: "w",
    stepIndex: 0,
    reason: 'agent "stops": the run ended without text for the next agent',
  });
});

Deno.test("SequentialWorkflow.run() rejects if a run is aborted", async () => {
  const ended = await failure(async () =>
    await new SequentialWorkflow("w", [await agent("a")]).run("go", { signal: AbortSignal.abort() })
  );
  assertEquals(ended.partialResult?.failures?.[0]?.output?.stopReason, "aborted");
});

Deno.test("ParallelWorkflow.run() runs all agents concurrently and returns the steps in order", async () => {
  const gates = [createGate(), createGate()];
  const agents = await Promise.all(
    gates.map((gate, index) =>
      agent(`a${index}`, [() => gate.wait().then(() => ({ text: String(index) }))])
    ),
  );
  const run = new ParallelWorkflow("w", agents).run("go");
  await Promise.all(gates.map(({ reached }) => reached));
  for (const gate of gates.toReversed()) gate.release();
  assertEquals(texts((await run).steps), ["0", "1"]);
  assertEquals((await new ParallelWorkflow("none", []).run("go")).steps, []);
});

Deno.test("ParallelWorkflow.run() waits for all agents, then rejects with the first failed agent's index or collects failures", async () => {
  const slow = createGate();
  const agents = [
    await agent("a", [() => slow.wait().then(() => ({ error: new Error("late") }))]),
    await agent("b", FAILS),
    await agent("c"),
  ];
  const run = new ParallelWorkflow("w", agents).run("go");
  await slow.reached;
  slow.release();
  const error = await failure(() => run);
  assertEquals(error.is("workflow_failed") && error.details.stepIndex, 0);
  assertEquals(error.partialResult?.failures?.map(({ stepIndex }) => stepIndex), [0, 1]);
  assertEquals(texts(error.partialResult?.steps), ["c!"]);
  const codes = error.partialResult?.failures?.map(({ error }) =>
    AgentError.isAgentError(error) && error.code
  );
  assertEquals(codes, ["model_error", "model_error"]);

  const again = [await agent("a", FAILS), await agent("b")];
  const collected = await new ParallelWorkflow("w", again, { onFailure: "collect" }).run("go");
  assertEquals([texts(collected.steps), collected.failures?.length], [["b!"], 1]);
});

Deno.test("ParallelWorkflow.run() aborts the other agents at the first failure if failFast is set", async () => {
  const stuck = createGate();
  const agents = [await agent("a", [() => stuck.wait()]), await agent("b", FAILS)];
  const error = await failure(() =>
    new ParallelWorkflow("w", agents, { failFast: true }).run("go")
  );
  assertEquals(error.is("workflow_failed") && error.details.stepIndex, 1);
  assertEquals(error.partialResult?.failures?.map(({ output }) => output?.stopReason), [
    "aborted",
    undefined,
  ]);
  stuck.release();
});

Deno.test("new ParallelWorkflow() throws if an agent is listed twice", async () => {
  const twice = await agent("a");
  const error = assertThrows(() => new ParallelWorkflow("w", [twice, twice]), AgentError);
  assert(error.isWorkflowFailed());
});

Deno.test("RouterWorkflow.run() runs the agent that the router selects", async () => {
  const agents = [await agent("a"), await agent("b")];
  const router = new RouterWorkflow(
    "w",
    agents,
    (message, list) => Promise.resolve(list.length - message.length),
  );
  assertEquals((await router.run("x")).steps.map(({ agentName }) => agentName), ["b"]);
});

for (const wrong of [-1, 2, 1.5, NaN, Infinity, "1", undefined]) {
  Deno.test(`RouterWorkflow.run() rejects the index ${String(wrong)} (${typeof wrong})`, async () => {
    const agents = [await agent("a"), await agent("b")];
    const error = await failure(() =>
      new RouterWorkflow("w", agents, () => wrong as number).run("x")
    );
    assertEquals(error.is("workflow_failed") && error.details, {
      workflowId: "w",
      stepIndex: typeof wrong === "number" ? wrong : -1,
      reason: `the router must return an index from 0 to 1, got ${Deno.inspect(wrong)}`,
    });
  });
}

Deno.test("RouterWorkflow.run() rejects if the router throws or there are no agents", async () => {
  const throwing = (): number => {
    throw new Error("lost");
  };
  const error = await failure(async () =>
    await new RouterWorkflow("w", [await agent("a")], throwing).run("x")
  );
  assertEquals(error.is("workflow_failed") && error.details.stepIndex, -1);
  await failure(() => new RouterWorkflow("w", [], () => 0).run("x"));
});

Deno.test("RouterWorkflow.run() runs no agent if the router rejects or returns no index", async () => {
  const routers: readonly (() => unknown)[] = [
    () => Promise.reject(new Error("lost")),
    ...[null, "a", "0", true, [0], {}, new Number(0), Promise.resolve("a"), 0n]
      .map((index) => () => index),
  ];
  for (const route of routers) {
    const model = scriptedModel([{ text: "a!" }]);
    const agents = [new ToolLoopAgent({ name: "a", model })];
    // The types do not permit some results, but routers in JavaScript can return them.
    const router = new RouterWorkflow("w", agents, route as () => number);
    await failure(() => router.run("x"));
    assertEquals(model.requests, []);
  }
});

Deno.test("RouterWorkflow.run() runs another agent after a failure, but runs no agent twice", async () => {
  const agents = [await agent("a", FAILS), await agent("b", FAILS), await agent("c")];
  const tried: (readonly number[])[] = [];
  const router = new RouterWorkflow("w", agents, () => 0, {
    onError: (_, indexes) => {
      tried.push(indexes);
      return indexes.length;
    },
  });
  const result = await router.run("x");
  assertEquals([texts(result.steps), result.failures?.map(({ stepIndex }) => stepIndex)], [["c!"], [
    0,
    1,
  ]]);
  assertEquals(tried, [[0], [0, 1]]);
  const stubborn = new RouterWorkflow("w", [await agent("a", FAILS)], () => 0, {
    onError: () => 0,
  });
  await failure(() => stubborn.run("x"));
});

Deno.test("RouterWorkflow.run() waits for an asynchronous onError", async () => {
  const agents = [await agent("a", FAILS), await agent("b")];
  const workflow = new RouterWorkflow("w", agents, () => 0, {
    onError: (_, tried) => Promise.resolve(tried.length),
  });
  assertEquals(texts((await workflow.run("x")).steps), ["b!"]);
  const hopeless = new RouterWorkflow("w", [await agent("a", FAILS)], () => 0, {
    onError: () => Promise.resolve(undefined),
  });
  assertEquals((await failure(() => hopeless.run("x"))).code, "workflow_failed");
});

Deno.test("RouterWorkflow.run() rejects with the cause if onError throws or rejects", async () => {
  const bug = new Error("bug");
  const throwing = (): never => {
    throw bug;
  };
  for (const onError of [throwing, () => Promise.reject(bug)]) {
    const workflow = new RouterWorkflow("w", [await agent("a", FAILS)], () => 0, { onError });
    const error = await failure(() => workflow.run("x"));
    assertEquals(error.message, 'Cannot finish workflow "w": step 0: "onError" failed: bug');
    assertEquals(error.cause, bug);
  }
});

Deno.test("RouterWorkflow.run() ends when the signal is aborted, even if the router or onError never settles", async () => {
  const never = () => new Promise<number>(() => {});
  const workflows = [
    new RouterWorkflow("w", [await agent("a")], never),
    new RouterWorkflow("w", [await agent("a", FAILS)], () => 0, { onError: never }),
  ];
  for (const workflow of workflows) {
    const controller = new AbortController();
    const run = failure(() => workflow.run("x", { signal: controller.signal }));
    queueMicrotask(() => controller.abort(new Error("enough")));
    assertEquals((await run).code, "workflow_failed");
  }
});

Deno.test("ParallelWorkflow reports the index of the second occurrence of an agent", async () => {
  const [a, b] = [await agent("a"), await agent("b")];
  const error = await failure(async () => {
    await new ParallelWorkflow("w", [a, b, a]).run("x");
  });
  assertEquals(error.is("workflow_failed") && error.details.stepIndex, 2);
});

Deno.test("ParallelWorkflow.run() resumes deferred approvals from the journal", async () => {
  const journal = new MemoryJournal();
  const stepRunner = recordSteps(journal);
  const make = (turns: ScriptedTurn[][]): Promise<ToolLoopAgent[]> =>
    Promise.all(turns.map((list, index) => agent(`a${index}`, list, DEFER)));
  const first = new ParallelWorkflow("w", await make([[CALLS], [CALLS], [{ text: "free" }]]));
  const result = await first.run("go", { stepRunner });
  assertEquals([result.status, result.finalText, texts(result.steps)], [
    "approval_pending",
    "",
    ["free"],
  ]);
  assertEquals(result.pending?.map(({ stepIndex, agentName }) => [stepIndex, agentName]), [
    [0, "a0"],
    [1, "a1"],
  ]);
  const open = approvalsIn(result);
  assertEquals(open.map(({ key }) => key.replace(/#.*/, "")), [
    "w/0/i0/approval/0",
    "w/1/i0/approval/0",
  ]);

  const second = new ParallelWorkflow("w", await make([[{ text: "x" }], [{ text: "y" }], []]));
  const decisions = Object.fromEntries(
    open.map(({ key }) => [key, { decision: "approve" } as const]),
  );
  const resumed = await second.run("go", { stepRunner, decisions });
  assertEquals([resumed.status, resumed.finalText], ["completed", "x\n\ny\n\nfree"]);
  assert(!("pending" in resumed));
});

Deno.test("ParallelWorkflow.run() reports failed and pending steps together", async () => {
  const make = async (): Promise<readonly ToolLoopAgent[]> => [
    await agent("a", [CALLS], DEFER),
    await agent("b", FAILS),
    await agent("c"),
  ];
  const error = await failure(async () => {
    await new ParallelWorkflow("w", await make()).run("go");
  });
  assertEquals(error.is("workflow_failed") && error.details.stepIndex, 1);
  assertEquals(error.partialResult?.pending?.map(({ stepIndex }) => stepIndex), [0]);
  assertEquals(texts(error.partialResult?.steps), ["c!"]);

  const options = { onFailure: "collect", reduce: () => "unused" } as const;
  const result = await new ParallelWorkflow("w", await make(), options).run("go");
  assertEquals([result.status, result.finalText], ["approval_pending", ""]);
  assertEquals(result.failures?.map(({ stepIndex }) => stepIndex), [1]);
});

Deno.test("ParallelWorkflow.run() passes the finished steps to reduce, in order", async () => {
  const make = async (): Promise<readonly ToolLoopAgent[]> => [
    await agent("a"),
    await agent("b", FAILS),
    await agent("c"),
  ];
  const workflow = new ParallelWorkflow("w", await make(), {
    onFailure: "collect",
    reduce: (steps) => Promise.resolve(texts(steps).join(" + ")),
  });
  assertEquals((await workflow.run("go")).finalText, "a! + c!");
  const empty = new ParallelWorkflow("w", [], { reduce: ({ length }) => String(length) });
  assertEquals((await empty.run("go")).finalText, "0");
  assertEquals((await new ParallelWorkflow("w", []).run("go")).finalText, "");
});

Deno.test("ParallelWorkflow.run() rejects with the finished steps if reduce fails or is aborted", async () => {
  const never = new AbortController();
  const bug = new Error("bug");
  const reducers = [
    () => Promise.reject(bug),
    () => 7 as never,
    () => {
      never.abort(bug);
      return new Promise<string>(() => {});
    },
  ];
  for (const reduce of reducers) {
    const workflow = new ParallelWorkflow("w", [await agent("a")], { reduce });
    const error = await failure(() => workflow.run("go", { signal: never.signal }));
    assert(error.is("workflow_failed"));
    assertEquals(error.details.stepIndex, -1);
    assert(error.details.reason.includes('"reduce"'));
    assertEquals(texts(error.partialResult?.steps), ["a!"]);
  }
});

Deno.test("SequentialWorkflow.run() stops at the first pending step and resumes there", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  const make = (turns: ScriptedTurn[][]): Promise<ToolLoopAgent[]> =>
    Promise.all(turns.map((list, index) => agent(`a${index}`, list, DEFER)));
  const never = scriptedModel([{ text: "never" }]);
  const agents = await make([[{ text: "one" }], [CALLS]]);
  agents.push(await agent("a2", [], { model: never }));
  const result = await new SequentialWorkflow("w", agents).run("go", { runId: "r", stepRunner });
  assertEquals([result.status, texts(result.steps), result.finalText], [
    "approval_pending",
    ["one"],
    "",
  ]);
  assertEquals(result.pending?.map(({ stepIndex }) => stepIndex), [1]);
  assertEquals(never.requests.length, 0);

  const decisions = Object.fromEntries(
    approvalsIn(result).map(({ key }) => [key, { decision: "approve" } as const]),
  );
  const again = new SequentialWorkflow("w", await make([[], [{ text: "two" }], [{ text: "3" }]]));
  const resumed = await again.run("go", { runId: "r", stepRunner, decisions });
  assertEquals([resumed.status, texts(resumed.steps), resumed.finalText], [
    "completed",
    ["one", "two", "3"],
    "3",
  ]);
});

Deno.test("RouterWorkflow.run() returns a pending step without calling onError, and resumes it", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  const make = async (turns: readonly ScriptedTurn[]): Promise<RouterWorkflow> =>
    new RouterWorkflow("w", [await agent("a", FAILS), await agent("b", turns, DEFER)], () => 0, {
      onError: (_, tried) => tried.includes(1) ? undefined : 1,
    });
  const result = await (await make([CALLS])).run("go", { stepRunner });
  assertEquals([result.status, result.steps, result.finalText], ["approval_pending", [], ""]);
  assertEquals(result.pending?.map(({ stepIndex, agentName }) => [stepIndex, agentName]), [[
    1,
    "b",
  ]]);
  assertEquals(result.failures?.map(({ stepIndex }) => stepIndex), [0]);
  const decisions = Object.fromEntries(
    approvalsIn(result).map(({ key }) => [key, { decision: "approve" } as const]),
  );
  const resumed = await (await make([{ text: "done" }])).run("go", { stepRunner, decisions });
  assertEquals([resumed.status, resumed.finalText], ["completed", "done"]);
});

Deno.test("workflows initialize their agents by running them, and do not terminate them", async () => {
  const make = (text: string): ToolLoopAgent =>
    new ToolLoopAgent({ name: text, model: scriptedModel([{ text }]) });
  const agents = [make("a"), make("b"), make("c"), make("d")];
  const [a, b, c, d] = agents as [ToolLoopAgent, ToolLoopAgent, ToolLoopAgent, ToolLoopAgent];
  assertEquals((await new SequentialWorkflow("w", [a]).run("go")).finalText, "a");
  assertEquals((await new ParallelWorkflow("w", [b, c]).run("go")).finalText, "b\n\nc");
  assertEquals((await new RouterWorkflow("w", [d], () => 0).run("go")).finalText, "d");
  assertEquals(agents.map(({ lifecycle }) => lifecycle.state), [
    "ready",
    "ready",
    "ready",
    "ready",
  ]);
});

Deno.test("ParallelWorkflow.run() applies decisions without a journal if a run id is set", async () => {
  const events: string[] = [];
  const start = async (options: WorkflowRunOptions): Promise<WorkflowResult> => {
    const agents = await Promise.all(
      ["a0", "a1"].map((name) => agent(name, [CALLS, { text: name }], DEFER)),
    );
    return await new ParallelWorkflow("w", agents).run("go", {
      runId: "r",
      onEvent: ({ type }) => events.push(type),
      ...options,
    });
  };
  const keys = approvalsIn(await start({})).map(({ key }) => key);
  assertEquals(keys.map((key) => key.replace(/#.*/, "")), [
    "r/0/i0/approval/0",
    "r/1/i0/approval/0",
  ]);
  const decisions = Object.fromEntries(keys.map((key) => [key, { decision: "approve" } as const]));
  assertEquals((await start({ decisions })).status, "completed");
  // Each agent receives only the decisions for its own run, so no decision is unused.
  assertEquals(events.includes("decision_unused"), false);
});

Deno.test("workflow constructors throw if an argument is invalid", () => {
  assertThrows(() => new SequentialWorkflow("", []), TypeError);
  assertThrows(() => new ParallelWorkflow("w", null as never), TypeError);
  assertThrows(() => new ParallelWorkflow("w", [], { reduce: "join" as never }), TypeError);
  assertThrows(() => new RouterWorkflow("w", [], undefined as never), TypeError);
});

Deno.test("workflows throw if the message or an option has the wrong type, and run no agent", async () => {
  const runs: readonly [message: unknown, options: unknown][] = [
    [5, {}],
    [[], {}],
    ["go", null],
    ["go", { runId: "" }],
    ["go", { signal: {} }],
    ["go", { decisions: [] }],
    ["go", { onEvent: "log" }],
    ["go", { stepRunner: new MemoryJournal() }],
  ];
  const model = scriptedModel([]);
  const agents = [new ToolLoopAgent({ name: "a", model })];
  const workflows = [
    new SequentialWorkflow("w", agents),
    new ParallelWorkflow("w", agents),
    new RouterWorkflow("w", agents, () => 0),
  ];
  for (const workflow of workflows) {
    for (const args of runs) {
      await assertRejects(() => Reflect.apply(workflow.run, workflow, args), TypeError);
    }
  }
  assertEquals(model.requests.length, 0);
});

Deno.test("ParallelWorkflow.run() ends when the signal is aborted, even if reduce returns a thenable", async () => {
  const controller = new AbortController();
  const reduce = () => {
    controller.abort(new Error("enough"));
    return Object({ then: () => {} });
  };
  const workflow = new ParallelWorkflow("w", [await agent("a")], { reduce });
  const error = await failure(() => workflow.run("go", { signal: controller.signal }));
  assert(error.message.includes("enough"));
});

Deno.test("ParallelWorkflow.run() returns all steps, even if reduce changes its array", async () => {
  const reduce = (steps: readonly unknown[]): string => {
    Reflect.set(steps, "length", 0);
    return "none";
  };
  const { finalText, steps } = await new ParallelWorkflow("w", [await agent("a")], { reduce })
    .run("go");
  assertEquals([finalText, texts(steps)], ["none", ["a!"]]);
});

Deno.test("a workflow throws a TypeError if the message is missing, and runs no agent", async () => {
  const model = scriptedModel([{ text: "Hi" }, { text: "Hi" }, { text: "Hi" }]);
  const one = new ToolLoopAgent({ name: "one", model });
  const workflows = [
    new SequentialWorkflow("w", [one]),
    new ParallelWorkflow("w", [one]),
    new RouterWorkflow("w", [one], () => 0),
  ];
  for (const workflow of workflows) {
    // Without the check of the message, an agent with a step runner would resume a run with the
    // recorded message.
    const options = { stepRunner: recordSteps(new MemoryJournal()) };
    const error = await assertRejects(() => workflow.run(undefined as never, options), TypeError);
    assertEquals(
      error.message,
      '"message" must be a string or a non-empty array of parts, got undefined',
    );
  }
  assertEquals(model.requests.length, 0);
});

Deno.test("a workflow ignores the rejection of an asynchronous isAnswer, and the step fails", async () => {
  const rejects: unknown = () => Promise.reject(new Error("not awaited"));
  const isAnswer = rejects as () => boolean;
  const workflows = [
    new SequentialWorkflow("w", [await agent("a")], { isAnswer }),
    new ParallelWorkflow("w", [await agent("a")], { isAnswer }),
    new RouterWorkflow("w", [await agent("a")], () => 0, { isAnswer }),
  ];
  // An unhandled rejection would end the process.
  for (const workflow of workflows) await failure(() => workflow.run("Hi"));
});
