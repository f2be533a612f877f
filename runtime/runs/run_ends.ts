/**
 * Notifies callers in the same process that a run has ended or is waiting.
 *
 * @module
 */

/** A listener for the end or suspension of a run. */
export interface EndListener {
  /** Aborted when the run has ended or is waiting. */
  readonly signal: AbortSignal;
  /** Removes the listener. */
  cancel(): void;
}

/**
 * Notifies callers in the same process that runs have ended or are waiting, so that the callers
 * need not wait for their next read.
 */
export class RunEnds {
  /** Callbacks of the listeners, keyed by run id. */
  readonly #listeners: Map<string, Set<() => void>> = new Map();

  /** Number of runs that have listeners. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Adds a listener for a run. */
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

  /** Calls the listeners of a run that has ended or is waiting. */
  announce(runId: string): void {
    for (const abort of [...this.#listeners.get(runId) ?? []]) abort();
  }
}
