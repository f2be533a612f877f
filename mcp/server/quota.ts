/**
 * Limits that nobody can use up for everybody else.
 *
 * @module
 */

/** What is left of one limit, for all and for each. */
export class Quota {
  readonly #max: number;
  readonly #maxPerPrincipal: number;
  readonly #usedBy = new Map<string, number>();
  #used = 0;

  /**
   * Counts from nothing.
   *
   * @param max how much there is for all
   * @param share how much of that one principal may have, from 0 to 1; at least one
   */
  constructor(max: number, share: number) {
    this.#max = max;
    this.#maxPerPrincipal = Math.max(Math.floor(max * share), 1);
  }

  /** Whether so much more is to be had. Those whom nobody knows have no share of their own. */
  has(amount: number, subject: string | undefined): boolean {
    if (this.#used + amount > this.#max) return false;
    return subject === undefined || this.#of(subject) + amount <= this.#maxPerPrincipal;
  }

  /** Takes so much; gives back what is negative. */
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
