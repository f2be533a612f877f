/**
 * The abort signal for one run in a session.
 *
 * @module
 */

import { errorMessageOf } from "../shared/error.ts";
import { createAbortReason } from "../shared/platform.ts";

/**
 * A signal that is aborted together with the caller's signal, but with a separate reason. If
 * `onAbort` is `"throw"`, the loop stores the output of the run in the abort reason, and the
 * caller's reason may be shared by several runs or may be a primitive value.
 */
export class RunSignal {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => {
    const { reason }: { readonly reason?: unknown } = this.#outer ?? {};
    const name = reason instanceof Error ? reason.name : "AbortError";
    this.#controller.abort(createAbortReason(errorMessageOf(reason), name));
  };

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener("abort", this.#abort, { once: true });
  }

  /** The signal of the run. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the run because its event stream was closed. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /**
   * Returns the error that the caller of the run receives. If the error is the abort reason of this
   * signal, the result is the abort reason of the caller's signal, with the run's output as its
   * `partialOutput`.
   */
  toCallerError(error: unknown, partialOutput: unknown): unknown {
    if (!this.#outer?.aborted || error !== this.signal.reason) return error;
    const { reason } = this.#outer;
    try {
      Object.defineProperty(reason, "partialOutput", { value: partialOutput, configurable: true });
    } catch {
      // If the abort reason is a primitive value or a frozen object, the `partialOutput` property
      // cannot be added.
    }
    return reason;
  }

  /** Removes the listener from the caller's signal. */
  close(): void {
    this.#outer?.removeEventListener("abort", this.#abort);
  }
}
