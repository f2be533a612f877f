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
