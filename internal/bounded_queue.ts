/**
 * A FIFO queue with asynchronous push and shift, bounded in count and in bytes.
 *
 * @module
 */

import { assertCount } from "./assert_argument.ts";
import { Fifo } from "./fifo.ts";
import { Turns } from "./turns.ts";

/** Reason why an item was not added: the queue is full or has ended. */
export type PushFailure = "full" | "ended";

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

interface Pusher<T> extends Waiter<PushFailure | undefined> {
  readonly item: T;
}

/** Limits of a {@linkcode BoundedQueue}. */
export interface QueueLimits<T> {
  /** Maximum number of queued items. */
  readonly capacity: number;
  /**
   * Maximum total size of queued items, in bytes. An item that alone exceeds the limit is accepted
   * if the queue is empty.
   *
   * @default {Infinity}
   */
  readonly maxBytes?: number;
  /**
   * Returns the size of an item, in bytes, which must never change. Required if `maxBytes` is set.
   */
  readonly sizeOf?: (item: T) => number;
  /**
   * Returns the party of an item. If set, parties take turns, and only the items of one party are
   * removed in the order in which they were added.
   */
  readonly partyOf?: (item: T) => string;
}

/** A queue with asynchronous push and shift. */
export class BoundedQueue<T, Failure extends Error = Error> {
  /** Maximum number of queued items. */
  readonly capacity: number;
  /** Maximum total size of queued items, in bytes. */
  readonly maxBytes: number;
  readonly #sizeOf: (item: T) => number;
  readonly #partyOf: ((item: T) => string) | undefined;
  #items: Fifo<T> | Turns<T>;
  #bytes = 0;
  readonly #shifters = new Fifo<Waiter<T | undefined>>();
  readonly #pushers = new Fifo<Pusher<T>>();
  /** Functions to call when an item is queued. */
  #onQueued: (() => void)[] = [];
  #ended = false;
  #failure: Failure | undefined;

  constructor({ capacity, maxBytes = Infinity, sizeOf = () => 0, partyOf }: QueueLimits<T>) {
    assertCount("capacity", capacity);
    this.capacity = capacity;
    this.maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
    this.#partyOf = partyOf;
    this.#items = this.#createItems();
  }

  /** Number of queued items. */
  get size(): number {
    return this.#items.size;
  }

  /**
   * Waits until an item is queued. An item that a pending call to `waitToShift` receives is not
   * queued.
   */
  whenQueued(): Promise<void> {
    if (this.size > 0) return Promise.resolve();
    return new Promise((resolve) => this.#onQueued.push(resolve));
  }

  /** Whether the queue has ended and is empty. */
  get isDrained(): boolean {
    return this.#ended && this.#items.size === 0;
  }

  /** The error that ended the queue. `undefined` if the queue has not failed. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Adds an item synchronously. Returns the reason if the item was not added. */
  tryPush(item: T): PushFailure | undefined {
    if (this.#ended) return "ended";
    if (this.#shifters.size > 0) {
      this.#shifters.shift()?.resolve(item);
      return undefined;
    }
    // A small item must not overtake a large item that waits for space.
    if (this.#pushers.size > 0 || !this.#fits(item)) return "full";
    this.#add(item);
    return undefined;
  }

  /**
   * Waits until the item is added or the queue ends. Call `waitToPush` only after `tryPush` has
   * returned "full".
   */
  waitToPush(item: T, signal?: AbortSignal): Promise<PushFailure | undefined> {
    return wait(this.#pushers, {
      signal,
      toWaiter: (waiter: Waiter<PushFailure | undefined>) => ({ ...waiter, item }),
      onAbort: () => this.#admitPushers(),
    });
  }

  /** Removes the oldest item. Returns `undefined` if the queue is empty. */
  tryShift(): T | undefined {
    if (this.#items.size === 0) return undefined;
    const item = this.#items.shift();
    if (item !== undefined) this.#bytes -= this.#sizeOf(item);
    if (this.#pushers.size > 0) this.#admitPushers();
    return item;
  }

  /**
   * Waits for an item after `tryShift` has returned `undefined`. When the queue has ended, returns
   * `undefined` or rejects with the failure.
   */
  waitToShift(signal?: AbortSignal): Promise<T | undefined> {
    if (!this.#ended) return wait(this.#shifters, { signal, toWaiter: (waiter) => waiter });
    return this.#failure === undefined ? Promise.resolve(undefined) : Promise.reject(this.#failure);
  }

  /** Ends the queue. Items that are already queued can still be removed. */
  end(failure?: Failure): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    while (this.#pushers.size > 0) this.#pushers.shift()?.resolve("ended");
    while (this.#shifters.size > 0) {
      const shifter = this.#shifters.shift();
      if (failure === undefined) shifter?.resolve(undefined);
      else shifter?.reject(failure);
    }
  }

  /** Ends the queue, discards queued items and replaces the failure. */
  cancel(failure?: Failure): void {
    this.#items = this.#createItems();
    this.#bytes = 0;
    this.end(failure);
    this.#failure = failure;
  }

  #createItems(): Fifo<T> | Turns<T> {
    return this.#partyOf === undefined ? new Fifo() : new Turns(this.#partyOf);
  }

  #fits(item: T): boolean {
    if (this.#items.size === 0) return true;
    return this.#items.size < this.capacity && this.#bytes + this.#sizeOf(item) <= this.maxBytes;
  }

  #add(item: T): void {
    this.#items.push(item);
    this.#bytes += this.#sizeOf(item);
    if (this.#onQueued.length === 0) return;
    for (const resolve of this.#onQueued.splice(0)) resolve();
  }

  /** Adds the items of waiting callers in order, while the queue has capacity. */
  #admitPushers(): void {
    for (;;) {
      const { first } = this.#pushers;
      if (first === undefined || !this.#fits(first.item)) return;
      this.#pushers.shift();
      this.#add(first.item);
      first.resolve(undefined);
    }
  }
}

interface WaitOptions<V, W> {
  readonly signal: AbortSignal | undefined;
  readonly toWaiter: (waiter: Waiter<V>) => W;
  /** Called after the waiter has been removed because the signal aborted. */
  readonly onAbort?: () => void;
}

/** Adds a waiter to a list, and waits until the waiter is settled or the signal aborts. */
function wait<V, W extends Waiter<V>>(
  list: Fifo<W>,
  { signal, toWaiter, onAbort }: WaitOptions<V, W>,
): Promise<V> {
  return new Promise((resolve, reject) => {
    if (signal === undefined) {
      list.push(toWaiter({ resolve, reject }));
      return;
    }
    function abort(): void {
      list.remove(waiter);
      reject(signal?.reason);
      onAbort?.();
    }
    function cleanUp(): void {
      signal?.removeEventListener("abort", abort);
    }
    const waiter = toWaiter({
      resolve: (value) => {
        cleanUp();
        resolve(value);
      },
      reject: (reason) => {
        cleanUp();
        reject(reason);
      },
    });
    list.push(waiter);
    signal.addEventListener("abort", abort, { once: true });
  });
}
