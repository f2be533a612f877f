import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import {
  memoryRuns,
  openRuns,
  type OpenRunsOptions,
  readRunResult,
  type RunEngine,
  Runs,
} from "../runs.ts";
import { AgentError } from "../shared/error.ts";
import { asRecord } from "@parley/internal/json";
import {
  createGate,
  createManualClock,
  type ManualClock,
  scriptedModel,
  type ScriptedTurn,
} from "../testing.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { AgentVersion } from "./agent_versions.ts";
import { observe } from "./testdata/observe.ts";

const CALL: ScriptedTurn = { calls: [{ toolName: "work" }] };
const DONE: ScriptedTurn = { text: "Done" };
const BROKEN: ScriptedTurn = { failure: { reason: "bad key", retryable: false } };
const START = { runId: "r1", agent: "clerk", input: "Go" };

/**
 * Describes an agent with one tool. Its scripted model returns the turns in order across all
 * executions of a run.
 */
function clerk(
  turns: readonly ScriptedTurn[],
  execute: Tool["execute"] = () => "ok",
  more: Partial<AgentVersion> & { readonly defers?: boolean; readonly systemPrompt?: string } = {},
): AgentVersion {
  const { defers = false, systemPrompt = "Work.", ...version } = more;
  const model = scriptedModel(turns);
  const approval = defers ? { approvalHandler: () => ({ decision: "defer" as const }) } : {};
  return {
    version: "1",
    make: () =>
      new ToolLoopAgent({
        name: "clerk",
        model,
        systemPrompt,
        modelRetries: 0,
        tools: [{ name: "work", inputSchema: { type: "object" }, execute }],
        onError: () => {},
        ...approval,
      }),
    ...version,
  };
}

/** Opens runs, starts a worker, calls the test, and closes the runs afterwards. */
async function withWorker(
  engine: RunEngine,
  agent: AgentVersion,
  test: (runs: Runs, errors: readonly AgentError[]) => Promise<void>,
  options: OpenRunsOptions = {},
): Promise<void> {
  const errors: AgentError[] = [];
  const onError = (error: unknown): void => {
    assert(AgentError.isAgentError(error), String(error));
    errors.push(error);
  };
  const runs = openRuns(engine, { clerk: agent }, { onError, ...options });
  const working = runs.work();
  try {
    await test(runs, errors);
  } finally {
    await runs.close();
    await working;
  }
}

