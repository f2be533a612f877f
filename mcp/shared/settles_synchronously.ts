/**
 * Detects promises that settle within the current turn of the event loop.
 *
 * @module
 */

/**
 * Number of microtasks within which every response is produced if the handler does not wait for
 * timers or I/O.
 */
const TICKS = 16;

/**
 * Returns `true` if a promise settles within {@linkcode TICKS} microtasks. Most requests settle
 * within a few microtasks and need no timers or listeners, which saves a quarter of the time per
 * request on Deno.
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
