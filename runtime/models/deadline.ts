/**
 * A caller's signal and a time limit in one.
 *
 * @module
 */

/** The longest delay that a timer can hold: almost 25 days. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

/**
 * Aborts `signal` when the caller does or when the time is up, whichever is first. Close it when the work is over, so that
 * neither the timer nor the listener on the caller's signal outlives it.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onAbort = (): void => this.#controller.abort(this.#caller?.reason);
  #isExpired = false;

  /**
   * Starts the clock.
   *
   * @param timeoutMs how long the work may take
   * @param caller the caller's signal
   */
  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.#caller = caller;
    this.#timer = setTimeout(() => {
      this.#isExpired = true;
      this.#controller.abort(new DOMException("The call timed out", "TimeoutError"));
    }, timeoutMs);
    caller?.addEventListener("abort", this.#onAbort, { once: true });
    if (caller?.aborted) this.#onAbort();
  }

  /** Aborted when the work should end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time is up. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /**
   * Waits for work, but no longer than until the signal is aborted: also for work that does not listen to signals.
   *
   * @param work what to wait for
   * @returns what it comes to; rejects with the signal's reason when that is first
   */
  race<T>(work: PromiseLike<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject).then(() => signal.removeEventListener("abort", onAbort));
    });
  }

  /** Stops the clock and lets go of the caller's signal. */
  close(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }
}
