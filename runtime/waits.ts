/**
 * Waiting for models and tools that may never answer: one timer and one abort listener for a whole run.
 *
 * A controller, a composed signal and a timer for each call would cost more than everything else the loop does, so
 * signals are made when somebody asks for one and all deadlines share a timer.
 *
 * @module
 */

/** Why a wait was cut short. What {@linkcode Waits.wait} rejects with, and nothing else does. */
export class Interruption {
  /** Whether the run was aborted or the call took too long. */
  readonly kind: "aborted" | "timeout";

  constructor(kind: "aborted" | "timeout") {
    this.kind = kind;
  }
}

/** The side of a wait that the called model or tool sees: a signal, made on demand. */
export class Cancellation {
  #controller: AbortController | undefined;
  #reason: unknown;
  #isCancelled = false;

  /** Aborted when nobody waits any more. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Whether it was cancelled. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Aborts the signal, now or as soon as somebody asks for it. */
  cancel(reason: unknown): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** How long to wait. */
export interface WaitLimits {
  /** How long at most, in milliseconds; 0 means for ever. */
  readonly timeoutMs: number;
  /** How long to go on waiting after an abort, in milliseconds. */
  readonly graceMs: number;
}

interface Entry {
  readonly cancellation: Cancellation;
  readonly graceMs: number;
  readonly fail: (interruption: Interruption) => void;
  kind: Interruption["kind"];
  /** In the clock of `performance.now()`. */
  deadline: number;
}

/** The longest delay a timer takes; later deadlines are looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** All waits of one run. */
export class Waits {
  readonly #signal: AbortSignal | undefined;
  readonly #entries: Set<Entry> = new Set();
  #isListening = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerDue = Infinity;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether the run was aborted. */
  get isAborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  /**
   * Waits for work, but no longer than the limits allow.
   *
   * @throws {Interruption} the time is up, or the run was aborted and the grace period is over; what the work does then
   * is ignored. Whatever the work rejects with is passed on.
   */
  wait<T>(work: PromiseLike<T>, cancellation: Cancellation, limits: WaitLimits): Promise<T> {
    return new Promise((resolve, reject) => {
      const entry: Entry = {
        cancellation,
        graceMs: limits.graceMs,
        kind: "timeout",
        deadline: limits.timeoutMs > 0 ? performance.now() + limits.timeoutMs : Infinity,
        fail: reject,
      };
      this.#add(entry);
      work.then(
        (value) => {
          this.#entries.delete(entry);
          resolve(value);
        },
        (error) => {
          this.#entries.delete(entry);
          reject(error);
        },
      );
    });
  }

  /**
   * Waits for some time.
   *
   * @throws {Interruption} the run was aborted
   */
  async delay(delayMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(delayMs, MAX_TIMER_MS));
    });
    try {
      await this.wait(work, new Cancellation(), { timeoutMs: 0, graceMs: 0 });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets go of the timer and the listener. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  #add(entry: Entry): void {
    this.#entries.add(entry);
    if (this.isAborted) return this.#abort(entry);
    if (entry.deadline < this.#timerDue) this.#arm(entry.deadline);
    if (this.#isListening || this.#signal === undefined) return;
    this.#isListening = true;
    this.#signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => {
    for (const entry of [...this.#entries]) this.#abort(entry);
  };

  #abort(entry: Entry): void {
    entry.cancellation.cancel(this.#signal?.reason);
    entry.kind = "aborted";
    if (entry.graceMs === 0) return this.#fail(entry);
    entry.deadline = performance.now() + entry.graceMs;
    if (entry.deadline < this.#timerDue) this.#arm(entry.deadline);
  }

  #fail(entry: Entry): void {
    this.#entries.delete(entry);
    if (entry.kind === "timeout") {
      entry.cancellation.cancel(new DOMException("The call took too long", "TimeoutError"));
    }
    entry.fail(new Interruption(entry.kind));
  }

  #arm(due: number): void {
    clearTimeout(this.#timer);
    this.#timerDue = due;
    const now = performance.now();
    const wakeAt = Math.min(due, now + MAX_TIMER_MS);
    this.#timer = setTimeout(this.#onTimer, Math.max(wakeAt - now, 0), wakeAt);
  }

  /** The timer's word counts as the time: clocks may be coarse, or faked in a test. */
  readonly #onTimer = (wakeAt: number): void => {
    this.#timerDue = Infinity;
    const now = Math.max(performance.now(), wakeAt);
    let next = Infinity;
    for (const entry of [...this.#entries]) {
      if (entry.deadline <= now) this.#fail(entry);
      else next = Math.min(next, entry.deadline);
    }
    if (next < Infinity) this.#arm(next);
  };
}
