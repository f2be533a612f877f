/**
 * Calls `onError` options.
 *
 * @module
 */

import { reportUncaught } from "./platform.ts";

/**
 * Calls an `onError` option. An exception from `onError` does not affect the caller. The exception is reported as an
 * uncaught error, like an exception from a DOM event listener.
 */
export function callOnError(onError: (error: unknown) => void, error: unknown): void {
  try {
    onError(error);
  } catch (failure) {
    reportUncaught(failure);
  }
}
