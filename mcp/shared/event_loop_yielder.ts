/**
 * Yields to the event loop during long sequences of asynchronous operations that keep it busy.
 *
 * @module
 */

/** Half of the maximum time for which operations keep the event loop busy, in milliseconds. */
const HALF_BUSY_MS = 5;

/**
 * Lets timers and I/O run during a sequence of operations that complete without waiting. Awaiting a
 * settled promise runs only a microtask, so a loop over settled promises would block the event
 * loop.
 *
 * The time since the last yield does not show whether the event loop is busy: a client that waits
 * for each response performs many operations in an idle process. Therefore a timer is started
 * first, and operations pause only if that timer does not fire in time.
 */
export class EventLoopYielder {
  readonly #minOperations: number;
  #ranAt = Date.now();
  #operations = 0;
  /** Time when the timer was started, `undefined` while no timer is running. */
  #startedAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause: Promise<void> | undefined;

  /**
   * Creates a yielder.
   *
   * @param minOperations Minimum number of operations between two timers, so that occasional
   * operations need no timer.
   */
  constructor(minOperations: number = 4) {
    this.#minOperations = minOperations;
  }

  /**
   * Returns a promise that resolves after timers and I/O have run, if operations have kept them
   * from running for about 10 milliseconds. Returns `undefined` if no yield is due. The caller must
   * call `yieldIfDue()` after each operation.
   */
  yieldIfDue(): Promise<void> | undefined {
    if (this.#pause !== undefined) return this.#pause;
    if (this.#startedAt === undefined) {
      if (++this.#operations > this.#minOperations && isOver(this.#ranAt)) this.#start();
      return undefined;
    }
    return isOver(this.#startedAt) ? this.#startPause() : undefined;
  }

  /** Stops the timer after the last operation. A pause that has started still ends. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#startedAt = Date.now();
    this.#timer = setTimeout(() => this.#restart());
  }

  /**
   * Starts another timer, because the first one is overdue: waiting for it would let other work run
   * for only one turn of the event loop.
   */
  #startPause(): Promise<void> {
    return this.#pause = new Promise((resolve) =>
      setTimeout(() => {
        this.#pause = undefined;
        this.#restart();
        resolve();
      })
    );
  }

  #restart(): void {
    this.#ranAt = Date.now();
    this.#operations = 0;
    this.#startedAt = undefined;
  }
}

/** Returns `true` if half of the maximum time has passed since the given time. */
function isOver(since: number): boolean {
  const elapsedMs = Date.now() - since;
  // The system clock may have been set back.
  return elapsedMs >= HALF_BUSY_MS || elapsedMs < 0;
}
