/**
 * Waiting for models and tools that may never answer: one timer and one abort listener for a whole run.
 *
 * A controller, a composed signal and a timer for each call would cost more than everything else the loop does, so
 * signals are made when somebody asks for one and all deadlines share a timer. Deadlines are in the clock of `Date.now()`:
 * it costs a third of `performance.now()`, and a clock that is set while a tool is at work does no more harm than a
 * time-out a little early or late.
 *
 * @module
 */

/** Who hears what became of work; called once, and may not throw. */
export interface Follower<T> {
  /** When the work began: the clock is slow, and whoever began it has looked already. */
  readonly begun: number;
  /** The work is done. */
  returned(value: T): void;
  /** It failed, or was cut short: with the reason of its signal. */
  threw(error: unknown): void;
}

/** One call that may be cut short: its limits, and the signal that the called model or tool sees, made on demand. */
export class Cancellation {
  /** How long the call may take, in milliseconds; 0 means for ever. */
  readonly timeoutMs: number;
  /** How long it may take to finish after an abort, in milliseconds. */
  readonly graceMs: number;
  /** When it is to be cut short. */
  deadline: number = Infinity;
  /** Who hears of the cut; nobody any more when the call is over. */
  follower: Pick<Follower<never>, "threw"> | undefined;
  /** Where it stands among the calls of its run. */
  index = 0;
  /** Whether nobody waits any more, or not for long. */
  isCancelled = false;
  /** Why. */
  reason: unknown;
  #controller: AbortController | undefined;

  constructor(timeoutMs = 0, graceMs = 0) {
    this.timeoutMs = timeoutMs;
    this.graceMs = graceMs;
  }

  /** Aborted when nobody waits any more. */
  get signal(): AbortSignal {
    const controller = this.#controller ??= new AbortController();
    if (this.isCancelled) controller.abort(this.reason);
    return controller.signal;
  }

  /** Aborts the signal, now or as soon as somebody asks for it. */
  cancel(reason: unknown): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.reason = reason;
    this.#controller?.abort(reason);
  }
}

/** The longest delay a timer takes; later deadlines are looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** All waits of one run. */
export class Waits {
  readonly #signal: AbortSignal | undefined;
  /** The calls at work, in no order: to join and to leave costs nothing to speak of. */
  readonly #calls: Cancellation[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerDue = Infinity;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort);
  }

  /** Whether the run was aborted. */
  get isAborted(): boolean {
    return this.#signal?.aborted === true;
  }

  /** Follows work, but no longer than the call's limits allow. What the work does after that is ignored. */
  follow<T>(work: T | Promise<T>, call: Cancellation, follower: Follower<T>): void {
    const promise = Promise.resolve(work);
    call.follower = follower;
    if (call.timeoutMs > 0) call.deadline = follower.begun + call.timeoutMs;
    call.index = this.#calls.push(call) - 1;
    this.#look(call, follower.begun);
    promise.then((value) => {
      if (this.#leave(call)) follower.returned(value);
    }, (error) => {
      if (this.#leave(call)) follower.threw(error);
    });
  }

  /**
   * Waits for work, but no longer than the call's limits allow.
   *
   * @throws the reason of the call's signal: the time is up, or the run was aborted. Whatever the work rejects with is
   * passed on.
   */
  wait<T>(work: T | Promise<T>, call: Cancellation = new Cancellation()): Promise<T> {
    return new Promise((returned, threw) => {
      this.follow(work, call, { begun: Date.now(), returned, threw });
    });
  }

  /** Lets go of the timer and the listener. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#lookAtAll(Date.now());

  #lookAtAll(now: number): void {
    // A copy: whoever is cut short may begin something else.
    for (const call of [...this.#calls]) this.#look(call, now);
  }

  #look(call: Cancellation, now: number): void {
    if (this.isAborted && !call.isCancelled) {
      call.cancel(this.#signal?.reason);
      call.deadline = now + call.graceMs;
    }
    if (call.deadline > now) return this.#arm(call.deadline);
    const { follower } = call;
    call.cancel(new DOMException("Timed out", "TimeoutError"));
    if (this.#leave(call)) follower?.threw(call.reason);
  }

  /** Says whether the call was still at work. */
  #leave(call: Cancellation): boolean {
    if (!call.follower) return false;
    call.follower = undefined;
    const last = this.#calls.pop();
    if (last && last !== call) {
      this.#calls[call.index] = last;
      last.index = call.index;
    }
    return true;
  }

  /** Makes the timer go off at that time, unless it does so before. */
  #arm(due: number): void {
    if (due >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = due;
    const now = Date.now();
    const wakeAt = Math.min(due, now + MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timerDue = Infinity;
      // The timer's word counts as the time: clocks may be coarse, or faked in a test.
      this.#lookAtAll(Math.max(Date.now(), wakeAt));
    }, Math.max(wakeAt - now, 0));
  }
}
