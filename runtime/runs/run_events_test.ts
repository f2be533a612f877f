import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns, openRuns } from "../runs.ts";
import { replaceMethods } from "../session/testdata/replace_methods.ts";
import { createGate, scriptedModel } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";
import {
  attach,
  clerk,
  open,
  payer,
  readAll,
  START,
  tick,
  typesOf,
} from "./testdata/followed_runs.ts";

Deno.test("readers receive all events of a run, before it starts, later and after a cursor", async () => {
  await using opened = open(clerk({ model: scriptedModel([{ text: "Hello" }]) }));
  const { runs } = opened;
  await runs.start(START);
  const run = await attach(runs, "r1");
  assertEquals([run.sessionId, run.runId, run.turn], ["r1", "r1", "Go"]);
  const reading = readAll(run);
  opened.work();
  const events = await reading;
  assertEquals(typesOf(events), [
    "running",
    "run_started",
    "iteration_started",
    "model_started",
    "text_delta",
    "model_finished",
    "iteration_finished",
    "run_finished",
    "ended",
  ]);
  assertEquals(events.map(({ cursor }) => cursor).slice(-2), ["1.7", "1.8"]);
  assertEquals(await readAll(await attach(runs, "r1")), events);
  assertEquals(await readAll(await attach(runs, "r1", { after: "1.6" })), events.slice(7));
});

Deno.test("a failed attempt shows no end, and the next one resets the log", async () => {
  let calls = 0;
  const make = () => {
    if (++calls === 1) throw new Error("The first attempt fails");
    return new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) });
  };
  const engine = memoryRuns({ retryDelayMs: 1 });
  await using opened = open({ clerk: { version: "1", make } }, engine);
  await opened.runs.start(START);
  const reading = readAll(await attach(opened.runs, "r1"));
  opened.work();
  const types = typesOf(await reading);
  const reset = types.indexOf("log_reset");
  assertEquals(types.slice(reset - 1, reset + 2), ["released", "log_reset", "running"]);
  assertEquals(types.slice(-2), ["run_finished", "ended"]);
  assertEquals(types.filter((type) => type === "run_failed" || type === "run_finished").length, 1);
});

Deno.test("a reader ends when the run waits, or waits with the run", async () => {
  await using opened = open(payer());
  const { runs } = opened;
  opened.work();
  await runs.start(START);
  const whole = readAll(await attach(runs, "r1", { until: "ended" }));
  const part = typesOf(await readAll(await attach(runs, "r1")));
  assertEquals(part.slice(-3), ["approval_decided", "run_finished", "waiting"]);
  const { waitingFor } = await runs.result("r1", { until: "waiting" });
  await runs.signal("r1", waitingFor[0]?.key ?? "", { decision: "approve" });
  const types = typesOf(await whole);
  const reset = types.indexOf("log_reset");
  assertEquals(types.slice(0, reset), part);
  assertEquals(types.slice(-2), ["run_finished", "ended"]);
  assertEquals(types.slice(reset).filter((type) => type === "tool_finished").length, 1);
});

Deno.test("a reader receives the error of a run that fails", async () => {
  await using opened = open(clerk({ model: scriptedModel([]) }), undefined, { maxAttempts: 1 });
  await opened.runs.start(START);
  opened.work();
  const events = await readAll(await attach(opened.runs, "r1"));
  assertEquals(typesOf(events).slice(-2), ["run_failed", "ended"]);
});

Deno.test("a run whose agent cannot be created fails for its readers", async () => {
  const make = () => Promise.reject(new Error("no key"));
  await using opened = open({ clerk: { version: "1", make } }, undefined, { maxAttempts: 1 });
  await opened.runs.start(START);
  opened.work();
  const events = await readAll(await attach(opened.runs, "r1"));
  assertEquals(typesOf(events), ["running", "run_failed", "ended"]);
  const event = events[1]?.event;
  assert(event?.type === "run_failed" && event.error instanceof Error);
  assert(event.error.message.includes("no key"));
});

