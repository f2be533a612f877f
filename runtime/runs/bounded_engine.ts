/**
 * An engine whose calls have a timeout.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import type { RunEngine, RunJournal, RunQueue } from "./contracts.ts";
import { withTimeout } from "./timeout.ts";

/**
 * Returns an engine whose calls reject if they do not settle in time. A call that has timed out may
 * still have an effect. `RunQueue.work`, which lasts as long as the worker, has no timeout.
 *
 * @param engine Engine that receives the calls.
 * @param timeoutMs Maximum time for a call, in milliseconds.
 */
export function boundEngine(engine: RunEngine, timeoutMs: number): RunEngine {
  const bound: Bound = (name, call) =>
    withTimeout(
      timeoutMs,
      `The engine did not respond to ${name}()`,
      async (expired) => await abortable(call(), expired),
    );
  return {
    journal: boundJournal(engine.journal, bound),
    queue: boundQueue(engine.queue, bound),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** Makes a call, and rejects if it does not settle in time. */
type Bound = <T>(name: string, call: () => Promise<T>) => Promise<T>;

function boundJournal(journal: RunJournal, bound: Bound): RunJournal {
  return {
    create: (run, tx) => bound("create", () => journal.create(run, tx)),
    open: (runId) => bound("open", () => journal.open(runId)),
    append: (runId, epoch, entry) => bound("append", () => journal.append(runId, epoch, entry)),
    close: (runId, epoch, end) => bound("close", () => journal.close(runId, epoch, end)),
    signal: (runId, key, value) => bound("signal", () => journal.signal(runId, key, value)),
    cancel: (runId) => bound("cancel", () => journal.cancel(runId)),
    get: (runId) => bound("get", () => journal.get(runId)),
    list: (filter) => bound("list", () => journal.list(filter)),
    purge: (before) => bound("purge", () => journal.purge(before)),
    async *steps(runId) {
      const iterator = journal.steps(runId)[Symbol.asyncIterator]();
      let isFinished = false;
      try {
        for (;;) {
          const next = await bound("steps", () => iterator.next());
          isFinished = next.done === true;
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        // A journal that does not respond is not waited for.
        if (!isFinished) iterator.return?.().catch(() => {});
      }
    },
  };
}

function boundQueue(queue: RunQueue, bound: Bound): RunQueue {
  return {
    wake: (run, options) => bound("wake", () => queue.wake(run, options)),
    drop: (run) => bound("drop", () => queue.drop(run)),
    work: (agents, options, handle) => queue.work(agents, options, handle),
  };
}
