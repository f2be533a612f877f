/**
 * Limits that nobody can use up for everybody else.
 *
 * @module
 */

/** What is left of one limit, for all and for each. */
export class Quota {
  readonly #max: number;
  readonly #maxEach: number;
  readonly #each = new Map<string, number>();
  #all = 0;

  /**
   * Counts from nothing.
   *
   * @param max how much there is for all
   * @param share how much of that one principal may have, from 0 to 1; at least one
   */
  constructor(max: number, share: number) {
    this.#max = max;
    this.#maxEach = Math.max(Math.floor(max * share), 1);
  }

  /** Whether so much more is to be had. Those whom nobody knows have no share of their own. */
  has(amount: number, subject: string | undefined): boolean {
    if (this.#all + amount > this.#max) return false;
    return subject === undefined || this.#of(subject) + amount <= this.#maxEach;
  }

  /** Takes so much; gives back what is negative. */
  take(amount: number, subject: string | undefined): void {
    this.#all += amount;
    if (subject === undefined) return;
    const left = this.#of(subject) + amount;
    if (left === 0) this.#each.delete(subject);
    else this.#each.set(subject, left);
  }

  #of(subject: string): number {
    return this.#each.get(subject) ?? 0;
  }
}
