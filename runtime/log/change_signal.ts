/**
 * Waits for changes of stored sessions.
 *
 * @module
 */

/** Wakes the waits in this process when a session changes. */
export class ChangeSignal {
  readonly #waits = new Map<string, Set<() => void>>();

  /** Number of waits. */
  get size(): number {
    return [...this.#waits.values()].reduce((sum, waits) => sum + waits.size, 0);
  }

  /** Ends the waits for a session. */
  notify(key: string): void {
    for (const end of this.#waits.get(key) ?? []) end();
  }

  /** Ends all waits. */
  notifyAll(): void {
    for (const key of [...this.#waits.keys()]) this.notify(key);
  }

  /** Resolves when the session changes, the signal is aborted or the time is over. */
  wait(key: string, signal: AbortSignal, ms: number): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waits = this.#waits.get(key) ?? new Set();
      this.#waits.set(key, waits);
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        waits.delete(end);
        if (waits.size === 0 && this.#waits.get(key) === waits) this.#waits.delete(key);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waits.add(end);
      signal.addEventListener("abort", end, { once: true });
    });
  }
}
