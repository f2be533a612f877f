/**
 * JSON values and type guards for them.
 *
 * @module
 */

import { isPlainJson } from "@parley/internal/json";

/**
 * A value that can be represented in JSON without loss.
 *
 * The array and object types are read-only, so that the JSON values of `@parley/comm` and
 * `@parley/mcp` are assignable.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-3
 */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * Maximum nesting depth of a JSON value. Real-world JSON data is not nested this deeply, and
 * recursion to this depth does not overflow the stack.
 */
export const MAX_JSON_DEPTH = 200;

/**
 * Returns true if a value can be serialized as JSON and parsed again without any change. All
 * numbers must be finite, all objects must be plain, and arrays must not have holes.
 *
 * @param value Value to check.
 * @param maxDepth Maximum nesting depth. Cyclic values exceed every maximum depth and are rejected.
 *
 * @example Distinguish JSON data from other objects
 * ```ts
 * import { isJsonValue } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * assert(isJsonValue({ list: [1, "two", null] }));
 * assert(!isJsonValue(new Date()) && !isJsonValue(NaN));
 * ```
 */
export function isJsonValue(value: unknown, maxDepth: number = MAX_JSON_DEPTH): value is JsonValue {
  return isPlainJson(value, maxDepth);
}
