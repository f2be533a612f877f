/**
 * Reports errors to the callback in an `onError` option, or in a similar option.
 *
 * @module
 */

import { createErrorPrinter } from "./error_printer.ts";

/** Maximum number of calls to `onError` whose promises are pending. */
const MAX_PENDING = 100;

/**
 * Returns a function that passes errors to `onError` and never throws. An error that `onError`
 * throws or rejects with is printed. The promises that `onError` returns are not awaited, because
 * the caller must continue, but while 100 promises are pending, further errors are printed instead:
 * other programs can cause any number of errors.
 *
 * @param source Name of the object that reports the errors, printed before each error.
 * @param onError Function that receives the errors. If omitted, errors are printed to standard
 * error.
 * @param name Name of the option, for example `onRefused`.
 * @throws {TypeError} If `onError` is neither omitted nor a function.
 */
export function createErrorReporter<Reported = unknown>(
  source: string,
  onError?: (error: Reported) => unknown,
  name: string = "onError",
): (error: Reported) => void {
  const print = createErrorPrinter(source);
  if (onError === undefined) return print;
  if (typeof onError !== "function") {
    throw new TypeError(`"${name}" must be a function, got ${typeof onError}`);
  }
  const printFailure = (cause: unknown): void => print(new Error(`"${name}" failed`, { cause }));
  let pending = 0;
  return (error) => {
    if (pending >= MAX_PENDING) {
      print(new Error(`"${name}" has not returned from ${MAX_PENDING} calls`, { cause: error }));
      return;
    }
    try {
      const returned = onError(error);
      if (!isThenable(returned)) return;
      pending++;
      Promise.resolve(returned).catch(printFailure).finally(() => pending--);
    } catch (cause) {
      printFailure(cause);
    }
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}
