/**
 * The queue between a run and the reader of its events. Loaded when the first event is asked for.
 *
 * @module
 */

import type { LoopEvent } from "./event.ts";
import type { LoopControl, ToolLoopConfig } from "./loop_options.ts";
import type { ToolLoopOutput } from "./output.ts";

/** Starts the run that is streamed. */
type StartRun = (config: ToolLoopConfig, control: LoopControl) => Promise<ToolLoopOutput>;

type Step = IteratorResult<LoopEvent, ToolLoopOutput | undefined>;

/** A run and its reader. */
export class LoopStream {
  readonly #config: ToolLoopConfig;
  readonly #maxQueued: number;
  readonly #startRun: StartRun;
  readonly #controller = new AbortController();
  #queue: LoopEvent[] = [];
  #head = 0;
  #run: Promise<ToolLoopOutput | undefined> | undefined;
  #isOver = false;
  /** Wakes readers when there is an event or the end. */
  #news: (() => void)[] = [];
  /** Wakes the run when the reader has caught up. */
  #caughtUp: (() => void)[] = [];

  constructor(config: ToolLoopConfig, maxQueued: number, startRun: StartRun) {
    this.#config = config;
    this.#maxQueued = maxQueued;
    this.#startRun = startRun;
  }

  async next(): Promise<Step> {
    this.#run ??= this.#start();
    for (;;) {
      const event = this.#take();
      if (event !== undefined) return { done: false, value: event };
      if (this.#isOver) return { done: true, value: await this.#run };
      await new Promise<void>((resolve) => {
        this.#news.push(resolve);
      });
    }
  }

  async return(): Promise<IteratorReturnResult<ToolLoopOutput | undefined>> {
    this.#controller.abort(new DOMException("Nobody reads the stream any more", "AbortError"));
    const run = this.#run ??= Promise.resolve(undefined);
    this.#isOver = true;
    this.#queue = [];
    this.#head = 0;
    wake(this.#news);
    wake(this.#caughtUp);
    try {
      return { done: true, value: await run };
    } catch {
      // The reader has left: there is nobody to tell.
      return { done: true, value: undefined };
    }
  }

  #start(): Promise<ToolLoopOutput> {
    const { signal: outer, emit: tell } = this.#config;
    const { signal: inner } = this.#controller;
    const signal = outer === undefined ? inner : AbortSignal.any([outer, inner]);
    const emit = (event: LoopEvent): void => {
      tell?.(event);
      this.#put(event);
    };
    const run = this.#startRun({ ...this.#config, signal, emit }, {
      mustWait: () => !this.#isOver && this.#waiting >= this.#maxQueued,
      wait: () =>
        new Promise((resolve) => {
          this.#caughtUp.push(resolve);
        }),
    });
    const over = (): void => {
      this.#isOver = true;
      wake(this.#news);
    };
    run.then(over, over);
    return run;
  }

  get #waiting(): number {
    return this.#queue.length - this.#head;
  }

  #put(event: LoopEvent): void {
    if (this.#isOver) return;
    this.#queue.push(event);
    wake(this.#news);
  }

  #take(): LoopEvent | undefined {
    const event = this.#queue[this.#head];
    if (event === undefined) return undefined;
    this.#head++;
    // Dropping the read half when it is the larger one costs nothing on average, and keeps nothing alive.
    if (this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    if (this.#waiting < this.#maxQueued) wake(this.#caughtUp);
    return event;
  }
}

function wake(waiters: (() => void)[]): void {
  for (const resolve of waiters.splice(0)) resolve();
}
