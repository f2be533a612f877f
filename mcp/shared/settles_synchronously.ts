/**
 * Detects promises that settle within the current turn of the event loop.
 *
 * @module
 */

/** More microtasks than any path takes to produce the response when a handler returns without waiting. */
const TICKS = 64;

/**
 * Returns `true` if a promise settles within {@linkcode TICKS} microtasks. Most requests do, and skipping timers and
 * listeners for them saves a quarter of the time per request on Deno.
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
