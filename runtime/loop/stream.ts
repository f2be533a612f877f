/**
 * The events of a run as an async iterator with a bounded queue.
 *
 * @module
 */

import { openBudget } from "../budget/budget.ts";
import { assertCount, assertNonNegative } from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { type OptionsReader, optionsReader, withDefault } from "@parley/internal/options";
import type { ToolLoopOutput } from "../shared/output.ts";
import type { LoopEvent, LoopEventSink } from "./events.ts";
import { controlToolLoop } from "./loop.ts";
import type { EventQueue } from "./loop_control.ts";
import type { ToolLoopConfig } from "./options.ts";
import { readToolLoopConfig } from "./read_options.ts";
import type { UserTurn } from "../shared/model.ts";
import { createAbortReason, joinSignals } from "../shared/platform.ts";
import { reportUnread, type UnreadReport } from "./unread_stream.ts";

/**
 * The events of a run, in order. The iterator's return value is the output of the run, which is
 * also part of the `run_finished` event.
 */
export interface ToolLoopStream
  extends AsyncIterableIterator<LoopEvent, ToolLoopOutput | undefined> {
  /**
   * Aborts the run and waits for it to end. Called automatically when a `for await` loop is exited
   * early.
   */
  return(): Promise<IteratorReturnResult<ToolLoopOutput | undefined>>;
}

/** Options for {@linkcode streamToolLoop} and `ToolLoopAgent.stream()`. */
export interface StreamOptions {
  /**
   * Maximum number of queued events; a positive integer. When the queue is full, the run waits for
   * the reader.
   *
   * @default {256}
   */
  readonly maxQueued?: number;
  /**
   * Time after which a stream that is not read is reported to `onError` of the run or the agent, in
   * milliseconds, because its run has not started. `Infinity` disables the report.
   *
   * @default {10_000}
   */
  readonly warnAfterMs?: number;
}

/** Reads the options for the event queue. */
export const readStreamOptions: OptionsReader<StreamOptions, keyof StreamOptions> = optionsReader<
  StreamOptions
>("options")({
  maxQueued: withDefault(256, assertCount),
  warnAfterMs: withDefault(10_000, assertNonNegative),
});

/**
 * Runs the tool loop and yields its events. The run starts with the first call to `next()`.
 *
 * Backpressure applies: when the queue is full, the run waits between the parts of a streamed
 * response and before each model and tool call. Tools that are already running may add events
 * beyond `maxQueued`.
 *
 * @param config Model, tools and options.
 * @param userMessage Message from the user, as in {@linkcode runToolLoop}.
 * @param options Options for the event queue.
 * @returns An iterator over the events. If the run fails, the iterator rejects after the last
 * event, with the error that {@linkcode runToolLoop} would throw.
 * @throws {TypeError} If an option has the wrong type.
 * @throws {RangeError} If a numeric option is out of range.
 *
 * @example Collect the text of a streamed response
 * ```ts
 * import { streamToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "One two" }]);
 * const pieces: string[] = [];
 * for await (const event of streamToolLoop({ model, registry: new ToolRegistry() }, "Count")) {
 *   if (event.type === "text_delta") pieces.push(event.text);
 * }
 * assertEquals(pieces, ["One ", "two"]);
 * ```
 */
export function streamToolLoop(
  config: ToolLoopConfig,
  userMessage?: UserTurn,
  options: StreamOptions = {},
): ToolLoopStream {
  const settings = readToolLoopConfig(config);
  const { maxQueued, warnAfterMs } = readStreamOptions(options);
  const { agentName, around, budget, onEvent, signal } = settings;
  const budgets = [budget && openBudget(budget)];
  const onError = createErrorReporter("streamToolLoop", settings.onError);
  const start = ({ signal, sink, queue }: StreamControl): Promise<ToolLoopOutput> =>
    controlToolLoop({ ...settings, signal }, userMessage, {
      path: [agentName],
      budgets,
      sinks: [onEvent, sink],
      arounds: [around],
      queue,
    });
  const call = "streamToolLoop()";
  return createLoopStream(start, { call, maxQueued, warnAfterMs, signal, onError });
}

