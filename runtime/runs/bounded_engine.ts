/**
 * An engine whose calls have a timeout.
 *
 * @module
 */

import { settlesBefore } from "@parley/internal/abortable";
import { callWithin } from "@parley/internal/call-within";
import type { RunLog } from "../log/run_log.ts";
import type {
  AgentAddress,
  QueueWorkOptions,
  RunDelivery,
  RunEngine,
  RunJournal,
  RunQueue,
} from "./contracts.ts";
import { notInTime } from "../shared/timeout_error.ts";

/**
 * Returns an engine whose calls reject if they do not settle in time. A call that has timed out may
 * still have an effect. The time for `RunQueue.work` starts when the worker has been stopped and
 * its deliveries have ended.
 *
 * @param engine Engine that receives the calls.
 * @param timeoutMs Maximum time for a call, in milliseconds.
 */
export function boundEngine(engine: RunEngine, timeoutMs: number): RunEngine {
  const bound: Bound = (name, call) => {
    const late = (): Error => notInTime(`The engine did not respond to ${name}()`, timeoutMs);
    return callWithin(call, { signal: undefined, timeoutMs, late });
  };
  return {
    journal: boundJournal(engine.journal, bound),
    queue: boundQueue(engine.queue, bound),
    ...engine.log && { log: boundLog(engine.log, bound) },
    [Symbol.asyncDispose]: () =>
      bound("[Symbol.asyncDispose]", async () => await engine[Symbol.asyncDispose]()),
  };
}

/**
 * Waits for an engine that is being opened.
 *
 * @param opening The engine, or its promise.
 * @param timeoutMs Maximum time to wait, in milliseconds.
 * @param signal Stops waiting.
 * @throws {DOMException} With name `TimeoutError` if the engine is not opened in time.
 * @throws The signal's reason if the signal is aborted.
 */
export async function openedWithin(
  opening: Promise<RunEngine>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<RunEngine> {
  const late = (): Error => notInTime("The engine was not opened", timeoutMs);
  return await callWithin(() => opening, { signal, timeoutMs, late });
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
    steps: (runId) => boundItems("steps", () => journal.steps(runId), bound),
    signals: (runId) => boundItems("signals", () => journal.signals(runId), bound),
  };
}

async function* boundItems<Item>(
  name: string,
  iterate: () => AsyncIterable<Item>,
  bound: Bound,
): AsyncIterable<Item> {
  const iterator = iterate()[Symbol.asyncIterator]();
  let isFinished = false;
  try {
    for (;;) {
      const next = await bound(name, () => iterator.next());
      isFinished = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // A journal that does not respond is not waited for.
    if (!isFinished) iterator.return?.().catch(() => {});
  }
}

function boundQueue(queue: RunQueue, bound: Bound): RunQueue {
  return {
    wake: (run, options) => bound("wake", () => queue.wake(run, options)),
    drop: (run) => bound("drop", () => queue.drop(run)),
    work: (agents, options, handle) => workUntilStopped(queue, bound, { agents, options, handle }),
  };
}

function boundLog(log: RunLog, bound: Bound): RunLog {
  return {
    claim: (key, claim) => bound("claim", () => log.claim(key, claim)),
    head: (key) => bound("head", () => log.head(key)),
    append: (key, epoch, entries) => bound("append", () => log.append(key, epoch, entries)),
    renew: (key, epoch, leaseMs) => bound("renew", () => log.renew(key, epoch, leaseMs)),
    finish: (key, epoch, finish) => bound("finish", () => log.finish(key, epoch, finish)),
    requestStop: (key, epoch) => bound("requestStop", () => log.requestStop(key, epoch)),
    read: (key, epoch, range) => bound("read", () => log.read(key, epoch, range)),
    // The log chooses the time that it waits for a change.
    changed: (seen, signal) => log.changed(seen, signal),
    list: (filter) => bound("list", () => log.list(filter)),
    find: (runId) => bound("find", () => log.find(runId)),
    history: (filter) => bound("history", () => log.history(filter)),
    delete: (key, epoch) => bound("delete", () => log.delete(key, epoch)),
    purge: (options) => bound("purge", () => log.purge(options)),
  };
}

interface Work {
  readonly agents: readonly AgentAddress[];
  readonly options: QueueWorkOptions;
  readonly handle: (runId: string, delivery: RunDelivery) => Promise<void>;
}

/**
 * Executes runs until the worker is stopped. A queue that ignores its signal is waited for only for
 * a limited time after the last delivery has ended.
 */
async function workUntilStopped(
  queue: RunQueue,
  bound: Bound,
  { agents, options, handle }: Work,
): Promise<void> {
  const { signal: stopped } = options;
  if (stopped === undefined) return await queue.work(agents, options, handle);
  const deliveries = new Set<Promise<void>>();
  const working = queue.work(agents, options, async (runId, { attempt, signal }) => {
    const delivery = { attempt, signal: AbortSignal.any([signal, stopped]) };
    const handling = handle(runId, delivery);
    deliveries.add(handling);
    try {
      await handling;
    } finally {
      deliveries.delete(handling);
    }
  });
  if (await settlesBefore(working, stopped)) return;
  while (deliveries.size > 0) await Promise.allSettled(deliveries);
  await bound("work", () => working);
}
