/**
 * Conversion of values to JSON without loss.
 *
 * @module
 */

import { isPlainJson, isPlainObject } from "@parley/internal/json";
import { formatValue } from "@parley/internal/format-value";
import type { JsonValue } from "./json.ts";

/**
 * Maximum depth of a value that is returned without serialization. A cyclic value is deeper than
 * `MAX_DEPTH`.
 */
const MAX_DEPTH = 200;

/**
 * Returns the value that the recipient parses from the JSON text. Objects with `toJSON()`, such as
 * dates, are converted, and members that are `undefined` are omitted. A value that is already JSON
 * is returned without a copy.
 *
 * @throws {TypeError} If JSON cannot represent the value without loss. The error message contains
 * the JSON Pointer (RFC 6901) to the first part that JSON cannot represent.
 */
export function toJsonValue(value: unknown): JsonValue {
  return isJson(value) ? value : convert(value);
}

function isJson(value: unknown): value is JsonValue {
  return isPlainJson(value, MAX_DEPTH);
}

function convert(value: unknown): JsonValue {
  try {
    return JSON.parse(stringify(value));
  } catch (cause) {
    // Keep only the first line of the error message for a cyclic value.
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new TypeError(reason, { cause });
  }
}

function stringify(value: unknown): string {
  const pointers = new Map<unknown, string>();
  return JSON.stringify(value, function (this: unknown, key, member: unknown) {
    // The wrapper object around the root value has no JSON Pointer.
    const parent = pointers.get(this);
    const pointer = parent === undefined ? "" : `${parent}/${escapeKey(key)}`;
    if (typeof member === "object" && member !== null) pointers.set(member, pointer);
    const problem = findProblem(member, Object(this)[key], Array.isArray(this) || pointer === "");
    if (problem === undefined) return member;
    throw new TypeError(`${pointer === "" ? "the value" : `"${pointer}"`} is ${problem}`);
  });
}

/** @see https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * Describes a value that JSON cannot represent. Returns `undefined` for a value that JSON can
 * represent.
 *
 * @param value Value, converted by its `toJSON()` method.
 * @param source Value before its conversion by `toJSON()`.
 * @param isRequired Whether `undefined` cannot be omitted, as in an array.
 */
function findProblem(value: unknown, source: unknown, isRequired: boolean): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "bigint":
    case "function":
    case "symbol":
      return `a ${typeof value}`;
    case "undefined":
      if (source !== undefined) return "an object whose toJSON() returns undefined";
      return isRequired ? "undefined" : undefined;
    case "object":
      if (value === null) return source instanceof Date ? "an invalid date" : undefined;
      return hasJsonMembers(value) ? undefined : describe(value);
    default:
      return undefined;
  }
}

/**
 * Returns `false` for objects whose content is not in their members, such as maps, promises and
 * binary data.
 */
function hasJsonMembers(value: object): boolean {
  if (Array.isArray(value) || isPlainObject(value)) return true;
  return Object.keys(value).length > 0 && !ArrayBuffer.isView(value);
}

function describe(value: object): string {
  const text = formatValue(value);
  return text === "an object" ? "an instance of an unnamed class" : text;
}
