/**
 * JSON types, and the type guard for parsed JSON objects.
 *
 * @module
 */

/** A JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object with unvalidated members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns `true` if a value is an object, but not `null` or an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
