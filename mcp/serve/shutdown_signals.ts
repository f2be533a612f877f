/**
 * What has to end when the serving does.
 *
 * @module
 */

import type { LazySignal } from "../server/lazy_signal.ts";

/**
 * Requests under way. Only slow ones: a set that every request passes through ties their garbage together, and a busy
 * server comes to twice the memory.
 */
export class ShutdownSignals {
  readonly #signals = new Set<LazySignal>();
  #isClosed = false;

  /** Whether there is no serving any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Remembers a request that takes time. */
  track(signal: LazySignal): void {
    if (this.#isClosed) signal.abort(shuttingDown());
    else this.#signals.add(signal);
  }

  /** A request is over. */
  untrack(signal: LazySignal): void {
    this.#signals.delete(signal);
  }

  /** Ends all of them, and those that come. */
  close(): void {
    this.#isClosed = true;
    const reason = shuttingDown();
    for (const signal of this.#signals) signal.abort(reason);
  }
}

function shuttingDown(): DOMException {
  return new DOMException("The server is shutting down", "AbortError");
}
