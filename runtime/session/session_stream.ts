/**
 * The events of a run in a session.
 *
 * @module
 */

import { findLineage } from "../agent/lineage.ts";
import type { LoopEvent } from "../loop/events.ts";
import type { ToolLoopStream } from "../loop/stream.ts";
import { reportUnread, type UnreadReport } from "../loop/unread_stream.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { createAbortReason } from "../shared/platform.ts";

type Step = IteratorResult<LoopEvent, ToolLoopOutput | undefined>;

/** Starts a run that the signal can abort, and yields the events of the run. */
type StartEvents = (
  signal: AbortSignal,
) => AsyncGenerator<LoopEvent, ToolLoopOutput | undefined, void>;

/**
 * A stream of events from a generator. Closing the stream aborts the run, and waits until the run
 * has been added to the session.
 */
export class SessionStream implements ToolLoopStream {
  readonly #start: StartEvents;
  readonly #controller = new AbortController();
  /** Called when the stream is first read, or is closed. */
  readonly #onRead: () => void;
  #events: AsyncGenerator<LoopEvent, ToolLoopOutput | undefined, void> | undefined;

  constructor(start: StartEvents, report: UnreadReport) {
    this.#start = start;
    this.#onRead = reportUnread(report);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    this.#onRead();
    if (this.#controller.signal.aborted) return { done: true, value: undefined };
    this.#events ??= this.#start(this.#controller.signal);
    return await this.#events.next();
  }

  async return(): Promise<IteratorReturnResult<ToolLoopOutput | undefined>> {
    this.#onRead();
    const { signal } = this.#controller;
    this.#controller.abort(createAbortReason("The event stream was closed", "AbortError"));
    try {
      for (;;) {
        // The generator is read to the end instead of being closed with `return()`, because its
        // last step adds the run to the session.
        const step = await this.#events?.next();
        if (step === undefined) return { done: true, value: undefined };
        if (step.done) return step;
      }
    } catch (error) {
      if (error === signal.reason) return { done: true, value: undefined };
      throw error;
    }
  }
}

/**
 * Returns true if an event marks the end of the session's run, rather than the end of a sub-agent's
 * run.
 */
export function isEndOf({ runId }: { readonly runId: string }, event: LoopEvent): boolean {
  return event.type === "run_finished" && event.runId === runId;
}

/** Describes a stream of a session that is not read. It is reported to `onError` of the agent. */
export function unreadReport(
  agent: object,
  { signal, warnAfterMs }: Pick<UnreadReport, "signal" | "warnAfterMs">,
): UnreadReport {
  // An agent of another copy of this package has no known lineage, and its sessions report nothing.
  const onError = findLineage(agent)?.report ?? (() => {});
  return { call: "session.stream()", warnAfterMs, signal, onError };
}
