/**
 * A filter for texts that are reported more than once.
 *
 * @module
 */

/** Number of texts that one filter passes per minute. */
const MAX_PER_MINUTE = 20;

/** Number of passed texts that one filter tracks, to recognize repetitions. */
const MAX_REMEMBERED = 1000;

const MINUTE_MS = 60_000;

/**
 * Result of a filter: the text passes, passes as the last text of the current minute, or must not
 * be reported.
 */
export type FilterResult = "passes" | "passes_last" | "dropped";

/**
 * Returns a filter that passes each distinct text once, and at most 20 texts per minute.
 *
 * @param now Returns the current time in milliseconds. If omitted, the system clock is used.
 */
export function createRepeatFilter(now: () => number = Date.now): (text: string) => FilterResult {
  const passed = new Set<string>();
  let windowStart = -Infinity;
  let count = 0;
  return (text) => {
    if (passed.has(text)) return "dropped";
    const time = now();
    // A clock that was set back starts a new window instead of dropping all texts.
    if (time - windowStart >= MINUTE_MS || time < windowStart) {
      windowStart = time;
      count = 0;
    }
    if (count >= MAX_PER_MINUTE) return "dropped";
    count++;
    if (passed.size >= MAX_REMEMBERED) passed.clear();
    passed.add(text);
    return count === MAX_PER_MINUTE ? "passes_last" : "passes";
  };
}
