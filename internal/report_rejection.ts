/**
 * Reports the rejections of promises that callbacks return.
 *
 * @module
 */

/**
 * Reports the rejection of the promise that a callback has returned. A function whose type returns
 * `void` may be an async function, and no caller awaits its promise. Ignores any other returned
 * value.
 *
 * @param returned Value that the callback has returned.
 * @param report Receives the rejection. Must not throw.
 */
export function reportRejection(returned: unknown, report: (error: unknown) => void): void {
  if (isThenable(returned)) Promise.resolve(returned).catch(report);
}

/**
 * Returns true if a value is a promise, which may be from another realm or implementation. The
 * global `Promise` is not the constructor of such a promise.
 */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}
