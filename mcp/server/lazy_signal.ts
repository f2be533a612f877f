/**
 * An abort signal that is created on first access. Most handlers never read the signal. On Node.js, creating an
 * `AbortSignal` for every request accounts for 10% of a busy server's time and a third of its memory.
 *
 * @module
 */

import type { AbortSignalLike } from "../shared/abort_signal_like.ts";
import type { SignalSource } from "./exchange_context.ts";

/** A request's abort state. The `AbortSignal` is created on first access. */
export class LazySignal implements SignalSource, AbortSignalLike {
  #controller: AbortController | undefined;
  #abort: { readonly reason: unknown } | undefined;

  /** Whether the signal is aborted. */
  get aborted(): boolean {
    return this.#abort !== undefined;
  }

  /** Abort reason. */
  get reason(): unknown {
    return this.#abort?.reason;
  }

  /** The signal as an `AbortSignal`. Created on first access. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abort !== undefined) this.#controller.abort(this.#abort.reason);
    return this.#controller.signal;
  }

  /** Aborts the signal. Later calls have no effect. */
  abort(reason: unknown): void {
    this.#abort ??= { reason };
    this.#controller?.abort(this.#abort.reason);
  }

  /** Throws the abort reason if the signal is aborted. */
  throwIfAborted(): void {
    if (this.#abort !== undefined) throw this.#abort.reason;
  }

  /** Adds a listener for the `abort` event. */
  addEventListener(type: "abort", listener: () => void): void {
    this.signal.addEventListener(type, listener);
  }

  /** Removes a listener for the `abort` event. */
  removeEventListener(type: "abort", listener: () => void): void {
    this.signal.removeEventListener(type, listener);
  }
}
