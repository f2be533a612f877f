/**
 * Validation of limits, times and other options. JavaScript callers can pass values that are not numbers: the
 * string `"5000"` would pass a comparison, but adding a time to it would append digits.
 *
 * @module
 */

import { formatValue } from "./format_value.ts";

type Limits = Readonly<Record<string, unknown>>;

/** Throws a `RangeError` if a limit is not a positive number. */
export function assertPositive(limits: Limits): void {
  assertEach(limits, "a positive number", (value) => value > 0);
}

/** Throws a `RangeError` if a limit is not a positive integer. */
export function assertPositiveInteger(limits: Limits): void {
  assertEach(limits, "a positive integer", (value) => Number.isSafeInteger(value) && value > 0);
}

/** Throws a `RangeError` if a limit is not a non-negative integer. */
export function assertNotNegativeInteger(limits: Limits): void {
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  assertEach(limits, "a non-negative integer", isCount);
}

/** Throws a `RangeError` if a limit is not a number or is negative. */
export function assertNotNegative(limits: Limits): void {
  assertEach(limits, "a non-negative number", (value) => value >= 0);
}

/** Throws a `TypeError` if an option is not one of the allowed strings. */
export function assertOneOf(options: Limits, allowed: readonly unknown[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (allowed.includes(value)) continue;
    const expected = allowed.join('" or "');
    throw new TypeError(`"${name}" must be "${expected}", got ${formatValue(value)}`);
  }
}

function assertEach(
  limits: Limits,
  requirement: string,
  isValid: (value: number) => boolean,
): void {
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "number" && isValid(value)) continue;
    throw new RangeError(`"${name}" must be ${requirement}, got ${formatValue(value)}`);
  }
}
