/**
 * Run counts for property tests: a base number in the normal profile, multiplied in the nightly one.
 *
 * @module
 */

/** What fast-check needs to know of a run. */
export interface PropertyRuns {
  /** How many inputs to try. */
  readonly numRuns: number;
}

/**
 * Scales a property's budget by the environment variable `PARLEY_PROPERTY_FACTOR` (default 1).
 *
 * @param base how many inputs the normal profile tries
 */
export function propertyRuns(base: number): PropertyRuns {
  const factor = Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? "1");
  if (!Number.isFinite(factor) || factor <= 0) {
    throw new RangeError(`Cannot scale property runs: PARLEY_PROPERTY_FACTOR is "${factor}"`);
  }
  return { numRuns: Math.ceil(base * factor) };
}
