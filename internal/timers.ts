/**
 * Abortable sleep, waits with a time limit, and timers that keep the process running or do not.
 *
 * @module
 */

/**
 * Maximum delay of a timer, in milliseconds. A timer with a longer delay, such as `Infinity`, would
 * expire immediately.
 */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/**
 * Waits for a number of milliseconds, limited to the maximum delay of a timer. Rejects with the
 * signal's reason if the signal aborts.
 */
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

/**
 * Waits for a promise for at most `ms` milliseconds. Resolves with `undefined` if the time limit is
 * exceeded.
 */
export async function resolveWithin<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(ms, MAX_TIMER_MS));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Keeps the process running until the returned function is called. Without a timer or another open
 * handle, a process exits although a promise is pending, and Node.js reports an unsettled top-level
 * await.
 */
export function keepProcessRunning(): () => void {
  const timer = setInterval(() => {}, MAX_TIMER_MS);
  return () => clearInterval(timer);
}

/** Timer object of Node.js, Deno and Bun. In browsers, a timer is a number. */
export interface ProcessTimer {
  ref(): unknown;
  unref(): unknown;
}

/** Returns true if a timer can be prevented from keeping the process running. */
export function canUnref(timer: unknown): timer is ProcessTimer {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}

/**
 * Calls a function after a number of milliseconds, unless the process has ended before. Returns a
 * function that stops the timer.
 */
export function callInBackground(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, Math.min(ms, MAX_TIMER_MS));
  if (canUnref(timer)) timer.unref();
  return () => clearTimeout(timer);
}
