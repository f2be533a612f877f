/**
 * Synchronous work behind an asynchronous interface.
 *
 * @module
 */

/** Returns the result of a synchronous function as a promise. */
export function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
