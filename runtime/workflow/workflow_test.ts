import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type AgentConfig, ToolLoopAgent } from "../agent/agent.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
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

async function failure(run: () => Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(run, AgentError);
  assert(error.isWorkflowFailed());
  return error;
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

Deno.test("SequentialWorkflow.run() passes a final answer as JSON text, and rejects if it is not valid", async () => {
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

Deno.test("SequentialWorkflow.run() continues if a run reaches a limit and rejects if a run is aborted", async () => {
  const limited = await agent("limited", [{ ...CALLS, text: "so far" }], { maxIterations: 1 });
  assertEquals(
    texts((await new SequentialWorkflow("w", [limited, await agent("b")]).run("go")).steps),
    ["so far", "b!"],
  );
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
  const defer: Partial<AgentConfig> = { approvalHandler: () => ({ decision: "defer" }) };
  const make = (turns: ScriptedTurn[][]): Promise<ToolLoopAgent[]> =>
    Promise.all(turns.map((list, index) => agent(`a${index}`, list, defer)));
  const first = new ParallelWorkflow("w", await make([[CALLS], [CALLS], [{ text: "free" }]]));
  const error = await failure(() => first.run("go", { stepRunner }));
  const open =
    error.partialResult?.failures?.flatMap(({ output }) => output?.pending?.approvals ?? []) ?? [];
  assertEquals(open.map(({ key }) => key.replace(/#.*/, "")), [
    "w/0/i0/approval/0",
    "w/1/i0/approval/0",
  ]);

  const second = new ParallelWorkflow("w", await make([[{ text: "x" }], [{ text: "y" }], []]));
  const decisions = Object.fromEntries(
    open.map(({ key }) => [key, { decision: "approve" } as const]),
  );
  assertEquals(texts((await second.run("go", { stepRunner, decisions })).steps), [
    "x",
    "y",
    "free",
  ]);
});

Deno.test("ParallelWorkflow.run() applies decisions without a journal if a run id is set", async () => {
  const defer: Partial<AgentConfig> = { approvalHandler: () => ({ decision: "defer" }) };
  const events: string[] = [];
  const start = async (
    options: WorkflowRunOptions,
  ): Promise<{ readonly failed: AgentError | undefined; readonly keys: readonly string[] }> => {
    const agents = await Promise.all(
      ["a0", "a1"].map((name) => agent(name, [CALLS, { text: name }], defer)),
    );
    const error = await new ParallelWorkflow("w", agents).run("go", {
      runId: "r",
      onEvent: ({ type }) => events.push(type),
      ...options,
    }).then(() => undefined, (error) => error);
    const failures = AgentError.isAgentError(error) ? error.partialResult?.failures : undefined;
    const open = (failures ?? []).flatMap(({ output }) => output?.pending?.approvals ?? []);
    return { failed: error, keys: open.map(({ key }) => key) };
  };
  const { keys } = await start({});
  assertEquals(keys.map((key) => key.replace(/#.*/, "")), [
    "r/0/i0/approval/0",
    "r/1/i0/approval/0",
  ]);
  const decisions = Object.fromEntries(keys.map((key) => [key, { decision: "approve" } as const]));
  assertEquals((await start({ decisions })).failed, undefined);
  // Each agent receives only the decisions for its own run, so no decision is unused.
  assertEquals(events.includes("decision_unused"), false);
});

Deno.test("workflow constructors throw if an argument is invalid", () => {
  assertThrows(() => new SequentialWorkflow("", []), TypeError);
  assertThrows(() => new ParallelWorkflow("w", null as never), TypeError);
  assertThrows(() => new RouterWorkflow("w", [], undefined as never), TypeError);
});
