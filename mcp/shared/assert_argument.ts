/**
 * Argument validation. Messages name the argument, the requirement and the value.
 *
 * @module
 */

/** Maximum length of a quoted string in a message, in characters. */
const MAX_QUOTED = 80;

/** Formats a value for an error message. Primitive values are shown, and other values are described by their kind. */
export function formatValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value);
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "an array" : formatObject(value);
    default:
      return String(value);
  }
}

function formatObject(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === "string" && name !== "Object" && name !== ""
    ? `an instance of ${name}`
    : "an object";
}

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
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
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
 * Throws unless every value is a number that is not less than the minimum. `Infinity` is allowed.
 *
 * @throws {RangeError} If a value is not a number, is `NaN`, or is less than the minimum.
 */
export function assertAtLeast(minimum: number, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "number" && value >= minimum) continue;
    throw new RangeError(`"${name}" must be at least ${minimum}, got ${formatValue(value)}`);
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
 * Throws unless a limit is a positive integer.
 *
 * @throws {RangeError} If the limit is not a positive integer.
 */
export function assertLimit(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && Number(value) >= 1) return;
  throw new RangeError(`"${name}" must be a positive integer, got ${formatValue(value)}`);
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
  if (!Array.isArray(value)) {
    throw new TypeError(`"${name}" must be an array of strings, got ${formatValue(value)}`);
  }
  for (const [index, each] of value.entries()) {
    if (typeof each === "string") continue;
    throw new TypeError(`"${name}[${index}]" must be a string, got ${formatValue(each)}`);
  }
}
