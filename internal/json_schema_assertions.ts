/**
 * Checks of JSON Schema keywords that contain no schemas.
 *
 * @module
 */

import { type Counting, findDuplicate, type Spend } from "./json_schema_equality.ts";
import type { Failure } from "./json_schema_issues.ts";
import type { ArrayNode, NumberKeywords, ObjectNode, StringKeywords } from "./json_schema_node.ts";

/** An object of a JSON value. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Name of the JSON type of a value. */
export type JsonType = "array" | "boolean" | "null" | "number" | "object" | "string";

/**
 * Returns the JSON type of a value.
 *
 * @throws {TypeError} If the value has no JSON type.
 */
export function jsonTypeOf(value: unknown): JsonType {
  const type = typeof value;
  switch (type) {
    case "boolean":
    case "number":
    case "string":
      return type;
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "array" : "object";
    default:
      throw new TypeError(`"value" must be a JSON value, got a value of the type ${type}`);
  }
}

/** Returns true if a value has one of the types of the keyword `type`. */
export function hasType(types: readonly unknown[], type: JsonType, value: unknown): boolean {
  if (types.includes(type)) return true;
  return type === "number" && Number.isInteger(value) && types.includes("integer");
}

/** Returns the number of steps of a division. As a decimal number, it takes about a microsecond. */
function divisionCost(value: number, divisor: number): number {
  return Number.isSafeInteger(value) && Number.isSafeInteger(divisor) ? 1 : 40;
}

/** Appends the failures of the keywords for numbers. */
export function checkNumber(
  keywords: NumberKeywords,
  value: number,
  { failures, spend }: { readonly failures: Failure[]; readonly spend: Spend },
): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = keywords;
  if (multipleOf !== undefined) spend(divisionCost(value, multipleOf));
  if (minimum !== undefined && value < minimum) {
    failures.push({ keyword: "minimum", message: `${value} is less than ${minimum}` });
  }
  if (maximum !== undefined && value > maximum) {
    failures.push({ keyword: "maximum", message: `${value} is greater than ${maximum}` });
  }
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    const message = `must be greater than ${exclusiveMinimum}, got ${value}`;
    failures.push({ keyword: "exclusiveMinimum", message });
  }
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    const message = `${value} is greater than or equal to ${exclusiveMaximum}`;
    failures.push({ keyword: "exclusiveMaximum", message });
  }
  if (multipleOf !== undefined && !isMultipleOf(value, multipleOf)) {
    failures.push({
      keyword: "multipleOf",
      message: `${value} is not a multiple of ${multipleOf}`,
    });
  }
}

/**
 * Returns true if a number is a multiple of another. Both are compared as decimal numbers, because
 * `0.3 % 0.1` is not 0.
 */
function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const dividend = toDecimal(value);
  const unit = toDecimal(divisor);
  const shift = dividend.exponent - unit.exponent;
  return shift >= 0
    ? (dividend.digits * 10n ** BigInt(shift)) % unit.digits === 0n
    : dividend.digits % (unit.digits * 10n ** BigInt(-shift)) === 0n;
}

/** Returns the digits and the exponent of the absolute value of a finite number. */
function toDecimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [coefficient = "0", exponent = "0"] = String(Math.abs(value)).split("e");
  const [whole = "0", fraction = ""] = coefficient.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/**
 * Appends the failures of the keywords for strings. A string that is longer than `maxPatternLength`
 * is not matched against a pattern and is invalid.
 */
export function checkString(
  keywords: StringKeywords,
  value: string,
  { failures, maxPatternLength, spend }: {
    readonly failures: Failure[];
    readonly maxPatternLength: number;
    readonly spend: Spend;
  },
): void {
  const { minLength, maxLength = Infinity, pattern, format } = keywords;
  const longest = pattern === undefined ? maxLength : Math.min(maxLength, maxPatternLength);
  const length = minLength === undefined && longest === Infinity ? 0 : countCodePoints(value);
  if (minLength !== undefined && length < minLength) {
    const message = `string is too short (${length} < ${minLength})`;
    failures.push({ keyword: "minLength", message });
  }
  if (length > longest) {
    const message = `string is too long (${length} > ${longest})`;
    failures.push({ keyword: "maxLength", message });
  } else if (pattern !== undefined) {
    spend(pattern.cost(value.length));
    if (!pattern.expression.test(value)) {
      failures.push({ keyword: "pattern", message: "string does not match pattern" });
    }
  }
  if (format !== undefined && !format.matches(value)) {
    const message = `string does not match format "${format.name}"`;
    failures.push({ keyword: "format", message });
  }
}

function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    const isLow = (text.charCodeAt(index) & 0xfc00) === 0xdc00;
    if (isLow && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

/** Appends the failures of the keywords for objects. */
export function checkObject(
  { required, minProperties = 0, maxProperties = Infinity, dependentNames, properties }: ObjectNode,
  value: JsonObject,
  { failures, spend, keysOf }: Counting & { readonly failures: Failure[] },
): void {
  spend((required.length + properties.length) >> 2);
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    failures.push({ keyword: "required", message: `"${name}" is required` });
  }
  if (minProperties > 0 || maxProperties < Infinity) {
    const count = keysOf(value).length;
    if (count < minProperties) {
      const message = `does not have at least ${minProperties} properties`;
      failures.push({ keyword: "minProperties", message });
    }
    if (count > maxProperties) {
      const message = `must have at most ${maxProperties} properties`;
      failures.push({ keyword: "maxProperties", message });
    }
  }
  for (const [key, names] of dependentNames) {
    spend(1);
    if (!Object.hasOwn(value, key)) continue;
    spend(names.length >> 2);
    for (const name of names) {
      if (Object.hasOwn(value, name)) continue;
      const message = `has "${key}" but does not have "${name}"`;
      failures.push({ keyword: "dependentRequired", message });
    }
  }
}

/** Appends the failures of the keywords for arrays. */
export function checkArray(
  { minItems = 0, maxItems = Infinity }: ArrayNode,
  { length }: readonly unknown[],
  failures: Failure[],
): void {
  if (length > maxItems) {
    const message = `array has too many items (${length} > ${maxItems})`;
    failures.push({ keyword: "maxItems", message });
  }
  if (length < minItems) {
    const message = `array has too few items (${length} < ${minItems})`;
    failures.push({ keyword: "minItems", message });
  }
}

/** Appends a failure if two items are equal. */
export function checkUnique(
  value: readonly unknown[],
  { failures, ...counting }: Counting & { readonly failures: Failure[] },
): void {
  const duplicate = findDuplicate(value, counting);
  if (duplicate === undefined) return;
  const message = `duplicate items at indexes ${duplicate.join(" and ")}`;
  failures.push({ keyword: "uniqueItems", message });
}

/** Appends a failure if too few or too many items match the schema in `contains`. */
export function checkContains(
  { minContains, maxContains = Infinity }: ArrayNode,
  count: number,
  failures: Failure[],
): void {
  if (count < (minContains ?? 1)) {
    const message = minContains === undefined
      ? "array does not contain item matching schema"
      : `array must contain at least ${minContains} items matching schema, contains ${count}`;
    failures.push({ keyword: "contains", message });
  }
  if (count > maxContains) {
    const message =
      `array may contain at most ${maxContains} items matching schema, contains ${count}`;
    failures.push({ keyword: "contains", message });
  }
}
