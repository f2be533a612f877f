/**
 * Abort signals with a timeout whose timer can be stopped.
 *
 * @module
 */

/** A signal that aborts after a timeout. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the timer. */
  stop(): void;
}

/** Longest delay of `setTimeout`, in milliseconds. A longer delay would expire immediately. */
export const MAX_TIMER_MS = 0x7fffffff;

/** Starts a timer. The returned signal aborts when the time is over or the parent aborts. */
export function startDeadline(
  parent: AbortSignal,
  { timeoutMs, reason }: { readonly timeoutMs: number; readonly reason: () => Error },
): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort(parent.reason);
  const timer = setTimeout(
    () => controller.abort(reason()),
    Math.min(timeoutMs, MAX_TIMER_MS),
  );
  if (parent.aborted) abort();
  else parent.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer);
      parent.removeEventListener("abort", abort);
    },
  };
}
