/**
 * The matcher language: compares a subject's values with the expectations in a case.
 *
 * @module
 */

import type { Matcher } from "./case.ts";
import { isList, isObject, type JsonObject, type JsonValue, readJson } from "./json.ts";
import { compileSchema } from "./schema.ts";
import { excerpt } from "./escape_text.ts";

/** Values captured by `$capture` in one case. */
export type Captures = Map<string, unknown>;

/** The first difference between a value and its expectation. */
export interface Mismatch {
  /** Path in the value, such as `$` or `$.messages[0].role`. */
  readonly path: string;
  /** Expected value. */
  readonly expected: string;
  /** Actual value. */
  readonly got: string;
  /** Matcher at the path. */
  readonly matcher: unknown;
  /** Value at the path. `undefined` if there is no value at the path. */
  readonly actual: unknown;
}

type Compare = (operand: JsonValue, actual: unknown, place: Place) => Mismatch | undefined;

/** State of a comparison. */
interface Place {
  /** Path of the current value. */
  readonly path: string;
  /** Matcher for the current value. */
  readonly matcher: unknown;
  readonly captures: Captures;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?Z$/;
const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/**
 * Finds the first difference between a value and a matcher. Returns `undefined` if the value
 * matches.
 *
 * @param expected A matcher that is valid against the case schema.
 * @param actual The subject's value. `undefined` if the subject returned no value.
 * @param captures Captured values. The expression `$capture` adds values to this map.
 * @see PROTOCOL.md "Expectations"
 *
 * @example Open objects, closed arrays, expressions
 * ```ts
 * import { findMismatch } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(findMismatch({ id: { $type: "string" } }, { id: "7", more: true }), undefined);
 * assertEquals(findMismatch({ list: [1] }, { list: [1, 2] })?.path, "$.list");
 * ```
 */
export function findMismatch(
  expected: Matcher,
  actual: unknown,
  captures: Captures = new Map(),
): Mismatch | undefined {
  return compare(expected, actual, { path: "$", matcher: expected, captures });
}

/** Formats a value on one line, truncated to `limit` characters. */
export function show(value: unknown, limit = 300): string {
  const text = value === undefined ? "no value" : JSON.stringify(value) ?? String(value);
  return showText(text, limit);
}

/** Truncates text, and adds its original length. */
export function showText(text: string, limit = 300): string {
  return text.length <= limit ? text : `${excerpt(text, limit)} (${text.length} characters)`;
}

function compare(expected: Matcher, actual: unknown, parent: Place): Mismatch | undefined {
  const place = { ...parent, matcher: expected };
  if (isList(expected)) return compareList(expected, actual, place);
  if (typeof expected !== "object" || expected === null) {
    return Object.is(expected, actual) ? undefined : differ(place, show(expected), actual);
  }
  const [name = "", ...others] = Object.keys(expected);
  const operand = expected[name];
  if (!name.startsWith("$") || others.length > 0 || operand === undefined) {
    return compareObject(expected, actual, place);
  }
  const expression = EXPRESSIONS.get(name);
  if (expression === undefined) {
    return differ(place, `a known expression instead of "${name}"`, actual);
  }
  return expression(operand, actual, place);
}

function compareList(
  expected: readonly Matcher[],
  actual: unknown,
  place: Place,
): Mismatch | undefined {
  if (!Array.isArray(actual) || actual.length !== expected.length) {
    return differ(place, `an array of length ${expected.length}: ${show(expected)}`, actual);
  }
  return first(expected, (item, index) => compare(item, actual[index], at(place, `[${index}]`)));
}

function compareObject(
  expected: JsonObject,
  actual: unknown,
  place: Place,
): Mismatch | undefined {
  if (!isObject(actual)) return differ(place, `an object that matches ${show(expected)}`, actual);
  return first(
    Object.entries(expected),
    ([name, value]) => compare(value, own(actual, name), at(place, `.${name}`)),
  );
}

function compareExact(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  if (!isObject(operand) || !isObject(actual)) return differ(place, show(operand), actual);
  const extra = Object.keys(actual).find((name) => !Object.hasOwn(operand, name));
  if (extra !== undefined) return compare({ $absent: true }, actual[extra], at(place, `.${extra}`));
  return compareObject(operand as JsonObject, actual, place);
}

function compareUnordered(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  const wanted = asList(operand);
  if (!Array.isArray(actual) || actual.length !== wanted.length) {
    return differ(place, `the items ${show(operand)} in any order`, actual);
  }
  const left = [...actual];
  return first(wanted, (item) => {
    const index = left.findIndex((each) => compare(item, each, place) === undefined);
    if (index < 0) return differ(place, `an array that contains ${show(item)}`, actual);
    left.splice(index, 1);
    return undefined;
  });
}

function compareContains(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  const found = typeof actual === "string"
    ? typeof operand === "string" && actual.includes(operand)
    : Array.isArray(actual) && actual.some((each) => compare(operand, each, place) === undefined);
  return found ? undefined : differ(place, `a value that contains ${show(operand)}`, actual);
}

function compareNumber(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  const range = isObject(operand) ? operand : {};
  const { min = -Infinity, max = Infinity, int = false } = range;
  const fits = typeof actual === "number" && actual >= Number(min) && actual <= Number(max) &&
    (int !== true || Number.isInteger(actual));
  return fits
    ? undefined
    : differ(place, describeRange(Number(min), Number(max), int === true), actual);
}

function describeRange(min: number, max: number, isInteger: boolean): string {
  const kind = isInteger ? "an integer" : "a number";
  if (min === -Infinity) return max === Infinity ? kind : `${kind} not greater than ${max}`;
  return max === Infinity ? `${kind} not less than ${min}` : `${kind} from ${min} to ${max}`;
}

function compareCapture(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  if (actual === undefined) return differ(place, "any value", actual);
  place.captures.set(String(operand), actual);
  return undefined;
}

function compareRef(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  const name = String(operand);
  if (!place.captures.has(name)) return differ(place, `a captured value named "${name}"`, actual);
  const wanted = place.captures.get(name);
  return isSame(wanted, actual)
    ? undefined
    : differ({ ...place, matcher: wanted }, `${show(wanted)} (captured as "${name}")`, actual);
}

function compareGreater(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  const than = place.captures.get(String(operand));
  const fits = typeof actual === "number" && typeof than === "number" && actual > than;
  return fits ? undefined : differ(place, `a number greater than ${show(than)}`, actual);
}

/**
 * Checks that all items have distinct values for a member. Items without the member are ignored.
 */
function compareDistinct(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  const name = String(operand);
  if (!Array.isArray(actual)) return differ(place, "an array", actual);
  const values = actual.flatMap((item) => {
    const value = isObject(item) ? own(item, name) : undefined;
    return value === undefined ? [] : [JSON.stringify(value)];
  });
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  return twice === undefined
    ? undefined
    : differ(place, `unique values of "${name}" (duplicate: ${twice})`, actual);
}

function compareSchema(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  if (typeof operand !== "boolean" && !isObject(operand)) {
    return differ(place, "a JSON Schema", operand);
  }
  const problem = compileSchema(operand)(actual);
  if (problem === undefined) return undefined;
  return differ(at(place, problem.path.replaceAll("/", ".")), problem.message, actual);
}

function compareJson(operand: JsonValue, actual: unknown, place: Place): Mismatch | undefined {
  const parsed = typeof actual === "string" ? readJson(actual) : undefined;
  return parsed === undefined
    ? differ(place, "a string that contains JSON", actual)
    : compare(operand, parsed.value, at(place, ".$json"));
}

/** Creates a comparison that checks a string's format. */
function textLike(form: RegExp, name: string): Compare {
  return (_operand, actual, place) =>
    typeof actual === "string" && form.test(actual) ? undefined : differ(place, name, actual);
}

const EXPRESSIONS: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  [
    "$any",
    (_, actual, place) => actual === undefined ? differ(place, "any value", actual) : undefined,
  ],
  [
    "$absent",
    (_, actual, place) => actual === undefined ? undefined : differ(place, "no value", actual),
  ],
  [
    "$type",
    (operand, actual, place) =>
      hasType(actual, operand) ? undefined : differ(place, `type ${show(operand)}`, actual),
  ],
  [
    "$const",
    (operand, actual, place) =>
      isSame(operand, actual) ? undefined : differ(place, `exactly ${show(operand)}`, actual),
  ],
  ["$exact", compareExact],
  [
    "$re",
    (operand, actual, place) =>
      typeof actual === "string" && new RegExp(String(operand), "u").test(actual)
        ? undefined
        : differ(place, `a string that matches /${operand}/`, actual),
  ],
  ["$contains", compareContains],
  ["$uuid", textLike(UUID, "a UUID")],
  ["$time", textLike(TIME, "an RFC 3339 UTC time")],
  ["$base64", textLike(BASE64, "base64 with padding")],
  ["$base64url", textLike(BASE64URL, "base64url without padding")],
  ["$num", compareNumber],
  ["$len", (operand, actual, place) => compare(operand, lengthOf(actual), at(place, ".length"))],
  [
    "$oneOf",
    (operand, actual, place) =>
      asList(operand).some((each) => compare(each, actual, place) === undefined)
        ? undefined
        : differ(place, `one of ${show(operand)}`, actual),
  ],
  [
    "$allOf",
    (operand, actual, place) => first(asList(operand), (each) => compare(each, actual, place)),
  ],
  [
    "$not",
    (operand, actual, place) =>
      compare(operand, actual, place) === undefined
        ? differ(place, `a value that does not match ${show(operand)}`, actual)
        : undefined,
  ],
  [
    "$each",
    (operand, actual, place) =>
      Array.isArray(actual)
        ? first(actual, (each, index) => compare(operand, each, at(place, `[${index}]`)))
        : differ(place, "an array", actual),
  ],
  [
    "$last",
    (operand, actual, place) =>
      Array.isArray(actual)
        ? compare(operand, actual.at(-1), at(place, "[last]"))
        : differ(place, "an array", actual),
  ],
  ["$unordered", compareUnordered],
  ["$json", compareJson],
  ["$schema", compareSchema],
  ["$capture", compareCapture],
  ["$ref", compareRef],
  ["$greaterThan", compareGreater],
  ["$distinct", compareDistinct],
]);

/** Returns true if two JSON values are equal, regardless of the order of object members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return Object.is(one, other);
  const names = Object.keys(one);
  return names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

function hasType(value: unknown, type: JsonValue): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  const kind: string = typeof value;
  return kind === type;
}

function lengthOf(value: unknown): number | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function first<T>(
  items: readonly T[],
  find: (item: T, index: number) => Mismatch | undefined,
): Mismatch | undefined {
  for (const [index, item] of items.entries()) {
    const mismatch = find(item, index);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function asList(value: JsonValue): readonly JsonValue[] {
  return isList(value) ? value : [value];
}

function at(place: Place, step: string): Place {
  return { ...place, path: place.path + step };
}

function differ({ path, matcher }: Place, expected: string, actual: unknown): Mismatch {
  return { path, expected, got: show(actual), matcher, actual };
}
