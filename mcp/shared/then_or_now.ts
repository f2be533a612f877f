/**
 * Continues synchronously if a value is already available, because creating a promise would make
 * each call measurably slower.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";

/**
 * Calls `next` with a value: immediately, or when the promise for the value resolves. Returns the
 * result of `next`.
 */
export function thenOrNow<Value, Next>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return isPending(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Returns `true` if a value is a promise or another object with a `then` method. */
export function isPending<Value>(
  value: Value | PromiseLike<Value>,
): value is PromiseLike<Value> {
  return isRecord(value) && typeof value.then === "function";
}
