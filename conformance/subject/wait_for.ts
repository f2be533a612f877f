/**
 * Promises with a timeout.
 *
 * @module
 */

/** Result of {@linkcode waitFor} if the timeout expires. */
export const TIMED_OUT: unique symbol = Symbol("timed out");

/**
 * Waits for a promise with a timeout.
 *
 * @param promise The promise.
 * @param ms Timeout, in milliseconds.
 */
export function waitFor<T>(promise: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(TIMED_OUT), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
