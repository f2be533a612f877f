/**
 * An operation shared by several callers, each with its own signal.
 *
 * @module
 */

/** An operation that starts immediately and is aborted when its last caller aborts. */
export class SharedOperation {
  readonly #controller = new AbortController();
  readonly #done: Promise<void>;
  #waiting = 0;

  /** Starts the operation. */
  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.#done = work(this.#controller.signal);
    // Callers of `join()` receive the error. If there is no caller, the rejection must not be reported as unhandled.
    this.#done.catch(() => {});
  }

  /**
   * Waits for the operation. If the signal aborts and other callers remain, only this call rejects. If no callers
   * remain, the operation is aborted and the call waits until the operation has ended.
   */
  async join(signal?: AbortSignal): Promise<void> {
    this.#waiting++;
    let abort = (): void => {};
    const givenUp = new Promise<void>((_, reject) => {
      abort = () => {
        if (--this.#waiting === 0) this.#controller.abort(signal?.reason);
        else reject(signal?.reason);
      };
    });
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await Promise.race([this.#done, givenUp]);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Aborts the operation for all callers. Resolves when the operation has ended. */
  async cancel(reason: unknown): Promise<void> {
    this.#controller.abort(reason);
    await this.#done.catch(() => {});
  }
}
