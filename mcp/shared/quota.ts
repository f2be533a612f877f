/**
 * A limit with a maximum share per principal.
 *
 * @module
 */

/** Tracks the capacity in use, in total and per principal. */
export class Quota {
  readonly #max: number;
  readonly #maxPerPrincipal: number;
  readonly #usedBy = new Map<string, number>();
  #used = 0;

  /**
   * Creates a quota with no capacity in use.
   *
   * @param max Total capacity.
   * @param share Maximum share of the capacity per principal, from 0 to 1. Every principal may use
   * at least 1 unit of capacity.
   */
  constructor(max: number, share: number) {
    this.#max = max;
    this.#maxPerPrincipal = Math.max(Math.floor(max * share), 1);
  }

  /**
   * Returns `true` if the given amount of capacity is available. If `subject` is `undefined`, only
   * the total capacity is checked.
   */
  has(amount: number, subject: string | undefined): boolean {
    if (this.#used + amount > this.#max) return false;
    return subject === undefined || this.#of(subject) + amount <= this.#maxPerPrincipal;
  }

  /** Adds an amount to the capacity in use. A negative amount releases capacity. */
  take(amount: number, subject: string | undefined): void {
    this.#used += amount;
    if (subject === undefined) return;
    const left = this.#of(subject) + amount;
    if (left === 0) this.#usedBy.delete(subject);
    else this.#usedBy.set(subject, left);
  }

  #of(subject: string): number {
    return this.#usedBy.get(subject) ?? 0;
  }
}
