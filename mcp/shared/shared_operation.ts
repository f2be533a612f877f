/**
 * An operation that several callers wait for, each with its own signal.
 *
 * @module
 */

/** An operation that starts immediately and is aborted when its last caller aborts. */
export class SharedOperation {
  readonly #controller = new AbortController();
  readonly #done: Promise<void>;
  #waiting = 0;

  /** Starts the work. */
  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.#done = work(this.#controller.signal);
    // Whoever waits is told; nobody has to.
    this.#done.catch(() => {});
  }

  /** Waits for the work. The last one who gives up ends it, and waits until it has ended. */
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

  /** Ends the work for everybody. Resolves once it has ended. */
  async cancel(reason: unknown): Promise<void> {
    this.#controller.abort(reason);
    await this.#done.catch(() => {});
  }
}
