/**
 * Waiting for something, unless a signal says that it is enough.
 *
 * @module
 */

/** As much of an abort signal as it takes to wait with it. */
export interface AbortSource {
  /** Whether it has aborted. */
  readonly aborted: boolean;
  /** Why it has. */
  readonly reason: unknown;
  /**
   * Stops what is not wanted any more.
   *
   * @throws whatever the reason is
   */
  throwIfAborted(): void;
  /** Calls a listener when it aborts. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Calls it no more. */
  removeEventListener(type: "abort", listener: () => void): void;
}

/** What a promise comes to; rejects with the signal's reason when that aborts before. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSource): Promise<T> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
