/**
 * A limit of which each party may use only a share.
 *
 * @module
 */

/** Factor that compensates for the rounding of a share and of its product with the maximum. */
const ROUNDING = 1 + 2 * Number.EPSILON;

/**
 * Tracks how much of a limited resource is in use, in total and per party. A party is, for example,
 * a sender, a principal or a host.
 */
export class Quota {
  readonly #max: number;
  readonly #maxPerParty: number;
  readonly #usedBy = new Map<string, number>();
  #used = 0;

  /**
   * Creates a quota with no capacity in use.
   *
   * @param max Total capacity.
   * @param share Maximum share of the capacity per party, from 0 to 1. Every party may use at least
   * 1 unit of capacity.
   */
  constructor(max: number, share: number) {
    this.#max = max;
    // In floating-point arithmetic, 100 * (29 / 100) is less than 29.
    this.#maxPerParty = Math.max(Math.floor(max * share * ROUNDING), 1);
  }

  /**
   * Returns `true` if the given amount of capacity is available. If `party` is `undefined`, only
   * the total capacity is checked.
   */
  has(amount: number, party: string | undefined): boolean {
    if (this.#used + amount > this.#max) return false;
    return party === undefined || this.#of(party) + amount <= this.#maxPerParty;
  }

  /** Adds an amount to the capacity in use. A negative amount releases capacity. */
  take(amount: number, party: string | undefined): void {
    this.#used += amount;
    if (party === undefined) return;
    const left = this.#of(party) + amount;
    if (left === 0) this.#usedBy.delete(party);
    else this.#usedBy.set(party, left);
  }

  #of(party: string): number {
    return this.#usedBy.get(party) ?? 0;
  }
}
