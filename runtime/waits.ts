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

/** Why a wait was cut short. What {@linkcode Waits} reject with, and nothing else does. */
export class Interruption {
  /** Whether the run was aborted or the call took too long. */
  readonly kind: "aborted" | "timeout";

  constructor(kind: "aborted" | "timeout") {
    this.kind = kind;
  }
}

/** Who hears what became of work; called once, and may not throw. */
export interface Follower<T> {
  /** The work is done. */
  returned(value: T): void;
  /** It failed, or was cut short by an {@linkcode Interruption}. */
  threw(error: unknown): void;
}

/**
 * One call that may be cut short: its limits, and the signal that the called model or tool sees, made on demand. All calls
 * of a run that are waited for stand in a ring: joining and leaving it cost nothing to speak of.
 */
export class Cancellation {
  /** How long the call may take, in milliseconds; 0 means for ever. */
  readonly timeoutMs: number;
  /** How long it may take to finish after an abort, in milliseconds. */
  readonly graceMs: number;
  /** Why it is about to be cut short. */
  kind: Interruption["kind"] = "timeout";
  /** When it is to be cut short. */
  deadline: number = Infinity;
  /** Who hears of the cut. */
  follower: Pick<Follower<never>, "threw"> | undefined;
  before: Cancellation = this;
  after: Cancellation = this;
  /** Whether nobody waits any more, or not for long. */
  isCancelled = false;
  #controller: AbortController | undefined;
  #reason: unknown;

  constructor(timeoutMs = 0, graceMs = 0) {
    this.timeoutMs = timeoutMs;
    this.graceMs = graceMs;
  }

  /** Aborted when nobody waits any more. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isCancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal, now or as soon as somebody asks for it. */
  cancel(reason: unknown): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  joinBefore(other: Cancellation): void {
    this.before = other.before;
    this.after = other;
    other.before.after = this;
    other.before = this;
  }

  /** Says whether it was still in the ring. */
  leave(): boolean {
    const { before, after } = this;
    before.after = after;
    after.before = before;
    this.before = this;
    this.after = this;
    return before !== this;
  }
}

/** The longest delay a timer takes; later deadlines are looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** All waits of one run. */
export class Waits {
  readonly #signal: AbortSignal | undefined;
  /** The ring's fixed point. */
  readonly #ring = new Cancellation();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerDue = Infinity;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort);
  }

  /** Whether the run was aborted. */
  get isAborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  /**
   * Follows work, but no longer than the call's limits allow. What the work does after that is ignored.
   *
   * @param begun when the work began: the clock is slow, and the caller may know
   */
  follow<T>(work: Promise<T>, call: Cancellation, begun: number, follower: Follower<T>): void {
    call.follower = follower;
    if (call.timeoutMs > 0) call.deadline = begun + call.timeoutMs;
    call.joinBefore(this.#ring);
    if (this.isAborted) this.#abort(call);
    else this.#arm(call.deadline);
    work.then((value) => {
      if (call.leave()) follower.returned(value);
    }, (error) => {
      if (call.leave()) follower.threw(error);
    });
  }

  /**
   * Waits for work, but no longer than the call's limits allow.
   *
   * @throws {Interruption} the time is up, or the run was aborted. Whatever the work rejects with is passed on.
   */
  wait<T>(work: Promise<T>, call: Cancellation = new Cancellation()): Promise<T> {
    return new Promise((returned, threw) => {
      this.follow(work, call, Date.now(), { returned, threw });
    });
  }

  /** Lets go of the timer and the listener. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => {
    for (const call of this.#all()) this.#abort(call);
  };

  #abort(call: Cancellation): void {
    call.cancel(this.#signal?.reason);
    call.kind = "aborted";
    if (call.graceMs === 0) return this.#cut(call);
    call.deadline = Date.now() + call.graceMs;
    this.#arm(call.deadline);
  }

  #cut(call: Cancellation): void {
    call.leave();
    call.cancel(new DOMException("The call took too long", "TimeoutError"));
    call.follower?.threw(new Interruption(call.kind));
  }

  /** The calls now; cutting one short may change the ring. */
  #all(): readonly Cancellation[] {
    const calls: Cancellation[] = [];
    for (let call = this.#ring.after; call !== this.#ring; call = call.after) calls.push(call);
    return calls;
  }

  /** Makes the timer go off at that time, unless it does so before. */
  #arm(due: number): void {
    if (due >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = due;
    const now = Date.now();
    const wakeAt = Math.min(due, now + MAX_TIMER_MS);
    this.#timer = setTimeout(this.#onTimer, wakeAt - now, wakeAt);
  }

  /** The timer's word counts as the time: clocks may be coarse, or faked in a test. */
  readonly #onTimer = (wakeAt: number): void => {
    this.#timerDue = Infinity;
    const now = Math.max(Date.now(), wakeAt);
    for (const call of this.#all()) {
      if (call.deadline <= now) this.#cut(call);
      else this.#arm(call.deadline);
    }
  };
}
