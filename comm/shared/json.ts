/**
 * JSON types, and a function that validates and copies JavaScript values as JSON.
 *
 * @module
 */

import { assertObject } from "@parley/internal/assert-argument";
import { isPlainObject } from "@parley/internal/json";
import { assertNames, namesOf } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { invalidUnicode, serializationFailed, tooDeep } from "./json_error.ts";

/** A JSON value (RFC 8259). The type of message payloads. */
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject;

/** A JSON array. */
export type JsonArray = readonly JsonValue[];

/** A JSON object. */
export interface JsonObject {
  /** Members, keyed by name. */
  readonly [name: string]: JsonValue;
}

/** Default maximum nesting depth of objects and arrays, including the outermost one. */
export const DEFAULT_MAX_DEPTH = 128;

/** Options for {@linkcode copyJson}. */
export interface CopyJsonOptions {
  /**
   * Maximum nesting depth of objects and arrays.
   *
   * @default {128}
   */
  readonly maxDepth?: number;
  /**
   * Whether to freeze the copy deeply.
   *
   * @default {false}
   */
  readonly frozen?: boolean;
}

/** State of a copy operation. */
export interface JsonCopier {
  /** Maximum nesting depth of objects and arrays. */
  readonly maxDepth: number;
  /** Whether to freeze the copy deeply. */
  readonly frozen: boolean;
  /**
   * Path to the current value: one member name or array index per level of nesting. Entries beyond
   * the current depth are left over from earlier values.
   */
  readonly path: (string | number)[];
  /**
   * Whether JavaScript enumerates the members of any copied object in a different order than RFC
   * 8785 requires.
   */
  isDisordered: boolean;
  /**
   * Number of copied values, plus the lengths of the strings. JSON of the copy is at least as long.
   */
  size: number;
  /**
   * Arrays that {@linkcode freezeArrays} freezes. `JSON.stringify` takes two to three times as long
   * for a frozen array, so a copy that is serialized is frozen afterwards.
   */
  readonly unfrozen: JsonArray[];
}

/**
 * Returns `true` if a value can be serialized as JSON without loss: `null`, a boolean, a finite
 * number, a well-formed string, or an acyclic array or plain object of such values.
 *
 * @param value The value to test.
 * @param options Limits. `maxDepth` is the maximum nesting depth, from 1 to 1000 (default: 128).
 * @throws {RangeError} If `maxDepth` is not an integer from 1 to 1000.
 * @throws {TypeError} If an option is unknown.
 *
 * @example Test whether a value is JSON
 * ```ts
 * import { isJsonValue } from "@parley/comm";
 * import { assert, assertFalse } from "@std/assert";
 *
 * assert(isJsonValue({ answer: [42, null] }));
 * assertFalse(isJsonValue({ when: new Date() }));
 * assertFalse(isJsonValue(NaN));
 * ```
 */
export function isJsonValue(
  value: unknown,
  options: { readonly maxDepth?: number } = {},
): value is JsonValue {
  assertDepthOptions(options);
  const copier = createCopier(options);
  try {
    copyValue(value, 0, copier);
    return true;
  } catch {
    // `copyValue` throws if the value is not JSON, and the value's getters might throw.
    return false;
  }
}

const DEPTH_NAMES = namesOf<{ readonly maxDepth?: number }>({ maxDepth: true });

/** Throws a `TypeError` if options that have only the option `maxDepth` contain another name. */
export function assertDepthOptions(options: { readonly maxDepth?: number }): void {
  assertObject("options", options);
  assertNames("options", options, DEPTH_NAMES);
}

/** Returns `true` if a JSON value is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Validates and copies a JSON value. Each member is read exactly once. Negative zero becomes zero.
 * Members are sorted as RFC 8785 requires, except for array-index names, which JavaScript always
 * enumerates first.
 *
 * As with `JSON.stringify`, only own enumerable members with string names are copied. Unlike
 * `JSON.stringify`, this function does not call `toJSON`, and it rejects boxed primitives, class
 * instances, array holes and `undefined`.
 */
export function copyJson(value: unknown, options: CopyJsonOptions = {}): JsonValue {
  const copier = createCopier(options);
  const copy = copyValue(value, 0, copier);
  freezeArrays(copier);
  return copy;
}

/** Freezes the arrays of a copy that must be frozen. */
export function freezeArrays({ unfrozen }: Pick<JsonCopier, "unfrozen">): void {
  for (const array of unfrozen) Object.freeze(array);
}

