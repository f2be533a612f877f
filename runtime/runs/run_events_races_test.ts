import { isRecord } from "@parley/internal/json";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { claimOf } from "../log/checks/log_steps.ts";
import type { RunLog } from "../log/run_log.ts";
import { memoryRuns, type RunEngine } from "../runs.ts";
import { replaceMethods } from "../session/testdata/replace_methods.ts";
import type { JsonValue } from "../shared/json.ts";
import { sqliteRuns } from "../sqlite.ts";
import { createGate, scriptedModel } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentVersion } from "./agent_versions.ts";
import type { RunJournal } from "./contracts.ts";
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

/** The types of the events of a run whose model responds immediately. */
const ANSWER = [
  "running",
  "run_started",
  "iteration_started",
  "model_started",
  "text_delta",
  "model_finished",
  "iteration_finished",
  "run_finished",
  "ended",
];

function answering(): Record<string, AgentVersion> {
  return clerk({ model: scriptedModel([{ text: "Hello" }]) });
}

type LogEngine = RunEngine & { readonly log: RunLog };

function withLog(engine: RunEngine): LogEngine {
  const { log } = engine;
  assert(log);
  return { ...engine, log };
}

const ENGINES: Readonly<Record<string, () => LogEngine>> = {
  memory: () => withLog(memoryRuns({ retryDelayMs: 1 })),
  sqlite: () => withLog(sqliteRuns(":memory:", { retryDelayMs: 1 })),
};

function forEngines(name: string, body: (engine: LogEngine) => Promise<void>): void {
  for (const [kind, create] of Object.entries(ENGINES)) {
    Deno.test(`${name} (${kind})`, () => body(create()));
  }
}

forEngines("a reader that attaches while the run ends receives all events", async (engine) => {
  const stop = createGate();
  let isReading = false;
  const get: RunJournal["get"] = async (runId) => {
    const run = await engine.journal.get(runId);
    if (isReading) await stop.wait();
    return run;
  };
  const journal = replaceMethods(engine.journal, { get });
  await using opened = open(answering(), engine);
  await using reader = open(answering(), { ...engine, journal });
  await opened.runs.start(START);
  isReading = true;
  const attaching = reader.runs.attach("r1");
  await stop.reached;
  opened.work();
  await opened.runs.result("r1");
  while ((await engine.log.head("r1"))?.phase !== "ended");
  isReading = false;
  stop.release();
  const run = await attaching;
  assert(run);
  assertEquals(typesOf(await readAll(run)), ANSWER);
});

forEngines("attaching while a run ends does not delete its log", async (engine) => {
  const stop = createGate();
  const gate = createGate();
  let isReading = false;
  const get: RunJournal["get"] = async (runId) => {
    const run = await engine.journal.get(runId);
    if (isReading) await stop.wait();
    return run;
  };
  const look: Tool = { name: "look", inputSchema: { type: "object" }, execute: () => gate.wait() };
  const model = scriptedModel([{ calls: [{ toolName: "look" }] }, { text: "Done" }]);
  const agents = clerk({ model, tools: [look] });
  await using opened = open(agents, engine);
  const journal = replaceMethods(engine.journal, { get });
  await using reader = open(agents, { ...engine, journal });
  opened.work();
  await opened.runs.start(START);
  const whole = readAll(await attach(opened.runs, "r1"));
  isReading = true;
  const attaching = reader.runs.attach("r1");
  await stop.reached;
  gate.release();
  const events = await whole;
  isReading = false;
  stop.release();
  const late = await attaching;
  assert(late);
  assertEquals(await readAll(late), events);
});

forEngines(
  "a run that is cancelled while it ends has one end in its log",
  async (engine) => {
    for (const agents of [answering(), payer()]) {
      const runId = crypto.randomUUID();
      const stop = createGate();
      const close: RunJournal["close"] = async (...args) => {
        await stop.wait();
        return await engine.journal.close(...args);
      };
      await using opened = open(agents, {
        ...engine,
        journal: replaceMethods(engine.journal, { close }),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      });
      opened.work();
      await opened.runs.start({ ...START, runId });
      await stop.reached;
      assertEquals(await opened.runs.cancel(runId), true);
      const reading = readAll(await attach(opened.runs, runId, { until: "ended" }));
      stop.release();
      const ends = (await reading).flatMap(({ event }) =>
        event.type === "run_finished" && event.output.pending === undefined ||
          event.type === "run_failed"
          ? [event.type]
          : []
      );
      assertEquals(ends, ["run_finished"]);
    }
    await engine[Symbol.asyncDispose]();
  },
);

