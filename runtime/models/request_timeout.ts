/**
 * A timeout combined with the caller's abort signal.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";
import { createAbortReason } from "../shared/platform.ts";

/**
 * Aborts `signal` when the caller's signal is aborted or the timeout expires. Call
 * {@linkcode RequestTimeout.close} when the operation has ended, to remove the timer and the
 * listener on the caller's signal.
 */
export class RequestTimeout {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onAbort = (): void => this.#controller.abort(this.#caller?.reason);
  #isExpired = false;

  /**
   * Starts the timeout.
   *
   * @param timeoutMs Timeout for the operation, in milliseconds.
   * @param caller Abort signal of the caller.
   */
  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.#caller = caller;
    this.#timer = setTimeout(() => {
      this.#isExpired = true;
      this.#controller.abort(createAbortReason("The call timed out", "TimeoutError"));
    }, Math.min(timeoutMs, MAX_TIMER_MS));
    caller?.addEventListener("abort", this.#onAbort, { once: true });
    if (caller?.aborted) this.#onAbort();
  }

  /** Signal that aborts the operation. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the timeout has expired. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /**
   * Waits for a promise, but only until the signal is aborted. Intended for operations that may
   * ignore the signal.
   *
   * @param work Promise to wait for.
   * @throws The signal's reason if the signal is aborted.
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

  /** Removes the timer and the listener on the caller's signal. */
  close(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }
}
