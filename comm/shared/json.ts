/**
 * JSON values: their types, and the one copier that proves a value in memory to be JSON while it copies it.
 *
 * @module
 */

import { invalidUnicode, serializationFailed, tooDeep } from "./error.ts";

/** A JSON value (RFC 8259): what a payload may be. */
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject;

/** A JSON array. */
export type JsonArray = readonly JsonValue[];

/** A JSON object. */
export interface JsonObject {
  /** The members. */
  readonly [name: string]: JsonValue;
}

/** How many objects and arrays may nest, the outermost included, unless an option says otherwise. */
export const DEFAULT_MAX_DEPTH = 128;

/** What {@linkcode copyJson} does beside copying. */
export interface CopyJsonOptions {
  /** How many objects and arrays may nest; the default is 128. */
  readonly maxDepth?: number;
  /** Freezes the copy all through. */
  readonly frozen?: boolean;
}

/** One copier over a value. */
export interface JsonCopier {
  /** How many objects and arrays may nest. */
  readonly maxDepth: number;
  /** Freezes the copy all through. */
  readonly frozen: boolean;
  /** Lets lone surrogates pass, for a caller who finds them in another way. */
  readonly allowsLoneSurrogates: boolean;
  /** The step taken at each depth; entries beyond the current depth are stale. */
  readonly path: (string | number)[];
  /** Set when a member's name kept JavaScript from putting its object in order. */
  isDisordered: boolean;
}

/**
 * Whether a value in memory is JSON: null, booleans, finite numbers, well-formed strings, and arrays and plain objects
 * of such, without cycles.
 *
 * @param value anything
 * @param options `maxDepth`: how many objects and arrays may nest, 1 to 1000; the default is 128
 * @throws {RangeError} when `maxDepth` is out of range
 *
 * @example Tell JSON from what only looks like it
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
  assertDepth(options.maxDepth ?? DEFAULT_MAX_DEPTH);
  try {
    copyJson(value, options);
    return true;
  } catch {
    // The copier throws exactly when the value is not JSON; a getter that throws makes it not JSON either.
    return false;
  }
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Proves that a value is JSON and copies it, reading every member exactly once; negative zero becomes zero, and members
 * come in the order of RFC 8785, as far as a JavaScript object can keep it.
 *
 * Like `JSON.stringify` it sees own enumerable members with string names only; unlike it, it takes no `toJSON`, no
 * boxed values, no class instances, no holes and no `undefined`.
 */
export function copyJson(value: unknown, options: CopyJsonOptions = {}): JsonValue {
  return copyValue(value, 0, createCopier(options));
}

/** The beginning of a copier. */
export function createCopier(
  { maxDepth = DEFAULT_MAX_DEPTH, frozen = false }: CopyJsonOptions,
): JsonCopier {
  assertDepth(maxDepth);
  return { maxDepth, frozen, allowsLoneSurrogates: false, path: [], isDisordered: false };
}

/** Refuses a depth limit that recursion could not keep. */
export function assertDepth(maxDepth: number): void {
  if (!Number.isInteger(maxDepth) || maxDepth < 1 || maxDepth > 1000) {
    throw new RangeError(`"maxDepth" must be an integer from 1 to 1000, got ${maxDepth}`);
  }
}

/** Writes the first steps of a path as a JSON Pointer (RFC 6901). */
export function toPointer(path: readonly (string | number)[], length: number): string {
  const steps = path.slice(0, length);
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** Adds a member as data, also one named `__proto__`. */
export function setMember(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name !== "__proto__") {
    try {
      object[name] = value;
      return;
    } catch {
      // Where somebody froze `Object.prototype`, nothing can be assigned to its names, such as `toString`.
    }
  }
  const data = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(object, name, data);
}

/** The copy of a value that stands at a depth. */
export function copyValue(value: unknown, depth: number, copier: JsonCopier): JsonValue {
  switch (typeof value) {
    case "string":
      if (!copier.allowsLoneSurrogates && !value.isWellFormed()) {
        throw invalidUnicode(toPointer(copier.path, depth));
      }
      return value;
    case "number":
      if (!Number.isFinite(value)) throw notJson(`${value} is not a JSON number`, depth, copier);
      return value === 0 ? 0 : value;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      if (depth >= copier.maxDepth) throw tooDeep(copier.maxDepth);
      return Array.isArray(value)
        ? copyArray(value, depth, copier)
        : copyObject(value, depth, copier);
    default:
      throw notJson(`type ${typeof value} is not a JSON type`, depth, copier);
  }
}

function copyArray(value: readonly unknown[], depth: number, copier: JsonCopier): JsonArray {
  const copy: JsonValue[] = [];
  for (let index = 0; index < value.length; index++) {
    copier.path[depth] = index;
    copy.push(copyValue(value[index], depth + 1, copier));
  }
  return copier.frozen ? Object.freeze(copy) : copy;
}

function copyObject(value: object, depth: number, copier: JsonCopier): JsonObject {
  const { path, frozen, allowsLoneSurrogates } = copier;
  if (!isPlainObject(value)) throw notJson("not a plain object", depth, copier);
  const copy: Record<string, JsonValue> = {};
  for (const name of sortedNames(value)) {
    if (!allowsLoneSurrogates && !name.isWellFormed()) throw invalidUnicode(toPointer(path, depth));
    path[depth] = name;
    setMember(copy, name, copyValue(value[name], depth + 1, copier));
    if (name.charCodeAt(0) <= NINE && ARRAY_INDEX.test(name)) copier.isDisordered = true;
  }
  return frozen ? Object.freeze(copy) : copy;
}

const NINE = 0x39;

/** JavaScript objects list members named like an array index first, whatever the order they were added in. */
const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/** Plain objects have no prototype or one that is the root of its realm. */
export function isPlainObject(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * The names of an object's members by UTF-16 code units, as RFC 8785 §3.2.3 asks for and `sort()` does. Objects are
 * mostly small and often sorted; for those, inserting is three times quicker.
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

function notJson(reason: string, depth: number, copier: JsonCopier): Error {
  return serializationFailed(toPointer(copier.path, depth), reason);
}
