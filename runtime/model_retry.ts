/**
 * The wait before a model is asked again. Loaded when a model has failed in passing.
 *
 * @module
 */

import type { AgentError } from "./error.ts";
import type { RunScope } from "./run_scope.ts";

/** The longest wait between two tries that is not the provider's own wish. */
const MAX_RETRY_DELAY_MS = 60_000;

/** The longest delay a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits before another try.
 *
 * @param attempt how many tries there were
 * @param failure what the last one failed with
 * @throws the signal's reason, when the run is aborted
 */
export async function waitForRetry(
  run: RunScope,
  iteration: number,
  attempt: number,
  failure: AgentError,
): Promise<void> {
  const delayMs = retryDelay(run, attempt, failure);
  run.emit?.({ type: "model_retry", iteration, attempt, delayMs, reason: failure.message });
  if (delayMs <= 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(delayMs, MAX_TIMER_MS));
  });
  try {
    await run.waits.wait(pause);
  } finally {
    clearTimeout(timer);
  }
}

/** The provider's wish, or a random time below a limit that doubles with each try ("full jitter"). */
function retryDelay({ limits, config }: RunScope, attempt: number, failure: AgentError): number {
  const { retryAfterMs: wish } = failure;
  if (wish !== undefined) return wish;
  const { random = Math.random } = config;
  return Math.min(limits.retryDelayMs * 2 ** (attempt - 1), MAX_RETRY_DELAY_MS) * random();
}
