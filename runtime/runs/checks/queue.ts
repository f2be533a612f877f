/**
 * Checks that every queue for durable runs must pass.
 *
 * @module
 */

import { createGate } from "../../testing/gate.ts";
import type { AgentAddress, RunAddress, RunDelivery, RunQueue } from "../contracts.ts";
import { type EngineCheck, engineCheck } from "./engine_check.ts";
import { expectEqual, newId } from "../../testing/expect.ts";

/** Delivery delay in the check for due times, in milliseconds. */
const DUE_MS = 1000;

type Handle = (runId: string, delivery: RunDelivery) => Promise<void>;

function check(name: string, run: (queue: RunQueue) => Promise<void>): EngineCheck {
  return engineCheck(`queue: ${name}`, ({ queue }) => run(queue));
}

function addressOf(agent: AgentAddress): RunAddress {
  return { ...agent, runId: newId("run") };
}

function newAgent(version = "1"): AgentAddress {
  return { agent: newId("agent"), version };
}

/** Runs a worker while a function executes. */
async function withWorker(
  queue: RunQueue,
  agents: readonly AgentAddress[],
  concurrency: number,
  handle: Handle,
  run: () => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  const working = queue.work(agents, { concurrency, signal: stopping.signal }, handle);
  try {
    await run();
  } finally {
    stopping.abort();
    await working;
  }
}

/** Rejects when a signal is aborted. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/**
 * Checks for the {@linkcode RunQueue} of an engine. Each check is independent of the others and of
 * the test runner.
 *
 * @example Run the checks for the in-memory engine
 * ```ts
 * import { memoryRuns } from "@parley/runtime/runs";
 * import { runQueueChecks } from "@parley/runtime/testing";
 *
 * for (const check of runQueueChecks) {
 *   await check.run(() => memoryRuns({ retryDelayMs: 10 }));
 * }
 * ```
 */
