/**
 * Abortable waiting for a promise.
 *
 * @module
 */

import type { AbortSignalLike } from "./abort_signal_like.ts";

/** Waits for a promise. Rejects with the signal's reason if the signal aborts first. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignalLike): Promise<T> {
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
