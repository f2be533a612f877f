/**
 * A run as a stream of events: a thin, bounded queue over the one engine.
 *
 * @module
 */

import { assertLimit } from "../shared/limits.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import type { LoopEvent } from "./events.ts";
import { controlToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

/** The events of a run, in order; what it came to is the return value, and the `output` of the last event. */
export interface ToolLoopStream
  extends AsyncIterableIterator<LoopEvent, ToolLoopOutput | undefined> {
  /** Aborts the run, and waits for its end. Leaving a `for await` loop does this. */
  return(): Promise<IteratorReturnResult<ToolLoopOutput | undefined>>;
}

/** How a run is streamed. */
export interface StreamOptions {
  /** How many events may wait for the reader before the run waits for it. Default: 256. */
  readonly maxQueued?: number;
}

/**
 * Runs the loop and yields what happens. The run begins with the first `next()`.
 *
 * When the reader is slower than the run, the run waits for it: between the pieces of a streamed answer, and before each
 * model call and tool. The events of one batch of tools may exceed `maxQueued` for a moment.
 *
 * @param config the model, the tools, and how to behave
 * @param userMessage what the user says
 * @param options how much may wait
 * @returns the events; iterating rejects with what {@linkcode runToolLoop} rejects with, after the last event
 * @throws {RangeError} `maxQueued` is no positive integer
 *
 * @example Print an answer as it is written
 * ```ts
 * import { streamToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "One two" }]);
 * const pieces: string[] = [];
 * for await (const event of streamToolLoop({ model, registry: new ToolRegistry() }, "Count")) {
 *   if (event.type === "model_delta") pieces.push(event.delta.delta);
 * }
 * assertEquals(pieces, ["One ", "two"]);
 * ```
 */
export function streamToolLoop(
  config: ToolLoopConfig,
  userMessage: string,
  options: StreamOptions = {},
): ToolLoopStream {
  const { maxQueued = 256 } = options;
  assertLimit("maxQueued", maxQueued, 1);
  return new QueuedLoopStream(config, userMessage, maxQueued);
}

type Step = IteratorResult<LoopEvent, ToolLoopOutput | undefined>;

/** A run and its reader. */
class QueuedLoopStream implements ToolLoopStream {
  readonly #config: ToolLoopConfig;
  readonly #userMessage: string;
  readonly #maxQueued: number;
  readonly #controller = new AbortController();
  #queue: LoopEvent[] = [];
  #head = 0;
  #run: Promise<ToolLoopOutput | undefined> | undefined;
  #isOver = false;
  /** Wakes readers when there is an event or the end. */
  #waitingReaders: (() => void)[] = [];
  /** Wakes the run when the reader has caught up. */
  #waitingRuns: (() => void)[] = [];

  constructor(config: ToolLoopConfig, userMessage: string, maxQueued: number) {
    this.#config = config;
    this.#userMessage = userMessage;
    this.#maxQueued = maxQueued;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    this.#run ??= this.#start();
    for (;;) {
      const event = this.#dequeue();
      if (event !== undefined) return { done: false, value: event };
      if (this.#isOver) return { done: true, value: await this.#run };
      await new Promise<void>((resolve) => {
        this.#waitingReaders.push(resolve);
      });
    }
  }

  async return(): Promise<IteratorReturnResult<ToolLoopOutput | undefined>> {
    this.#controller.abort(new DOMException("Nobody reads the stream any more", "AbortError"));
    const run = this.#run ??= Promise.resolve(undefined);
    this.#isOver = true;
    this.#queue = [];
    this.#head = 0;
    wake(this.#waitingReaders);
    wake(this.#waitingRuns);
    try {
      return { done: true, value: await run };
    } catch {
      // The reader has left: there is nobody to tell.
      return { done: true, value: undefined };
    }
  }

  #start(): Promise<ToolLoopOutput> {
    const { signal: signalOfCaller, onEvent: notify } = this.#config;
    const { signal: signalOfReader } = this.#controller;
    const signal = signalOfCaller === undefined
      ? signalOfReader
      : AbortSignal.any([signalOfCaller, signalOfReader]);
    const onEvent = (event: LoopEvent): void => {
      notify?.(event);
      this.#enqueue(event);
    };
    const run = controlToolLoop({ ...this.#config, signal, onEvent }, this.#userMessage, {
      shouldPause: () => !this.#isOver && this.#queuedCount >= this.#maxQueued,
      wait: () =>
        new Promise((resolve) => {
          this.#waitingRuns.push(resolve);
        }),
    });
    const onEnd = (): void => {
      this.#isOver = true;
      wake(this.#waitingReaders);
    };
    run.then(onEnd, onEnd);
    return run;
  }

  get #queuedCount(): number {
    return this.#queue.length - this.#head;
  }

  #enqueue(event: LoopEvent): void {
    if (this.#isOver) return;
    this.#queue.push(event);
    wake(this.#waitingReaders);
  }

  #dequeue(): LoopEvent | undefined {
    const event = this.#queue[this.#head];
    if (event === undefined) return undefined;
    this.#head++;
    // Dropping the read half when it is the larger one costs nothing on average, and keeps nothing alive.
    if (this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    if (this.#queuedCount < this.#maxQueued) wake(this.#waitingRuns);
    return event;
  }
}

function wake(waiters: (() => void)[]): void {
  for (const resolve of waiters.splice(0)) resolve();
}
