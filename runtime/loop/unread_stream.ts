/**
 * Reports of event streams that are not read.
 *
 * @module
 */

import { callInBackground, MAX_TIMER_MS } from "@parley/internal/timers";
import { AgentError } from "../shared/error.ts";

/** Content, time and recipient of the report. */
export interface UnreadReport {
  /** The call that has created the stream, for example `agent.stream()`. */
  readonly call: string;
  /** Time after which the stream is reported, in milliseconds. */
  readonly warnAfterMs: number;
  /** The caller's signal. A stream whose signal is aborted is not reported. */
  readonly signal: AbortSignal | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * Reports a stream that is not read, because its run does not start. The timer does not keep the
 * process running.
 *
 * @returns A function to call when the stream is read or closed.
 */
export function reportUnread({ call, onError, signal, warnAfterMs }: UnreadReport): () => void {
  if (warnAfterMs > MAX_TIMER_MS) return () => {};
  return callInBackground(() => {
    if (signal?.aborted) return;
    const text = `${call} was called and is not read, so the run has not started; ` +
      'read it with "for await"';
    onError(AgentError.core(text));
  }, warnAfterMs);
}
