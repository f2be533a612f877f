/**
 * Run counts of property tests: a base number, which the nightly workflow multiplies.
 *
 * @module
 */

/** fast-check options for a run. */
export interface PropertyRuns {
  /** Number of generated inputs. */
  readonly numRuns: number;
}

/**
 * Multiplies the number of runs by the value of the environment variable `PARLEY_PROPERTY_FACTOR`
 * (default: 1).
 *
 * @param base Number of inputs if `PARLEY_PROPERTY_FACTOR` is not set.
 */
export function propertyRuns(base: number): PropertyRuns {
  const factor = Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? "1");
  if (!Number.isFinite(factor) || factor <= 0) {
    throw new RangeError(
      `Cannot scale property runs: PARLEY_PROPERTY_FACTOR must be a positive number, got ${factor}`,
    );
  }
  return { numRuns: Math.ceil(base * factor) };
}
