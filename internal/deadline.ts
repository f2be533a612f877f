/**
 * Abort signals with a timeout that can be stopped.
 *
 * @module
 */

import { MAX_TIMER_MS } from "./timers.ts";

/** A signal that aborts after a timeout. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the timer. */
  stop(): void;
}

/**
 * Starts a timer. The returned signal aborts when the timeout expires or one of the parents aborts.
 */
export function startDeadline(
  parents: readonly (AbortSignal | undefined)[],
  { timeoutMs, reason }: { readonly timeoutMs: number; readonly reason: () => Error },
): Deadline {
  const controller = new AbortController();
  const abort = ({ target }: Event): void =>
    controller.abort(target instanceof AbortSignal ? target.reason : undefined);
  const timer = setTimeout(
    () => controller.abort(reason()),
    Math.min(timeoutMs, MAX_TIMER_MS),
  );
  for (const parent of parents) {
    if (parent?.aborted === true) controller.abort(parent.reason);
    else parent?.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer);
      for (const parent of parents) parent?.removeEventListener("abort", abort);
    },
  };
}
