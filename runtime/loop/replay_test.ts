import { assertEquals, assertRejects } from "@std/assert";
import { MemoryJournal, recordSteps, type StepRunner } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { ToolAnnotations } from "../tools/tool.ts";
import type { ApprovalDecision, ApprovalHandler, ApprovalRequest } from "./approval.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

const APPROVE: ApprovalDecision = { decision: "approve" };
const EDITED = { amount: 2 };
const FIRST_DECISION: ApprovalDecision = { decision: "approve", input: EDITED };

class Crash extends Error {}

/**
 * A run with one tool call that can crash while the tool is running, and that continues with the
 * same journal.
 */
class PaymentRun {
  journal = new MemoryJournal();
  /** Input of each execution of the tool. */
  readonly executions: unknown[] = [];
  readonly requests: ApprovalRequest[] = [];
  readonly #annotations: ToolAnnotations;

  constructor(annotations: ToolAnnotations = { destructive: true }) {
    this.#annotations = annotations;
  }

  get keys(): readonly string[] {
    return this.journal.toText().trim().split("\n").map((line) => JSON.parse(line).key);
  }

  /**
   * Starts the run, or resumes it. If `crashes` is `true`, the result of the tool is not recorded.
   */
  async start(
    { crashes = false, ...more }: Partial<ToolLoopConfig> & { readonly crashes?: boolean } = {},
  ): Promise<ToolLoopOutput> {
    const inner = recordSteps(this.journal);
    const stepRunner: StepRunner = {
      run: (key, kind, step) =>
        inner.run(key, kind, async () => {
          const value = await step();
          if (crashes && kind === "tool") throw new Crash();
          return value;
        }),
    };
    const registry = new ToolRegistry([{
      name: "pay",
      inputSchema: { type: "object" },
      annotations: this.#annotations,
      execute: (input: unknown) => `payment ${this.executions.push(input)}`,
    }]);
    const model = scriptedModel([
      ({ messages }) =>
        messages.length > 1
          ? { text: "done" }
          : { calls: [{ toolName: "pay", input: { amount: 1 } }] },
      { text: "done" },
    ]);
    return await runToolLoop({ model, registry, runId: "r", stepRunner, ...more }, "go");
  }

  async crash(more: Partial<ToolLoopConfig> = {}): Promise<void> {
    await assertRejects(() => this.start({ crashes: true, ...more }));
    this.journal = MemoryJournal.fromText(this.journal.toText());
  }

  /** An approval handler that records the requests. */
  handler(decision: ApprovalDecision): ApprovalHandler {
    return (request) => {
      this.requests.push(request);
      return request.reason === "outcome_unknown" ? decision : FIRST_DECISION;
    };
  }
}

function resultOf({ iterations }: ToolLoopOutput): readonly [string | undefined, string] {
  const result = iterations[0]?.toolResults[0];
  return [result?.code, JSON.stringify(result?.output)];
}

Deno.test("runToolLoop() returns an unknown outcome to the model and does not execute the tool again by default", async () => {
  const run = new PaymentRun();
  await run.crash();
  const output = await run.start();
  const [code, text] = resultOf(output);
  assertEquals([code, output.finalText, run.executions.length], ["outcome_unknown", "done", 1]);
  assertEquals(
    text,
    JSON.stringify({
      type: "error-text",
      value: 'Outcome unknown: the run was interrupted while tool "pay" was running, so the call ' +
        "may have had an effect. Check the effect before you call the tool again.",
    }),
  );
  assertEquals(await run.start(), output);
  assertEquals(await run.start({ onUnknownOutcome: "repeat" }), output);
  assertEquals(run.executions.length, 1);
});

Deno.test('runToolLoop() executes the tool again if `onUnknownOutcome` is "repeat" or the tool is safe to repeat', async () => {
  const cases: readonly [ToolAnnotations, Partial<ToolLoopConfig>][] = [
    [{ destructive: true }, { onUnknownOutcome: "repeat" }],
    [{ readOnly: true }, {}],
    [{ idempotent: true }, { onUnknownOutcome: "ask" }],
  ];
  for (const [annotations, options] of cases) {
    const run = new PaymentRun(annotations);
    await run.crash(options);
    const output = await run.start(options);
    assertEquals([resultOf(output)[0], run.executions.length], [undefined, 2]);
    assertEquals(run.keys, ["r/start", "r/i0/model", "r/i0/tool/0", "r/i1/model"]);
  }
});

Deno.test("runToolLoop() records one additional step per call of a tool that is not safe to repeat", async () => {
  const run = new PaymentRun({});
  await run.start();
  assertEquals(run.keys, ["r/start", "r/i0/model", "r/i0/begin/0.0", "r/i0/tool/0", "r/i1/model"]);
});

Deno.test('runToolLoop() asks the approval handler about an unknown outcome if `onUnknownOutcome` is "ask"', async () => {
  const run = new PaymentRun();
  const ask = { onUnknownOutcome: "ask" } as const;
  await run.crash({ ...ask, approvalHandler: run.handler(APPROVE) });
  const again = { ...ask, approvalHandler: run.handler(APPROVE) };
  const output = await run.start(again);
  assertEquals([resultOf(output)[0], run.executions], [undefined, [EDITED, EDITED]]);
  assertEquals(run.requests.map(({ reason, toolCall: { input } }) => [reason, input]), [
    ["approval", { amount: 1 }],
    ["outcome_unknown", EDITED],
  ]);
  assertEquals(await run.start(again), output);
  assertEquals(run.requests.length, 2);
});

