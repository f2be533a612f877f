import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { sqliteRuns } from "../sqlite.ts";
import { createManualClock, scriptedModel } from "../testing.ts";
import type { RunEngine } from "./contracts.ts";
import { openRuns } from "./open_runs.ts";
import { startEngine } from "./testdata/remote_engine.ts";
import { withFolder } from "./testdata/temporary_folder.ts";

const RUN = { runId: "r1", agent: "clerk", version: "1" };
const AGENTS = [{ agent: "clerk", version: "1" }];

/** Calls a test with the engines of two processes that share a file. */
async function withEngines(
  leaseMs: number,
  test: (one: ReturnType<typeof startEngine>, other: RunEngine) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await using one = startEngine(`${folder}/runs.db`, leaseMs);
    await using other = startEngine(`${folder}/runs.db`, leaseMs);
    await test(one, other);
  });
}

Deno.test("a run is delivered to another process after its process was killed", async () => {
  await withEngines(500, async (one, other) => {
    const started = Promise.withResolvers<void>();
    const continued = Promise.withResolvers<number>();
    const stop = new AbortController();
    const options = { concurrency: 1, signal: stop.signal };
    await one.journal.create({ ...RUN, input: "Go" });
    void one.queue.work(AGENTS, options, async () => {
      started.resolve();
      await new Promise(() => {});
    });
    await started.promise;
    // The delivery was requested when the run was created, so it does not depend on the process.
    const working = other.queue.work(AGENTS, options, (_runId, { attempt }) => {
      continued.resolve(attempt);
      return Promise.resolve();
    });
    await one.kill();
    assertEquals(await continued.promise, 1);
    stop.abort();
    await working;
  });
});

Deno.test("a delivery that takes longer than a lease is not repeated by another process", async () => {
  await withEngines(500, async (one, other) => {
    const stop = new AbortController();
    const options = { concurrency: 2, signal: stop.signal };
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const deliveries: string[] = [];
    await one.journal.create({ ...RUN, input: "Go" });
    const first = one.queue.work(AGENTS, { ...options, concurrency: 1 }, async (runId) => {
      deliveries.push(`one ${runId}`);
      started.resolve();
      await ended.promise;
    });
    await started.promise;
    const second = other.queue.work(AGENTS, options, (runId) => {
      deliveries.push(`other ${runId}`);
      ended.resolve();
      stop.abort();
      return Promise.resolve();
    });
    // The first worker has no free slot for this run, and renews its lease several times before.
    const due = new Date(Date.now() + 1500);
    await other.queue.wake({ ...RUN, runId: "r2" }, { id: "0", due });
    await Promise.all([first, second]);
    assertEquals(deliveries, ["one r1", "other r2"]);
  });
});

Deno.test("the worker of a run that another process has deleted cannot write to a new run", async () => {
  await withEngines(500, async (one, other) => {
    const run = { ...RUN, input: "Go" };
    await one.journal.create(run);
    const old = (await one.journal.open("r1"))?.run.epoch ?? NaN;
    await other.journal.cancel("r1");
    assertEquals(await other.journal.purge(new Date(Date.now() + 60_000)), 1);
    assertEquals(await one.journal.create(run), true);
    const epoch = (await one.journal.open("r1"))?.run.epoch ?? NaN;
    assertEquals(epoch > old + 1, true);
    const entry = { v: 1, key: "r1/0", kind: "model", value: 1, at: 1 } as const;
    assertEquals(await one.journal.append("r1", old, entry), "fenced");
    assertEquals(await other.journal.append("r1", epoch, entry), "stored");
  });
});

