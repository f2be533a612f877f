import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { EngineCheck } from "./checks/engine_check.ts";
import type { RunEngine, RunJournal, RunQueue } from "./contracts.ts";
import type { RunRecord } from "./run_record.ts";
import { runJournalChecks } from "./checks/journal.ts";
import { memoryRuns } from "./memory.ts";
import { runQueueChecks } from "./checks/queue.ts";

/** Replaces methods of an in-memory engine. */
type Fault = (engine: RunEngine) => {
  readonly journal?: Partial<RunJournal>;
  readonly queue?: Partial<RunQueue>;
};

function withFault(fault: Fault): RunEngine {
  const engine = memoryRuns({ retryDelayMs: 1 });
  const { journal = {}, queue = {} } = fault(engine);
  return {
    journal: replace(engine.journal, journal),
    queue: replace(engine.queue, queue),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

function replace<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Changes the records that `get` returns. */
function records(change: (run: RunRecord) => RunRecord): Fault {
  return ({ journal }) => ({
    journal: {
      get: async (runId) => {
        const run = await journal.get(runId);
        return run && change(run);
      },
    },
  });
}

/** Deliberately broken engines, keyed by the check that detects them. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "journal: create() adds a queued run with epoch 0": records((run) => ({ ...run, epoch: 1 })),
  "journal: create() does not change a run with the same id": ({ journal }) => ({
    journal: { create: (run) => journal.create(run).then(() => true) },
  }),
  "journal: create() stores the metadata of a run, which no change of the run affects": records(
    (run) => ({ ...run, metadata: {} }),
  ),
  "journal: create() adds a run once if several callers create it at the same time": (
    { journal },
  ) => ({
    journal: {
      create: async (run) => {
        const isNew = await journal.get(run.runId) === undefined;
        await journal.create(run);
        return isNew;
      },
    },
  }),
  "journal: open() raises the epoch and sets the status to running": ({ journal }) => ({
    journal: {
      open: async (runId) => {
        const open = await journal.open(runId);
        return open && { ...open, run: { ...open.run, epoch: 1 } };
      },
    },
  }),
  "journal: open() gives every caller a different epoch, and only the newest can write": (
    { journal },
  ) => ({
    journal: {
      open: async (runId) => {
        const open = await journal.open(runId);
        await null;
        const run = await journal.get(runId);
        return open && run && { ...open, run };
      },
    },
  }),
  "journal: open() returns nothing for an unknown run and for a run that has ended": (
    { journal },
  ) => ({
    journal: {
      open: async (runId) => {
        const run = await journal.get(runId);
        const ended = run && { run, steps: new Map(), signals: new Map() };
        return await journal.open(runId) ?? ended;
      },
    },
  }),
  "journal: open() clears what the run waits for, its due time and its last error": (
    { journal },
  ) => ({
    journal: {
      open: async (runId) => {
        const { error, due } = await journal.get(runId) ?? {};
        const open = await journal.open(runId);
        const kept = {
          ...error === undefined ? {} : { error },
          ...due === undefined ? {} : { due },
        };
        return open && { ...open, run: { ...open.run, ...kept } };
      },
    },
  }),
  "journal: append() stores a step once and keeps the first value": ({ journal }) => ({
    journal: {
      append: async (...args) => {
        const outcome = await journal.append(...args);
        return outcome === "present" ? "stored" : outcome;
      },
    },
  }),
  "journal: append() of a worker with an old epoch is fenced and stores nothing": (
    { journal },
  ) => ({
    journal: {
      append: async (runId, _epoch, entry) => {
        const run = await journal.get(runId);
        return await journal.append(runId, run?.epoch ?? 0, entry);
      },
    },
  }),
  "journal: append() is fenced after the run was closed or cancelled": ({ journal }) => ({
    journal: {
      append: async (runId, epoch, entry) => {
        const run = await journal.get(runId);
        return run?.epoch === epoch ? "stored" : await journal.append(runId, epoch, entry);
      },
    },
  }),
  "journal: steps of different runs are separate": ({ journal }) => {
    const keys = new Set<string>();
    return {
      journal: {
        append: async (runId, epoch, entry) => {
          const outcome = await journal.append(runId, epoch, entry);
          const isKnown = keys.has(entry.key);
          keys.add(entry.key);
          return isKnown ? "present" : outcome;
        },
      },
    };
  },
  "journal: steps() yields the steps in the order in which they were recorded": ({ journal }) => ({
    journal: {
      async *steps(runId) {
        const steps = await Array.fromAsync(journal.steps(runId));
        yield* steps.sort((one, other) => one.key < other.key ? -1 : 1);
      },
    },
  }),
  "journal: values are stored without loss": ({ journal }) => ({
    journal: {
      signal: (runId, key, value) =>
        journal.signal(runId, key, JSON.parse(JSON.stringify(value).replaceAll("1e+21", "1"))),
    },
  }),
  "journal: close() stores the result of a run": ({ journal }) => ({
    journal: {
      close: (runId, epoch, end) =>
        journal.close(runId, epoch, end.status === "done" ? { ...end, result: null } : end),
    },
  }),
  "journal: close() stores the error of a run that is returned to the queue": ({ journal }) => ({
    journal: {
      close: (runId, epoch, end) =>
        journal.close(runId, epoch, end.status === "queued" ? { status: "queued" } : end),
    },
  }),
  "journal: close() of a worker with an old epoch is fenced and changes nothing": (
    { journal },
  ) => ({
    journal: {
      close: async (runId, _epoch, end) => {
        const run = await journal.get(runId);
        return await journal.close(runId, run?.epoch ?? 0, end);
      },
    },
  }),
  "journal: close() stores what a run waits for": records((run) => ({
    ...run,
    waitingFor: run.waitingFor.slice(0, 2),
  })),
  "journal: close() of a run whose awaited signal has arrived is signalled and changes nothing": (
    { journal },
  ) => ({
    journal: {
      close: async (runId, epoch, end) => {
        const outcome = await journal.close(runId, epoch, end);
        return outcome === "signalled" ? "closed" : outcome;
      },
    },
  }),
  "journal: close() ignores signals that the run does not wait for": ({ journal }) => {
    const signalled = new Set<string>();
    return {
      journal: {
        signal: (runId, key, value) => {
          signalled.add(runId);
          return journal.signal(runId, key, value);
        },
        close: (runId, epoch, end) =>
          end.status === "waiting" && signalled.has(runId)
            ? Promise.resolve("signalled")
            : journal.close(runId, epoch, end),
      },
    };
  },
  "journal: signal() keeps the first value and reports it to later callers": ({ journal }) => ({
    journal: {
      signal: async (runId, key, value) => {
        const outcome = await journal.signal(runId, key, value);
        return outcome === "conflict" ? "present" : outcome;
      },
    },
  }),
  "journal: signals() yields the signals in the order in which they arrived": ({ journal }) => ({
    journal: {
      async *signals(runId) {
        const signals = await Array.fromAsync(journal.signals(runId));
        yield* signals.toSorted((one, other) => one.key < other.key ? -1 : 1);
      },
    },
  }),
  "journal: signal() stores one of several values that are sent at the same time": (
    { journal },
  ) => ({
    journal: {
      signal: async (runId, key, value) => {
        const open = await journal.get(runId);
        const outcome = await journal.signal(runId, key, value);
        return outcome === "conflict" && typeof value === "number" && open ? "stored" : outcome;
      },
    },
  }),
  "journal: signal() queues a run that waits for the signal": ({ journal }) => {
    const waiting = new Map<string, RunRecord>();
    return {
      journal: {
        signal: async (runId, key, value) => {
          const before = await journal.get(runId);
          const outcome = await journal.signal(runId, key, value);
          if (before?.status === "waiting") waiting.set(runId, before);
          return outcome;
        },
        get: async (runId) => waiting.get(runId) ?? await journal.get(runId),
      },
    };
  },
  "journal: a signal and a step may have the same key": ({ journal }) => {
    const keys = new Set<string>();
    return {
      journal: {
        signal: (runId, key, value) => {
          keys.add(`${runId} ${key}`);
          return journal.signal(runId, key, value);
        },
        append: (runId, epoch, entry) =>
          keys.has(`${runId} ${entry.key}`)
            ? Promise.resolve("present")
            : journal.append(runId, epoch, entry),
      },
    };
  },
  "journal: signal() reports a run that has ended or does not exist": ({ journal }) => ({
    journal: {
      signal: async (...args) => {
        const outcome = await journal.signal(...args);
        return outcome === "ended" ? "stored" : outcome;
      },
    },
  }),
  "journal: cancel() cancels an unfinished run exactly once": ({ journal }) => ({
    journal: { cancel: (runId) => journal.cancel(runId).then(() => true) },
  }),
  "journal: cancel() does not change a run that is done": ({ journal }) => {
    const cancelled = new Set<string>();
    return {
      journal: {
        cancel: async (runId) => {
          cancelled.add(runId);
          return await journal.cancel(runId);
        },
        get: async (runId) => {
          const run = await journal.get(runId);
          return run && cancelled.has(runId) ? { ...run, status: "cancelled" } : run;
        },
      },
    };
  },
  "journal: list() returns each run once, page by page": ({ journal }) => ({
    journal: {
      list: ({ after: _, ...filter } = {}) => journal.list(filter),
    },
  }),
  "journal: list() filters by status and agent": ({ journal }) => ({
    journal: {
      list: ({ status: _, ...filter } = {}) => journal.list(filter),
    },
  }),
  "journal: list() finds the ids that start with a text, in the order of code points": (
    { journal },
  ) => ({
    journal: {
      list: async (filter) =>
        (await journal.list(filter)).toSorted((one, other) => one.runId < other.runId ? -1 : 1),
    },
  }),
  "journal: list() sorts runs by their last change, most recent first": ({ journal }) => ({
    journal: { list: ({ order: _, ...filter } = {}) => journal.list(filter) },
  }),
  "journal: list() in the order of changes returns each run once, page by page": (
    { journal },
  ) => ({
    journal: {
      list: ({ after, ...filter } = {}) =>
        journal.list({ ...filter, after: after && { ...after, runId: `${after.runId}~` } }),
    },
  }),
  "journal: purge() deletes only runs that have ended before the time": ({ journal }) => ({
    journal: {
      purge: (before) => journal.purge(new Date(before.getTime() + 1)),
    },
  }),
  "queue: delivers a run to a worker that was started before or after the request": (
    { queue },
  ) => {
    let isStarted = false;
    return {
      queue: {
        work: (...args) => {
          isStarted = true;
          return queue.work(...args);
        },
        wake: (run, options) => isStarted ? Promise.resolve() : queue.wake(run, options),
      },
    };
  },
  "queue: delivers only runs of the worker's agents and versions": ({ queue }) => ({
    queue: {
      wake: (run, options) => queue.wake({ ...run, version: "2" }, options),
      work: (agents, options, handle) =>
        queue.work(agents.map(({ agent }) => ({ agent, version: "2" })), options, handle),
    },
  }),
  "queue: delivers a run once if it is requested again with the same id": ({ queue }) => ({
    queue: { wake: (run) => queue.wake(run, { id: crypto.randomUUID() }) },
  }),
  "queue: delivers a run again for a request with a different id, but never twice at a time": (
    { queue },
  ) => ({
    queue: {
      work: (agents, options, handle) =>
        queue.work(agents, options, async (runId, delivery) => {
          await Promise.all([handle(runId, delivery), handle(runId, delivery)]);
        }),
    },
  }),
  "queue: delivers a run that is requested during its delivery after that delivery": (
    { queue },
  ) => {
    const active = new Set<string>();
    return {
      queue: {
        wake: (run, options) =>
          active.has(run.runId) ? Promise.resolve() : queue.wake(run, options),
        work: (agents, options, handle) =>
          queue.work(agents, options, async (runId, delivery) => {
            active.add(runId);
            await handle(runId, delivery).finally(() => active.delete(runId));
          }),
      },
    };
  },
  "queue: delivers a run again after a failed attempt, and counts the attempts": ({ queue }) => ({
    queue: {
      work: (agents, options, handle) =>
        queue.work(agents, options, (runId, { signal }) => handle(runId, { attempt: 1, signal })),
    },
  }),
  "queue: does not deliver a run again after a successful attempt": ({ queue }) => ({
    queue: {
      work: (agents, options, handle) => {
        let isFirst = true;
        return queue.work(agents, options, async (runId, delivery) => {
          await handle(runId, delivery);
          if (isFirst) await Promise.reject(new Error("not completed"));
          isFirst = false;
        });
      },
    },
  }),
  "queue: delivers a run with a due time not before that time": ({ queue }) => ({
    queue: { wake: (run, { id }) => queue.wake(run, { id }) },
  }),
  "queue: delivers at most as many runs concurrently as the worker's concurrency allows": (
    { queue },
  ) => ({
    queue: {
      work: (agents, options, handle) =>
        queue.work(agents, { ...options, concurrency: options.concurrency * 2 }, handle),
    },
  }),
  "queue: drop() aborts the delivery of a run, and the run is not delivered again": (
    { queue },
  ) => ({
    queue: { drop: () => Promise.resolve(void queue) },
  }),
  "queue: drop() removes a run that has not been delivered": ({ queue }) => ({
    queue: { drop: () => Promise.resolve(void queue) },
  }),
  "queue: a stopped worker aborts its deliveries, and the next worker gets the run": (
    { queue },
  ) => ({
    queue: {
      work: (agents, options, handle) =>
        queue.work(agents, options, (runId, delivery) => handle(runId, delivery).catch(() => {})),
    },
  }),
};

const CHECKS: readonly EngineCheck[] = [...runJournalChecks, ...runQueueChecks];

Deno.test("each engine check has a broken engine that fails the check", () => {
  assertEquals(Object.keys(FAULTS), CHECKS.map(({ name }) => name));
});

for (const check of CHECKS) {
  const fault = FAULTS[check.name];
  Deno.test(`a broken engine fails the check "${check.name}"`, async () => {
    assert(fault !== undefined);
    const error = await assertRejects(
      () => check.run(() => withFault(fault), { timeoutMs: 300 }),
      Error,
    );
    // An unintended mistake in the broken engine would cause a different error message.
    assertMatch(error.message, /must be|must return|took longer/);
  });
}
