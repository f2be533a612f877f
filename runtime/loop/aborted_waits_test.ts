import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { MemoryJournal, recordSteps, type StepRunner } from "../journal.ts";
import { AgentSession, memorySessions } from "../session.ts";
import type { JsonValue } from "../shared/json.ts";
import type { StandardSchema } from "../shared/schema.ts";
import { createGate, type Gate, scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { Around } from "./around.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

const CALL = { calls: [{ toolName: "work", input: { a: 1 } }] };

/** A promise that never settles, and whose start a gate records. */
async function hang(gate: Gate): Promise<never> {
  await gate.wait();
  return await new Promise<never>(() => {});
}

function stuckSchema(gate: Gate): StandardSchema<unknown, unknown> {
  const jsonSchema = () => ({ type: "object" });
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => hang(gate),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

function tool(more: Partial<Tool> = {}): Tool {
  return { name: "work", inputSchema: { type: "object" }, execute: () => "ok", ...more };
}

function around(kind: string, gate: Gate, isLate: boolean): Around {
  return async (step, next) => {
    if (step.kind !== kind) return await next();
    if (isLate) await next().catch(() => {});
    return await hang(gate);
  };
}

/** Functions of a caller that never settle, keyed by the place where the run waits for them. */
const STUCK: Readonly<Record<string, (gate: Gate) => Partial<ToolLoopConfig>>> = {
  "the model": (gate) => ({ model: { modelId: "m", generate: () => hang(gate) } }),
  "a tool": (gate) => ({ registry: new ToolRegistry([tool({ execute: () => hang(gate) })]) }),
  "the schema of a tool": (gate) => ({
    registry: new ToolRegistry([tool({ inputSchema: stuckSchema(gate) })]),
  }),
  "the approval handler": (gate) => ({ approvalHandler: () => hang(gate) }),
  "prepareIteration": (gate) => ({ prepareIteration: () => hang(gate) }),
  "repairToolCall": (gate) => ({
    registry: new ToolRegistry([tool({ inputSchema: { type: "object", required: ["b"] } })]),
    repairToolCall: () => hang(gate),
  }),
  "the final answer": (gate) => ({
    output: stuckSchema(gate),
    outputMode: "tool",
    model: scriptedModel([{ calls: [{ toolName: "final_answer", input: {} }] }]),
  }),
  "around, before a run": (gate) => ({ around: around("run", gate, false) }),
  "around, before a model call": (gate) => ({ around: around("model", gate, false) }),
  "around, before a tool": (gate) => ({ around: around("tool", gate, false) }),
  "around, after a run": (gate) => ({ around: around("run", gate, true) }),
  "around, after a model call": (gate) => ({ around: around("model", gate, true) }),
  "around, after a tool": (gate) => ({ around: around("tool", gate, true) }),
};

for (const [place, configure] of Object.entries(STUCK)) {
  Deno.test(`an abort ends a run that waits for ${place}`, async () => {
    for (const stepRunner of [undefined, recordSteps(new MemoryJournal())]) {
      const gate = createGate();
      const controller = new AbortController();
      const running = runToolLoop({
        model: scriptedModel([CALL, { text: "done" }]),
        registry: new ToolRegistry([tool()]),
        runId: "r",
        toolTimeoutMs: 0,
        modelTimeoutMs: 0,
        graceMs: 0,
        onError: () => {},
        ...stepRunner && { stepRunner },
        ...configure(gate),
        signal: controller.signal,
      }, "go");
      await gate.reached;
      gate.release();
      controller.abort();
      const { stopReason } = await running;
      // A run that has ended keeps its stop reason.
      assertEquals(stopReason, place === "around, after a run" ? "model_stop" : "aborted");
    }
  });
}

/** A step runner that never calls some of the steps. */
function stuckRunner(inner: StepRunner, isStuck: () => boolean, gate: Gate): StepRunner {
  return {
    run: (key, kind, step) => isStuck() ? hang(gate) : inner.run(key, kind, step),
  };
}

Deno.test("AgentSession rejects with the abort reason if the step runner does not respond", async () => {
  const store = memorySessions();
  const inner = recordSteps(new MemoryJournal());
  let calls = 0;
  let stuckFrom = Infinity;
  let gate = createGate();
  const makeSession = () => {
    const agent = new ToolLoopAgent({
      name: "a",
      model: scriptedModel([CALL]),
      tools: [tool()],
      approvalHandler: () => ({ decision: "defer" }),
      onError: () => {},
    });
    const stepRunner = stuckRunner(inner, () => ++calls > stuckFrom, gate);
    return new AgentSession(agent, { id: "s", store, stepRunner });
  };
  const { pending } = await makeSession().run("Pay");
  const decisions = { [pending?.approvals[0]?.key ?? ""]: { decision: "approve" } as const };
  const starts: readonly ((session: AgentSession, signal: AbortSignal) => Promise<unknown>)[] = [
    (session, signal) => session.run("Pay something else", { signal }),
    (session, signal) => session.run(undefined, { decisions, signal }),
  ];
  for (const start of starts) {
    // The step runner responds to the first calls, for example for the start of the run.
    for (const responses of [0, 1, 2]) {
      [calls, stuckFrom, gate] = [0, responses, createGate()];
      const controller = new AbortController();
      const running = start(makeSession(), controller.signal);
      await gate.reached;
      gate.release();
      const reason = new Error("enough");
      controller.abort(reason);
      const isSecond = start === starts[1];
      if (isSecond && responses > 0) assertEquals(await stopReasonOf(running), "aborted");
      else assertEquals(await assertRejects(() => running), reason);
    }
  }
  stuckFrom = Infinity;
  assertEquals(await store.load("s"), []);
  assertEquals(await makeSession().hasUnfinishedRun(), true);
});

async function stopReasonOf(running: Promise<unknown>): Promise<unknown> {
  return Object(await running).stopReason;
}

Deno.test("ToolRegistry.registerMcp() rejects if a client ignores the abort signal", async () => {
  for (const follow of [false, true]) {
    const gate = createGate();
    const registry = new ToolRegistry();
    const listed = Promise.withResolvers<{ name: string; inputSchema: object }[]>();
    const list = async () => {
      await gate.wait();
      return await listed.promise;
    };
    const source = {
      listTools: list,
      callTool: (): Promise<JsonValue> => Promise.resolve(null),
      async *watchTools() {
        yield await list();
      },
    };
    const controller = new AbortController();
    const registering = registry.registerMcp(source, { follow, signal: controller.signal });
    await gate.reached;
    gate.release();
    const reason = new Error("enough");
    controller.abort(reason);
    assertEquals(await assertRejects(() => registering), reason);
    listed.resolve([{ name: "late", inputSchema: { type: "object" } }]);
    await listed.promise;
    assertEquals(registry.names(), []);
  }
});

Deno.test("an abort ends a run whose step runner does not respond to a suspension", async () => {
  const waiting = tool({ execute: async (_input, { wait }) => await wait("go") });
  for (const mode of ["lookup", "record"]) {
    const inner = recordSteps(new MemoryJournal());
    const gate = createGate();
    const controller = new AbortController();
    let isStuck = false;
    const stepRunner: StepRunner = {
      ...inner,
      run: (key, kind, step) =>
        isStuck && kind === "suspended" ? hang(gate) : inner.run(key, kind, step),
    };
    const run = (more: Partial<ToolLoopConfig>) =>
      runToolLoop({
        model: scriptedModel([CALL, { text: "done" }]),
        registry: new ToolRegistry([waiting]),
        runId: "r",
        graceMs: 0,
        stepRunner,
        ...more,
      }, "go");
    if (mode === "lookup") assertEquals((await run({})).stopReason, "waiting");
    isStuck = true;
    const running = run({
      signal: controller.signal,
      ...mode === "lookup" && { onUnknownOutcome: "ask", approvalHandler: () => true },
    });
    await gate.reached;
    gate.release();
    controller.abort();
    assertEquals((await running).stopReason, "aborted");
  }
});
