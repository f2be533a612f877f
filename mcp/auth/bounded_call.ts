/**
 * Calls of functions that the caller of this package supplies.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { MAX_TIMER_MS } from "@parley/internal/timers";

/** Limits of {@linkcode boundedCall}. */
export interface CallLimits {
  /** Signal that ends the wait. */
  readonly signal: AbortSignal | undefined;
  /** Maximum time to wait, in milliseconds. */
  readonly timeoutMs: number;
  /** Creates the error for a call that takes longer than `timeoutMs`. */
  readonly late: () => Error;
}

/**
 * Calls a function and waits for its result until the signal aborts or the time limit is exceeded,
 * even if the function ignores its own signal. The function continues in that case, and its result
 * is ignored.
 *
 * @param call Function to call. Its signal aborts when the wait ends early.
 * @throws The signal's reason if the signal is aborted.
 * @throws The error from `late` if the time limit is exceeded.
 */
export async function boundedCall<T>(
  call: (signal: AbortSignal) => PromiseLike<T> | T,
  { signal, timeoutMs, late }: CallLimits,
): Promise<T> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(late()), Math.min(timeoutMs, MAX_TIMER_MS));
  const abort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await abortable(Promise.resolve(call(stop.signal)), stop.signal);
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