/** Connection between a run and the reader of its events. */
export interface StreamControl {
  /** Aborted when the caller aborts the run or the reader closes the stream. */
  readonly signal: AbortSignal;
  /** Event listener that adds events to the queue. */
  readonly sink: LoopEventSink;
  /** Queue that limits the number of events. */
  readonly queue: EventQueue;
}

/** Starts the run whose events are streamed. */
type StartRun = (control: StreamControl) => Promise<ToolLoopOutput>;

/** Settings of {@linkcode createLoopStream}. */
interface LoopStreamSettings extends Omit<UnreadReport, "call"> {
  /** The call that has created the stream. If omitted, `agent.stream()`. */
  readonly call?: string;
  /** Maximum number of queued events. */
  readonly maxQueued: number;
  /**
   * Called with the error of a run that fails after its stream was closed, and if the stream is not
   * read. Never throws.
   */
  readonly onError: (error: unknown) => void;
}

/** Creates a stream that starts its run on the first call to `next()`. */
export function createLoopStream(start: StartRun, settings: LoopStreamSettings): ToolLoopStream {
  return new QueuedLoopStream(start, settings);
}

type Step = IteratorResult<LoopEvent, ToolLoopOutput | undefined>;

/** A run with a queue between the loop and the reader. */
class QueuedLoopStream implements ToolLoopStream {
  readonly #startRun: StartRun;
  readonly #options: LoopStreamSettings;
  readonly #controller = new AbortController();
  #queue: LoopEvent[] = [];
  #head = 0;
  #run: Promise<ToolLoopOutput | undefined> | undefined;
  #isOver = false;
  /** Called when the stream is first read, or is closed. */
  readonly #onRead: () => void;
  /** Resolvers for pending `next()` calls, called when an event is queued or the run ends. */
  #waitingReaders: (() => void)[] = [];
  /** Resolvers for pending waits of the run, called when the queue has capacity. */
  #waitingRuns: (() => void)[] = [];

  constructor(start: StartRun, options: LoopStreamSettings) {
    this.#startRun = start;
    this.#options = options;
    this.#onRead = reportUnread({ call: "agent.stream()", ...options });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    if (this.#run === undefined) {
      this.#onRead();
      this.#run = this.#start();
    }
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
    this.#onRead();
    this.#controller.abort(createAbortReason("The event stream was closed", "AbortError"));
    const run = this.#run ??= Promise.resolve(undefined);
    this.#isOver = true;
    this.#queue = [];
    this.#head = 0;
    wake(this.#waitingReaders);
    wake(this.#waitingRuns);
    try {
      return { done: true, value: await run };
    } catch (error) {
      // The reader has closed the stream, so no caller receives the error.
      const { onError, signal } = this.#options;
      const isAbort = error === this.#controller.signal.reason || error === signal?.reason;
      if (!isAbort) onError(error);
      return { done: true, value: undefined };
    }
  }

  #start(): Promise<ToolLoopOutput> {
    const { signal: signalOfCaller } = this.#options;
    const { signal: signalOfReader } = this.#controller;
    const run = this.#startRun({
      signal: joinSignals(signalOfReader, signalOfCaller),
      sink: (event) => this.#enqueue(event),
      queue: {
        isFull: () => !this.#isOver && this.#queuedCount >= this.#options.maxQueued,
        waitForReader: () =>
          new Promise((resolve) => {
            this.#waitingRuns.push(resolve);
          }),
      },
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
    // Discarding consumed events once they make up half of the array takes amortized O(1) time per
    // event and frees memory.
    if (this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    if (this.#queuedCount < this.#options.maxQueued) wake(this.#waitingRuns);
    return event;
  }
}

function wake(waiters: (() => void)[]): void {
  for (const resolve of waiters.splice(0)) resolve();
}
