import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import {
  type ApprovalDecision,
  type ApprovalHandler,
  autoApprove,
  readApprovalDecision,
} from "./approval.ts";
import { digestOf } from "./decisions.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

const APPROVE: ApprovalDecision = { decision: "approve" };

/**
 * Runs the loop with a model that calls one tool and then ends. Returns the names of the executed
 * tools.
 */
async function runOnce(
  { toolName = "read", input = {}, ...more }:
    & { readonly toolName?: string; readonly input?: unknown }
    & Partial<ToolLoopConfig>,
): Promise<ToolLoopOutput & { readonly executed: readonly string[] }> {
  const executed: string[] = [];
  const registry = new ToolRegistry(
    ["read", "wipe"].map((name) => ({
      name,
      inputSchema: { type: "object" },
      execute: (): void => void executed.push(name),
    })),
  );
  const model = scriptedModel([{ calls: [{ toolName, input }] }, { text: "done" }]);
  return { ...await runToolLoop({ model, registry, runId: "r", ...more }, "go"), executed };
}

async function deferredKey(more: Parameters<typeof runOnce>[0]): Promise<string> {
  const { pending } = await runOnce({ ...more, approvalHandler: () => ({ decision: "defer" }) });
  return pending?.approvals[0]?.key ?? "";
}

Deno.test("digestOf() hashes the tool name and the sorted input", async () => {
  // Computed with Python: hashlib.sha256(json.dumps([name, input], sort_keys=True, ...)).
  const call = { type: "tool-call", toolCallId: "any", toolName: "pay" } as const;
  const inputs = [
    { b: [{ z: 1, a: "é" }, null], a: 1.5, 10: true, 9: false },
    { 9: false, a: 1.5, b: [{ a: "é", z: 1 }, null], 10: true },
  ];
  for (const input of inputs) {
    assertEquals(await digestOf({ ...call, input }), "rMOVv3oJ4XVGo1qymJDaAg");
  }
});

Deno.test("runToolLoop() uses a decision only for the call in its key, with and without a journal", async () => {
  const key = await deferredKey({ input: { path: "a" } });
  const decisions = { [key]: APPROVE };
  const same = await runOnce({ input: { path: "a" }, decisions });
  assertEquals([same.stopReason, same.executed], ["model_stop", ["read"]]);
  const others = [
    { toolName: "wipe", input: { path: "a" } },
    { toolName: "read", input: { path: "b" } },
    { toolName: "read", input: { path: "a" }, runId: "other" },
  ];
  for (const other of others) {
    const plain = await runOnce({ ...other, decisions });
    assertEquals([plain.stopReason, plain.executed], ["approval_pending", []]);
    const stepRunner = recordSteps(new MemoryJournal());
    const recorded = await runOnce({ ...other, decisions, stepRunner });
    assertEquals([recorded.stopReason, recorded.executed], ["approval_pending", []]);
    const denied = await runOnce({ ...other, decisions, approvalHandler: () => false });
    assertEquals([denied.stopReason, denied.executed], ["model_stop", []]);
    const allowed = await runOnce({ ...other, decisions, approvalHandler: autoApprove });
    assertEquals(allowed.executed, [other.toolName]);
  }
});

Deno.test("runToolLoop() emits `decision_unused` once, with the keys that match no call", async () => {
  const key = await deferredKey({});
  const used: ApprovalDecision = { decision: "deny" };
  const events: LoopEvent[] = [];
  const onEvent = (event: LoopEvent): void => void events.push(event);
  const unused = (): unknown =>
    events.splice(0).filter(({ type }) => type === "decision_unused").map((event) =>
      "keys" in event ? event.keys : undefined
    );
  const journal = new MemoryJournal();
  const options = { onEvent, stepRunner: recordSteps(journal) };
  await runOnce({ ...options, decisions: { [key]: used, x: used, "r/i9/approval/0#y": used } });
  assertEquals(unused(), [["x", "r/i9/approval/0#y"]]);
  // The decision is in the journal now, and still counts as used.
  await runOnce({ ...options, decisions: { [key]: used } });
  assertEquals(unused(), []);
});

