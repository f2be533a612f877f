/**
 * Calls of `onError` options.
 *
 * @module
 */

import { reportUncaught } from "./platform.ts";

/**
 * Calls an `onError` option. An exception from `onError` does not affect the caller, and is reported as an uncaught
 * error, as for DOM event listeners.
 */
export function callOnError(onError: (error: unknown) => void, error: unknown): void {
  try {
    onError(error);
  } catch (failure) {
    reportUncaught(failure);
  }
}
