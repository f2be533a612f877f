/**
 * Waiting for something, unless a signal says that it is enough.
 *
 * @module
 */

import type { AbortSignalLike } from "./abort_signal_like.ts";

/** What a promise comes to; rejects with the signal's reason when that aborts before. */
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
