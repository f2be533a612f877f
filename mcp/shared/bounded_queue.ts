/**
 * A bounded first-in first-out queue between one or more producers and one consumer.
 *
 * @module
 */

/** How large a {@linkcode Queue} may grow. */
export interface QueueOptions {
  /** How many items wait for the consumer before producers have to wait. Default 1000. */
  readonly capacity?: number;
  /** How many producers may wait; what more of them bring is dropped. Default: as many as items. */
  readonly maxHeld?: number;
}

/** A consumer that waits for an item. */
interface Waiting<T> {
  readonly resolve: (result: IteratorResult<T, void>) => void;
  readonly fail: (error: unknown) => void;
}

const NOW = Promise.resolve();

/** How many items a sink gets in a row. What it wakes has its turn in between: somebody has to take what it passes on. */
const IN_A_ROW = 10;

/**
 * Producers push, one consumer iterates. A producer that awaits {@linkcode Queue.push} is slowed down to the speed
 * of the consumer; producers that do not await can have at most `maxHeld` items more on hold, the rest is dropped.
 *
 * Ending the queue wakes the consumer, which still gets what was queued before.
 */
export class Queue<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #maxHeld: number;
  readonly #items: T[] = [];
  readonly #held: { readonly item: T; readonly settle: (taken: boolean) => void }[] = [];
  readonly #waiting: Waiting<T>[] = [];
  #end: { readonly error?: unknown } | undefined;
  /** Empties the queue into a sink, where there is one that waits. */
  #drain: (() => void) | undefined;

  /** Makes an empty queue. */
  constructor(options: QueueOptions = {}) {
    const { capacity = 1000 } = options;
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw new RangeError(`"capacity" must be a positive integer, got ${capacity}`);
    }
    this.#capacity = capacity;
    this.#maxHeld = options.maxHeld ?? capacity;
  }

  /** Whether the queue has been ended. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Adds an item if there is room now; says whether it did. */
  tryPush(item: T): boolean {
    if (this.#end !== undefined) return false;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting.resolve({ done: false, value: item });
      return true;
    }
    if (this.#items.length >= this.#capacity) return false;
    this.#items.push(item);
    this.#wake();
    return true;
  }

  /**
   * Adds an item as soon as there is room. Resolves with `false` when the item was dropped: the queue has ended, or
   * `maxHeld` others wait for room already.
   */
  push(item: T): Promise<boolean> {
    if (this.tryPush(item)) return Promise.resolve(true);
    if (this.#end !== undefined || this.#held.length >= this.#maxHeld) {
      return Promise.resolve(false);
    }
    return new Promise((settle) => this.#held.push({ item, settle }));
  }

  /** Ends the queue: nothing can be added any more. With an error, the consumer throws it after the last item. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    for (const { settle } of this.#held.splice(0)) settle(false);
    for (const waiting of this.#waiting.splice(0)) this.#serve(waiting);
    this.#wake();
  }

  /**
   * Hands the items to a sink, oldest first, until the queue has ended and is empty: the same as to iterate, without a
   * promise for each. Where the sink gives a promise, the next item comes once that is fulfilled.
   *
   * @throws what the sink throws, or the error that the queue ends with
   */
  forEach(sink: (item: T) => Promise<void> | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const drain = (): void => {
        try {
          for (let given = 0; this.#items.length > 0; given++) {
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

  /** Takes the items, oldest first, until the queue has ended and is empty. */
  [Symbol.asyncIterator](): AsyncIterator<T, void> {
    let isOver = false;
    // By hand, for a generator takes three times as long for an item.
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

  /** Gives a consumer the next item or the end, as soon as there is either. */
  #serve(waiting: Waiting<T>): void {
    if (this.#items.length > 0) waiting.resolve({ done: false, value: this.#take() });
    else if (this.#end === undefined) this.#waiting.push(waiting);
    else if ("error" in this.#end) waiting.fail(this.#end.error);
    else waiting.resolve({ done: true, value: undefined });
  }

  /** Has a sink that waits look, but not before whoever pushes is through. */
  #wake(): void {
    if (this.#drain === undefined) return;
    NOW.then(this.#drain);
    this.#drain = undefined;
  }

  #take(): T {
    // The caller has looked that there is one, and `undefined` may be an item.
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
 * Hands items to a sink, one after the other; where it gives a promise, the next one comes once that is fulfilled.
 *
 * @throws what the sink throws, or the items
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