/** Creates the initial state for copying a JSON value. */
export function createCopier(
  { maxDepth = DEFAULT_MAX_DEPTH, frozen = false }: CopyJsonOptions,
): JsonCopier {
  assertDepth(maxDepth);
  return { maxDepth, frozen, path: [], isDisordered: false, size: 0, unfrozen: [] };
}

/** Throws a `RangeError` if a depth limit is not an integer from 1 to 1000. */
export function assertDepth(maxDepth: number): void {
  if (!Number.isInteger(maxDepth) || maxDepth < 1 || maxDepth > 1000) {
    throw new RangeError(
      `"maxDepth" must be an integer from 1 to 1000, got ${formatValue(maxDepth)}`,
    );
  }
}

/** Formats the first `length` segments of a path as a JSON Pointer (RFC 6901). */
export function toPointer(path: readonly (string | number)[], length: number): string {
  const steps = path.slice(0, length);
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** Adds a member to an object as an own data property, even if its name is `__proto__`. */
export function setMember<Value>(object: Record<string, Value>, name: string, value: Value): void {
  if (name !== "__proto__") {
    try {
      object[name] = value;
      return;
    } catch {
      // Assignment fails if `Object.prototype` is frozen and has a property with the same name.
    }
  }
  const data = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(object, name, data);
}

/**
 * Validates and copies a value at the given nesting depth. The caller must call {@linkcode
 * freezeArrays} after it has copied the whole value.
 */
export function copyValue(value: unknown, depth: number, copier: JsonCopier): JsonValue {
  copier.size++;
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw invalidUnicode(toPointer(copier.path, depth));
    copier.size += value.length;
    return value;
  }
  if (typeof value !== "object" || value === null) return copyScalar(value, depth, copier);
  if (depth >= copier.maxDepth) throw tooDeep(copier.maxDepth);
  return Array.isArray(value) ? copyArray(value, depth, copier) : copyObject(value, depth, copier);
}

/** Validates and copies a value that is neither a string, an object nor an array. */
export function copyScalar(
  value: unknown,
  depth: number,
  copier: Pick<JsonCopier, "path">,
): null | boolean | number {
  switch (typeof value) {
    case "number":
      if (!Number.isFinite(value)) throw notJson(`${value} is not a JSON number`, depth, copier);
      return value === 0 ? 0 : value;
    case "boolean":
      return value;
    default:
      if (value === null) return null;
      throw notJson(`type ${typeof value} is not a JSON type`, depth, copier);
  }
}

function copyArray(value: readonly unknown[], depth: number, copier: JsonCopier): JsonArray {
  const copy: JsonValue[] = [];
  for (let index = 0; index < value.length; index++) {
    copier.path[depth] = index;
    copy.push(copyValue(value[index], depth + 1, copier));
  }
  if (copier.frozen) copier.unfrozen.push(copy);
  return copy;
}

function copyObject(value: object, depth: number, copier: JsonCopier): JsonObject {
  const { path, frozen } = copier;
  if (!isPlainObject(value)) throw notJson("not a plain object", depth, copier);
  const copy: Record<string, JsonValue> = {};
  const names = sortedNames(value);
  for (const name of names) {
    if (!name.isWellFormed()) throw invalidUnicode(toPointer(path, depth));
    path[depth] = name;
    setMember(copy, name, copyValue(value[name], depth + 1, copier));
  }
  if (hasArrayIndex(names)) copier.isDisordered = true;
  return frozen ? Object.freeze(copy) : copy;
}

const NINE = 0x39;

/**
 * Pattern for array-index names, which JavaScript enumerates before other names and in numeric
 * order.
 */
const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/** Returns `true` if any of the sorted names is an array-index name. */
export function hasArrayIndex(names: readonly string[]): boolean {
  for (const name of names) {
    if (name.charCodeAt(0) > NINE) return false;
    if (ARRAY_INDEX.test(name)) return true;
  }
  return false;
}

/**
 * Returns the member names of an object, sorted by UTF-16 code units (RFC 8785 §3.2.3). Most
 * objects are small and nearly sorted, and insertion sort sorts them three times faster than
 * `sort()`.
 */
export function sortedNames(value: object): string[] {
  const names = Object.keys(value);
  if (names.length > 24) return names.sort();
  for (let index = 1; index < names.length; index++) {
    const name = names[index] ?? "";
    let at = index;
    for (; at > 0 && (names[at - 1] ?? "") > name; at--) names[at] = names[at - 1] ?? "";
    names[at] = name;
  }
  return names;
}

/** Creates the error for a value that is not JSON. */
export function notJson(
  reason: string,
  depth: number,
  { path }: Pick<JsonCopier, "path">,
): Error {
  return serializationFailed(toPointer(path, depth), reason);
}
