/**
 * Calls of functions that the caller of this package supplies, with the errors of this package.
 *
 * @module
 */

import { type CallContext, type CallLimits, callWithin } from "@parley/internal/call-within";
import { timedOut } from "./error.ts";

/** Settings of {@linkcode callSafely}. */
export interface SafeCallSettings extends CallLimits {
  /** Creates the error for a reason such as `threw an error`. */
  readonly fail: (reason: string, options: { readonly cause: unknown }) => Error;
}

/**
 * Calls a function and waits for its result until the signal aborts or the timeout expires, and
 * converts the errors that the function throws.
 *
 * @param settings Signal, timeout, and the error of a call that has failed.
 * @throws The signal's reason if the signal is aborted, or the error from `fail`.
 */
export async function callSafely<T>(
  call: (context: CallContext) => T | PromiseLike<T>,
  { signal, timeoutMs, fail }: SafeCallSettings,
): Promise<T> {
  let timeout: Error | undefined;
  const late = (): Error => timeout = lateFailure(timeoutMs, fail);
  try {
    return await callWithin(call, { signal, timeoutMs, late });
  } catch (cause) {
    signal?.throwIfAborted();
    throw timeout ?? fail("threw an error", { cause });
  }
}

/** Creates the error for a call that has exceeded its timeout. */
export function lateFailure(timeoutMs: number, fail: SafeCallSettings["fail"]): Error {
  return fail(`timed out after ${timeoutMs} ms`, { cause: timedOut("get result", timeoutMs) });
}
