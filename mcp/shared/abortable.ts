/**
 * Waits for promises, with an optional abort signal.
 *
 * @module
 */

import type { AbortSignalLike } from "./abort_signal_like.ts";

/**
 * Waits for a promise. Rejects with the signal's reason if the signal aborts first, or is already
 * aborted, even if the promise has settled. The underlying operation continues.
 */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignalLike | undefined,
): Promise<T> {
  if (signal === undefined) return await promise;
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
