/**
 * Stores of budgets that processes share.
 *
 * @module
 */

/** Amounts of a stored budget. */
export interface BudgetState {
  /** Amount that was used, including the reservations that have expired. */
  readonly used: number;
  /** Amount that is reserved for calls in progress. */
  readonly reserved: number;
}

/** Limits of a reservation. */
export interface ReserveOptions {
  /** Maximum of the used and reserved amounts, including the new reservation. */
  readonly limit: number;
  /** Time after which the reservation counts as used, in milliseconds. */
  readonly ttlMs: number;
}

/**
 * A store of budgets, which any number of processes can share. All amounts are non-negative
 * integers: tokens, or millionths of a currency.
 *
 * Two reservations that are made at the same time must not exceed the limit together, so a store
 * reserves in one transaction. A reservation that is never settled counts in full, because the
 * process may have crashed after the call.
 */
export interface BudgetStore {
  /**
   * Reserves an amount if the used and reserved amounts and the new amount do not exceed the limit.
   *
   * @param key Key of the budget.
   * @param amount Amount to reserve.
   * @param options Limit and expiration time.
   * @returns Id of the reservation, or `undefined` if the amount exceeds the limit.
   */
  reserve(key: string, amount: number, options: ReserveOptions): Promise<string | undefined>;
  /**
   * Replaces a reservation with the amount that was used, which may be greater than the reserved
   * amount. A reservation that has expired is also replaced. Does nothing if the reservation is
   * unknown or was settled.
   *
   * @param id Id of the reservation.
   * @param used Amount that was used.
   */
  settle(id: string, used: number): Promise<void>;
  /**
   * Returns the amounts of a budget. A key that was never used has the amounts 0.
   *
   * @param key Key of the budget.
   */
  read(key: string): Promise<BudgetState>;
}

/** A store whose old budgets can be deleted. */
export interface PurgeableBudgetStore extends BudgetStore {
  /**
   * Deletes the budgets whose last change is earlier, for example the budgets of past days. A
   * deleted budget starts again with the amounts 0.
   *
   * @param before Time of the earliest change that is kept.
   * @returns Number of deleted budgets.
   */
  purge(before: Date): Promise<number>;
}
