/**
 * A bounded first-in, first-out queue whose both ends can wait.
 *
 * @module
 */

/** Why a push was refused: the queue takes no more. */
export type Refusal = "full" | "ended";

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

interface Pusher<T> extends Waiter<Refusal | undefined> {
  readonly item: T;
}

/** One direction of a channel. */
export class BoundedQueue<T> {
  /** How many items wait at most. */
  readonly capacity: number;
  #items: (T | undefined)[] = [];
  #head = 0;
  #ended = false;
  readonly #shifters = new Set<Waiter<T | undefined>>();
  readonly #pushers = new Set<Pusher<T>>();

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) {
      throw new RangeError(
        `Cannot bound queue to ${capacity}: it must be an integer of at least 1`,
      );
    }
    this.capacity = capacity;
  }

  /** How many items wait. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Whether no more can come out. */
  get isDrained(): boolean {
    return this.#ended && this.size === 0;
  }

  /** Adds an item now, or says why not. */
  tryPush(item: T): Refusal | undefined {
    if (this.#ended) return "ended";
    const [shifter] = this.#shifters;
    if (shifter !== undefined) {
      this.#shifters.delete(shifter);
      shifter.resolve(item);
      return undefined;
    }
    if (this.size >= this.capacity) return "full";
    this.#items.push(item);
    return undefined;
  }

  /** Waits for room and adds an item; resolves to `ended` when room can come no more. */
  waitToPush(item: T, signal: AbortSignal | undefined): Promise<Refusal | undefined> {
    return wait(this.#pushers, signal, (waiter) => ({ ...waiter, item }));
  }

  /** Takes the oldest item, or undefined when none waits. */
  tryShift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    // Moving the rest only when half of it is gone keeps the cost of a shift constant on average.
    if (this.#head * 2 > this.#items.length && this.#head > 64) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    this.#admit();
    return item;
  }

  /** Waits for an item; resolves to undefined when none can come any more. */
  waitToShift(signal: AbortSignal | undefined): Promise<T | undefined> {
    return wait(this.#shifters, signal, (waiter) => waiter);
  }

  /** Takes no more items; what is there can be taken. */
  end(): void {
    this.#ended = true;
    for (const pusher of this.#pushers) pusher.resolve("ended");
    this.#pushers.clear();
    for (const shifter of this.#shifters) shifter.resolve(undefined);
    this.#shifters.clear();
  }

  /** Ends and drops what is there. */
  cancel(): void {
    this.#items = [];
    this.#head = 0;
    this.end();
  }

  #admit(): void {
    const [pusher] = this.#pushers;
    if (pusher === undefined) return;
    this.#pushers.delete(pusher);
    this.#items.push(pusher.item);
    pusher.resolve(undefined);
  }
}

/** Stands in line until resolved, or steps out when the signal aborts. */
function wait<V, W extends Waiter<V>>(
  line: Set<W>,
  signal: AbortSignal | undefined,
  toWaiter: (waiter: Waiter<V>) => W,
): Promise<V> {
  return new Promise((resolve, reject) => {
    if (signal === undefined) {
      line.add(toWaiter({ resolve, reject }));
      return;
    }
    function abort(): void {
      line.delete(waiter);
      reject(signal?.reason);
    }
    const waiter = toWaiter({
      resolve: (value) => {
        signal.removeEventListener("abort", abort);
        resolve(value);
      },
      reject,
    });
    line.add(waiter);
    signal.addEventListener("abort", abort, { once: true });
  });
}
