/**
 * The events of a run in a session.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import type { ToolLoopStream } from "../loop/stream.ts";
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
  #events: AsyncGenerator<LoopEvent, ToolLoopOutput | undefined, void> | undefined;

  constructor(start: StartEvents) {
    this.#start = start;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    if (this.#controller.signal.aborted) return { done: true, value: undefined };
    this.#events ??= this.#start(this.#controller.signal);
    return await this.#events.next();
  }

  async return(): Promise<IteratorReturnResult<ToolLoopOutput | undefined>> {
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
