/**
 * Runs many timeouts on a single timer.
 *
 * @module
 */

import { canUnref, MAX_TIMER_MS, type ProcessTimer } from "@parley/internal/timers";

/** A timeout for {@linkcode TimeoutScheduler}. */
export interface TimeoutEntry {
  /**
   * Expiration time, in milliseconds since the epoch. The expiration time may change while the
   * timeout is scheduled.
   */
  readonly dueAt: number;
  /** Called when the timeout has expired. */
  fire(now: number): void;
}

/**
 * Runs many timeouts on a single timer. The timer keeps running when timeouts are added or removed,
 * because starting and stopping a timer would account for most of a fast call's cost. If no
 * timeouts remain, the timer does not keep the process alive, where the runtime supports this.
 */
export class TimeoutScheduler {
  readonly #entries = new Set<TimeoutEntry>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerHandle: ProcessTimer | undefined;
  #firesAt = Infinity;
  #isStopped = false;

  /** Adds a timeout. */
  add(entry: TimeoutEntry): void {
    this.#entries.add(entry);
    if (entry.dueAt < this.#firesAt) this.#schedule(entry.dueAt);
    else if (this.#entries.size === 1) this.#timerHandle?.ref();
  }

  /** Removes a timeout. */
  remove(entry: TimeoutEntry): void {
    if (!this.#entries.delete(entry) || this.#entries.size > 0) return;
    if (this.#isStopped) this.#clear();
    else this.#timerHandle?.unref();
  }

  /** Stops the timer when no timeouts remain. */
  stop(): void {
    this.#isStopped = true;
    if (this.#entries.size === 0) this.#clear();
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
    for (const entry of [...this.#entries]) if (entry.dueAt <= now) entry.fire(now);
    let next = Infinity;
    for (const { dueAt } of this.#entries) next = Math.min(next, dueAt);
    if (next < this.#firesAt) this.#schedule(next);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#timerHandle = undefined;
    this.#firesAt = Infinity;
  }
}
