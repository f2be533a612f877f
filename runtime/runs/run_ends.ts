/**
 * The ends of runs, for callers in the same process.
 *
 * @module
 */

/** A caller that waits for the end of a run. */
export interface EndListener {
  /** Aborted when the run has ended. */
  readonly signal: AbortSignal;
  /** Removes the listener. */
  cancel(): void;
}

/** Announces the ends of runs to callers in the same process, so that they need not wait for their next read. */
export class RunEnds {
  /** Callbacks of the listeners, by run id. */
  readonly #listeners: Map<string, Set<() => void>> = new Map();

  /** Number of runs that have listeners. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Adds a listener for the end of a run. */
  listen(runId: string): EndListener {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners.add(abort));
    return {
      signal: controller.signal,
      cancel: () => {
        listeners.delete(abort);
        if (listeners.size === 0) this.#listeners.delete(runId);
      },
    };
  }

  /** Calls the listeners of a run that has ended. */
  announce(runId: string): void {
    for (const abort of [...this.#listeners.get(runId) ?? []]) abort();
  }
}
