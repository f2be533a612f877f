import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  AgentError,
  type ApprovalHandler,
  asTool,
  autoApprove,
  runToolLoop,
  type Tool,
  ToolLoopAgent,
  type ToolLoopConfig,
  ToolRegistry,
} from "./mod.ts";
import { restateApprovals, restateSteps } from "./restate.ts";
import { scriptedModel, type ScriptedTurn } from "./testing.ts";

/** A replacement for the `TerminalError` class of the Restate SDK. */
class TerminalError extends Error {}

/** An entry in Restate's journal. */
type Entry = { readonly value: unknown } | { readonly failure: string };

/**
 * A replacement for a Restate context. The replacement finds recorded results by position, and
 * fails if an execution requests a different step name at that position. `crashBefore` is the
 * number of entries after which the worker crashes, before the next result is recorded.
 */
class PositionalContext {
  readonly entries: { readonly name: string; readonly entry: Entry }[];
  readonly #crashBefore: number;
  #position = 0;
  #isActive = false;

  constructor(entries: PositionalContext["entries"] = [], crashBefore = Infinity) {
    this.entries = entries;
    this.#crashBefore = crashBefore;
  }

  async run(name: string, action: () => Promise<unknown>): Promise<unknown> {
    if (this.#isActive) throw new Error("ctx.run is neither concurrent nor nestable");
    const position = this.#position++;
    const recorded = this.entries[position];
    if (recorded !== undefined) {
      assertEquals(recorded.name, name);
      if ("failure" in recorded.entry) throw new TerminalError(recorded.entry.failure);
      return recorded.entry.value;
    }
    this.#isActive = true;
    try {
      const entry = await this.#execute(action);
      if (position >= this.#crashBefore) throw new Crash();
      this.entries.push({ name, entry: JSON.parse(JSON.stringify(entry)) });
      if ("failure" in entry) throw new TerminalError(entry.failure);
      return entry.value;
    } finally {
      this.#isActive = false;
    }
  }

  async #execute(action: () => Promise<unknown>): Promise<Entry> {
    try {
      return { value: await action() };
    } catch (error) {
      if (error instanceof TerminalError) return { failure: error.message };
      throw error;
    }
  }
}

class Crash extends Error {}

const CALLS: readonly ScriptedTurn[] = [
  {
    calls: [
      { toolName: "look", input: {}, toolCallId: "a" },
      { toolName: "pay", input: {}, toolCallId: "b" },
    ],
  },
  { text: "Done" },
];

function createRun(effects: string[], options: Partial<ToolLoopConfig> = {}): ToolLoopConfig {
  const registry = new ToolRegistry();
  const create = (name: string): Tool => ({
    name,
    inputSchema: { type: "object" },
    annotations: name === "look" ? { readOnly: true } : {},
    execute: () => void effects.push(name),
  });
  for (const name of ["look", "pay"]) registry.register(create(name));
  const model = scriptedModel(CALLS);
  return { model, registry, runId: "r", toolConcurrency: 1, onError: () => {}, ...options };
}

Deno.test("A run with restateSteps() that crashes after any number of steps ends with the same text", async () => {
  const whole = new PositionalContext();
  const stepRunner = restateSteps(whole, { TerminalError });
  await runToolLoop(createRun([], { stepRunner }), "Pay");
  assertEquals(whole.entries.map(({ name }) => name), [
    "r/start",
    "r/i0/model",
    "r/i0/tool/0",
    "r/i0/begin/1.0",
    "r/i0/tool/1",
    "r/i1/model",
  ]);
  for (let crashBefore = 0; crashBefore < whole.entries.length; crashBefore++) {
    const effects: string[] = [];
    const before = new PositionalContext([], crashBefore);
    const first = createRun(effects, { stepRunner: restateSteps(before, { TerminalError }) });
    await assertRejects(() => runToolLoop(first, "Pay"));
    const after = new PositionalContext(before.entries);
    // Restate returns the recorded responses, so the model is called only for the turns after the
    // crash.
    const turns = before.entries.filter(({ name }) => name.endsWith("/model")).length;
    const second = createRun(effects, {
      model: scriptedModel(CALLS.slice(turns)),
      stepRunner: restateSteps(after, { TerminalError }),
    });
    assertEquals((await runToolLoop(second, "Pay")).finalText, "Done", `crash at ${crashBefore}`);
    assertEquals(effects.filter((name) => name === "pay").length, 1, `crash at ${crashBefore}`);
  }
});

Deno.test("restateSteps() tells the model that the outcome of a tool is unknown if the worker crashed during the call", async () => {
  const before = new PositionalContext([], 4);
  await assertRejects(() =>
    runToolLoop(createRun([], { stepRunner: restateSteps(before, { TerminalError }) }), "Pay")
  );
  const effects: string[] = [];
  const { messages } = await runToolLoop(
    createRun(effects, {
      model: scriptedModel(CALLS.slice(1)),
      stepRunner: restateSteps(new PositionalContext(before.entries), { TerminalError }),
    }),
    "Pay",
  );
  assertEquals(effects, []);
  assert(JSON.stringify(messages).includes("outcome_unknown"));
});

Deno.test("restateSteps() rejects a run whose tools are executed concurrently", async () => {
  const stepRunner = restateSteps(new PositionalContext(), { TerminalError });
  const run = createRun([], { stepRunner, toolConcurrency: 2 });
  const error = await assertRejects(() => runToolLoop(run, "Pay"), AgentError);
  assert(String(error.cause ?? error).includes('"toolConcurrency" must be 1'), String(error));
});

Deno.test("restateSteps() runs a sub-agent as part of its tool's step", async () => {
  const context = new PositionalContext();
  const effects: string[] = [];
  const { registry } = createRun(effects);
  const boss = new ToolLoopAgent({
    name: "boss",
    registry,
    toolConcurrency: 1,
    model: scriptedModel([
      { calls: [{ toolName: "helper", input: { task: "Look" } }] },
      { text: "Done" },
    ]),
  });
  boss.registry.register(asTool({
    name: "helper",
    description: "Looks",
    model: scriptedModel([{
      calls: [{ toolName: "look", input: {} }, { toolName: "look", input: {} }],
    }, {
      text: "Seen",
    }]),
    allowedTools: ["look"],
    approvalHandler: autoApprove,
  }));
  const stepRunner = restateSteps(context, { TerminalError });
  assertEquals((await boss.run("Go", { runId: "r", stepRunner })).finalText, "Done");
  assertEquals(effects, ["look", "look"]);
  assertEquals(context.entries.map(({ name }) => name), [
    "r/start",
    "r/i0/model",
    "r/i0/tool/0",
    "r/i1/model",
  ]);
  await boss.terminate();
});

Deno.test("restateSteps() records failures that are not retryable, and lets Restate retry all others", async () => {
  for (const retryable of [true, false]) {
    const context = new PositionalContext();
    const failure = AgentError.modelError("no answer", { retryable });
    const model = scriptedModel([{ error: failure }]);
    const stepRunner = restateSteps(context, { TerminalError });
    const error = await assertRejects(() =>
      runToolLoop(createRun([], { model, stepRunner, modelRetries: 0 }), "Pay")
    );
    assert(String(error).includes("no answer"), String(error));
    assertEquals(context.entries.length, retryable ? 1 : 2);
  }
});

Deno.test("restateSteps() returns the result of a step that the same handler has executed", async () => {
  const context = new PositionalContext();
  const effects: string[] = [];
  const stepRunner = restateSteps(context, { TerminalError });
  await runToolLoop(createRun(effects, { stepRunner }), "Pay");
  const count = context.entries.length;
  await runToolLoop(createRun(effects, { stepRunner }), "Pay");
  assertEquals([effects, context.entries.length], [["look", "pay"], count]);
});

Deno.test("restateApprovals() waits for one durable promise per call, and denies a call if the promise has another value", async () => {
  const seen: string[] = [];
  const values: Readonly<Record<string, unknown>> = {
    "r/i0/a": { decision: "approve" },
    "r/i0/b": "yes",
  };
  const approvalHandler: ApprovalHandler = restateApprovals({
    promise: (name) => ({ get: () => Promise.resolve(values[name]) }),
  }, { onRequest: (name, { toolCall }) => void seen.push(`${name} ${toolCall.toolName}`) });
  const effects: string[] = [];
  const errors: string[] = [];
  const context = new PositionalContext();
  await runToolLoop(
    createRun(effects, {
      approvalHandler,
      stepRunner: restateSteps(context, { TerminalError }),
      onError: (error) => errors.push(String(error)),
    }),
    "Pay",
  );
  assertEquals([seen, effects], [["r/i0/a look", "r/i0/b pay"], ["look"]]);
  assert(errors.join().includes('"r/i0/b" must resolve to an ApprovalDecision'), errors.join());
  assert(context.entries.every(({ name }) => !name.includes("approval")));
});

Deno.test("restateSteps() and restateApprovals() reject arguments that are not contexts", () => {
  const steps = restateSteps as (...args: unknown[]) => unknown;
  const approvals = restateApprovals as (...args: unknown[]) => unknown;
  assertThrows(() => steps({}, { TerminalError }), TypeError, '"ctx" must be');
  assertThrows(() => steps(new PositionalContext(), {}), TypeError, '"TerminalError" must be');
  assertThrows(() => approvals({}), TypeError, '"ctx" must be');
  assertThrows(() => approvals({ promise() {} }, { onRequest: 5 }), TypeError, '"onRequest"');
});
