/**
 * Waits for a promise, with a time limit.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";

/**
 * Waits for a promise for at most `ms` milliseconds. Resolves with `undefined` if the time limit is
 * exceeded.
 */
export async function resolveWithin<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(ms, MAX_TIMER_MS));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
