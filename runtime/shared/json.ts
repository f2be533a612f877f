/**
 * JSON values: their type and the guards that prove an unknown value to be one.
 *
 * @module
 */

/**
 * A value that JSON text can carry unchanged.
 *
 * The arrays and objects are mutable types so that messages made of them fit the AI SDK's prompt type; nothing in this
 * package changes one.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-3
 */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** An object whose fields are not validated. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** How deep a value may nest before it stops counting as JSON: far beyond honest data, far below a stack overflow. */
export const MAX_JSON_DEPTH = 200;

/** Returns true if the value is an object other than `null` and arrays. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value as a record, to read its fields. `null`, `undefined` and primitive values have no fields. */
export function asRecord(value: unknown): UnknownRecord {
  return Object(value);
}

/**
 * Says whether a value is plain JSON data: finite numbers, plain objects, no holes, no cycles.
 *
 * @param value anything
 * @param maxDepth how deep it may nest; a cycle is deeper than any limit
 * @returns whether it survives a JSON round trip unchanged
 *
 * @example Tell data from live objects
 * ```ts
 * import { isJsonValue } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * assert(isJsonValue({ list: [1, "two", null] }));
 * assert(!isJsonValue(new Date()) && !isJsonValue(NaN));
 * ```
 */
export function isJsonValue(value: unknown, maxDepth: number = MAX_JSON_DEPTH): value is JsonValue {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (maxDepth <= 0) return false;
  if (Array.isArray(value)) {
    // An array's own iterator, because it does not skip holes.
    for (const item of value) if (!isJsonValue(item, maxDepth - 1)) return false;
  } else if (isPlainObject(value)) {
    for (const key in value) if (!isJsonValue(value[key], maxDepth - 1)) return false;
  } else return false;
  return true;
}

function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A copy of JSON data, for somebody who may change it. */
export function copyJson<Value>(value: Value): Value;
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === "object") copy[key] = copyJson(member);
  }
  return copy;
}

/** Fields of which none is undefined: what could be is optional. */
export type Defined<Fields> =
  & { [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name] }
  & {
    [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<
      Fields[Name],
      undefined
    >;
  };

/** The same fields without those that are undefined. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Proven by the filter, which the types of entries cannot say.
  return Object.fromEntries(entries) as Defined<Fields>;
}
