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

/** A {@linkcode Deadline} whose timer has not started. */
export interface OpenDeadline extends Deadline {
  /** Starts the timer. */
  start(): void;
}

/** Timeout of a deadline, in milliseconds, and the reason with which its signal then aborts. */
export interface DeadlineSettings {
  readonly timeoutMs: number;
  readonly reason: () => Error;
}

/**
 * Starts a timer. The returned signal aborts when the timeout expires or one of the parents aborts.
 */
export function startDeadline(
  parents: readonly (AbortSignal | undefined)[],
  settings: DeadlineSettings,
): Deadline {
  const deadline = openDeadline(parents, settings);
  deadline.start();
  return deadline;
}

/** Creates a deadline whose timer has not started. */
export function openDeadline(
  parents: readonly (AbortSignal | undefined)[],
  { timeoutMs, reason }: DeadlineSettings,
): OpenDeadline {
  const controller = new AbortController();
  const abort = ({ target }: Event): void =>
    controller.abort(target instanceof AbortSignal ? target.reason : undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  for (const parent of parents) {
    if (parent?.aborted === true) controller.abort(parent.reason);
    else parent?.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: controller.signal,
    start() {
      timer ??= setTimeout(() => controller.abort(reason()), Math.min(timeoutMs, MAX_TIMER_MS));
    },
    stop() {
      clearTimeout(timer);
      for (const parent of parents) parent?.removeEventListener("abort", abort);
    },
  };
}
