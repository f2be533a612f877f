import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns, openRuns, type OpenRunsOptions, type RunEngine, type Runs } from "../runs.ts";
import { scriptedModel } from "../testing.ts";
import type { AgentVersion } from "./agent_versions.ts";
import { boundEngine } from "./bounded_engine.ts";
import type { RunJournal } from "./contracts.ts";

const START = { runId: "r1", agent: "clerk", input: "Go" } as const;

/** A promise that never settles. */
const NEVER = new Promise<never>(() => {});

function newAgent(options: { readonly onInitialize?: () => Promise<void> } = {}): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "clerk",
    model: scriptedModel([{ text: "Done" }]),
    graceMs: 0,
    ...options,
  });
}

async function withWorker(
  make: AgentVersion["make"],
  options: OpenRunsOptions,
  test: (runs: Runs, errors: unknown[]) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const runs = openRuns(memoryRuns({ retryDelayMs: 0 }), { clerk: { version: "1", make } }, {
    onError: (error) => errors.push(error),
    ...options,
  });
  const working = runs.work();
  try {
    await test(runs, errors);
  } finally {
    await runs.close();
    await working;
  }
}

Deno.test("a run whose agent is not ready in time fails after the last attempt", async () => {
  const makes: AgentVersion["make"][] = [
    () => NEVER,
    () => newAgent({ onInitialize: () => NEVER }),
  ];
  for (const make of makes) {
    await withWorker(make, { agentTimeoutMs: 1, maxAttempts: 2 }, async (runs) => {
      await runs.start(START);
      const { error, status } = await runs.result("r1");
      assertEquals([status, error?.code, error?.message], [
        "failed",
        "TimeoutError",
        "The agent was not ready within 1 ms",
      ]);
    });
  }
});

Deno.test("a worker stops while an agent is being created or initialized, and terminates the agent", async () => {
  const late = Promise.withResolvers<ToolLoopAgent>();
  const reached = Promise.withResolvers<void>();
  const make = () => {
    reached.resolve();
    return late.promise;
  };
  await withWorker(make, {}, async (runs) => {
    await runs.start(START);
    await reached.promise;
  });
  const agent = newAgent();
  const terminated = Promise.withResolvers<void>();
  const terminate = agent.terminate.bind(agent);
  agent.terminate = async () => {
    await terminate();
    terminated.resolve();
  };
  late.resolve(agent);
  await terminated.promise;
  assert(agent.isTerminated);

  const started = Promise.withResolvers<void>();
  const hanging = () =>
    newAgent({
      onInitialize: () => {
        started.resolve();
        return NEVER;
      },
    });
  await withWorker(hanging, {}, async (runs) => {
    await runs.start(START);
    await started.promise;
  });
});

Deno.test("an agent that does not terminate in time does not block its run", async () => {
  const make = () => {
    const agent = newAgent();
    agent.terminate = () => NEVER;
    return agent;
  };
  await withWorker(make, { agentTimeoutMs: 1 }, async (runs, errors) => {
    await runs.start(START);
    assertEquals((await runs.result("r1")).status, "done");
    assertEquals(errors.map(String), ["TimeoutError: The agent was not terminated within 1 ms"]);
  });
});

