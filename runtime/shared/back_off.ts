/**
 * Delays between attempts.
 *
 * @module
 */

/**
 * Returns the delay before an attempt, in milliseconds: `firstMs` after the first attempt, doubled
 * after each subsequent attempt.
 */
export function backOff(attempt: number, firstMs: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(attempt - 1, 52), maxMs);
}
