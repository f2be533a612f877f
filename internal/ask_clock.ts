/**
 * The time of a clock that the caller has passed.
 *
 * @module
 */

import { rejectArgument } from "./assert_argument.ts";
import { reportRejection } from "./report_rejection.ts";

/**
 * Returns the time of a clock, in milliseconds. A clock in JavaScript can return any value: `NaN`
 * would make all entries of a store expire, `null` is less than every time, and the sum of a string
 * and a number is a later time.
 *
 * @throws {TypeError} If the clock does not return a finite number.
 */
export function askClock(now: () => number): number {
  const nowMs = now();
  // The promise of an async clock is not a number, so its rejection is not needed.
  reportRejection(nowMs, () => {});
  return Number.isFinite(nowMs) ? nowMs : rejectArgument("now()", "a finite number", nowMs);
}
