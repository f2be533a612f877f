/**
 * Checks of arguments and options. Each error message names the argument, the requirement, the
 * value and, if there is one, the remedy.
 *
 * A value of the wrong type is a `TypeError`, and a number outside the allowed range is a
 * `RangeError`. A value that cannot be read, such as a revoked proxy, does not meet the
 * requirement.
 *
 * @module
 */

import { formatValue } from "./format_value.ts";
import { isRecord, type UnknownRecord } from "./json.ts";

/**
 * Throws the error for an invalid argument.
 *
 * @param name Name of the argument, as the caller spells it.
 * @param requirement Requirement for the argument, for example `a string`.
 * @param value Value of the argument.
 * @param remedy Remedy, as an imperative phrase.
 * @throws {TypeError} Always.
 */
export function rejectArgument(
  name: string,
  requirement: string,
  value: unknown,
  remedy?: string,
): never {
  const hint = remedy === undefined ? "" : `; ${remedy}`;
  throw new TypeError(`"${name}" must be ${requirement}, got ${formatValue(value)}${hint}`);
}

/** Throws a `TypeError` unless a value is a string. */
export function assertString(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string") rejectArgument(name, "a string", value);
}

/** Throws a `TypeError` unless a value is a string that is not empty. */
export function assertNonEmptyString(name: string, value: unknown): asserts value is string {
  if (value === "") {
    throw new TypeError(`"${name}" must be a non-empty string, got an empty string`);
  }
  if (typeof value !== "string") rejectArgument(name, "a non-empty string", value);
}

/** Throws a `TypeError` unless a value is an array of strings. */
export function assertStrings(name: string, value: unknown): void {
  if (!isArray(value)) rejectArgument(name, "an array of strings", value);
  for (const [index, each] of value.entries()) assertString(`${name}[${index}]`, each);
}

/** Throws a `TypeError` unless a value is an object and not an array. */
export function assertObject(name: string, value: unknown): asserts value is object {
  if (!holds(() => isRecord(value))) rejectArgument(name, "an object", value);
}

/**
 * Same as {@linkcode assertObject} for a value of type `unknown`, whose members can then be read.
 */
export function assertRecord(name: string, value: unknown): asserts value is UnknownRecord {
  assertObject(name, value);
}

/**
 * Throws a `TypeError` unless a value is an object that has certain methods.
 *
 * @param requirement Requirement for the argument, for example `a ToolRegistry`.
 */
export function assertMethods(
  name: string,
  requirement: string,
  value: unknown,
  methods: readonly string[],
  remedy?: string,
): void {
  const has = (method: string): boolean => typeof Reflect.get(Object(value), method) === "function";
  if (holds(() => isRecord(value) && methods.every(has))) return;
  rejectArgument(name, requirement, value, remedy);
}

/** Throws a `TypeError` unless a value is a function. */
export function assertFunction(name: string, value: unknown): void {
  if (typeof value !== "function") rejectArgument(name, "a function", value);
}

/** Throws a `TypeError` unless a value is a function or `undefined`. */
export function assertOptionalFunction(name: string, value: unknown): void {
  if (value !== undefined) assertFunction(name, value);
}

/**
 * Throws a `TypeError` unless a value is a boolean or `undefined`. A string such as `"false"` would
 * otherwise be treated as true.
 */
export function assertOptionalBoolean(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") rejectArgument(name, "a boolean", value);
}

/** Throws a `TypeError` unless a value is a valid `Date`. */
export function assertDate(name: string, value: unknown): void {
  if (holds(() => value instanceof Date && Number.isFinite(value.getTime()))) return;
  rejectArgument(name, "a valid Date", value);
}

/** Throws a `TypeError` unless a value is an abort signal or `undefined`. */
export function assertOptionalSignal(name: string, value: unknown): void {
  if (value === undefined) return;
  const methods = ["addEventListener", "removeEventListener"];
  const isController = holds(() => value instanceof AbortController);
  const remedy = isController ? 'pass its "signal"' : undefined;
  assertMethods(name, "an AbortSignal", value, methods, remedy);
}

/** Throws a `RangeError` unless a value is an integer from `min` to `max`. */
export function assertLimit(
  name: string,
  value: unknown,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): void {
  const isNumber = typeof value === "number" && value >= min;
  if (isNumber && Number.isSafeInteger(value) && value <= max) return;
  rejectNumber(name, describeRange(min, max), value);
}

/** Throws a `RangeError` unless a value is a positive integer. */
export function assertCount(name: string, value: unknown): void {
  assertLimit(name, value, 1);
}

/** Throws a `RangeError` unless a value is zero or a positive number. `Infinity` is allowed. */
export function assertNonNegative(name: string, value: unknown): void {
  if (typeof value !== "number" || !(value >= 0)) {
    rejectNumber(name, "a non-negative number", value);
  }
}

/** Throws a `RangeError` unless a value is a positive number. `Infinity` is allowed. */
export function assertPositiveNumber(name: string, value: unknown): void {
  if (typeof value !== "number" || !(value > 0)) rejectNumber(name, "a positive number", value);
}

/** Throws a `TypeError` unless a value is a number that is neither infinite nor `NaN`. */
export function assertFinite(name: string, value: unknown): void {
  if (!Number.isFinite(value)) rejectArgument(name, "a finite number", value);
}

/** Throws a `RangeError` unless a share is greater than 0 and at most 1. */
export function assertShare(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0 && value <= 1) return;
  rejectNumber(name, "greater than 0 and at most 1", value);
}

function isArray(value: unknown): value is readonly unknown[] {
  return holds(() => Array.isArray(value));
}

/** Returns the result of a check. Returns `false` if the value cannot be read. */
export function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    // A getter or a proxy threw an error, or the proxy is revoked.
    return false;
  }
}

function describeRange(min: number, max: number): string {
  if (max < Number.MAX_SAFE_INTEGER) return `an integer from ${min} to ${max}`;
  if (min > 1) return `an integer of at least ${min}`;
  return min === 1 ? "a positive integer" : "a non-negative integer";
}

function rejectNumber(name: string, requirement: string, value: unknown): never {
  throw new RangeError(`"${name}" must be ${requirement}, got ${formatValue(value)}`);
}
