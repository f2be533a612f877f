/**
 * The part of @std/testing/time that the tests use, with the same signatures. The package is not available on npm.
 * Where JSR can be reached, the tests also run against the original @std/testing/time.
 *
 * @module
 */

interface Timer {
  readonly callback: (...args: unknown[]) => unknown;
  readonly args: readonly unknown[];
  readonly due: number;
  /** Interval between two calls, in milliseconds, or absent for a timeout. */
  readonly everyMs?: number;
}

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  abortSignalTimeout: AbortSignal.timeout,
};

let current: FakeTime | undefined;

/** Thrown if the fake clock is misused. */
export class TimeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TimeError";
  }
}

/**
 * Replaces `Date`, the timers and `AbortSignal.timeout` until `restore()`. Time advances only through the methods of
 * this class. Timers that are due at the same time run in the order in which they were set.
 */
export class FakeTime {
  readonly #start: number;
  readonly #timers = new Map<number, Timer>();
  #now: number;
  #lastId = 0;

  constructor(start?: number | string | Date | null) {
    if (current !== undefined) {
      throw new TimeError("Cannot construct FakeTime: time is already faked");
    }
    this.#start = typeof start === "number"
      ? Math.floor(start)
      : new real.Date(start ?? real.Date.now()).valueOf();
    if (Number.isNaN(this.#start)) {
      throw new TypeError(`Cannot construct FakeTime: invalid start time ${this.#start}`);
    }
    this.#now = this.#start;
    this.#replaceGlobals();
    current = this;
  }

  static restore(): void {
    if (current === undefined) {
      throw new TimeError("Cannot restore time: time is already restored");
    }
    current.restore();
  }

  get start(): number {
    return this.#start;
  }

  get now(): number {
    return this.#now;
  }

  /** Advances to the given time and runs the timers that are due. */
  set now(value: number) {
    if (value < this.#now) {
      throw new RangeError(
        `Cannot set current time in the past, time must be >= ${this.#now}: received ${value}`,
      );
    }
    for (let id = this.#nextDue(value); id !== undefined; id = this.#nextDue(value)) this.#fire(id);
    this.#now = value;
  }

  tick(ms = 0): void {
    this.now += ms;
  }

  async tickAsync(ms = 0): Promise<void> {
    await this.runMicrotasks();
    this.now += ms;
  }

  /** Advances to the next timer. Returns false if no timer is left. */
  next(): boolean {
    const id = this.#nextDue(Infinity);
    const timer = id === undefined ? undefined : this.#timers.get(id);
    if (timer === undefined) return false;
    this.now = timer.due;
    return true;
  }

  async nextAsync(): Promise<boolean> {
    await this.runMicrotasks();
    return this.next();
  }

  runAll(): void {
    while (this.next()) { /* The loop ends when no timer is left. */ }
  }

  async runAllAsync(): Promise<void> {
    while (this.#timers.size > 0) await this.nextAsync();
  }

  /** Waits for one turn of the real event loop so that pending promise callbacks run. */
  async runMicrotasks(): Promise<void> {
    await new Promise<void>((resolve) => real.setTimeout(resolve, 0));
  }

  restore(): void {
    if (current !== this) throw new TimeError("Cannot restore time: time is already restored");
    current = undefined;
    globalThis.Date = real.Date;
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    globalThis.setInterval = real.setInterval;
    globalThis.clearInterval = real.clearInterval;
    AbortSignal.timeout = real.abortSignalTimeout;
  }

  [Symbol.dispose](): void {
    this.restore();
  }

  #replaceGlobals(): void {
    const clear = (id?: unknown) => void this.#timers.delete(Number(id));
    const setTimer = (repeats: boolean) => (callback: unknown, delay = 0, ...args: unknown[]) => {
      if (typeof callback !== "function") {
        throw new TimeError("FakeTime does not support a callback that is not a function");
      }
      const waitMs = Math.max(repeats ? 1 : 0, Math.floor(delay));
      return this.#set({
        callback: (...values) => callback(...values),
        args,
        due: this.#now + waitMs,
        ...(repeats ? { everyMs: waitMs } : {}),
      });
    };
    globalThis.Date = this.#fakeDate();
    // The type of a timer handle depends on the platform. The fake timers return a number.
    globalThis.setTimeout = setTimer(false) as unknown as typeof setTimeout;
    globalThis.setInterval = setTimer(true) as unknown as typeof setInterval;
    globalThis.clearTimeout = clear;
    globalThis.clearInterval = clear;
    AbortSignal.timeout = (delay) => {
      const controller = new AbortController();
      const abort = () => controller.abort(new DOMException("Signal timed out.", "TimeoutError"));
      setTimer(false)(abort, delay);
      return controller.signal;
    };
  }

  #fakeDate(): DateConstructor {
    const now = () => this.#now;
    return new Proxy(real.Date, {
      construct: (target, args, newTarget) =>
        Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
      apply: () => new real.Date(now()).toString(),
      get: (target, key, receiver) => key === "now" ? now : Reflect.get(target, key, receiver),
    });
  }

  #set(timer: Timer, id = ++this.#lastId): number {
    this.#timers.set(id, timer);
    return id;
  }

  /** Returns the earliest timer that is due by `until`, or the first of several that are due at that time. */
  #nextDue(until: number): number | undefined {
    let found: number | undefined;
    let due = until;
    for (const [id, timer] of this.#timers) {
      if (timer.due < due || (timer.due === due && found === undefined)) {
        found = id;
        due = timer.due;
      }
    }
    return found;
  }

  #fire(id: number): void {
    const timer = this.#timers.get(id);
    if (timer === undefined) return;
    this.#now = timer.due;
    this.#timers.delete(id);
    const { everyMs } = timer;
    if (everyMs !== undefined) this.#set({ ...timer, due: timer.due + everyMs }, id);
    timer.callback(...timer.args);
  }
}
