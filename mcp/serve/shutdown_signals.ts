/**
 * Shutdown of in-flight requests.
 *
 * @module
 */

import type { LazySignal } from "../server/lazy_signal.ts";

/**
 * Abort signals for in-flight requests. Only slow requests are tracked, because tracking every
 * request doubled the memory use of a busy server.
 */
export class ShutdownSignals {
  readonly #signals = new Set<LazySignal>();
  #isClosed = false;

  /** Whether the server has shut down. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds the signal for a slow request, or aborts the signal if the server has shut down. */
  track(signal: LazySignal): void {
    if (this.#isClosed) signal.abort(shuttingDown());
    else this.#signals.add(signal);
  }

  /** Removes the signal for a completed request. */
  untrack(signal: LazySignal): void {
    this.#signals.delete(signal);
  }

  /** Aborts all tracked signals and any signal added later. */
  close(): void {
    this.#isClosed = true;
    const reason = shuttingDown();
    for (const signal of this.#signals) signal.abort(reason);
  }
}

function shuttingDown(): DOMException {
  return new DOMException("The server is shutting down", "AbortError");
}
