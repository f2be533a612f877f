/**
 * Waiting that can be given up.
 *
 * @module
 */

/** The longest time that timers can count. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits for a while, at most for what timers can count. Rejects with the reason of the signal when that aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, Math.min(ms, MAX_TIMER_MS));
    signal.addEventListener("abort", abort, { once: true });
  });
}
