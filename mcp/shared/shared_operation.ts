/**
 * An operation shared by several callers, each with its own signal.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";

/**
 * An operation that runs at most once at a time. Callers that arrive while the operation runs share
 * it. The operation is aborted when its last caller aborts.
 */
export class SharedOperation {
  #current: Run | undefined;
  /** Aborts the callers that wait for the end of an aborted operation. */
  #cancellation = new AbortController();

  /** Whether the operation is in progress. */
  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Waits for the operation in progress, or starts `work` if no operation is in progress. If the
   * signal aborts and other callers remain, only this call rejects. If no callers remain, the
   * operation is aborted and the call waits until the operation has ended.
   *
   * If the operation in progress has already been aborted, waits until it has ended and then starts
   * `work`, because the abort reason concerns only the callers that have aborted.
   */
  async join(work: (signal: AbortSignal) => Promise<void>, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    while (this.#current?.isAborted) {
      await abortable(abortable(this.#current.ended, this.#cancellation.signal), signal);
      signal?.throwIfAborted();
    }
    // The operation is removed before its promise settles, so that a caller can start it again
    // immediately.
    this.#current ??= new Run((aborted) => work(aborted).finally(() => this.#current = undefined));
    await this.#current.join(signal);
  }

  /** Aborts the operation for all callers. Resolves when the operation has ended. */
  async cancel(reason: unknown): Promise<void> {
    this.#cancellation.abort(reason);
    this.#cancellation = new AbortController();
    this.#current?.abort(reason);
    await this.#current?.ended;
  }
}

/** An operation in progress and its callers. */
class Run {
  readonly #controller = new AbortController();
  readonly #done: Promise<void>;
  /** Resolves when the operation has ended, even if it has failed. */
  readonly ended: Promise<void>;
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.#done = work(this.#controller.signal);
    // Callers of `join()` receive the error. If there is no caller, the rejection must not be
    // reported as unhandled.
    this.ended = this.#done.catch(() => {});
  }

  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  async join(signal: AbortSignal | undefined): Promise<void> {
    this.#waiting++;
    let abort = (): void => {};
    const givenUp = new Promise<void>((_, reject) => {
      abort = () => {
        if (--this.#waiting === 0) this.abort(signal?.reason);
        else reject(signal?.reason);
      };
    });
    // `work` may have aborted the caller's signal before this call.
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    try {
      await Promise.race([givenUp, this.#done]);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }
}