export const runQueueChecks: readonly EngineCheck[] = [
  check(
    "delivers a run to a worker that was started before or after the request",
    async (queue) => {
      const agent = newAgent();
      const [early, late] = [addressOf(agent), addressOf(agent)];
      const gates = new Map([early, late].map(({ runId }) => [runId, createGate()]));
      await queue.wake(early, { id: "0" });
      const handle: Handle = async (runId, { attempt }) => {
        expectEqual(attempt, 1, "the number of the attempt");
        void gates.get(runId)?.wait();
        await null;
      };
      await withWorker(queue, [agent], 1, handle, async () => {
        await gates.get(early.runId)?.reached;
        await queue.wake(late, { id: "0" });
        await gates.get(late.runId)?.reached;
      });
    },
  ),
  check("delivers only runs of the worker's agents and versions", async (queue) => {
    const agent = newAgent("2");
    const old = addressOf({ ...agent, version: "1" });
    const run = addressOf(agent);
    const delivered: string[] = [];
    const gate = createGate();
    await queue.wake(old, { id: "0" });
    await queue.wake(run, { id: "0" });
    const handle: Handle = async (runId) => {
      delivered.push(runId);
      void gate.wait();
      await null;
    };
    await withWorker(queue, [agent], 2, handle, () => gate.reached);
    expectEqual(delivered, [run.runId], "the delivered runs");
  }),
  check("delivers a run once if it is requested again with the same id", async (queue) => {
    const agent = newAgent();
    const [run, last] = [addressOf(agent), addressOf(agent)];
    for (let count = 0; count < 3; count++) await queue.wake(run, { id: "a" });
    await queue.wake(last, { id: "a" });
    const delivered: string[] = [];
    const gate = createGate();
    const handle: Handle = async (runId) => {
      delivered.push(runId);
      if (runId === last.runId) void gate.wait();
      await null;
    };
    await withWorker(queue, [agent], 1, handle, () => gate.reached);
    expectEqual(
      delivered.filter((runId) => runId === run.runId).length,
      1,
      "the number of deliveries",
    );
  }),
  check(
    "delivers a run again for a request with a different id, but never twice at a time",
    async (queue) => {
      const agent = newAgent();
      const [run, other] = [addressOf(agent), addressOf(agent)];
      let [active, count, most] = [0, 0, 0];
      const twice = createGate();
      const second = createGate();
      const handle: Handle = async (runId) => {
        if (runId === other.runId) {
          void second.wait();
          return;
        }
        most = Math.max(most, ++active);
        // The delivery stays in progress until a free slot has delivered another run.
        await second.reached;
        active--;
        if (++count === 2) void twice.wait();
      };
      await queue.wake(run, { id: "a" });
      await queue.wake(run, { id: "b" });
      await withWorker(queue, [agent], 3, handle, async () => {
        await queue.wake(other, { id: "a" });
        await twice.reached;
      });
      expectEqual(
        [count, most],
        [2, 1],
        "the total number of deliveries, and the maximum at a time",
      );
    },
  ),
  check(
    "delivers a run that is requested during its delivery after that delivery",
    async (queue) => {
      const agent = newAgent();
      const run = addressOf(agent);
      let count = 0;
      const twice = createGate();
      const handle: Handle = async () => {
        if (++count === 1) await queue.wake(run, { id: "b" });
        else void twice.wait();
      };
      await queue.wake(run, { id: "a" });
      await withWorker(queue, [agent], 2, handle, () => twice.reached);
    },
  ),
  check("delivers a run again after a failed attempt, and counts the attempts", async (queue) => {
    const agent = newAgent();
    const run = addressOf(agent);
    const attempts: number[] = [];
    const gate = createGate();
    await queue.wake(run, { id: "a" });
    const handle: Handle = async (_runId, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length === 1) await Promise.reject(new Error("the first attempt fails"));
      void gate.wait();
    };
    await withWorker(queue, [agent], 1, handle, () => gate.reached);
    expectEqual(attempts, [1, 2], "the numbers of the attempts");
  }),
  check("does not deliver a run again after a successful attempt", async (queue) => {
    const agent = newAgent();
    const [run, last] = [addressOf(agent), addressOf(agent)];
    const delivered: string[] = [];
    const first = createGate();
    const second = createGate();
    const handle: Handle = async (runId) => {
      delivered.push(runId);
      void (runId === run.runId ? first : second).wait();
      await null;
    };
    await queue.wake(run, { id: "a" });
    await withWorker(queue, [agent], 1, handle, () => first.reached);
    await queue.wake(last, { id: "a" });
    await withWorker(queue, [agent], 1, handle, () => second.reached);
    expectEqual(delivered, [run.runId, last.runId], "the deliveries to two workers");
  }),
  check("delivers a run with a due time not before that time", async (queue) => {
    const agent = newAgent();
    const run = addressOf(agent);
    const due = new Date(Date.now() + DUE_MS);
    let deliveredAt = 0;
    const gate = createGate();
    await queue.wake(run, { id: "a", due });
    const handle: Handle = async () => {
      deliveredAt = Date.now();
      void gate.wait();
      await null;
    };
    await withWorker(queue, [agent], 1, handle, () => gate.reached);
    expectEqual(deliveredAt >= due.getTime(), true, "whether the delivery waited for the due time");
  }),
  check(
    "delivers at most as many runs concurrently as the worker's concurrency allows",
    async (queue) => {
      const agent = newAgent();
      const runs = [1, 2, 3, 4].map(() => addressOf(agent));
      let [active, count, most] = [0, 0, 0];
      const full = createGate();
      const all = createGate();
      const handle: Handle = async () => {
        most = Math.max(most, ++active);
        if (active === 2) full.release();
        await full.wait();
        active--;
        if (++count === runs.length) void all.wait();
      };
      for (const run of runs) await queue.wake(run, { id: "a" });
      await withWorker(queue, [agent], 2, handle, () => all.reached);
      expectEqual(most, 2, "the number of concurrent runs");
    },
  ),
  check(
    "drop() aborts the delivery of a run, and the run is not delivered again",
    async (queue) => {
      const agent = newAgent();
      const [run, last] = [addressOf(agent), addressOf(agent)];
      const delivered: string[] = [];
      const started = createGate();
      const ended = createGate();
      const handle: Handle = async (runId, { signal }) => {
        delivered.push(runId);
        if (runId === last.runId) void ended.wait();
        else {
          void started.wait();
          await untilAborted(signal);
        }
      };
      await queue.wake(run, { id: "a" });
      await queue.wake(run, { id: "b" });
      await withWorker(queue, [agent], 1, handle, async () => {
        await started.reached;
        await queue.drop(run);
        await queue.wake(last, { id: "a" });
        await ended.reached;
      });
      expectEqual(delivered, [run.runId, last.runId], "the delivered runs");
    },
  ),
  check("drop() removes a run that has not been delivered", async (queue) => {
    const agent = newAgent();
    const [run, last] = [addressOf(agent), addressOf(agent)];
    const delivered: string[] = [];
    const gate = createGate();
    await queue.wake(run, { id: "a" });
    await queue.drop(run);
    await queue.wake(last, { id: "a" });
    const handle: Handle = async (runId) => {
      delivered.push(runId);
      if (runId === last.runId) void gate.wait();
      await null;
    };
    await withWorker(queue, [agent], 1, handle, () => gate.reached);
    expectEqual(delivered, [last.runId], "the delivered runs");
  }),
  check(
    "a stopped worker aborts its deliveries, and the next worker gets the run",
    async (queue) => {
      const agent = newAgent();
      const run = addressOf(agent);
      const started = createGate();
      const again = createGate();
      await queue.wake(run, { id: "a" });
      await withWorker(queue, [agent], 1, async (_runId, { signal }) => {
        void started.wait();
        await untilAborted(signal);
      }, () => started.reached);
      await withWorker(queue, [agent], 1, async () => {
        void again.wait();
        await null;
      }, () => again.reached);
    },
  ),
];
