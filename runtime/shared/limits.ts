/**
 * Validation of numeric options.
 *
 * @module
 */

import { formatValue } from "./format_value.ts";

/** Maximum delay of `setTimeout`: 2^31 - 1 ms, almost 25 days. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * Validates a numeric option.
 *
 * @param name Name of the option, as the caller spells it.
 * @param value Value of the option.
 * @param min Minimum value of an integer option. If omitted, any non-negative number is valid, including `Infinity`.
 * @param max Maximum value of an integer option.
 * @throws {RangeError} If the value is not a number in the allowed range.
 */
export function assertLimit(
  name: string,
  value: unknown,
  min?: number,
  max: number = Number.MAX_SAFE_INTEGER,
): void {
  const isNumber = typeof value === "number" && value >= (min ?? 0);
  if (isNumber && (min === undefined || (Number.isSafeInteger(value) && value <= max))) return;
  throw new RangeError(`"${name}" must be ${describeRange(min, max)}, got ${formatValue(value)}`);
}

function describeRange(min: number | undefined, max: number): string {
  if (min === undefined) return "a non-negative number";
  if (max < Number.MAX_SAFE_INTEGER) return `an integer from ${min} to ${max}`;
  if (min > 1) return `an integer of at least ${min}`;
  return min === 1 ? "a positive integer" : "a non-negative integer";
}