Deno.test("runToolLoop() returns an unknown outcome to the model if the approval handler denies another execution", async () => {
  const run = new PaymentRun();
  await run.crash({ onUnknownOutcome: "ask" });
  const options = {
    onUnknownOutcome: "ask",
    approvalHandler: run.handler({ decision: "deny", reason: "it was paid" }),
  } as const;
  const output = await run.start(options);
  const [code, text] = resultOf(output);
  assertEquals([code, text.includes("it was paid"), run.executions.length], [
    "outcome_unknown",
    true,
    1,
  ]);
  assertEquals(await run.start(options), output);
});

Deno.test("runToolLoop() defers an unknown outcome without a handler, and each repetition needs its own decision", async () => {
  const run = new PaymentRun();
  const ask = { onUnknownOutcome: "ask" } as const;
  await run.crash(ask);
  const pendingKey = async (more: Partial<ToolLoopConfig>): Promise<string> => {
    const { pending } = await run.start({ ...ask, ...more });
    assertEquals(pending?.approvals.map(({ reason }) => reason), ["outcome_unknown"]);
    return pending?.approvals[0]?.key ?? "";
  };
  const first = await pendingKey({});
  assertEquals(first.replace(/#.*/, ""), "r/i0/approval/0.1");
  await run.crash({ ...ask, decisions: { [first]: APPROVE } });
  assertEquals(run.executions.length, 2);
  const second = await pendingKey({ decisions: { [first]: APPROVE } });
  assertEquals(second.replace(/#.*/, ""), "r/i0/approval/0.2");
  const output = await run.start({ ...ask, decisions: { [second]: APPROVE } });
  assertEquals([resultOf(output)[0], run.executions.length], [undefined, 3]);
});

Deno.test("runToolLoop() does not execute a tool if the run is aborted while the start is recorded, and may start it later", async () => {
  const run = new PaymentRun();
  const controller = new AbortController();
  const inner = recordSteps(run.journal);
  const aborting: StepRunner = {
    async run(key, kind, step) {
      const value = await inner.run(key, kind, step);
      if (kind === "begin") controller.abort();
      return value;
    },
  };
  const aborted = await run.start({ stepRunner: aborting, signal: controller.signal });
  assertEquals([aborted.stopReason, run.executions.length], ["aborted", 0]);
  const output = await run.start();
  assertEquals([resultOf(output)[0], run.executions.length], [undefined, 1]);
});

Deno.test("runToolLoop() rejects a step runner that returns a value for every key", async () => {
  const inner = recordSteps(new MemoryJournal());
  const stepRunner: StepRunner = {
    run: (key, kind, step) =>
      kind === "begin" || kind === "suspended" ? Promise.resolve(true) : inner.run(key, kind, step),
  };
  const run = new PaymentRun();
  const error = await assertRejects(() => run.start({ stepRunner }), AgentError);
  assertEquals([error.code, run.executions.length], ["core", 0]);
});

Deno.test("runToolLoop() does not execute a tool again if the approval handler fails or returns no decision", async () => {
  const handlers: readonly (() => unknown)[] = [
    () => {
      throw new Error("no database");
    },
    () => Promise.reject(new Error("no database")),
    () => undefined,
    () => "approve",
  ];
  for (const handler of handlers) {
    const run = new PaymentRun();
    await run.crash();
    const output = await run.start({
      onUnknownOutcome: "ask",
      approvalHandler: (request) =>
        request.reason === "approval" || handler() as ReturnType<ApprovalHandler>,
      onError: () => {},
    });
    assertEquals([resultOf(output)[0], run.executions.length], ["outcome_unknown", 1]);
  }
});

/** Faults of a step runner. The types do not permit some results. */
const FAULTS: readonly (readonly [string, () => Promise<never>])[] = [
  ["throws", () => {
    throw new Error("no disk");
  }],
  ["rejects", () => Promise.reject(new Error("no disk"))],
  ["returns undefined", (() => undefined) as never],
  ["resolves to undefined", (() => Promise.resolve(undefined)) as never],
  ["resolves to 1", (() => Promise.resolve(1)) as never],
];

for (const [fault, fail] of FAULTS) {
  Deno.test(`runToolLoop() does not execute a tool if recording its start ${fault}`, async () => {
    const run = new PaymentRun();
    const inner = recordSteps(run.journal);
    const stepRunner: StepRunner = {
      run: (key, kind, step) => kind === "begin" ? fail() : inner.run(key, kind, step),
    };
    const error = await assertRejects(() => run.start({ stepRunner }), AgentError);
    assertEquals([error.code, run.executions.length], ["core", 0]);
  });

  Deno.test(`runToolLoop() does not execute a tool if the lock of the step runner ${fault}`, async () => {
    const run = new PaymentRun();
    const stepRunner: StepRunner = { ...recordSteps(run.journal), lock: fail };
    const error = await assertRejects(() => run.start({ stepRunner }), AgentError);
    assertEquals([error.code, run.executions.length], ["core", 0]);
  });
}

Deno.test("runToolLoop() executes a tool once if the lock of the step runner returns no result", async () => {
  const run = new PaymentRun();
  const lock = (_key: string, work: () => Promise<unknown>) => void work();
  const stepRunner: StepRunner = { ...recordSteps(run.journal), lock: lock as never };
  await assertRejects(() => run.start({ stepRunner }), AgentError);
  assertEquals(run.executions.length, 1);
});
