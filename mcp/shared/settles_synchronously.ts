/**
 * Whether a promise settles without waiting for anything outside of this program.
 *
 * @module
 */

/** More than the steps between a handler that returns at once and the response, on any path. */
const TICKS = 64;

/**
 * Whether a promise settles within a few turns of the microtask queue. Most requests are answered that fast, and are
 * spared the timers and listeners of the slow ones: a quarter of the time of a request on Deno.
 */
export async function settlesSynchronously(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let tick = 0; tick < TICKS && !isSettled; tick++) await undefined;
  return isSettled;
}
