/**
 * Asserts that options that are counts accept only integers.
 *
 * @module
 */

import { assertEquals, assertThrows } from "@std/assert";

/** Values that are not counts. */
export const NOT_COUNTS: readonly unknown[] = [
  -1,
  1.5,
  1e300,
  2 ** 53,
  NaN,
  Infinity,
  "5",
  5n,
  null,
];

/** A function that validates options, with the names and the minimum of options that are counts. */
export type CountOptions = readonly [
  create: (options: Readonly<Record<string, unknown>>) => unknown,
  minimum: 0 | 1,
  names: readonly string[],
];

/**
 * Asserts that each option accepts its minimum and the largest safe integer, and that the error for
 * any other value names the option and shows the value.
 */
export function assertCountOptions(rows: readonly CountOptions[]): void {
  for (const [create, minimum, names] of rows) {
    const kind = minimum === 0 ? "a non-negative integer" : "a positive integer";
    for (const name of names) {
      create({ [name]: minimum });
      create({ [name]: Number.MAX_SAFE_INTEGER });
      for (const value of [minimum - 1, ...NOT_COUNTS]) {
        const shown = typeof value === "string" ? `"${value}"` : String(value);
        const message = `"${name}" must be ${kind}, got ${shown}`;
        assertEquals(assertThrows(() => create({ [name]: value }), RangeError).message, message);
      }
    }
  }
}
