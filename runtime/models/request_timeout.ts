/**
 * Timeouts combined with the caller's abort signal.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";
import { createAbortReason } from "../shared/platform.ts";

/** A timeout that has expired. */
export type ExpiredTimeout = "total" | "idle";

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
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #waitingSince: number | undefined;
  #expired: ExpiredTimeout | undefined;

  /**
   * Starts the timeout.
   *
   * @param timeoutMs Timeout for the operation, in milliseconds.
   * @param caller Abort signal of the caller.
   */
  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.#caller = caller;
    this.#timer = setTimeout(() => {
      this.#expire("total");
    }, Math.min(timeoutMs, MAX_TIMER_MS));
    caller?.addEventListener("abort", this.#onAbort, { once: true });
    if (caller?.aborted) this.#onAbort();
  }

  /** Signal that aborts the operation. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The timeout that has expired: the one for the operation, or the one for silence. */
  get expired(): ExpiredTimeout | undefined {
    return this.#expired;
  }

  /**
   * Starts the timeout for silence, which limits each call of {@linkcode waitForData}. A later call
   * has no effect.
   *
   * @param idleTimeoutMs Timeout, in milliseconds. `0` disables it.
   */
  startIdleTimeout(idleTimeoutMs: number): void {
    if (idleTimeoutMs === 0 || this.#idleTimer !== undefined) return;
    const check = (): void => {
      const since = this.#waitingSince ?? performance.now();
      const leftMs = since + idleTimeoutMs - performance.now();
      if (leftMs <= 0) this.#expire("idle");
      else this.#idleTimer = setTimeout(check, Math.min(Math.ceil(leftMs), MAX_TIMER_MS));
    };
    check();
  }

  /**
   * Waits for data like {@linkcode race}. The time between two calls is not silence, because the
   * caller then does not read.
   */
  async waitForData<T>(work: PromiseLike<T>): Promise<T> {
    this.#waitingSince = performance.now();
    try {
      return await this.race(work);
    } finally {
      this.#waitingSince = undefined;
    }
  }

  #expire(timeout: ExpiredTimeout): void {
    this.#expired = timeout;
    this.#controller.abort(createAbortReason("The call timed out", "TimeoutError"));
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

  /** Removes the timers and the listener on the caller's signal. */
  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }
}
