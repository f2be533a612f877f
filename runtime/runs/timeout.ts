/**
 * Timeouts for calls to functions of the caller and of an engine.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";

/**
 * Calls a function with a signal that is aborted when the time has expired. The function must stop
 * waiting when the signal is aborted.
 *
 * @param timeoutMs Maximum time, in milliseconds.
 * @param failure What has not happened, for the error message.
 * @throws {DOMException} With name `TimeoutError` if the function rejects with the signal's reason.
 */
export async function withTimeout<T>(
  timeoutMs: number,
  failure: string,
  call: (expired: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`${failure} within ${timeoutMs} ms`, "TimeoutError"));
  }, Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
