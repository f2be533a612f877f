/**
 * A bounded FIFO queue with asynchronous push and shift.
 *
 * @module
 */

import { CommError } from "../shared/error.ts";

/** Why an item was not added: the queue is full or has ended. */
export type PushFailure = "full" | "ended";

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

interface Pusher<T> extends Waiter<PushFailure | undefined> {
  readonly item: T | CommError;
}

/** A list with constant-time removal from the front. */
class WaitList<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      // Copying only when half of the list is unused makes the amortized cost constant.
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  remove(item: T): void {
    const index = this.#items.indexOf(item, this.#head);
    if (index >= 0) this.#items.splice(index, 1);
  }
}

/**
 * A queue for one direction of a transport. An item can be an error, which is thrown to the
 * receiver.
 */
export class BoundedQueue<T> {
  /** Maximum number of queued items. */
  readonly capacity: number;
  #items = new WaitList<T | CommError>();
  readonly #shifters = new WaitList<Waiter<T | undefined>>();
  readonly #pushers = new WaitList<Pusher<T>>();
  #ended = false;
  #failure: CommError | undefined;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) {
      throw new RangeError(`"capacity" must be a positive integer, got ${capacity}`);
    }
    this.capacity = capacity;
  }

  /** Whether the queue has ended and is empty. */
  get isDrained(): boolean {
    return this.#ended && this.#items.size === 0;
  }

  /** The error with which the queue ended. `undefined` if the queue has not failed. */
  get failure(): CommError | undefined {
    return this.#failure;
  }

  /** Adds an item synchronously. Returns the reason if the item was not added. */
  tryPush(item: T | CommError): PushFailure | undefined {
    if (this.#ended) return "ended";
    if (this.#shifters.size > 0) {
      const shifter = this.#shifters.shift();
      if (item instanceof CommError) shifter?.reject(item);
      else shifter?.resolve(item);
      return undefined;
    }
    if (this.#items.size >= this.capacity) return "full";
    this.#items.push(item);
    return undefined;
  }

  /**
   * Waits until the item is added or the queue ends. Call this method only after `tryPush` has
   * returned "full".
   */
  waitToPush(item: T | CommError, signal?: AbortSignal): Promise<PushFailure | undefined> {
    return wait(this.#pushers, signal, (waiter: Waiter<PushFailure | undefined>) => ({
      ...waiter,
      item,
    }));
  }

  /** Removes the oldest item. Returns `undefined` if the queue is empty. */
  tryShift(): T | undefined {
    if (this.#items.size === 0) return undefined;
    const item = this.#items.shift();
    if (this.#pushers.size > 0) this.#admitPusher();
    if (item instanceof CommError) throw item;
    return item;
  }

  /**
   * Waits for an item after `tryShift` has returned `undefined`. When the queue has ended, returns
   * `undefined` or rejects with the failure.
   */
  waitToShift(signal?: AbortSignal): Promise<T | undefined> {
    if (!this.#ended) return wait(this.#shifters, signal, (waiter) => waiter);
    return this.#failure === undefined ? Promise.resolve(undefined) : Promise.reject(this.#failure);
  }

  /** Ends the queue. Items that are already queued can still be removed. */
  end(failure?: CommError): void {
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
  cancel(failure?: CommError): void {
    this.#items = new WaitList();
    this.end(failure);
    this.#failure = failure;
  }

  #admitPusher(): void {
    const pusher = this.#pushers.shift();
    if (pusher === undefined) return;
    this.#items.push(pusher.item);
    pusher.resolve(undefined);
  }
}

/** Adds a waiter to a list, and waits until the waiter is settled or the signal aborts. */
function wait<V, W extends Waiter<V>>(
  list: WaitList<W>,
  signal: AbortSignal | undefined,
  toWaiter: (waiter: Waiter<V>) => W,
): Promise<V> {
  return new Promise((resolve, reject) => {
    if (signal === undefined) {
      list.push(toWaiter({ resolve, reject }));
      return;
    }
    function abort(): void {
      list.remove(waiter);
      reject(signal?.reason);
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
