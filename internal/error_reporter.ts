/**
 * Reports errors to the callback in an `onError` option.
 *
 * @module
 */

import { createErrorPrinter } from "./error_printer.ts";

/**
 * Returns a function that passes errors to `onError` and never throws. An error that `onError`
 * throws or rejects with is printed.
 *
 * @param source Name of the object that reports the errors, printed before each error.
 * @param onError Function that receives the errors. If omitted, errors are printed to standard
 * error.
 * @throws {TypeError} If `onError` is neither omitted nor a function.
 */
export function createErrorReporter(
  source: string,
  onError?: (error: unknown) => unknown,
): (error: unknown) => void {
  const print = createErrorPrinter(source);
  if (onError === undefined) return print;
  if (typeof onError !== "function") {
    throw new TypeError(`"onError" must be a function, got ${typeof onError}`);
  }
  const printFailure = (cause: unknown): void => print(new Error('"onError" failed', { cause }));
  return (error) => {
    try {
      Promise.resolve(onError(error)).catch(printFailure);
    } catch (cause) {
      printFailure(cause);
    }
  };
}