forEngines("a reader does not repeat the end of a run whose worker crashed", async (engine) => {
  using time = new FakeTime();
  let isBroken = true;
  const finish: RunLog["finish"] = async (...args) => {
    if (isBroken) throw new Error("crash");
    return await engine.log.finish(...args);
  };
  const log = replaceMethods(engine.log, { finish });
  await using opened = open(answering(), { ...engine, log });
  opened.work();
  await opened.runs.start(START);
  const reading = readAll(await attach(opened.runs, "r1"));
  while (opened.reports.length === 0) await time.tickAsync(1);
  isBroken = false;
  await tick(time, 10_000);
  assertEquals(typesOf(await reading), ANSWER);
});

forEngines("a reader that attaches after the decision waits for the run", async (engine) => {
  await using opened = open(payer(), engine);
  const stopped = new AbortController();
  const working = opened.runs.work({ signal: stopped.signal });
  await opened.runs.start(START);
  const before = await readAll(await attach(opened.runs, "r1"));
  assertEquals(typesOf(before).at(-1), "waiting");
  stopped.abort();
  await working;
  const { waitingFor } = await opened.runs.result("r1", { until: "waiting" });
  await opened.runs.signal("r1", waitingFor[0]?.key ?? "", { decision: "approve" });
  const after = before.at(-1)?.cursor ?? "";
  const readings = [
    readAll(await attach(opened.runs, "r1")),
    readAll(await attach(opened.runs, "r1", { after })),
  ];
  opened.work();
  for (const reading of readings) {
    const types = typesOf(await reading);
    assertEquals(types.slice(0, 3), ["log_reset", "running", "run_started"]);
    assertEquals(types.slice(-2), ["run_finished", "ended"]);
  }
});

forEngines("a run that waits only for a time is followed to its end", async (engine) => {
  using time = new FakeTime();
  const nap: Tool = {
    name: "nap",
    inputSchema: { type: "object" },
    execute: async (_, context) => {
      await context.sleep("nap", new Date(Date.now() + 2000));
      return "rested";
    },
  };
  const model = scriptedModel([{ calls: [{ toolName: "nap" }] }, { text: "Done" }]);
  await using opened = open(clerk({ model, tools: [nap] }), engine);
  opened.work();
  await opened.runs.start(START);
  const reading = readAll(await attach(opened.runs, "r1"));
  await tick(time, 5000);
  const types = typesOf(await reading);
  const reset = types.indexOf("log_reset");
  assertEquals(types[reset - 1], "released");
  assertEquals(types.slice(0, reset).includes("run_finished"), false);
  assertEquals(types.slice(-2), ["run_finished", "ended"]);
});

forEngines("a reader whose events are deleted before it has read them rejects", async (engine) => {
  using time = new FakeTime();
  await using opened = open(answering(), engine, { keepEndedMs: 100 });
  opened.work();
  await opened.runs.start(START);
  const slow = (await attach(opened.runs, "r1"))[Symbol.asyncIterator]();
  await slow.next();
  const fast = await readAll(await attach(opened.runs, "r1"));
  assertEquals(typesOf(fast), ANSWER);
  const last = await attach(opened.runs, "r1", { after: fast.at(-1)?.cursor ?? "" });
  await tick(time, 2000);
  assertEquals(await engine.log.head("r1"), undefined);
  assertEquals(await readAll(last), []);
  await assertRejects(
    async () => {
      while (!(await slow.next()).done);
    },
    Error,
    'Cannot read the rest of run "r1": its events have been deleted',
  );
});

