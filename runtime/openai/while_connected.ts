/**
 * Watches the connection of a request that has no stream.
 *
 * @module
 */

import { resolveWithin } from "@parley/internal/timers";

/** Time after which the connection of a request is watched, in milliseconds. */
const SLOW_MS = 50;

/**
 * Waits for a promise, and calls `onDisconnect` if the client disconnects before the promise has
 * settled. The connection of a fast request is not watched, because the first access to the signal
 * is slow on Deno and prints a warning.
 */
export async function whileConnected<T>(
  request: Request,
  work: Promise<T>,
  onDisconnect: () => void,
): Promise<T> {
  const isFast = await resolveWithin(work.then(() => true, () => true), SLOW_MS);
  if (isFast) return await work;
  const { signal } = request;
  if (signal.aborted) onDisconnect();
  else signal.addEventListener("abort", onDisconnect, { once: true });
  try {
    return await work;
  } finally {
    // On Deno, the signal is also aborted after the response was sent.
    signal.removeEventListener("abort", onDisconnect);
  }
}
