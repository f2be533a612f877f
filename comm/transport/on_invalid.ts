/**
 * Handling of received data that is not a valid message.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { createErrorPrinter } from "@parley/internal/error-printer";
import type { CommError } from "../shared/error.ts";

/**
 * Handling of a received line or frame that is not a valid message: `throw` rejects the call to
 * `receive` with the error, `skip` ignores the line or frame, and a function is called with the
 * error before the line or frame is ignored. If the function throws, `receive` rejects with the
 * exception. A promise that the function returns is not awaited; if the promise rejects, the error
 * is printed to standard error. While 100 promises are pending, the function is not called, and the
 * errors are printed. If several calls to `receive` are pending, a call that ignores a
 * line or frame then waits behind the other pending calls.
 */
export type OnInvalid = "throw" | "skip" | ((error: CommError) => void);

/** Maximum number of calls whose promises are pending. */
const MAX_PENDING = 100;

/** Throws a `TypeError` if the value is not an {@linkcode OnInvalid}. */
export function assertOnInvalid(name: string, value: unknown): void {
  if (value === "throw" || value === "skip" || typeof value === "function") return;
  rejectArgument(name, '"throw", "skip" or a function', value);
}

/**
 * Returns the function to call with the error for each invalid line or frame. The function throws
 * if `receive` must reject.
 */
export function toInvalidHandler(onInvalid: OnInvalid): (error: CommError) => void {
  if (onInvalid === "throw") return rethrow;
  if (onInvalid === "skip") return () => {};
  const print = createErrorPrinter("MessageTransport");
  let pending = 0;
  return (error) => {
    if (pending >= MAX_PENDING) {
      print(new Error(`"onInvalid" has not returned from ${MAX_PENDING} calls`, { cause: error }));
      return;
    }
    const returned: unknown = onInvalid(error);
    if (!(returned instanceof Promise)) return;
    pending++;
    const settled = returned.catch((cause: unknown) => {
      print(new Error('"onInvalid" failed', { cause }));
    });
    settled.finally(() => pending--);
  };
}

function rethrow(error: CommError): never {
  throw error;
}
