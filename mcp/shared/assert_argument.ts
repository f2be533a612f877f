/**
 * Argument validation. Messages name the argument, the requirement and the value.
 *
 * @module
 */

import { formatValue } from "./format_value.ts";

/**
 * Throws unless a value is a string.
 *
 * @throws {TypeError} If the value is not a string.
 */
export function assertString(name: string, value: unknown): asserts value is string {
  if (typeof value === "string") return;
  throw new TypeError(`"${name}" must be a string, got ${formatValue(value)}`);
}

/**
 * Throws unless a value is an object and not an array.
 *
 * @throws {TypeError} If the value is not an object.
 */
export function assertObject(name: string, value: unknown): asserts value is object {
  if (isObject(value)) return;
  throw new TypeError(`"${name}" must be an object, got ${formatValue(value)}`);
}

/**
 * Throws unless a value is a function or `undefined`.
 *
 * @throws {TypeError} If the value is neither a function nor `undefined`.
 */
export function assertCallback(name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new TypeError(`"${name}" must be a function, got ${formatValue(value)}`);
}

/**
 * Throws unless a value is a boolean or `undefined`. A string such as `"false"` would otherwise be treated as true.
 *
 * @throws {TypeError} If the value is neither a boolean nor `undefined`.
 */
export function assertBoolean(name: string, value: unknown): void {
  if (value === undefined || typeof value === "boolean") return;
  throw new TypeError(`"${name}" must be a boolean, got ${formatValue(value)}`);
}

/**
 * Throws unless every value is an integer that is not less than the minimum.
 *
 * @throws {RangeError} If a value is not an integer, or is less than the minimum.
 */
export function assertCounts(minimum: number, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) assertLimit(name, value, minimum);
}

/**
 * Throws unless every value is a non-negative number of milliseconds. `Infinity` is allowed.
 *
 * @throws {RangeError} If a value is not a number, is `NaN` or is negative.
 */
export function assertNotNegative(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "number" && value >= 0) continue;
    throw new RangeError(`"${name}" must be a non-negative number, got ${formatValue(value)}`);
  }
}

/**
 * Throws unless every value is a positive number of milliseconds. `Infinity` is allowed.
 *
 * @throws {RangeError} If a value is not a positive number.
 */
export function assertPositive(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "number" && value > 0) continue;
    throw new RangeError(`"${name}" must be a positive number, got ${formatValue(value)}`);
  }
}

/**
 * Throws unless a limit is an integer that is not less than the minimum.
 *
 * @throws {RangeError} If the limit is not an integer, or is less than the minimum.
 */
export function assertLimit(name: string, value: unknown, minimum: number = 1): void {
  if (Number.isSafeInteger(value) && Number(value) >= minimum) return;
  const kind = minimum > 0 ? "a positive integer" : "a non-negative integer";
  throw new RangeError(`"${name}" must be ${kind}, got ${formatValue(value)}`);
}

/**
 * Throws unless a share is greater than 0 and at most 1.
 *
 * @throws {RangeError} If the share is not greater than 0 and at most 1.
 */
export function assertShare(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0 && value <= 1) return;
  throw new RangeError(
    `"${name}" must be greater than 0 and at most 1, got ${formatValue(value)}`,
  );
}

/**
 * Throws unless a value is a non-empty string.
 *
 * @throws {TypeError} If the value is not a string or is empty.
 */
export function assertNonEmptyString(name: string, value: unknown): void {
  if (typeof value === "string" && value !== "") return;
  const actual = value === "" ? "an empty string" : formatValue(value);
  throw new TypeError(`"${name}" must be a non-empty string, got ${actual}`);
}

/**
 * Throws unless a value is a function.
 *
 * @throws {TypeError} If the value is not a function.
 */
export function assertFunction(name: string, value: unknown): void {
  if (typeof value === "function") return;
  throw new TypeError(`"${name}" must be a function, got ${formatValue(value)}`);
}

/**
 * Throws unless a value is an array of strings.
 *
 * @throws {TypeError} If the value is not an array of strings.
 */
export function assertStrings(name: string, value: unknown): void {
  if (!isArray(value)) {
    throw new TypeError(`"${name}" must be an array of strings, got ${formatValue(value)}`);
  }
  for (const [index, each] of value.entries()) {
    if (typeof each === "string") continue;
    throw new TypeError(`"${name}[${index}]" must be a string, got ${formatValue(each)}`);
  }
}

function isObject(value: unknown): value is object {
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    // `Array.isArray` throws for a revoked proxy.
    return false;
  }
}

function isArray(value: unknown): value is readonly unknown[] {
  return holds(() => Array.isArray(value));
}

/** Returns the result of a check, or `false` if the check throws because the value is, for example, a revoked proxy. */
export function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    // A value that cannot be read does not meet the requirement.
    return false;
  }
}
