/**
 * Many time-outs on one timer.
 *
 * @module
 */

/** Somebody who does not wait for ever. */
export interface TimeoutEntry {
  /** When it is to be called, in milliseconds since the epoch. May move. */
  readonly dueAt: number;
  /** Called once that time has come, or earlier. */
  fire(now: number): void;
}

/** The longest time that timers can count. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls those who wait when their time has come. One timer does for all of them, and runs on when somebody comes or goes:
 * to start and to stop a timer is the better part of what a quick call costs. While nobody waits it does not keep a
 * process alive, where the platform has a word for that.
 */
export class TimeoutScheduler {
  readonly #entries: TimeoutEntry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerHandle: ProcessTimer | undefined;
  #firesAt = Infinity;
  #isStopped = false;

  /** Calls somebody from now on. */
  add(waiter: TimeoutEntry): void {
    if (!this.#entries.includes(waiter)) this.#entries.push(waiter);
    if (waiter.dueAt < this.#firesAt) this.#schedule(waiter.dueAt);
    else if (this.#entries.length === 1) this.#timerHandle?.ref();
  }

  /** Calls somebody no more. */
  remove(waiter: TimeoutEntry): void {
    const place = this.#entries.indexOf(waiter);
    if (place === -1) return;
    const last = this.#entries.pop();
    if (last !== undefined && last !== waiter) this.#entries[place] = last;
    if (this.#entries.length > 0) return;
    if (this.#isStopped) this.#clear();
    else this.#timerHandle?.unref();
  }

  /** Lets the timer go as soon as nobody waits. */
  stop(): void {
    this.#isStopped = true;
    if (this.#entries.length === 0) this.#clear();
  }

  #schedule(at: number): void {
    this.#clear();
    this.#firesAt = at;
    const ms = Math.min(Math.max(at - Date.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#fire(), ms);
    this.#timerHandle = canUnref(this.#timer) ? this.#timer : undefined;
  }

  #fire(): void {
    this.#clear();
    const now = Date.now();
    for (const waiter of [...this.#entries]) if (waiter.dueAt <= now) waiter.fire(now);
    const next = Math.min(...this.#entries.map(({ dueAt }) => dueAt));
    if (next < this.#firesAt) this.#schedule(next);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#timerHandle = undefined;
    this.#firesAt = Infinity;
  }
}

/** Node, Deno and Bun have these methods; browsers have numbers for timers, and pages do not wait for them. */
interface ProcessTimer {
  ref(): unknown;
  unref(): unknown;
}

function canUnref(timer: unknown): timer is ProcessTimer {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}