Deno.test("runToolLoop() rejects a recorded approval of a different call", async () => {
  const journal = new MemoryJournal();
  await runOnce({ approvalHandler: () => true, stepRunner: recordSteps(journal) });
  const lines = journal.toText().replaceAll(/,"n":\d+/g, "").split("\n")
    .filter((line) => /start"|approval/.test(line));
  const resume = (text: string): Promise<unknown> =>
    runOnce({
      toolName: "wipe",
      approvalHandler: () => true,
      stepRunner: recordSteps(MemoryJournal.fromText(`${text}\n`)),
    });
  const error = await assertRejects(() => resume(lines.join("\n")), AgentError);
  assertEquals([error.code, /approval of a different tool call/.test(error.message)], [
    "core",
    true,
  ]);
  const withoutDigest = lines.join("\n").replace(/,"digest":"[^"]*"/, "");
  assertEquals((await assertRejects(() => resume(withoutDigest), AgentError)).code, "core");
});

Deno.test("runToolLoop() needs no decision for calls that a run without an approval handler has started", async () => {
  const journal = new MemoryJournal();
  const executed: string[] = [];
  const registry = new ToolRegistry(
    ["first", "second"].map((name) => ({
      name,
      inputSchema: { type: "object" },
      execute: (): void => void executed.push(name),
    })),
  );
  const turns = [{ calls: [{ toolName: "first" }] }, { calls: [{ toolName: "second" }] }];
  const start = (more: Partial<ToolLoopConfig>, skip: number): Promise<ToolLoopOutput> =>
    runToolLoop({
      model: scriptedModel([...turns, { text: "done" }].slice(skip)),
      registry,
      runId: "r",
      stepRunner: recordSteps(journal),
      ...more,
    }, "go");
  await assertRejects(() =>
    start({
      onEvent: ({ type }) => {
        if (type === "tool_finished") throw new Error("crash");
      },
    }, 0)
  );
  const open = await start({ decisions: {} }, 1);
  const [pending, ...others] = open.pending?.approvals ?? [];
  assertEquals([pending?.toolCall.toolName, others, executed], ["second", [], ["first"]]);
  const output = await start({ decisions: { [pending?.key ?? ""]: APPROVE } }, 2);
  assertEquals([output.finalText, executed], ["done", ["first", "second"]]);
});

Deno.test("readApprovalDecision() ignores an inherited decision", async () => {
  const inherited: unknown = Object.create({ decision: "approve", input: { evil: true } });
  assertEquals(readApprovalDecision(inherited), undefined);
  const output = await runOnce({ approvalHandler: () => Object.create(APPROVE) });
  assertEquals(output.executed, []);
  const decisions: Record<string, ApprovalDecision> = Object.create({
    [await deferredKey({})]: APPROVE,
  });
  await assertRejects(
    () => runOnce({ decisions }),
    TypeError,
    '"decisions" must be a plain object',
  );
});

Deno.test("readApprovalDecision() reads an input or a reason that a class defines, once", () => {
  let reads = 0;
  class Edited {
    decision = "approve";
    get input(): unknown {
      return { read: ++reads };
    }
  }
  assertEquals(readApprovalDecision(new Edited()), { decision: "approve", input: { read: 1 } });
  const denied = Object.assign(Object.create({ reason: "no" }), { decision: "deny" });
  assertEquals(readApprovalDecision(denied), { decision: "deny", reason: "no" });
  // A polluted prototype must not replace the input.
  Object.defineProperty(Object.prototype, "input", { value: { evil: true }, configurable: true });
  try {
    assertEquals(readApprovalDecision({ decision: "approve" }), { decision: "approve" });
  } finally {
    Reflect.deleteProperty(Object.prototype, "input");
  }
});

Deno.test("a decision with an unknown member approves no call", async () => {
  for (const name of ["inputs", "args", "Input", "edited"]) {
    const decision: ApprovalDecision = Object.assign({ [name]: { path: "x" } }, APPROVE);
    assertEquals(readApprovalDecision(decision), undefined);
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const { executed } = await runOnce({ approvalHandler: () => decision, onError });
    assertEquals(executed, []);
    assertStringIncludes(
      String(errors[0]),
      `"decision" must have only known options, got "${name}"`,
    );
    if (name !== "edited") assertStringIncludes(String(errors[0]), '"input"');
    const decisions = { [await deferredKey({})]: decision };
    await assertRejects(() => runOnce({ decisions }), TypeError, `got "${name}"`);
  }
  const absent: ApprovalDecision = Object.assign({ inputs: undefined }, APPROVE);
  assertEquals(readApprovalDecision(absent), { decision: "approve" });
});

Deno.test("runToolLoop() rejects decisions in a map", async () => {
  const options: Parameters<typeof runOnce>[0] = {};
  Object.assign(options, { decisions: new Map([[await deferredKey({}), APPROVE]]) });
  await assertRejects(
    () => runOnce(options),
    TypeError,
    '"decisions" must be a plain object',
  );
});

Deno.test("runToolLoop() ignores an undefined input in an approval, with and without a journal", async () => {
  const approvalHandler = (): ApprovalDecision => ({ decision: "approve", input: undefined });
  const plain = await runOnce({ approvalHandler });
  const stepRunner = recordSteps(new MemoryJournal());
  const recorded = await runOnce({ approvalHandler, stepRunner });
  assertEquals([plain.executed, recorded.executed], [["read"], ["read"]]);
});

Deno.test("runToolLoop() rejects invalid decisions before the model is called", async () => {
  const key = await deferredKey({});
  const throws = {
    get decision(): string {
      throw new Error("no");
    },
  };
  for (const invalid of [null, "approve", {}, 1, [], throws, { ...APPROVE, input: () => {} }]) {
    let events = 0;
    const decisions = { [key]: invalid as ApprovalDecision };
    const running = runOnce({
      decisions,
      approvalHandler: autoApprove,
      onEvent: () => void events++,
    });
    const error = await assertRejects(() => running, Error);
    if (invalid !== throws && Object(invalid).decision === undefined) {
      assertStringIncludes(error.message, `"decisions["${key}"]" must be an ApprovalDecision`);
    }
    assertEquals(events, 0);
  }
});

Deno.test("runToolLoop() reports decisions that match no call to onError", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const key = await deferredKey({});
  const { executed } = await runOnce({ decisions: { [key]: APPROVE }, runId: "other", onError });
  assertEquals(executed, []);
  assertEquals(errors.map((error) => (error as Error).message), [
    `Cannot use the decisions ${key}: no tool call of run "other" has these keys; ` +
    "pass the run id of the run that requested the approval",
  ]);
  errors.splice(0);
  await runOnce({ decisions: { [key]: APPROVE }, onError });
  const signal = AbortSignal.abort();
  await runOnce({ decisions: { [key]: APPROVE }, runId: "other", onError, signal });
  assertEquals(errors, []);
});

