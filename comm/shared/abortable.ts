/**
 * Awaits promises, and stops waiting if an abort signal is aborted.
 *
 * @module
 */

/**
 * Waits for a promise. Rejects with the signal's reason if the signal aborts first, or is already
 * aborted, even if the promise has settled. The underlying operation continues.
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Waits for a promise. Returns `false` if the signal aborts first; the underlying operation continues. */
export async function settlesBefore(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  try {
    await abortable(work, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
