/**
 * Validation of arguments and options. Each error message names the argument, the value and, if there is one, the
 * remedy.
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

/**
 * Asserts that an argument is an object.
 *
 * @throws {TypeError} If the value is not an object.
 */
export function assertObject(name: string, value: unknown): asserts value is UnknownRecord {
  if (!holds(() => isRecord(value))) rejectArgument(name, "an object", value);
}

/**
 * Asserts that an object has certain methods.
 *
 * @param requirement Requirement for the argument, for example `a ToolRegistry`.
 * @throws {TypeError} If the value is not an object or lacks a method.
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

/**
 * Asserts that an argument is a valid date.
 *
 * @throws {TypeError} If the value is not a `Date`, or its time is not a number.
 */
export function assertArgumentDate(name: string, value: unknown): void {
  if (holds(() => value instanceof Date && Number.isFinite(value.getTime()))) return;
  rejectArgument(name, "a valid Date", value);
}

/**
 * Asserts that an optional argument is a function.
 *
 * @throws {TypeError} If the value is neither a function nor `undefined`.
 */
export function assertOptionalFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") rejectArgument(name, "a function", value);
}

/**
 * Asserts that an optional argument is an abort signal.
 *
 * @throws {TypeError} If the value is neither an abort signal nor `undefined`.
 */
export function assertOptionalSignal(name: string, value: unknown): void {
  if (value === undefined) return;
  const methods = ["addEventListener", "removeEventListener"];
  const isController = holds(() => value instanceof AbortController);
  const remedy = isController ? 'pass its "signal"' : undefined;
  assertMethods(name, "an AbortSignal", value, methods, remedy);
}

/**
 * Asserts that an optional argument is one of several strings.
 *
 * @throws {TypeError} If the value is neither one of the strings nor `undefined`.
 */
export function assertOptionalChoice(
  name: string,
  value: unknown,
  choices: readonly string[],
): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  rejectArgument(name, `one of ${choices.map((choice) => `"${choice}"`).join(", ")}`, value);
}

/** Returns the result of a check, or `false` if the check throws because the value is, for example, a revoked proxy. */
function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    // A value that cannot be read does not meet the requirement.
    return false;
  }
}
