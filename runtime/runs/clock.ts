/**
 * The clock for durable runs.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";

/** Reads the time and sets timers. Tests replace the clock to simulate the passage of time. */
export interface RunClock {
  /** Returns the current time, in milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Sets a timer.
   *
   * @param delayMs Delay, in milliseconds. A clock may shorten a long delay, so `callback` must
   * check the time.
   * @param callback Called once, after the delay.
   * @returns A function that cancels the timer.
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** The system clock. */
export const systemClock: RunClock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/**
 * Resolves after a delay.
 *
 * @throws The signal's reason if the signal is aborted.
 */
export async function delay(clock: RunClock, delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
