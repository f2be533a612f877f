/**
 * A bounded first-in first-out queue between one or more producers and one consumer.
 *
 * @module
 */

/** How large a {@linkcode Queue} may grow. */
export interface QueueOptions {
  /** How many items wait for the consumer before producers have to wait. Default 1000. */
  readonly capacity?: number;
}

/**
 * Producers push, one consumer iterates. A producer that awaits {@linkcode Queue.push} is slowed down to the speed
 * of the consumer; producers that do not await can have at most `capacity` items more on hold, the rest is dropped.
 *
 * Ending the queue wakes the consumer, which still gets what was queued before.
 */
export class Queue<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #items: T[] = [];
  readonly #held: { readonly item: T; readonly settle: (taken: boolean) => void }[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** Makes an empty queue. */
  constructor(options: QueueOptions = {}) {
    const { capacity = 1000 } = options;
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw new RangeError(`Cannot make a queue: capacity is ${capacity}`);
    }
    this.#capacity = capacity;
  }

  /** Whether the queue has been ended. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Adds an item if there is room now; says whether it did. */
  tryPush(item: T): boolean {
    if (this.#end !== undefined || this.#items.length >= this.#capacity) return false;
    this.#items.push(item);
    this.#wake?.();
    return true;
  }

  /**
   * Adds an item as soon as there is room. Resolves with `false` when the item was dropped: the queue has ended, or
   * `capacity` others wait for room already.
   */
  push(item: T): Promise<boolean> {
    if (this.tryPush(item)) return Promise.resolve(true);
    if (this.#end !== undefined || this.#held.length >= this.#capacity) {
      return Promise.resolve(false);
    }
    return new Promise((settle) => this.#held.push({ item, settle }));
  }

  /** Ends the queue: nothing can be added any more. With an error, the consumer throws it after the last item. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    for (const { settle } of this.#held.splice(0)) settle(false);
    this.#wake?.();
  }

  /** Takes the items, oldest first, until the queue has ended and is empty. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    while (true) {
      while (this.#items.length > 0) {
        // The length says that there is one, and `undefined` may be an item.
        const item = this.#items.shift() as T;
        this.#admit();
        yield item;
      }
      if (this.#end !== undefined) break;
      await new Promise<void>((resolve) => this.#wake = resolve);
      this.#wake = undefined;
    }
    if ("error" in this.#end) throw this.#end.error;
  }

  #admit(): void {
    const next = this.#held.shift();
    if (next === undefined) return;
    this.#items.push(next.item);
    next.settle(true);
  }
}
