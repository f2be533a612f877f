/**
 * The error of a call that has taken too long.
 *
 * @module
 */

/**
 * Creates the error of a call that has exceeded its time limit.
 *
 * @param failure What has not happened, such as `The engine was not opened`.
 * @param timeoutMs The time limit, in milliseconds.
 */
export function notInTime(failure: string, timeoutMs: number): DOMException {
  return new DOMException(`${failure} within ${timeoutMs} ms`, "TimeoutError");
}
