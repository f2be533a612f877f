/**
 * Waiting with an end.
 *
 * @module
 */

/** What {@linkcode waitFor} gives when the time is over first. */
export const TIMED_OUT: unique symbol = Symbol("timed out");

/**
 * Waits for a promise, but not longer than some time.
 *
 * @param promise what to wait for
 * @param ms how long, in milliseconds
 */
export function waitFor<T>(promise: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(TIMED_OUT), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