forEngines("a loop ends when the runs are closed, at every moment", async (engine) => {
  const gate = createGate(); // is never released
  const look: Tool = { name: "look", inputSchema: { type: "object" }, execute: () => gate.wait() };
  const model = scriptedModel([{ calls: [{ toolName: "look" }] }]);
  const agents = clerk({ model, tools: [look] });
  // A database whose connection ends rejects the statement in progress.
  const statement = createGate();
  let calls = 0;
  const head: RunLog["head"] = async (key) => {
    // start() and attach() read the log before the loop.
    if (key !== "r2" || ++calls <= 2) return await engine.log.head(key);
    await statement.wait();
    throw new Error("the connection has ended");
  };
  await using opened = open(agents, { ...engine, log: replaceMethods(engine.log, { head }) });
  opened.work();
  await opened.runs.start(START);
  await opened.runs.start({ ...START, runId: "r2", due: new Date(Date.now() + 1_000_000) });
  const reading = readAll(await attach(opened.runs, "r2"));
  await statement.reached;
  const types: string[] = [];
  for await (const { event } of await attach(opened.runs, "r1")) {
    types.push(event.type);
    if (event.type === "tool_started") await opened.runs.close();
  }
  assertEquals(types.at(-1), "tool_started");
  statement.release();
  assertEquals(await reading, []);
});

forEngines("a worker that starts ends and deletes what crashed processes left", async (engine) => {
  const runs = ["ended", "deleted", "cancelled"];
  const [ended = "", deleted = "", cancelled = ""] = runs;
  {
    const finish: RunLog["finish"] = () => Promise.reject(new Error("crash"));
    const log = replaceMethods(engine.log, { finish });
    const dispose = () => Promise.resolve();
    const crashing = { ...engine, log, [Symbol.asyncDispose]: dispose };
    await using opened = open(answering(), crashing);
    opened.work();
    for (const runId of [deleted, ended]) {
      await opened.runs.start({ ...START, runId });
      await opened.runs.result(runId);
      while (!opened.reports.some((report) => report.includes(`"${runId}"`))) {
        await opened.runs.get(runId);
      }
      if (runId === deleted) await engine.journal.purge(new Date(Date.now() + 1000));
    }
  }
  await using opened = open(payer(), engine);
  opened.work();
  await opened.runs.start({ ...START, runId: cancelled });
  await opened.runs.result(cancelled, { until: "waiting" });
  while ((await engine.log.head(cancelled))?.phase !== "waiting");
  assertEquals((await engine.log.head(ended))?.phase, "ended");
  assertEquals(await engine.log.head(deleted), undefined);
  // Another process, which stores no events, cancels the run and deletes the ended ones.
  await engine.journal.cancel(cancelled);
  await opened.runs.purge(new Date(0));
  assertEquals((await engine.log.head(cancelled))?.phase, "ended");
  assertEquals(await opened.runs.purge(new Date(Date.now() + 1000)), 2);
});

forEngines(
  "a cancelled run does not show the events of a deleted run with its id",
  async (engine) => {
    await using opened = open(answering(), engine);
    const { runs } = opened;
    opened.work();
    await runs.start(START);
    await readAll(await attach(runs, "r1"));
    await runs.purge(new Date(Date.now() + 1000));
    await runs.start({ ...START, due: new Date(Date.now() + 3_600_000) });
    assertEquals(await runs.cancel("r1"), true);
    assertEquals(typesOf(await readAll(await attach(runs, "r1"))), ["run_finished", "ended"]);
    assertEquals(opened.reports, []);
  },
);

forEngines("a run does not continue the log of a deleted run with its id", async (engine) => {
  const { journal, log } = engine;
  await using opened = open(answering(), engine);
  const { runs } = opened;
  await runs.start(START);
  // The worker of the run crashes. Another program, which stores no events, deletes the run.
  const epoch = (await journal.open("r1"))?.run.epoch ?? 0;
  await log.claim("r1", claimOf({ runId: "r1", epoch, leaseMs: 0 }));
  const state = { type: "run_state", state: "running", runId: "r1", path: [], at: 0 };
  await log.append("r1", epoch, [state]);
  await journal.cancel("r1");
  await journal.purge(new Date(Date.now() + 1000));
  await runs.start(START);
  const reading = readAll(await attach(runs, "r1"));
  opened.work();
  assertEquals(typesOf(await reading), ANSWER);
  assertEquals(opened.reports, []);
});

Deno.test("a log that does not respond delays a run at most by the time of one call each", async () => {
  using time = new FakeTime();
  const engine = withLog(memoryRuns());
  const append: RunLog["append"] = () => new Promise(() => {});
  const log = replaceMethods(engine.log, { append });
  await using opened = open(answering(), { ...engine, log }, { engineTimeoutMs: 20_000 });
  opened.work();
  await opened.runs.start(START);
  const reading = readAll(await attach(opened.runs, "r1"));
  await tick(time, 25_000);
  assertEquals((await opened.runs.get("r1"))?.status, "done");
  // The end of the run is written with the state.
  assertEquals(typesOf(await reading), ["run_finished", "ended"]);
  assertEquals(opened.reports.length, 1);
  assert(opened.reports[0]?.startsWith('Cannot write the events of run "r1"'));
});