/** An engine that stays usable after `close()`, like a database that several processes use. */
function shared(engine: RunEngine): RunEngine {
  return { ...engine, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Wraps a clock so that a test can wait until a timer is set. */
function watchTimers(clock: ManualClock): {
  readonly clock: ManualClock;
  untilTimer(delayMs: number, count?: number): Promise<void>;
} {
  const delays: number[] = [];
  let changed = Promise.withResolvers<void>();
  return {
    clock: {
      ...clock,
      after(delayMs, callback) {
        delays.push(delayMs);
        changed.resolve();
        changed = Promise.withResolvers();
        return clock.after(delayMs, callback);
      },
    },
    async untilTimer(delayMs, count = 1) {
      while (delays.filter((one) => one === delayMs).length < count) await changed.promise;
    },
  };
}

Deno.test("a run that defers an approval waits, and the decision continues the run", async () => {
  const engine = observe(memoryRuns());
  let executions = 0;
  const agent = clerk([CALL, DONE], () => `paid ${++executions}`, { defers: true });
  await withWorker(engine, agent, async (runs) => {
    assertEquals(await runs.start(START), true);
    await engine.closed("r1", "waiting");
    const [wait, ...more] = (await runs.get("r1"))?.waitingFor ?? [];
    assert(wait?.kind === "approval");
    assertEquals([wait.toolName, wait.reason, wait.path, wait.input, more], [
      "work",
      "approval",
      ["clerk"],
      {},
      [],
    ]);
    const outcomes = await Promise.all([
      runs.signal("r1", wait.key, { decision: "approve" }),
      runs.signal("r1", wait.key, { decision: "deny" }),
    ]);
    assertEquals(outcomes, [{ outcome: "stored" }, { outcome: "conflict" }]);
    const run = await runs.result("r1");
    const text = readRunResult(run)?.finalText;
    assertEquals([run.status, text, executions], ["done", "Done", 1]);
    assertEquals((await runs.signal("r1", wait.key, true)).outcome, "ended");
  });
});

Deno.test("a denied tool call is not executed", async () => {
  const engine = observe(memoryRuns());
  let executions = 0;
  const agent = clerk([CALL, DONE], () => ++executions, { defers: true });
  await withWorker(engine, agent, async (runs) => {
    await runs.start(START);
    await engine.closed("r1", "waiting");
    const [wait] = (await runs.get("r1"))?.waitingFor ?? [];
    await runs.signal("r1", wait?.key ?? "", { decision: "deny", reason: "no" });
    assertEquals([(await runs.result("r1")).status, executions], ["done", 0]);
  });
});

Deno.test("a tool waits for a signal, and does not wait for a signal that was sent before", async () => {
  const engine = observe(memoryRuns());
  const values: unknown[] = [];
  const work = async (_: unknown, { wait }: ToolContext): Promise<string> => {
    values.push(await wait("early"), await wait("late"));
    return "ok";
  };
  await withWorker(engine, clerk([CALL, DONE], work), async (runs) => {
    await runs.start(START);
    await runs.signal("r1", "early", { a: 1 });
    await engine.closed("r1", "waiting");
    const run = await runs.get("r1");
    assertEquals(run?.waitingFor, [
      { kind: "signal", key: "late", path: ["clerk"], toolName: "work", toolCallId: "call_0_0" },
    ]);
    assertEquals((await runs.signal("r1", "late", 2)).outcome, "stored");
    assertEquals((await runs.result("r1")).status, "done");
  });
  assertEquals(values, [{ a: 1 }, 2]);
});

Deno.test("a signal that arrives while the run is being executed continues the run", async () => {
  const engine = observe(memoryRuns());
  const gate = createGate();
  let executions = 0;
  const work = async (_: unknown, { wait }: ToolContext): Promise<unknown> => {
    if (++executions === 1) await gate.wait();
    return await wait("late");
  };
  await withWorker(engine, clerk([CALL, DONE], work), async (runs) => {
    await runs.start(START);
    await gate.reached;
    assertEquals((await runs.signal("r1", "late", 2)).outcome, "stored");
    gate.release();
    const { epoch, status } = await runs.result("r1");
    assertEquals([status, epoch, executions], ["done", 2, 2]);
  });
});

Deno.test("a run sleeps for a day without a process, and three processes execute it", async () => {
  const clock = createManualClock();
  const memory = memoryRuns({ clock });
  const engine = observe(shared(memory));
  const paid: string[] = [];
  const work = async (_: unknown, context: ToolContext): Promise<string> => {
    await context.sleep("tomorrow", new Date(clock.now() + 86_400_000));
    paid.push(new Date(clock.now()).toISOString());
    return "paid";
  };
  const agent = clerk([CALL, DONE], work, { defers: true });
  const options = { clock };
  await withWorker(engine, agent, async (runs) => {
    await runs.start(START);
    await engine.closed("r1", "waiting");
    const [wait] = (await runs.get("r1"))?.waitingFor ?? [];
    assertEquals(wait?.kind, "approval");
  }, options);
  await withWorker(engine, agent, async (runs) => {
    const [wait] = (await runs.get("r1"))?.waitingFor ?? [];
    await runs.signal("r1", wait?.key ?? "", true);
    await engine.closed("r1", "waiting", 2);
    const run = await runs.get("r1");
    assertEquals([run?.waitingFor[0]?.kind, run?.due], ["time", "2030-01-02T00:00:00.000Z"]);
  }, options);
  clock.advance(86_400_000);
  await withWorker(engine, agent, async (runs) => {
    assertEquals((await runs.result("r1")).status, "done");
  }, options);
  assertEquals(paid, ["2030-01-02T00:00:00.000Z"]);
  await memory[Symbol.asyncDispose]();
});

Deno.test("a run with a due time starts at that time", async () => {
  const clock = createManualClock();
  const engine = observe(memoryRuns({ clock }));
  await withWorker(engine, clerk([DONE]), async (runs) => {
    await runs.start({ ...START, due: new Date(clock.now() + 5000) });
    clock.advance(4999);
    assertEquals((await runs.get("r1"))?.status, "queued");
    clock.advance(1);
    assertEquals((await runs.result("r1")).status, "done");
  }, { clock });
});

Deno.test("start() rejects a run with the id of a different run, and ignores an equal run", async () => {
  await withWorker(memoryRuns(), clerk([DONE]), async (runs) => {
    assertEquals([await runs.start(START), await runs.start(START)], [true, false]);
    const error = await assertRejects(() => runs.start({ ...START, input: "Stop" }), AgentError);
    assertEquals([error.code, error.details], ["run_conflict", {
      runId: "r1",
      reason: "a run with the same id and a different agent, message, budget or metadata exists",
    }]);
    await runs.result("r1");
    assertEquals(await runs.start(START), false);
  });
});

Deno.test("work() reports runs of versions that are not accepted, and list() shows them", async () => {
  const engine = shared(memoryRuns());
  const first = openRuns(engine, { clerk: clerk([]) });
  await first.start(START);
  await first.close();
  const reported = createGate();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => {
    errors.push(asRecord(error).code);
    void reported.wait();
  };
  const refusing = clerk([DONE], () => "", { version: "2" });
  await withWorker(engine, refusing, async (runs) => {
    await reported.reached;
    const listed = await runs.list({ status: "queued" });
    assertEquals(listed.map(({ isAccepted, runId, version }) => [runId, version, isAccepted]), [
      ["r1", "1", false],
    ]);
  }, { onError });
  assertEquals(errors, ["run_version_not_accepted"]);
  const accepting = clerk([DONE], () => "", { version: "3", accepts: ["1"] });
  await withWorker(engine, accepting, async (runs) => {
    assertEquals((await runs.list()).map(({ isAccepted }) => isAccepted), [true]);
    assertEquals((await runs.result("r1")).status, "done");
  });
});

Deno.test("a changed agent with an unchanged version does not continue a run", async () => {
  const clock = createManualClock();
  const engine = observe(shared(memoryRuns({ clock })));
  const wait = (_: unknown, context: ToolContext): Promise<unknown> => context.wait("go");
  await withWorker(engine, clerk([CALL], wait), async (runs) => {
    await runs.start(START);
    await engine.closed("r1", "waiting");
  }, { clock });
  const changed = clerk([DONE], wait, { systemPrompt: "Work differently." });
  await withWorker(engine, changed, async (runs, errors) => {
    await runs.signal("r1", "go", 1);
    await engine.closed("r1", "queued");
    assertEquals((await runs.get("r1"))?.error?.code, "run_agent_changed");
    await runs.close();
    assertEquals(errors.map(({ code }) => code), ["run_agent_changed"]);
  }, { clock });
  const released = clerk([DONE], wait, {
    systemPrompt: "Work differently.",
    version: "2",
    accepts: ["1"],
  });
  await withWorker(engine, released, async (runs) => {
    clock.advance(1000);
    assertEquals((await runs.result("r1")).status, "done");
  }, { clock });
});

Deno.test("cancel() aborts the tools of the run, and nothing is recorded afterwards", async () => {
  const engine = memoryRuns();
  const started = createGate();
  const ended = createGate();
  const work = async (_: unknown, { signal }: ToolContext): Promise<string> => {
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    void started.wait();
    await aborted;
    void ended.wait();
    return "too late";
  };
  await withWorker(engine, clerk([CALL, DONE], work), async (runs, errors) => {
    await runs.start(START);
    await started.reached;
    const result = runs.result("r1");
    assertEquals([await runs.cancel("r1"), await runs.cancel("r1")], [true, false]);
    assertEquals((await result).status, "cancelled");
    await ended.reached;
    const keys = (await Array.fromAsync(runs.steps("r1"))).map(({ key }) => key);
    assertEquals(keys.filter((key) => key.includes("/tool/")), []);
    assertEquals([await runs.cancel("unknown"), errors.length], [false, 0]);
  });
});

Deno.test("a run whose model fails is executed again, and fails after the last attempt", async () => {
  const { clock, untilTimer } = watchTimers(createManualClock());
  const engine = memoryRuns({ clock, retryDelayMs: 100 });
  const failure: ScriptedTurn = { failure: { reason: "overloaded", retryable: true } };
  const agent = clerk([CALL, failure, failure, DONE, failure, failure, failure]);
  await withWorker(engine, agent, async (runs, errors) => {
    await runs.start(START);
    await untilTimer(100);
    const { error: first, status: afterFirst } = await runs.get("r1") ?? {};
    assertEquals([afterFirst, first?.code], ["queued", "model_error"]);
    clock.advance(100);
    await untilTimer(200);
    clock.advance(199);
    assertEquals((await runs.get("r1"))?.status, "queued");
    clock.advance(1);
    assertEquals((await runs.result("r1")).status, "done");
    await runs.start({ ...START, runId: "r2" });
    await untilTimer(100, 2);
    clock.advance(100);
    await untilTimer(200, 2);
    clock.advance(200);
    const { error, status } = await runs.result("r2");
    assertEquals([status, error?.code, errors.length], ["failed", "model_error", 4]);
  }, { clock, maxAttempts: 3 });
});

Deno.test("a run with a permanent error fails without another attempt", async () => {
  const agent = clerk([BROKEN]);
  await withWorker(memoryRuns(), agent, async (runs) => {
    await runs.start(START);
    const { error, status } = await runs.result("r1");
    assertEquals([status, error?.code], ["failed", "model_error"]);
  });
});

Deno.test("a run ends once if the agent's onTerminate fails, and the error is reported", async () => {
  for (const [turn, status] of [[DONE, "done"], [BROKEN, "failed"]] as const) {
    let executions = 0;
    const model = scriptedModel([turn, turn, turn]);
    const version: AgentVersion = {
      version: "1",
      make: () => {
        executions++;
        const onTerminate = (): never => {
          throw new Error("still open");
        };
        return new ToolLoopAgent({ name: "clerk", model, modelRetries: 0, onTerminate });
      },
    };
    await withWorker(memoryRuns({ retryDelayMs: 0 }), version, async (runs, errors) => {
      await runs.start(START);
      const run = await runs.result("r1");
      assertEquals([run.status, executions], [status, 1]);
      assertEquals(errors.map(({ message }) => message), [
        'Cannot terminate agent "clerk": still open',
      ]);
    }, { maxAttempts: 1 });
  }
});

Deno.test("a worker that is stopped puts its run back, and recorded steps are not executed again", async () => {
  const engine = observe(shared(memoryRuns()));
  const stuck = createGate();
  let executions = 0;
  const work = async (_: unknown, { signal, toolCallId }: ToolContext): Promise<string> => {
    executions++;
    if (toolCallId === "b" && executions === 2) {
      void stuck.wait();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    return "ok";
  };
  const calls = ["a", "b"].map((toolCallId) => ({ toolName: "work", toolCallId }));
  const agent = clerk([{ calls }, DONE], work);
  await withWorker(engine, agent, async (runs) => {
    await runs.start(START);
    await stuck.reached;
  });
  await withWorker(engine, agent, async (runs) => {
    assertEquals((await runs.result("r1")).status, "done");
  });
  assertEquals(executions, 2);
});

Deno.test("work() delivers a queued run whose request for delivery was lost", async () => {
  const engine = memoryRuns();
  await engine.journal.create({ runId: "r1", agent: "clerk", version: "1", input: "Go" });
  await withWorker(engine, clerk([DONE]), async (runs) => {
    assertEquals((await runs.result("r1")).status, "done");
  });
});

/** Replaces `append` of an in-memory engine. */
function withAppend(
  append: (call: number, next: () => Promise<"stored" | "present" | "fenced">) => ReturnType<
    RunEngine["journal"]["append"]
  >,
): RunEngine {
  const engine = memoryRuns({ retryDelayMs: 1 });
  const { journal } = engine;
  let calls = 0;
  journal.append =
    ((original) => (runId, epoch, entry) =>
      append(++calls, () => original.call(journal, runId, epoch, entry)))(journal.append);
  return engine;
}

/**
 * A clock that skips delays of less than a second, such as the delays before repeated calls to the
 * journal, and never ends longer delays, such as the polling interval of `result`.
 */
const promptClock = {
  now: () => Date.now(),
  after(delayMs: number, callback: () => void): () => void {
    if (delayMs < 1000) queueMicrotask(callback);
    return () => {};
  },
};

Deno.test("a step is recorded once if the journal fails for a while or its response is lost", async () => {
  let executions = 0;
  const engine = withAppend(async (call, next) => {
    if (call % 3 === 1) await Promise.reject(new Error("database down"));
    const outcome = await next();
    if (call % 3 === 2) await Promise.reject(new Error("connection lost"));
    return outcome;
  });
  await withWorker(engine, clerk([CALL, DONE], () => ++executions), async (runs, errors) => {
    await runs.start(START);
    const { epoch, status } = await runs.result("r1");
    assertEquals([status, epoch, executions, errors], ["done", 1, 1, []]);
  }, { clock: promptClock });
});

Deno.test("a run is executed again if the journal fails for longer than journalTimeoutMs", async () => {
  const engine = observe(
    withAppend(async (call, next) =>
      call === 2 ? await Promise.reject(new Error("database down")) : await next()
    ),
  );
  const errors: unknown[] = [];
  await withWorker(engine, clerk([DONE, DONE]), async (runs) => {
    await runs.start(START);
    const { epoch, status } = await runs.result("r1");
    assertEquals([status, epoch], ["done", 2]);
  }, { journalTimeoutMs: 0, onError: (error) => errors.push(String(error)) });
  assertEquals(errors, ["Error: database down"]);
});

Deno.test("a run fails with code run_damaged if another program has recorded one of its steps", async () => {
  const engine = withAppend(async (call, next) => call === 3 ? "present" : await next());
  await withWorker(engine, clerk([DONE]), async (runs) => {
    await runs.start(START);
    const { error, status } = await runs.result("r1");
    assertEquals([status, error?.code], ["failed", "run_damaged"]);
    assertEquals(error?.message.includes('step "r1/i0/model"'), true);
  });
});

Deno.test("a worker whose run was opened by another worker records nothing more", async () => {
  const engine = memoryRuns();
  const gate = createGate();
  let executions = 0;
  const work = async (): Promise<string> => {
    executions++;
    await gate.wait();
    return "ok";
  };
  const calls = [{ toolName: "work" }, { toolName: "work" }];
  await withWorker(engine, clerk([{ calls }, DONE], work), async (runs, errors) => {
    await runs.start(START);
    await gate.reached;
    const open = await engine.journal.open("r1");
    assertEquals(open?.run.epoch, 2);
    gate.release();
    await runs.close();
    const keys = (await Array.fromAsync(engine.journal.steps("r1"))).map(({ key }) => key);
    assertEquals(keys.filter((key) => key.includes("/tool/")), []);
    assertEquals([(await engine.journal.get("r1"))?.status, errors], ["running", []]);
  });
});

Deno.test("a run that exceeds a limit fails with code run_limit", async () => {
  const limits: readonly OpenRunsOptions[] = [{ maxSteps: 3 }, { maxValueBytes: 400 }];
  for (const limit of limits) {
    await withWorker(memoryRuns(), clerk([CALL, DONE], () => "x".repeat(400)), async (runs) => {
      await runs.start(START);
      const { error, status } = await runs.result("r1");
      assertEquals([status, error?.code], ["failed", "run_limit"]);
    }, limit);
  }
});

Deno.test("messages, signals and pages are limited", async () => {
  const engine = memoryRuns({ maxRuns: 1, maxSignals: 2 });
  await using runs = openRuns(engine, { clerk: clerk([]) }, { maxValueBytes: 10 });
  await assertRejects(() => runs.start({ ...START, input: "x".repeat(9) }), RangeError);
  await runs.start({ ...START, input: "x".repeat(8) });
  await assertRejects(
    () => runs.start({ ...START, runId: "r2" }),
    AgentError,
    "maximum number of runs (1)",
  );
  await assertRejects(() => runs.signal("r1", "a", "x".repeat(9)), RangeError);
  const outcomes: string[] = [];
  for (const key of ["a", "b", "c", "a"]) {
    outcomes.push((await runs.signal("r1", key, 1)).outcome);
  }
  assertEquals(outcomes, ["stored", "stored", "full", "present"]);
  for (const limit of [0, 1001, 1.5]) await assertRejects(() => runs.list({ limit }), RangeError);
});

Deno.test("invalid arguments throw a TypeError or RangeError", async () => {
  const engine = memoryRuns();
  const wrongAgents: readonly object[] = [
    { clerk: {} },
    { clerk: { version: "", make: () => {} } },
    { clerk: { version: "1", make: () => {}, accepts: "1" } },
  ];
  for (const agents of wrongAgents) {
    assertThrows(() => Reflect.construct(Runs, [engine, agents]), TypeError);
  }
  assertThrows(() => openRuns(engine, {}, { maxSteps: 0 }), RangeError);
  await using runs = openRuns(engine, { clerk: clerk([]) });
  await runs.start(START);
  const mistakes: readonly (() => Promise<unknown>)[] = [
    () => runs.start({ ...START, runId: "" }),
    () => runs.start({ ...START, runId: "a\0" }),
    () => runs.start({ ...START, runId: "\ud800" }),
    () => runs.start({ ...START, runId: "x".repeat(257) }),
    () => runs.start({ ...START, agent: "toString" }),
    () => runs.start({ ...START, input: [] }),
    () => runs.start({ ...START, due: new Date(NaN) }),
    () => runs.signal("r1", "", 1),
    () => Reflect.apply(runs.signal, runs, ["r1", "a", () => {}]),
    () => runs.signal("r1", "r1/i0/approval/0#x", "yes"),
    () => runs.signal("r1", "r1/i0/approval/0#x", { decision: "defer" }),
  ];
  for (const mistake of mistakes) await assertRejects(mistake, TypeError);
  await assertRejects(() => runs.work({ concurrency: 0 }), RangeError);
  const error = await assertRejects(() => runs.result("r2"), AgentError);
  assertEquals([error.code, await runs.get("r2")], ["run_not_found", undefined]);
  assertEquals((await runs.signal("r2", "a", 1)).outcome, "not_found");
});

Deno.test("every method rejects with the error of an engine that cannot be opened", async () => {
  const runs = openRuns(Promise.reject(new Error("database down")), { clerk: clerk([]) });
  for (const use of [() => runs.start(START), () => runs.get("r1"), () => runs.work()]) {
    await assertRejects(use, Error, "database down");
  }
  await runs.close();
});

Deno.test("close() stops the workers and the callers that wait, and can be called again", async () => {
  const runs = openRuns(memoryRuns(), { clerk: clerk([]) });
  await runs.start({ ...START, due: new Date(Date.now() + 3_600_000) });
  const working = runs.work();
  const waiting = runs.result("r1");
  const controller = new AbortController();
  const aborted = runs.result("r1", { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assertRejects(() => aborted, Error, "enough");
  assertEquals(runs.close(), runs.close());
  await assertRejects(() => waiting, AgentError, "closed");
  await working;
  await assertRejects(() => runs.start(START), AgentError, "closed");
});

Deno.test('result() with until "waiting" returns a run that waits for a decision or a signal, but not one that waits for a time', async () => {
  const clock = createManualClock();
  const timers = watchTimers(clock);
  const execute: Tool["execute"] = async (_input, { sleep, wait }) => {
    await sleep("pause", new Date(clock.now() + 5000));
    return await wait("payment");
  };
  const options = { clock: timers.clock };
  await withWorker(
    memoryRuns({ clock: timers.clock }),
    clerk([CALL, DONE], execute),
    async (runs) => {
      await runs.start(START);
      const waiting = runs.result("r1", { until: "waiting" });
      await timers.untilTimer(5000);
      clock.advance(5000);
      const { status, waitingFor } = await waiting;
      assertEquals([status, waitingFor.map(({ kind }) => kind)], ["waiting", ["signal"]]);
      await runs.signal("r1", "payment", "ok");
      assertEquals((await runs.result("r1", { until: "waiting" })).status, "done");
    },
    options,
  );
});
