/**
 * Promises with a timeout.
 *
 * @module
 */

/** Result of {@linkcode waitFor} if the timeout expires. */
export const TIMED_OUT: unique symbol = Symbol("timed out");

/**
 * Longest delay of `setTimeout`, in milliseconds, because a timer with a longer delay expires
 * immediately.
 */
export const MAX_TIMER_MS = 0x7fffffff;

/**
 * Waits for a promise with a timeout.
 *
 * @param promise The promise.
 * @param ms Timeout, in milliseconds.
 */
export function waitFor<T>(promise: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(TIMED_OUT), Math.min(ms, MAX_TIMER_MS));
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
