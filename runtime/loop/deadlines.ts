/**
 * Timeouts and cancellation for model and tool calls, with one timer and one abort listener per
 * run.
 *
 * Creating an `AbortController`, a combined signal and a timer for each call would take longer than
 * all other work in the loop. Therefore, abort signals are created on first access, and all
 * deadlines share one timer. Deadlines use `Date.now()`, which takes a third as long as
 * `performance.now()`. If the system clock changes during a call, the call times out too early or
 * too late.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";
import { createAbortReason } from "../shared/platform.ts";

/**
 * Callbacks that receive the outcome of a call. Exactly one of the callbacks is called, exactly
 * once. The callbacks must not throw.
 */
export interface CompletionListener<T> {
  /**
   * Start time of the call, from `Date.now()`. The caller passes the time to avoid reading the
   * clock again, which is slow.
   */
  readonly startedAt: number;
  /** Called with the result when the call succeeds. */
  onReturn(value: T): void;
  /**
   * Called with the error when the call fails, or with the abort reason when it times out or is
   * aborted.
   */
  onThrow(error: unknown): void;
}

/**
 * Timeout and abort state of one call. The `AbortSignal` for the model or tool is created on first
 * access.
 */
export class CallDeadline {
  /** Timeout for the call, in milliseconds. 0 disables the timeout. */
  readonly timeoutMs: number;
  /** Time that the call may take to finish after an abort, in milliseconds. */
  readonly graceMs: number;
  /** Time at which the call is cancelled, in milliseconds since the Unix epoch. */
  dueAt: number = Infinity;
  /** Listener for cancellation. `undefined` after the call has ended. */
  listener: Pick<CompletionListener<never>, "onThrow"> | undefined;
  /** Index of the call in the scheduler's list. */
  index = 0;
  /** Whether the call has timed out or has been aborted. */
  isCancelled = false;
  /** Reason for the cancellation. */
  reason: unknown;
  #controller: AbortController | undefined;

  constructor(timeoutMs = 0, graceMs = 0) {
    this.timeoutMs = timeoutMs;
    this.graceMs = graceMs;
  }

  /** Signal that is aborted when the call is cancelled. */
  get signal(): AbortSignal {
    const controller = this.#controller ??= new AbortController();
    if (this.isCancelled) controller.abort(this.reason);
    return controller.signal;
  }

  /** Cancels the call because it has timed out. Returns the reason for the cancellation. */
  expire(): unknown {
    this.cancel(createAbortReason("The call timed out", "TimeoutError"));
    return this.reason;
  }

  /** Cancels the call and aborts its signal. Does nothing if the call is already cancelled. */
  cancel(reason: unknown): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.reason = reason;
    this.#controller?.abort(reason);
  }
}

/** Schedules the deadlines for all calls in a run. */
export class DeadlineScheduler {
  readonly #signal: AbortSignal | undefined;
  /** Calls in progress, unordered so that adding and removing a call takes constant time. */
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

  /**
   * Notifies the listener when the call's promise settles or the deadline is reached. A result that
   * arrives after the deadline is ignored.
   */
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
   * Waits for a call's promise and returns its value.
   *
   * @throws The abort reason of the call's signal if the call times out or the run is aborted.
   */
  wait<T>(work: T | Promise<T>, call: CallDeadline = new CallDeadline()): Promise<T> {
    return new Promise((onReturn, onThrow) => {
      this.follow(work, call, { startedAt: Date.now(), onReturn, onThrow });
    });
  }

  /** Stops the timer and removes the abort listener. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#checkDeadlines(Date.now());

  #checkDeadlines(now: number): void {
    // Iterate over a copy, because a listener may start another call.
    for (const call of [...this.#calls]) this.#checkDeadline(call, now);
  }

  #checkDeadline(call: CallDeadline, now: number): void {
    if (this.isAborted && !call.isCancelled) {
      call.cancel(this.#signal?.reason);
      call.dueAt = now + call.graceMs;
    }
    if (call.dueAt > now) return this.#schedule(call.dueAt);
    const { listener } = call;
    const reason = call.expire();
    if (this.#remove(call)) listener?.onThrow(reason);
  }

  /**
   * Removes a call from the calls in progress. Returns `true` if the call was still in progress.
   */
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

  /** Sets the timer to the given time, unless it is already set to an earlier time. */
  #schedule(due: number): void {
    if (due >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = due;
    const now = Date.now();
    // A deadline beyond the maximum timer delay is checked again when the timer fires.
    const firesAt = Math.min(due, now + MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timerDue = Infinity;
      // When the timer fires, a coarse clock, or a fake clock in a test, may still return a time
      // before `firesAt`.
      this.#checkDeadlines(Math.max(Date.now(), firesAt));
    }, Math.max(firesAt - now, 0));
  }
}
