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
export interface CompletionListener<T> {
  /** When the work began: the clock is slow, and whoever began it has looked already. */
  readonly startedAt: number;
  /** The work is done. */
  onReturn(value: T): void;
  /** It failed, or was cut short: with the reason of its signal. */
  onThrow(error: unknown): void;
}

/** One call that may be cut short: its limits, and the signal that the called model or tool sees, made on demand. */
export class CallDeadline {
  /** How long the call may take, in milliseconds; 0 means for ever. */
  readonly timeoutMs: number;
  /** How long it may take to finish after an abort, in milliseconds. */
  readonly graceMs: number;
  /** When it is to be cut short. */
  dueAt: number = Infinity;
  /** Who hears of the cut; nobody any more when the call is over. */
  listener: Pick<CompletionListener<never>, "onThrow"> | undefined;
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
export class DeadlineScheduler {
  readonly #signal: AbortSignal | undefined;
  /** The calls at work, in no order: to join and to leave costs nothing to speak of. */
  readonly #calls: CallDeadline[] = [];
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
  follow<T>(work: T | Promise<T>, call: CallDeadline, listener: CompletionListener<T>): void {
    const promise = Promise.resolve(work);
    call.listener = listener;
    if (call.timeoutMs > 0) call.dueAt = listener.startedAt + call.timeoutMs;
    call.index = this.#calls.push(call) - 1;
    this.#checkDeadline(call, listener.startedAt);
    promise.then((value) => {
      if (this.#remove(call)) listener.onReturn(value);
    }, (error) => {
      if (this.#remove(call)) listener.onThrow(error);
    });
  }

  /**
   * Waits for work, but no longer than the call's limits allow.
   *
   * @throws the reason of the call's signal: the time is up, or the run was aborted. Whatever the work rejects with is
   * passed on.
   */
  wait<T>(work: T | Promise<T>, call: CallDeadline = new CallDeadline()): Promise<T> {
    return new Promise((onReturn, onThrow) => {
      this.follow(work, call, { startedAt: Date.now(), onReturn, onThrow });
    });
  }

  /** Lets go of the timer and the listener. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#checkDeadlines(Date.now());

  #checkDeadlines(now: number): void {
    // A copy: whoever is cut short may begin something else.
    for (const call of [...this.#calls]) this.#checkDeadline(call, now);
  }

  #checkDeadline(call: CallDeadline, now: number): void {
    if (this.isAborted && !call.isCancelled) {
      call.cancel(this.#signal?.reason);
      call.dueAt = now + call.graceMs;
    }
    if (call.dueAt > now) return this.#schedule(call.dueAt);
    const { listener } = call;
    call.cancel(new DOMException("Timed out", "TimeoutError"));
    if (this.#remove(call)) listener?.onThrow(call.reason);
  }

  /** Says whether the call was still at work. */
  #remove(call: CallDeadline): boolean {
    if (!call.listener) return false;
    call.listener = undefined;
    const last = this.#calls.pop();
    if (last && last !== call) {
      this.#calls[call.index] = last;
      last.index = call.index;
    }
    return true;
  }

  /** Makes the timer go off at that time, unless it does so before. */
  #schedule(due: number): void {
    if (due >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = due;
    const now = Date.now();
    const firesAt = Math.min(due, now + MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timerDue = Infinity;
      // The timer's word counts as the time: clocks may be coarse, or faked in a test.
      this.#checkDeadlines(Math.max(Date.now(), firesAt));
    }, Math.max(firesAt - now, 0));
  }
}
