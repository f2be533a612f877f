/**
 * A bounded first-in, first-out queue whose both ends can wait.
 *
 * @module
 */

import { CommError } from "../shared/error.ts";

/** Why an item was not taken: there is no room, or the queue takes no more. */
export type PushFailure = "full" | "ended";

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

interface Pusher<T> extends Waiter<PushFailure | undefined> {
  readonly item: T | CommError;
}

/** A list that is cheap to take from the front of. */
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
      // Moving the rest only when half of it is gone keeps the cost of a shift constant on average.
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

/** One direction of a transport. Among the items can be errors, which whoever takes them gets thrown. */
export class BoundedQueue<T> {
  /** How many items wait at most. */
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

  /** Whether no more can come out. */
  get isDrained(): boolean {
    return this.#ended && this.#items.size === 0;
  }

  /** Why the queue ended, when it did not end well. */
  get failure(): CommError | undefined {
    return this.#failure;
  }

  /** Adds an item now, or says why not. */
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

  /** Waits for room, or for the end, after `tryPush` found the queue full. */
  waitToPush(item: T | CommError, signal?: AbortSignal): Promise<PushFailure | undefined> {
    return wait(this.#pushers, signal, (waiter: Waiter<PushFailure | undefined>) => ({
      ...waiter,
      item,
    }));
  }

  /** Takes the oldest item; undefined when none waits. */
  tryShift(): T | undefined {
    if (this.#items.size === 0) return undefined;
    const item = this.#items.shift();
    if (this.#pushers.size > 0) this.#admitPusher();
    if (item instanceof CommError) throw item;
    return item;
  }

  /** Waits for an item after `tryShift` found none; undefined, or the failure, when none can come any more. */
  waitToShift(signal?: AbortSignal): Promise<T | undefined> {
    if (!this.#ended) return wait(this.#shifters, signal, (waiter) => waiter);
    return this.#failure === undefined ? Promise.resolve(undefined) : Promise.reject(this.#failure);
  }

  /** Takes no more items; what is there can be taken. */
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

  /** Ends well or not, whatever it was before, and drops what is there. */
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

/** Stands in list until resolved, or steps out when the signal aborts. */
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