Deno.test("a damaged run ends for its readers with its error", async () => {
  using time = new FakeTime();
  const engine = withLog(memoryRuns());
  const get: RunJournal["get"] = async (runId) => {
    const run = await engine.journal.get(runId);
    const error = { code: "run_damaged", message: "the row is damaged" };
    return run && { ...run, input: null, status: "failed", error };
  };
  await engine.journal.create({ runId: "r1", agent: "clerk", version: "1", input: "Go" });
  await engine.log.claim("r1", {
    ...{ runId: "r1", isNew: true, turn: null, turnId: undefined, metadata: {}, leaseMs: 0 },
    ...{ seenEpoch: 0, epoch: 1, keepRuns: 0 },
  });
  const journal = replaceMethods(engine.journal, { get });
  await using opened = open(answering(), { ...engine, journal });
  const run = await attach(opened.runs, "r1");
  assertEquals(run.turn, undefined);
  const reading = readAll(run);
  await tick(time, 10_000);
  const types = typesOf(await reading);
  assertEquals(types.slice(-2), ["run_failed", "ended"]);
});

forEngines("the events of a run are stored before its outcome", async (engine) => {
  let last: JsonValue | undefined;
  const close: RunJournal["close"] = async (runId, epoch, end) => {
    const { count = 0 } = await engine.log.head(runId) ?? {};
    [last] = await engine.log.read(runId, epoch, { from: count - 1, limit: 1 });
    return await engine.journal.close(runId, epoch, end);
  };
  const journal = replaceMethods(engine.journal, { close });
  await using opened = open(answering(), { ...engine, journal });
  opened.work();
  await opened.runs.start(START);
  await opened.runs.result("r1");
  assert(isRecord(last));
  assertEquals(last.type, "run_finished");
});

forEngines("a reader that attaches while the run starts and ends receives it", async (engine) => {
  const stop = createGate();
  let isReading = false;
  const head: RunLog["head"] = async (runId) => {
    const found = await engine.log.head(runId);
    if (isReading) await stop.wait();
    return found;
  };
  await using opened = open(answering(), engine);
  const log = replaceMethods(engine.log, { head });
  await using reader = open(answering(), { ...engine, log });
  await opened.runs.start(START);
  isReading = true;
  const attaching = reader.runs.attach("r1");
  await stop.reached;
  opened.work();
  await opened.runs.result("r1");
  while ((await engine.log.head("r1"))?.phase !== "ended");
  isReading = false;
  stop.release();
  const run = await attaching;
  assert(run);
  assertEquals(typesOf(await readAll(run)), ANSWER);
});

forEngines("the events of an older execution do not become those of the result", async (engine) => {
  using time = new FakeTime();
  // The process crashes while it executes the run, and a worker without a log repeats it.
  await engine.journal.create({ runId: "r1", agent: "clerk", version: "1", input: "Go" });
  const opened = await engine.journal.open("r1");
  const epoch = opened?.run.epoch ?? 0;
  await engine.log.claim("r1", {
    ...{ runId: "r1", isNew: false, turn: null, turnId: undefined, metadata: {}, leaseMs: 0 },
    ...{ seenEpoch: 0, epoch, keepRuns: 0 },
  });
  const started = { type: "run_state", state: "running", runId: "r1", path: [], at: 0 };
  await engine.log.append("r1", epoch, [started]);
  const repeated = await engine.journal.open("r1");
  const error = { code: "Error", message: "no more" };
  const end = { status: "failed", error } as const;
  assertEquals(await engine.journal.close("r1", repeated?.run.epoch ?? 0, end), "closed");
  await using reader = open(answering(), engine);
  const reading = readAll(await attach(reader.runs, "r1"));
  await tick(time, 8000);
  assertEquals(typesOf(await reading), ["running", "log_reset", "run_failed", "ended"]);
});

forEngines("the log of a run that is cancelled before its start ends at once", async (engine) => {
  await using opened = open(answering(), engine);
  await opened.runs.start(START);
  await opened.runs.cancel("r1");
  assertEquals((await engine.log.head("r1"))?.phase, "ended");
});
