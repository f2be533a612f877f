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
  readonly #waiters: Waiter[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakeful: Wakeful | undefined;
  #ringsAt = Infinity;
  #isStopped = false;

  /** Calls somebody from now on. */
  add(waiter: Waiter): void {
    if (!this.#waiters.includes(waiter)) this.#waiters.push(waiter);
    if (waiter.dueAt < this.#ringsAt) this.#wind(waiter.dueAt);
    else if (this.#waiters.length === 1) this.#wakeful?.ref();
  }

  /** Calls somebody no more. */
  remove(waiter: Waiter): void {
    const place = this.#waiters.indexOf(waiter);
    if (place === -1) return;
    const last = this.#waiters.pop();
    if (last !== undefined && last !== waiter) this.#waiters[place] = last;
    if (this.#waiters.length > 0) return;
    if (this.#isStopped) this.#clear();
    else this.#wakeful?.unref();
  }

  /** Lets the timer go as soon as nobody waits. */
  stop(): void {
    this.#isStopped = true;
    if (this.#waiters.length === 0) this.#clear();
  }

  #wind(at: number): void {
    this.#clear();
    this.#ringsAt = at;
    const ms = Math.min(Math.max(at - Date.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#ring(), ms);
    this.#wakeful = isWakeful(this.#timer) ? this.#timer : undefined;
  }

  #ring(): void {
    this.#clear();
    const now = Date.now();
    for (const waiter of [...this.#waiters]) if (waiter.dueAt <= now) waiter.ring(now);
    const next = Math.min(...this.#waiters.map(({ dueAt }) => dueAt));
    if (next < this.#ringsAt) this.#wind(next);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#wakeful = undefined;
    this.#ringsAt = Infinity;
  }
}

/** Node, Deno and Bun have these methods; browsers have numbers for timers, and pages do not wait for them. */
interface Wakeful {
  ref(): unknown;
  unref(): unknown;
}

function isWakeful(timer: unknown): timer is Wakeful {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}
