/**
 * An engine that lets tests wait for changes.
 *
 * @module
 */

import type { RunEngine, RunJournal } from "../contracts.ts";
import type { RunStatus } from "../run_record.ts";

/** An engine that reports when a worker has closed a run. */
export interface ObservedEngine extends RunEngine {
  /**
   * Resolves when a worker has closed the run with the given status, or immediately if a worker has
   * already done so.
   */
  closed(runId: string, status: RunStatus, count?: number): Promise<void>;
}

/** Wraps an engine so that a test can wait, without sleeping, until a worker closes a run. */
export function observe(engine: RunEngine): ObservedEngine {
  const ends: string[] = [];
  let listeners: (() => void)[] = [];
  const { journal } = engine;
  const observed = new Proxy(journal, {
    get(target, name: keyof RunJournal) {
      if (name === "close") {
        return async (...args: Parameters<RunJournal["close"]>) => {
          const outcome = await target.close(...args);
          if (outcome === "closed") ends.push(`${args[0]} ${args[2].status}`);
          for (const listener of listeners.splice(0)) listener();
          return outcome;
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return {
    journal: observed,
    queue: engine.queue,
    async closed(runId, status, count = 1) {
      const isMatch = (end: string): boolean => end === `${runId} ${status}`;
      while (ends.filter(isMatch).length < count) {
        await new Promise<void>((resolve) => {
          listeners = [...listeners, resolve];
        });
      }
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