Deno.test("every call to an engine that does not respond rejects", async () => {
  const engine = memoryRuns();
  const hanging: RunEngine = {
    journal: new Proxy(engine.journal, {
      get: (_, name) =>
        name === "steps" || name === "signals"
          ? () => ({ [Symbol.asyncIterator]: () => ({ next: () => NEVER, return: () => NEVER }) })
          : () => NEVER,
    }),
    queue: { wake: () => NEVER, drop: () => NEVER, work: () => Promise.resolve() },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
  const { journal, queue } = boundEngine(hanging, 1);
  const run = { ...START, version: "1" };
  const calls: Readonly<Record<keyof RunJournal | "wake" | "drop", () => Promise<unknown>>> = {
    create: () => journal.create(run),
    open: () => journal.open("r1"),
    append: () => journal.append("r1", 1, { v: 1, key: "k", kind: "tool", value: 1 }),
    close: () => journal.close("r1", 1, { status: "queued" }),
    signal: () => journal.signal("r1", "k", 1),
    cancel: () => journal.cancel("r1"),
    get: () => journal.get("r1"),
    list: () => journal.list(),
    steps: () => Array.fromAsync(journal.steps("r1")),
    signals: () => Array.fromAsync(journal.signals("r1")),
    purge: () => journal.purge(new Date(0)),
    wake: () => queue.wake(run, { id: "0" }),
    drop: () => queue.drop(run),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await assertRejects(call, DOMException);
    assertEquals(error.message, `The engine did not respond to ${name}() within 1 ms`);
  }
  await using runs = openRuns(hanging, { clerk: { version: "1", make: () => newAgent() } }, {
    engineTimeoutMs: 1,
  });
  await assertRejects(() => runs.get("r1"), DOMException, "did not respond to get()");
});

Deno.test("a worker ends although its queue ignores the signal, after its deliveries have ended", async () => {
  await using memory = memoryRuns();
  const started = Promise.withResolvers<void>();
  const ended: string[] = [];
  const { queue } = boundEngine({
    journal: memory.journal,
    queue: {
      ...memory.queue,
      wake: () => Promise.resolve(),
      drop: () => Promise.resolve(),
      async work(_agents, _options, handle) {
        await handle("r1", { attempt: 1, signal: new AbortController().signal });
        return await NEVER;
      },
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }, 1);
  const stopping = new AbortController();
  const working = queue.work(
    [],
    { concurrency: 1, signal: stopping.signal },
    async (_, { signal }) => {
      started.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended.push("delivery");
    },
  );
  await started.promise;
  stopping.abort();
  const error = await assertRejects(() => working, DOMException);
  assertEquals(error.message, "The engine did not respond to work() within 1 ms");
  assertEquals(ended, ["delivery"]);
});

Deno.test("Runs.close() rejects if the engine is not closed in time", async () => {
  await using memory = memoryRuns();
  const runs = openRuns(
    { journal: memory.journal, queue: memory.queue, [Symbol.asyncDispose]: () => NEVER },
    { clerk: { version: "1", make: () => newAgent() } },
    { engineTimeoutMs: 1 },
  );
  const error = await assertRejects(() => runs.close(), DOMException);
  assertEquals(error.message, "The engine did not respond to [Symbol.asyncDispose]() within 1 ms");
});

Deno.test("Runs.close() ends if the engine is never opened", async () => {
  using time = new FakeTime();
  const runs = openRuns(NEVER, { clerk: { version: "1", make: () => newAgent() } });
  const reading = assertRejects(() => runs.get("r1"));
  const closing = runs.close();
  await time.tickAsync(60_000);
  await closing;
  await reading;
});

Deno.test("the methods of Runs reject if the engine is not opened in time", async () => {
  const runs = openRuns(NEVER, {}, { engineTimeoutMs: 1 });
  const started = openRuns(NEVER, { clerk: { version: "1", make: () => newAgent() } }, {
    engineTimeoutMs: 1,
  });
  const steps = async () => {
    for await (const _ of runs.steps("r1"));
  };
  const calls: (() => Promise<unknown>)[] = [
    () => started.start(START),
    () => runs.get("r1"),
    () => runs.list(),
    () => runs.result("r1"),
    () => runs.signal("r1", "k", 1),
    () => runs.cancel("r1"),
    () => runs.purge(new Date()),
    steps,
  ];
  for (const call of calls) {
    await assertRejects(call, DOMException, "The engine was not opened within 1 ms");
  }
  await runs.close();
  await started.close();
  await assertRejects(() => runs.get("r1"), Error, "the engine is closed");
});