Deno.test("runToolLoop() reports a decision below a replayed tool call that matches no approval", async () => {
  const journal = new MemoryJournal();
  const stepRunner = recordSteps(journal);
  await runOnce({ stepRunner });
  const step = { v: 1, kind: "approval", value: { decision: "approve" } } as const;
  await journal.append({ ...step, key: "r/i0/tool/0/sub.0/i0/approval/0" });
  const used = "r/i0/tool/0/sub.0/i0/approval/0#x";
  const unused = "r/i0/tool/0/other.0/i0/approval/0#x";
  const reported: unknown[] = [];
  await runOnce({
    stepRunner,
    decisions: { [used]: APPROVE, [unused]: APPROVE },
    onError: () => {},
    onEvent: (event) => {
      if (event.type === "decision_unused") reported.push(event.keys);
    },
  });
  assertEquals(reported, [[unused]]);
});

/** Approval handlers that fail or return no decision. The types do not permit some results. */
const NO_DECISIONS: readonly (readonly [string, () => unknown])[] = [
  ["throws", () => {
    throw new Error("no database");
  }],
  ["rejects", () => Promise.reject(new Error("no database"))],
  ["rejects with undefined", () => Promise.reject(undefined)],
  ...[undefined, null, 1, "yes", "approve", [true], {}, { decision: true }, { approve: true }]
    .flatMap((value): readonly (readonly [string, () => unknown])[] => {
      const text = JSON.stringify(value) ?? "undefined";
      return [
        [`returns ${text}`, () => value],
        [`resolves to ${text}`, () => Promise.resolve(value)],
      ];
    }),
];

for (const [fault, handler] of NO_DECISIONS) {
  Deno.test(`runToolLoop() executes no tool if the approval handler ${fault}`, async () => {
    for (const stepRunner of [undefined, recordSteps(new MemoryJournal())]) {
      const errors: unknown[] = [];
      const { executed, iterations } = await runOnce({
        approvalHandler: handler as ApprovalHandler,
        onError: (error) => errors.push(error),
        ...stepRunner === undefined ? {} : { stepRunner },
      });
      const codes = iterations[0]?.toolResults.map(({ code }) => code);
      assertEquals([executed, codes, errors.length], [[], ["approval_denied"], 1]);
    }
  });
}
