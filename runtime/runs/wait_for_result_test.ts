import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns, openRuns, type OpenRunsOptions, type Runs } from "../runs.ts";
import { createManualClock, scriptedModel } from "../testing.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { AgentVersion } from "./agent_versions.ts";
import { observe } from "./testdata/observe.ts";

const START = { runId: "r1", agent: "clerk", input: "Go" };
const NOT_SERVED = 'Cannot finish run "r1": it is queued and no worker of this program executes ' +
  'agent "clerk" version "1"; call work(), or start a worker elsewhere';

function clerk(keys: readonly string[] = []): AgentVersion {
  const model = scriptedModel([{ calls: [{ toolName: "ship" }] }, { text: "Done" }]);
  const ship = async (_: unknown, { wait }: ToolContext): Promise<string> => {
    await Promise.all(keys.map((key) => wait(key)));
    return "ok";
  };
  const make = () =>
    new ToolLoopAgent({
      name: "clerk",
      model,
      tools: [{ name: "ship", inputSchema: { type: "object" }, execute: ship }],
    });
  return { version: "1", make };
}

/** Opens runs with a clock, and collects the messages of the reported errors. */
function open(agent: AgentVersion, options: OpenRunsOptions = {}) {
  const clock = createManualClock();
  const engine = observe(memoryRuns({ clock }));
  const reports: string[] = [];
  const onError = (error: unknown): void => {
    reports.push(error instanceof Error ? error.message : String(error));
  };
  const runs = openRuns(engine, { clerk: agent }, { clock, onError, ...options });
  // A wait reads the run and sets its next timer while these calls read the run ten times.
  const settle = async (): Promise<void> => {
    for (let count = 0; count < 10; count++) await runs.get("r1");
  };
  const advance = async (ms: number): Promise<void> => {
    await settle();
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      await settle();
    }
  };
  return { clock, engine, runs, reports, advance };
}

async function end(runs: Runs, ...pending: readonly Promise<unknown>[]): Promise<void> {
  await runs.close();
  await Promise.allSettled(pending);
}

Deno.test("result() reports once, after 10 seconds, that no worker of the program executes a run", async () => {
  const { advance, reports, runs } = open(clerk());
  await runs.start(START);
  const result = runs.result("r1");
  await advance(9500);
  assertEquals(reports, []);
  await advance(500);
  assertEquals(reports, [NOT_SERVED]);
  await advance(30_000);
  assertEquals(reports, [NOT_SERVED]);
  const working = runs.work();
  assertEquals((await result).status, "done");
  await end(runs, working);
});

Deno.test("result() reports a queued run if the workers accept other versions only", async () => {
  const { advance, engine, reports, runs } = open(clerk(), { warnAfterMs: 2000 });
  const { journal } = engine;
  await journal.create({ runId: "r1", agent: "clerk", version: "0", input: "Go" });
  const working = runs.work();
  const result = runs.result("r1");
  await advance(2000);
  assertEquals(reports.filter((text) => text.startsWith("Cannot finish")), [
    NOT_SERVED.replace('version "1"', 'version "0"'),
  ]);
  await end(runs, result, working);
});

Deno.test("result() does not report a run that starts later, or a disabled report", async () => {
  const { advance, clock, reports, runs } = open(clerk(), { warnAfterMs: 1000 });
  await runs.start({ ...START, due: new Date(clock.now() + 5000) });
  const result = runs.result("r1");
  await advance(4500);
  assertEquals(reports, []);
  await advance(1500);
  assertEquals(reports, [NOT_SERVED]);
  await end(runs, result);

  const silent = open(clerk(), { warnAfterMs: Infinity });
  await silent.runs.start(START);
  const waiting = silent.runs.result("r1");
  await silent.advance(60_000);
  assertEquals(silent.reports, []);
  await end(silent.runs, waiting);
});

Deno.test("result() reports once what a run waits for, unless it may return a waiting run", async () => {
  for (const until of ["ended", "waiting"] as const) {
    const { advance, engine, reports, runs } = open(clerk(["payment"]));
    const working = runs.work();
    await runs.start(START);
    await engine.closed("r1", "waiting");
    const result = runs.result("r1", { until });
    await advance(20_000);
    const text = 'Run "r1" waits for signal "payment" (tool "ship"); ' +
      'call signal(), or use "until: \\"waiting\\""';
    assertEquals(reports, until === "ended" ? [text] : []);
    assertEquals(await runs.signal("r1", "payment", 1), { outcome: "stored" });
    await advance(1000);
    assertEquals((await result).status, until === "ended" ? "done" : "waiting");
    await end(runs, working);
  }
});

Deno.test("signal() says that the run does not wait for the key, and what it waits for", async () => {
  const { engine, runs } = open(clerk(["payment"]));
  assertEquals(await runs.signal("r1", "payment", 1), { outcome: "not_found" });
  await runs.start(START);
  // The run has not started, so it may wait for the key later.
  assertEquals(await runs.signal("r1", "early", 1), { outcome: "stored" });
  const working = runs.work();
  await engine.closed("r1", "waiting");
  assertEquals(await runs.signal("r1", "paymnet", 1), {
    outcome: "stored_not_awaited",
    waitingFor: [
      { kind: "signal", key: "payment", path: ["clerk"], toolName: "ship", toolCallId: "call_0_0" },
    ],
  });
  assertEquals(await runs.signal("r1", "paymnet", 1), { outcome: "present" });
  assertEquals(await runs.signal("r1", "payment", 1), { outcome: "stored" });
  assertEquals((await runs.result("r1")).status, "done");
  await end(runs, working);
});

Deno.test("a `make` that returns no agent fails the run with a TypeError that names it", async () => {
  for (
    const [made, text] of [[undefined, "undefined"], [{}, "an object"], [
      "clerk",
      '"clerk"',
    ]] as const
  ) {
    const agent: unknown = { version: "1", make: () => made };
    // The test passes a value of a wrong type.
    const { reports, runs } = open(agent as AgentVersion, { maxAttempts: 1 });
    const working = runs.work();
    await runs.start(START);
    const { error, status } = await runs.result("r1");
    assertEquals([status, error], ["failed", {
      code: "TypeError",
      message: `"clerk.make" must return a ToolLoopAgent, got ${text}`,
    }]);
    assertEquals(reports, []);
    await end(runs, working);
  }
});

Deno.test("openRuns() rejects an invalid warnAfterMs, and result() rejects unknown runs", async () => {
  for (const warnAfterMs of [-1, NaN]) {
    assertThrows(() => open(clerk(), { warnAfterMs }), RangeError, '"warnAfterMs" must be');
  }
  const { runs } = open(clerk());
  await assertRejects(() => runs.result("r1"), Error, "the run does not exist");
  await end(runs);
});
