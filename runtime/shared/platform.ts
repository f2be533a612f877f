/**
 * Replacements for web platform functions that workflow sandboxes, such as the Temporal sandbox,
 * lack. Code that runs in a workflow uses only the functions in this module, the language itself,
 * timers, `AbortController`, `URL` and `TextEncoder`.
 *
 * @module
 */

/**
 * Returns a timestamp for measuring durations, in milliseconds. If possible, changes to the system
 * clock do not affect the returned value.
 */
export function monotonicNow(): number {
  return typeof performance === "undefined" ? Date.now() : performance.now();
}

/**
 * Returns a signal that is aborted as soon as any of the given signals is aborted, with the same
 * reason.
 */
export function joinSignals(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  if (second === undefined) return first;
  if (typeof AbortSignal !== "undefined") return AbortSignal.any([first, second]);
  // The abort listeners are never removed. A sandbox that has no `AbortSignal` is discarded
  // together with its workflow, so no cleanup is needed.
  const joined = new AbortController();
  for (const signal of [first, second]) {
    if (signal.aborted) joined.abort(signal.reason);
    else signal.addEventListener("abort", () => joined.abort(signal.reason), { once: true });
  }
  return joined.signal;
}

/**
 * Creates an abort reason: a `DOMException`, as used by `AbortSignal.timeout`, or an `Error` with
 * the same name.
 */
export function createAbortReason(message: string, name: string): Error {
  if (typeof DOMException !== "undefined") return new DOMException(message, name);
  return Object.assign(new Error(message), { name });
}

/**
 * Creates an id for a run whose caller did not set one.
 *
 * @throws {TypeError} If the platform provides no random ids, as in a workflow sandbox, where a
 * replay must produce the same ids.
 */
export function createRunId(): string {
  if (typeof crypto !== "undefined") return crypto.randomUUID();
  throw new TypeError('"runId" must be set, because the global "crypto" is not available');
}
