import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns, openRuns, type RunClock, type RunEngine, systemClock } from "../runs.ts";
import { AgentError } from "../shared/error.ts";
import { sqliteRuns } from "../sqlite.ts";
import { createManualClock, scriptedModel } from "../testing.ts";
import type { AgentVersion } from "./agent_versions.ts";
import { observe } from "./testdata/observe.ts";

const START = { runId: "r1", agent: "clerk", input: "Go" };

/** An agent that returns a single text response in each run. */
const CLERK: AgentVersion = {
  version: "1",
  make: () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Done" }]) }),
};

/**
 * An engine that cannot open run `r1` because another program has changed one of the run's steps.
 */
function damaged(engine: RunEngine): RunEngine {
  const { journal } = engine;
  const open = async (runId: string) => {
    const opened = await journal.open(runId);
    if (runId !== "r1" || opened === undefined) return opened;
    const reason = 'step "a" was changed by another program or is damaged';
    const damage = AgentError.run("run_damaged", "read", { runId, reason });
    const { code, message } = damage;
    await journal.close(runId, opened.run.epoch, { status: "failed", error: { code, message } });
    throw damage;
  };
  const changed = new Proxy(journal, {
    get(target, name) {
      if (name === "open") return open;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { ...engine, journal: changed };
}

Deno.test("work() reports a damaged run once, does not deliver it again, and executes other runs", async () => {
  const reported: unknown[] = [];
  const clock = createManualClock();
  const runs = openRuns(damaged(memoryRuns({ clock })), { clerk: CLERK }, {
    clock,
    onError: (error) => reported.push(error),
  });
  const working = runs.work({ concurrency: 1 });
  await runs.start(START);
  await runs.start({ ...START, runId: "r2" });
  assertEquals((await runs.result("r2")).status, "done");
  const { epoch, error, status } = await runs.result("r1");
  assertEquals([status, error?.code, epoch], ["failed", "run_damaged", 1]);
  clock.advance(3_600_000);
  await runs.start({ ...START, runId: "r3" });
  assertEquals((await runs.result("r3")).status, "done");
  const codes = reported.map((error) => AgentError.isAgentError(error) ? error.code : error);
  assertEquals(codes, ["run_damaged"]);
  await runs.close();
  await working;
});

Deno.test("work() delivers a run whose request for delivery was lost, also if the engine fails at first", async () => {
  const clock = createManualClock();
  const engine = memoryRuns({ clock });
  const { journal } = engine;
  await journal.create({ ...START, version: "1", input: "Go" });
  const list = journal.list.bind(journal);
  let failures = 2;
  journal.list = (filter) =>
    failures-- > 0 ? Promise.reject(new Error("not available")) : list(filter);
  const reported: unknown[] = [];
  const runs = openRuns(engine, { clerk: CLERK }, {
    clock,
    onError(error) {
      reported.push(error);
      // The worker tries again after a delay, which the test skips by advancing the clock.
      queueMicrotask(() => clock.advance(2000));
    },
  });
  const working = runs.work();
  assertEquals((await runs.result("r1")).status, "done");
  assertEquals(reported.map(String), Array(2).fill("Error: not available"));
  await runs.close();
  await working;
});

Deno.test("a signal for a run that is done or cancelled is not stored, and the run does not change", async () => {
  const engine = observe(memoryRuns());
  await using runs = openRuns(engine, { clerk: CLERK });
  const working = runs.work();
  await runs.start(START);
  const done = await runs.result("r1");
  await runs.start({ ...START, runId: "r2", due: new Date(Date.now() + 3_600_000) });
  await runs.cancel("r2");
  const cancelled = await runs.get("r2");
  for (const runId of ["r1", "r2"]) {
    assertEquals((await runs.signal(runId, "payment", 1)).outcome, "ended");
    assertEquals((await runs.signal(runId, `${runId}/i0/approval/0#x`, true)).outcome, "ended");
  }
  assertEquals([await runs.get("r1"), await runs.get("r2")], [done, cancelled]);
  await runs.close();
  await working;
});

Deno.test("runs that another program has started with the same id and another message are not executed", async () => {
  const memory = memoryRuns();
  await memory.journal.create({ runId: "r1", agent: "clerk", version: "1", input: "Other" });
  await using runs = openRuns(memory, { clerk: CLERK });
  const error = await assertRejects(() => runs.start(START), AgentError);
  assertEquals(error.code, "run_conflict");
  assertEquals((await runs.get("r1"))?.input, "Other");
});

Deno.test("openRuns() waits for an engine that opens later, and close() closes the engine", async () => {
  const opening = Promise.withResolvers<RunEngine>();
  const runs = openRuns(opening.promise, { clerk: CLERK });
  const working = runs.work();
  const starting = runs.start(START);
  opening.resolve(memoryRuns());
  assertEquals(await starting, true);
  assertEquals((await runs.result("r1")).status, "done");
  await runs.close();
  await working;
});

Deno.test("close() before the engine opens closes the engine, and starts no worker", async () => {
  const opening = Promise.withResolvers<RunEngine>();
  const runs = openRuns(opening.promise, { clerk: CLERK });
  const working = runs.work();
  const closing = runs.close();
  let isClosed = false;
  opening.resolve({
    ...memoryRuns(),
    [Symbol.asyncDispose]: () => {
      isClosed = true;
      return Promise.resolve();
    },
  });
  await closing;
  await working;
  assert(isClosed);
});

/** A clock that counts its pending timers. */
function countTimers(): RunClock & { readonly pending: () => number } {
  const timers = new Set<object>();
  return {
    now: systemClock.now,
    after(delayMs, callback) {
      const timer = {};
      timers.add(timer);
      const cancel = systemClock.after(delayMs, () => {
        timers.delete(timer);
        callback();
      });
      return () => {
        timers.delete(timer);
        cancel();
      };
    },
    pending: () => timers.size,
  };
}

Deno.test("opening, executing, waiting and closing many times leaves no timer and no open engine", async () => {
  for (const open of [memoryRuns, (options: object) => sqliteRuns(":memory:", options)]) {
    const clock = countTimers();
    const stop = new AbortController();
    let closed = 0;
    for (let round = 0; round < 50; round++) {
      const engine = open({ clock });
      const runs = openRuns(
        {
          ...engine,
          [Symbol.asyncDispose]: async () => {
            await engine[Symbol.asyncDispose]();
            closed++;
          },
        },
        { clerk: CLERK },
        { clock },
      );
      const working = [runs.work(), runs.work({ signal: stop.signal })];
      await runs.start(START);
      await runs.start({ ...START, runId: "r2", due: new Date(clock.now() + 3_600_000) });
      await runs.result("r1");
      const waiting = assertRejects(() => runs.result("r2"), AgentError, "closed");
      await Promise.all([runs.close(), runs.close()]);
      await Promise.all([...working, waiting]);
      assertEquals(clock.pending(), 0, `round ${round}`);
    }
    assertEquals(closed, 50);
  }
});
