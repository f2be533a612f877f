/**
 * A bounded first-in, first-out queue for several producers and one consumer.
 *
 * @module
 */

import { assertCount } from "@parley/internal/assert-argument";
import { Fifo } from "@parley/internal/fifo";

/** Options for {@linkcode Queue}. */
export interface QueueOptions {
  /**
   * Maximum number of queued items. If the queue is full, calls to `push()` wait until it has
   * capacity.
   *
   * @default {1000}
   */
  readonly capacity?: number;
  /**
   * Maximum number of pending `push()` calls. Items passed to `push()` beyond `maxHeld` are
   * dropped. Defaults to `capacity`.
   */
  readonly maxHeld?: number;
}

/** A pending `next()` call from the consumer. */
interface Waiting<T> {
  readonly resolve: (result: IteratorResult<T, void>) => void;
  readonly fail: (error: unknown) => void;
}

const NOW = Promise.resolve();

/**
 * Maximum number of items that are delivered without yielding to the microtask queue, which allows
 * downstream consumers to run.
 */
const IN_A_ROW = 10;

/**
 * A queue with backpressure. A producer that awaits {@linkcode Queue.push} is slowed down to the
 * consumer's speed. Producers that do not await `push()` can have up to `maxHeld` pending items;
 * further items are dropped.
 *
 * After {@linkcode Queue.end}, the consumer still receives the queued items.
 */
export class Queue<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #maxHeld: number;
  readonly #items = new Fifo<T>();
  readonly #held = new Fifo<{ readonly item: T; readonly settle: (taken: boolean) => void }>();
  readonly #waiting = new Fifo<Waiting<T>>();
  #end: { readonly error?: unknown } | undefined;
  /**
   * Function that resumes delivery to the sink of `forEach()`, defined only while the sink is idle.
   */
  #drain: (() => void) | undefined;

  /**
   * Creates an empty queue.
   *
   * @throws {RangeError} If `capacity` is not a positive integer.
   */
  constructor(options: QueueOptions = {}) {
    const { capacity = 1000 } = options;
    assertCount("capacity", capacity);
    this.#capacity = capacity;
    this.#maxHeld = options.maxHeld ?? capacity;
  }

  /** Whether {@linkcode Queue.end} was called. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Adds an item if the queue has capacity. Returns `false` if the queue is full or has ended. */
  tryPush(item: T): boolean {
    if (this.#end !== undefined) return false;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting.resolve({ done: false, value: item });
      return true;
    }
    if (this.#items.size >= this.#capacity) return false;
    this.#items.push(item);
    this.#wake();
    return true;
  }

  /**
   * Adds an item as soon as the queue has capacity. Resolves with `false` if the item was dropped
   * because the queue has ended or because `maxHeld` calls are already pending.
   */
  push(item: T): Promise<boolean> {
    if (this.tryPush(item)) return Promise.resolve(true);
    if (this.#end !== undefined || this.#held.size >= this.#maxHeld) {
      return Promise.resolve(false);
    }
    return new Promise((settle) => this.#held.push({ item, settle }));
  }

  /**
   * Ends the queue. Items added to an ended queue are dropped. If an error is given, the consumer
   * receives it after the last item.
   */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    for (const { settle } of this.#held.clear()) settle(false);
    for (const waiting of this.#waiting.clear()) this.#serve(waiting);
    this.#wake();
  }

  /**
   * Calls a sink with each item in order until the queue has ended and is empty. `forEach()` is
   * equivalent to iteration, but needs no promise per item. If the sink returns a promise, the next
   * item is delivered after the promise resolves.
   *
   * @throws The error from the sink, or the error passed to {@linkcode Queue.end}.
   */
  forEach(sink: (item: T) => Promise<void> | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const drain = (): void => {
        try {
          for (let given = 0; this.#items.size > 0; given++) {
            if (given === IN_A_ROW) return void NOW.then(drain);
            const waited = sink(this.#take());
            if (waited !== undefined) return void waited.then(drain, reject);
          }
        } catch (error) {
          return reject(error);
        }
        if (this.#end === undefined) this.#drain = drain;
        else if ("error" in this.#end) reject(this.#end.error);
        else resolve();
      };
      this.#drain = drain;
      this.#wake();
    });
  }

  /** Iterates over the items in order until the queue has ended and is empty. */
  [Symbol.asyncIterator](): AsyncIterator<T, void> {
    let isOver = false;
    // A handwritten iterator is used because an async generator takes three times as long per item.
    return {
      next: () =>
        new Promise((resolve, reject) => {
          if (isOver) return resolve({ done: true, value: undefined });
          const fail = (error: unknown): void => {
            isOver = true;
            reject(error);
          };
          this.#serve({ resolve, fail });
        }),
      return: () => {
        isOver = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /**
   * Settles a pending `next()` call with the next item or the end, or queues the call if the queue
   * is empty.
   */
  #serve(waiting: Waiting<T>): void {
    if (this.#items.size > 0) waiting.resolve({ done: false, value: this.#take() });
    else if (this.#end === undefined) this.#waiting.push(waiting);
    else if ("error" in this.#end) waiting.fail(this.#end.error);
    else waiting.resolve({ done: true, value: undefined });
  }

  /** Resumes an idle sink in a microtask, so that the sink never runs inside `push()`. */
  #wake(): void {
    if (this.#drain === undefined) return;
    NOW.then(this.#drain);
    this.#drain = undefined;
  }

  #take(): T {
    // The callers have checked that an item exists. `undefined` can be an item, so the cast is
    // required.
    const item = this.#items.shift() as T;
    this.#admit();
    return item;
  }

  #admit(): void {
    const next = this.#held.shift();
    if (next === undefined) return;
    this.#items.push(next.item);
    next.settle(true);
  }
}

/**
 * Calls a sink with each item in order. If the sink returns a promise, the next item is delivered
 * after the promise resolves.
 *
 * @throws The error from the sink or from the iterable.
 */
export async function forEach<T>(
  items: AsyncIterable<T>,
  sink: (item: T) => Promise<void> | undefined,
): Promise<void> {
  if (items instanceof Queue) return await items.forEach(sink);
  for await (const item of items) {
    const waited = sink(item);
    if (waited !== undefined) await waited;
  }
}
