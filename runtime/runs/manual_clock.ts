/**
 * A clock controlled by tests.
 *
 * @module
 */

import { assertNonNegative } from "@parley/internal/assert-argument";
import type { RunClock } from "./clock.ts";

/** A clock whose time changes only when a test advances it. */
export interface ManualClock extends RunClock {
  /**
   * Advances the clock and fires the timers that become due, in chronological order.
   *
   * @param ms Duration to add to the clock, in milliseconds.
   * @throws {RangeError} If `ms` is not a non-negative number.
   */
  advance(ms: number): void;
}

/**
 * Creates a clock for tests of durable runs.
 *
 * @param startMs Time at which the clock starts, in milliseconds since the Unix epoch. If omitted,
 * the clock starts at 2030-01-01T00:00:00Z.
 *
 * @example Let a day pass
 * ```ts
 * import { createManualClock } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = createManualClock(0);
 * const calls: number[] = [];
 * clock.after(86_400_000, () => calls.push(clock.now()));
 * clock.advance(86_399_999);
 * assertEquals(calls, []);
 * clock.advance(1);
 * assertEquals(calls, [86_400_000]);
 * ```
 */
export function createManualClock(startMs: number = Date.UTC(2030, 0, 1)): ManualClock {
  let now = startMs;
  let timers: { readonly dueAt: number; readonly callback: () => void }[] = [];
  return {
    now: () => now,
    after(delayMs, callback) {
      const timer = { dueAt: now + Math.max(delayMs, 0), callback };
      timers = [...timers, timer].sort((one, other) => one.dueAt - other.dueAt);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      assertNonNegative("ms", ms);
      const end = now + ms;
      for (let [next] = timers; next && next.dueAt <= end; [next] = timers) {
        timers = timers.slice(1);
        now = next.dueAt;
        next.callback();
      }
      now = end;
    },
  };
}