Deno.test("a cancelled run ends for its readers while it is executed, waits or is queued", async () => {
  const gate = createGate(); // is never opened
  const look: Tool = {
    name: "look",
    inputSchema: { type: "object" },
    execute: () => gate.wait(),
  };
  const model = scriptedModel([{ calls: [{ toolName: "look" }] }]);
  {
    await using opened = open(clerk({ model, tools: [look] }));
    opened.work();
    await opened.runs.start(START);
    const types: string[] = [];
    for await (const { event } of await attach(opened.runs, "r1")) {
      types.push(event.type === "run_state" ? event.state : event.type);
      if (event.type === "tool_started") await opened.runs.cancel("r1");
    }
    assertEquals(types.slice(-2), ["run_finished", "ended"]);
  }
  {
    await using opened = open(payer());
    opened.work();
    await opened.runs.start(START);
    await opened.runs.result("r1", { until: "waiting" });
    const reading = readAll(await attach(opened.runs, "r1", { until: "ended" }));
    await opened.runs.cancel("r1");
    assertEquals(typesOf(await reading).slice(-3), ["log_reset", "run_finished", "ended"]);
  }
  {
    using time = new FakeTime();
    await using opened = open(payer());
    await opened.runs.start(START);
    const reading = readAll(await attach(opened.runs, "r1"));
    await opened.runs.cancel("r1");
    await tick(time, 3000);
    assertEquals(typesOf(await reading), ["run_finished", "ended"]);
  }
});

Deno.test("a reader ends the log of a run whose worker has stopped before it could", async () => {
  using time = new FakeTime();
  for (
    const [agents, ending] of [
      [clerk({ model: scriptedModel([{ text: "Hello" }]) }), ["run_finished", "ended"]],
      [payer(), ["run_finished", "waiting"]],
    ] as const
  ) {
    const engine = memoryRuns();
    const { log } = engine;
    assert(log);
    let isBroken = true;
    const finish: typeof log.finish = async (...args) => {
      if (isBroken) throw new Error("disk full");
      return await log.finish(...args);
    };
    await using opened = open(agents, { ...engine, log: replaceMethods(log, { finish }) });
    opened.work();
    await opened.runs.start(START);
    const reading = readAll(await attach(opened.runs, "r1"));
    while (opened.reports.length === 0) await time.tickAsync(1);
    assertEquals(opened.reports, ['Cannot end the log of run "r1": disk full']);
    isBroken = false;
    await tick(time, 10_000);
    assertEquals(typesOf(await reading).slice(-2), [...ending]);
  }
});

Deno.test("a run that was executed without a log ends for its readers with its result", async () => {
  using time = new FakeTime();
  const engine = memoryRuns();
  const agents = clerk({ model: scriptedModel([{ text: "Hello" }]) });
  await using reader = open(agents, engine);
  await reader.runs.start(START);
  const reading = readAll(await attach(reader.runs, "r1"));
  const writer = openRuns(engine, agents);
  const working = writer.work();
  await writer.result("r1");
  await tick(time, 3000);
  const events = await reading;
  assertEquals(typesOf(events), ["run_finished", "ended"]);
  const event = events[0]?.event;
  assert(event?.type === "run_finished");
  assertEquals([event.stopReason, event.output.finalText], ["model_stop", "Hello"]);
  await reader.runs.close();
  await writer.close();
  await working;
});

Deno.test("the log of an ended run is deleted when its events are not kept anymore", async () => {
  using time = new FakeTime();
  const engine = memoryRuns();
  const agents = clerk({ model: scriptedModel([{ text: "Hello" }]) });
  await using opened = open(agents, engine, { keepEndedMs: 100 });
  opened.work();
  await opened.runs.start(START);
  await readAll(await attach(opened.runs, "r1"));
  assert(await engine.log?.head("r1"));
  await tick(time, 2000);
  assertEquals(await opened.runs.attach("r1"), undefined);
  assertEquals(await engine.log?.head("r1"), undefined);
  assertEquals((await opened.runs.get("r1"))?.status, "done");
});

Deno.test("a run with the id of a deleted run has a new log", async () => {
  const engine = memoryRuns();
  await using opened = open(
    clerk({ model: scriptedModel([{ text: "1" }, { text: "2" }]) }),
    engine,
  );
  const { runs } = opened;
  opened.work();
  await runs.start(START);
  await readAll(await attach(runs, "r1"));
  assertEquals(await runs.purge(new Date(Date.now() + 1000)), 1);
  await runs.start(START);
  const events = await readAll(await attach(runs, "r1"));
  const finished = events.flatMap(({ event }) =>
    event.type === "run_finished" ? [event.output.finalText] : []
  );
  assertEquals(finished, ["2"]);
});

