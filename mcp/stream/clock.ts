/**
 * Many time-outs on one timer.
 *
 * @module
 */

/** Somebody who does not wait for ever. */
export interface Waiter {
  /** When it is to be called, in milliseconds since the epoch. May move. */
  readonly dueAt: number;
  /** Called once that time has come, or earlier. */
  ring(now: number): void;
}

/** The longest time that timers can count. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls those who wait when their time has come. One timer does for all of them, and runs on when somebody comes or goes:
 * to start and to stop a timer is the better part of what a quick call costs. While nobody waits it does not keep a
 * process alive, where the platform has a word for that.
 */
export class Clock {
  readonly #waiters = new Set<Waiter>();
  #timer: unknown;
  #ringsAt = Infinity;
  #isStopped = false;

  /** Calls somebody from now on. */
  add(waiter: Waiter): void {
    this.#waiters.add(waiter);
    if (waiter.dueAt < this.#ringsAt) this.#wind(waiter.dueAt);
    else if (this.#waiters.size === 1) call(this.#timer, "ref");
  }

  /** Calls somebody no more. */
  remove(waiter: Waiter): void {
    if (!this.#waiters.delete(waiter) || this.#waiters.size > 0) return;
    if (this.#isStopped) this.#clear();
    else call(this.#timer, "unref");
  }

  /** Lets the timer go as soon as nobody waits. */
  stop(): void {
    this.#isStopped = true;
    if (this.#waiters.size === 0) this.#clear();
  }

  #wind(at: number): void {
    this.#clear();
    this.#ringsAt = at;
    const ms = Math.min(Math.max(at - Date.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#ring(), ms);
  }

  #ring(): void {
    this.#clear();
    const now = Date.now();
    for (const waiter of this.#waiters) if (waiter.dueAt <= now) waiter.ring(now);
    const next = Math.min(...Array.from(this.#waiters, ({ dueAt }) => dueAt));
    if (next < this.#ringsAt) this.#wind(next);
  }

  #clear(): void {
    // An absent timer is none.
    clearTimeout(this.#timer as ReturnType<typeof setTimeout> | undefined);
    this.#timer = undefined;
    this.#ringsAt = Infinity;
  }
}

/** Node, Deno and Bun have these methods; browsers have numbers for timers, and pages do not wait for them. */
function call(timer: unknown, method: "ref" | "unref"): void {
  if (typeof timer !== "object" || timer === null || !(method in timer)) return;
  Reflect.get(timer, method).call(timer);
}
