/**
 * An engine for durable runs that stores runs in memory.
 *
 * @module
 */

import { assertCount, assertNonNegative } from "@parley/internal/assert-argument";
import { withMethods } from "@parley/internal/option-checks";
import { type DefaultRule, optionsReader, withDefault } from "@parley/internal/options";
import { MemoryRunLog } from "../log/memory_log.ts";
import { type RunClock, systemClock } from "./clock.ts";
import type { RunEngine } from "./contracts.ts";
import { LocalQueue } from "./local_queue.ts";
import { MemoryRunJournal } from "./memory_journal.ts";

/** Options for engines that deliver runs within one process. */
export interface LocalRunsOptions {
  /**
   * Delay after the first failed attempt to execute a run, in milliseconds. The delay doubles with
   * each attempt.
   *
   * @default {1000}
   */
  readonly retryDelayMs?: number;
  /**
   * Maximum delay between attempts, in milliseconds.
   *
   * @default {60_000}
   */
  readonly maxRetryDelayMs?: number;
  /**
   * Maximum number of signals per run for which the run does not wait; a positive integer.
   * Decisions on approvals are counted separately. Signals and decisions for which the run waits,
   * or waited when it last ended an execution, are always stored.
   *
   * @default {1000}
   */
  readonly maxSignals?: number;
  /** Clock for due times, delays and recorded times. If omitted, the system clock is used. */
  readonly clock?: RunClock;
}

/** Options for {@linkcode memoryRuns}. */
export interface MemoryRunsOptions extends LocalRunsOptions {
  /**
   * Maximum number of stored runs; a positive integer. If the maximum is reached, the run that
   * ended first is deleted. If no run has ended, no run can be started.
   *
   * @default {10_000}
   */
  readonly maxRuns?: number;
  /**
   * Maximum number of stored runs of one party; a positive integer. If a party has reached the
   * maximum, its run that ended first is deleted. If none of its runs has ended, it cannot start
   * another run. Defaults to a tenth of `maxRuns`.
   */
  readonly maxPartyRuns?: number;
  /**
   * Maximum size of the messages, metadata and recorded steps of all runs, in bytes of UTF-8 JSON;
   * a positive integer. A party can use the same share of the bytes as of the runs, a tenth by
   * default. If the maximum is reached, runs that have ended are deleted, as for `maxRuns` and
   * `maxPartyRuns`. If no run has ended, no run can be started, and a run that records a step
   * fails.
   *
   * @default {1_073_741_824}
   */
  readonly maxBytes?: number;
  /**
   * Maximum size of the stored events of all runs (`storeEvents`), in UTF-16 code units of JSON; a
   * positive integer. Events do not count toward `maxBytes`, so that they never end or delete a
   * run. If the maximum is reached, a run continues, its end is stored, and its other events are
   * not; the worker reports this once for each run to `onError`.
   *
   * @default {268_435_456}
   */
  readonly maxEventChars?: number;
  /**
   * How long a run that has ended is stored, in milliseconds.
   *
   * @default {86_400_000}
   */
  readonly retentionMs?: number;
}

/** Rules for the options that all engines have in common. */
export const ENGINE_RULES: Readonly<
  Record<"retryDelayMs" | "maxRetryDelayMs" | "maxSignals", DefaultRule<number>>
> = {
  retryDelayMs: withDefault(1000, assertNonNegative),
  maxRetryDelayMs: withDefault(60_000, assertNonNegative),
  maxSignals: withDefault(1000, assertCount),
};

/** Rule for a clock. */
export const CLOCK_RULE: DefaultRule<RunClock> = withDefault(
  systemClock,
  withMethods("a RunClock", ["now", "after"]),
);

const readMemoryRunsOptions = optionsReader<MemoryRunsOptions>("options")({
  ...ENGINE_RULES,
  clock: CLOCK_RULE,
  maxRuns: withDefault(10_000, assertCount),
  maxPartyRuns: assertCount,
  maxBytes: withDefault(1_073_741_824, assertCount),
  maxEventChars: withDefault(268_435_456, assertCount),
  retentionMs: withDefault(86_400_000, assertNonNegative),
});

/**
 * Creates an engine that stores runs in memory, for tests and for runs that need not outlive the
 * process.
 *
 * @param options Limits, delays and clock.
 * @throws {RangeError} If a limit or delay is out of range.
 *
 * @example Start a run and read its result
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryRuns, openRuns } from "@parley/runtime/runs";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using runs = openRuns(memoryRuns(), {
 *   clerk: {
 *     version: "1",
 *     make: () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) }),
 *   },
 * });
 * const working = runs.work();
 * await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
 * assertEquals((await runs.result("r1")).status, "done");
 * await runs.close();
 * await working;
 * ```
 */
export function memoryRuns(options: MemoryRunsOptions = {}): RunEngine {
  const { clock, maxBytes, maxEventChars, maxRuns, maxSignals, retentionMs, ...settings } =
    readMemoryRunsOptions(
      options,
    );
  const { maxPartyRuns = Math.max(Math.floor(maxRuns / 10), 1), ...delays } = settings;
  const queue = new LocalQueue(clock, delays);
  return {
    journal: new MemoryRunJournal(clock, {
      maxRuns,
      maxPartyRuns,
      maxBytes,
      maxSignals,
      retentionMs,
    }),
    queue,
    log: new MemoryRunLog({ now: () => clock.now(), maxChars: maxEventChars }),
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}
