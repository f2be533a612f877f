/**
 * A check of an object that is disposed of after the check.
 *
 * @module
 */

import { runCheck } from "@parley/internal/run-check";

/** A check of an object. */
export interface DisposableCheck<T extends AsyncDisposable> {
  readonly name: string;
  run(open: () => T | Promise<T>, options?: { readonly timeoutMs?: number }): Promise<void>;
}

/** Creates a check that opens an object, calls a function with it, and disposes of the object. */
export function disposableCheck<T extends AsyncDisposable>(
  name: string,
  check: (object: T) => Promise<void>,
): DisposableCheck<T> {
  const close = async (object: T): Promise<void> => await object[Symbol.asyncDispose]();
  return {
    name,
    run: async (open, options = {}) => await runCheck({ name, options, open, check, close }),
  };
}
