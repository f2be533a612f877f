/**
 * Going on with what may have to be waited for: at once, where it is there. A promise that nobody needs costs a call its
 * share.
 *
 * @module
 */

import { isJsonObject } from "./json.ts";

/** What `next` makes of a value, once that is there. */
export function thenOrNow<Value, Next>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return isPending(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Whether a value is a promise, of whatever kind. */
export function isPending<Value>(
  value: Value | PromiseLike<Value>,
): value is PromiseLike<Value> {
  return isJsonObject(value) && typeof value.then === "function";
}