Deno.test("a run whose log fails is executed, and the failure is reported", async () => {
  const engine = memoryRuns();
  const { log } = engine;
  assert(log);
  const claim = () => Promise.reject(new Error("disk full"));
  await using opened = open(clerk({ model: scriptedModel([{ text: "Hello" }]) }), {
    ...engine,
    log: replaceMethods(log, { claim }),
  });
  opened.work();
  await opened.runs.start(START);
  assertEquals((await opened.runs.result("r1")).status, "done");
  assertEquals(opened.reports, ['Cannot store the events of run "r1": disk full']);
});

Deno.test("attach() rejects wrong arguments, and runs that cannot be read", async () => {
  const engine = memoryRuns();
  const agents = clerk({ model: scriptedModel([{ text: "Hello" }]) });
  await using opened = open(agents, engine, { maxReaders: 1 });
  const { runs } = opened;
  assertEquals(await runs.attach("r1"), undefined);
  await assertRejects(() => runs.attach(""), TypeError, '"runId"');
  await assertRejects(() => runs.attach("r1", { after: "x" }), TypeError, '"after"');
  await assertRejects(() => runs.attach("r1", { untill: "ended" } as never), TypeError, "untill");
  await runs.start(START);
  const stopped = new AbortController();
  const run = await attach(runs, "r1", { signal: stopped.signal });
  const first = readAll(run);
  await assertRejects(() => readAll(run), Error, "Too many readers: this process allows 1");
  stopped.abort();
  assertEquals(await first, []);

  const silent = openRuns(engine, agents);
  await assertRejects(() => silent.attach("r1"), TypeError, 'set the option "storeEvents"');
  const { log: _, ...withoutLog } = memoryRuns();
  const unable = openRuns(withoutLog, agents, { storeEvents: true });
  for (const call of [() => unable.start(START), () => unable.work()]) {
    await assertRejects(call, TypeError, 'the engine has no "log"');
  }
  await unable.close();
});

Deno.test("events beyond the limit of the engine are not stored, and the run continues", async () => {
  const text = "x".repeat(2000);
  const responses = Array.from({ length: 4 }, () => ({ text }));
  const stored = memoryRuns({ maxEventChars: 10_000 });
  const { log, ...rest } = stored;
  assert(log);
  let rejections = 0;
  const append: typeof log.append = async (...args) => {
    try {
      return await log.append(...args);
    } catch (error) {
      rejections++;
      throw error;
    }
  };
  const engine = { ...rest, log: replaceMethods(log, { append }) };
  await using opened = open(clerk({ model: scriptedModel(responses) }), engine, { keepEndedMs: 0 });
  const { reports, runs } = opened;
  const stopped = new AbortController();
  const working = runs.work({ signal: stopped.signal });
  const read = async (runId: string): Promise<readonly string[]> => {
    await runs.start({ ...START, runId });
    const events = await readAll(await attach(runs, runId));
    assertEquals((await runs.get(runId))?.status, "done");
    return typesOf(events);
  };
  // A run that waits keeps its entries.
  await engine.journal.create({ runId: "other", agent: "other", version: "1", input: "Go" });
  const claim = { turn: null, turnId: undefined, metadata: {}, leaseMs: 0, seenEpoch: 0 };
  await log.claim("other", { ...claim, runId: "other", isNew: true, epoch: 1, keepRuns: 0 });
  await log.append("other", 1, ["y".repeat(6000)]);
  await log.finish("other", 1, { phase: "waiting", entries: [], keepMs: 0, result: null });

  // The entries of each run have more than 4000 characters.
  assertEquals((await read("r1")).slice(-2), ["run_finished", "ended"]);
  assertEquals(reports.length, 1);
  const reason = "Too many characters in the log of runs: this process allows 10000";
  assert(reports[0]?.includes(reason), reports[0]);
  assert(reports[0]?.includes('the events of run "r1"'), reports[0]);
  // The write is not repeated.
  assertEquals(rejections, 1);
  await log.delete("other", 1);
  const types = await read("r2");
  assertEquals([types[0], types.includes("text_delta")], ["running", true]);
  assertEquals(reports.length, 1);
  stopped.abort();
  await working;
});