Deno.test("a worker that starts does not deliver a failed run before its next attempt", async () => {
  const clock = createManualClock();
  const engine = sqliteRuns(":memory:", { clock });
  const order: string[] = [];
  const { journal } = engine;
  const [open, list] = [journal.open.bind(journal), journal.list.bind(journal)];
  const failed = Promise.withResolvers<void>();
  let recovered = Promise.withResolvers<void>();
  journal.open = (runId) => {
    order.push(runId);
    return open(runId);
  };
  journal.list = async (filter) => {
    const page = await list(filter);
    if (filter?.status === "waiting") recovered.resolve();
    return page;
  };
  const failure = { reason: "overloaded", retryable: true } as const;
  const model = scriptedModel([{ failure }, { text: "Done" }, { text: "Done" }]);
  const make = () => new ToolLoopAgent({ name: "clerk", model, modelRetries: 0 });
  const onError = (): void => failed.resolve();
  const runs = openRuns(engine, { clerk: { version: "1", make } }, { clock, onError });
  const start = (runId: string) => runs.start({ runId, agent: "clerk", input: "Go" });
  const working = [runs.work({ concurrency: 1 })];
  await recovered.promise;
  await start("r1");
  await failed.promise;
  recovered = Promise.withResolvers();
  working.push(runs.work({ concurrency: 1 }));
  await recovered.promise;
  await start("r2");
  await runs.result("r2");
  assertEquals(order, ["r1", "r2"]);
  clock.advance(1000);
  await runs.result("r1");
  assertEquals(order, ["r1", "r2", "r1"]);
  await runs.close();
  await Promise.all(working);
});

Deno.test("a worker without free slots sets no timer for a delivery that is already due", async () => {
  const clock = createManualClock();
  const delays: number[] = [];
  const after = (delayMs: number, callback: () => void): () => void => {
    delays.push(delayMs);
    // Such timers would be set again and again.
    return delayMs > 0 ? clock.after(delayMs, callback) : () => {};
  };
  await using engine = sqliteRuns(":memory:", { clock: { ...clock, after } });
  const stop = new AbortController();
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const order: string[] = [];
  const options = { concurrency: 1, signal: stop.signal };
  const working = engine.queue.work(AGENTS, options, async (runId) => {
    order.push(runId);
    if (runId === "r2") return stop.abort();
    started.resolve();
    await ended.promise;
  });
  await engine.queue.wake(RUN, { id: "0" });
  await started.promise;
  await engine.queue.wake({ ...RUN, runId: "r2" }, { id: "0", due: new Date(clock.now() + 10) });
  clock.advance(10);
  await engine.queue.wake({ ...RUN, runId: "r3" }, { id: "0", due: new Date(clock.now() + 10) });
  const late = delays.filter((delayMs) => delayMs <= 0);
  ended.resolve();
  await working;
  assertEquals(late, []);
  assertEquals(order, ["r1", "r2"]);
});

Deno.test("a signal replaces the delivery at the time until which the run waits", async () => {
  const clock = createManualClock();
  await using engine = sqliteRuns(":memory:", { clock });
  const { journal, queue } = engine;
  await journal.create({ ...RUN, input: "Go" });
  const order: string[] = [];
  const stop = new AbortController();
  const idle = Promise.withResolvers<void>();
  const due = new Date(clock.now() + 1000).toISOString();
  const wait = { key: "paid", path: ["clerk"], toolName: "t" };
  const working = queue.work(AGENTS, { concurrency: 1, signal: stop.signal }, async (runId) => {
    order.push(runId);
    const open = await journal.open(runId);
    if (runId === "last") return stop.abort();
    const waitingFor = [
      { kind: "signal", ...wait },
      { kind: "time", ...wait, key: "nap", due },
    ] as const;
    const end = { status: "waiting", waitingFor, due } as const;
    if (open?.signals.size === 0) await journal.close(runId, open.run.epoch, end);
    idle.resolve();
  });
  await idle.promise;
  await journal.signal("r1", "paid", 1);
  clock.advance(1000);
  await journal.create({ ...RUN, runId: "last", input: "Go" });
  await queue.wake({ ...RUN, runId: "last" }, { id: "0" });
  await working;
  assertEquals(order, ["r1", "r1", "last"]);
});

Deno.test("a delivery that fails because its worker was stopped does not count as an attempt", async () => {
  await using engine = sqliteRuns(":memory:");
  const attempts: number[] = [];
  for (let worker = 0; worker < 2; worker++) {
    const stop = new AbortController();
    if (worker === 0) await engine.queue.wake(RUN, { id: "0" });
    await engine.queue.work(AGENTS, { concurrency: 1, signal: stop.signal }, (_, { attempt }) => {
      attempts.push(attempt);
      stop.abort();
      return Promise.reject(new Error("the worker was stopped"));
    });
  }
  assertEquals(attempts, [1, 1]);
});
