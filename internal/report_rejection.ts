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
  if (returned instanceof Promise) returned.catch(report);
}
