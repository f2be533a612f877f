/**
 * In-flight requests, aborted on shutdown.
 *
 * @module
 */

import type { LazySignal } from "../server/lazy_signal.ts";

/**
 * Abort signals of the in-flight requests. Only slow requests are tracked: tracking every request doubled the memory of
 * a busy server.
 */
export class ShutdownSignals {
  readonly #signals = new Set<LazySignal>();
  #isClosed = false;

  /** Whether the server has shut down. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds the signal of a slow request. After the shutdown, aborts the signal instead. */
  track(signal: LazySignal): void {
    if (this.#isClosed) signal.abort(shuttingDown());
    else this.#signals.add(signal);
  }

  /** Removes the signal of a completed request. */
  untrack(signal: LazySignal): void {
    this.#signals.delete(signal);
  }

  /** Aborts all tracked signals, and every signal that is added later. */
  close(): void {
    this.#isClosed = true;
    const reason = shuttingDown();
    for (const signal of this.#signals) signal.abort(reason);
  }
}

function shuttingDown(): DOMException {
  return new DOMException("The server is shutting down", "AbortError");
}
