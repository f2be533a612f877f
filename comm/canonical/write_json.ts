/**
 * Serialization of validated JSON values.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";

/**
 * Serializes a value returned by `copyValue` to canonical JSON.
 *
 * @param copy A value returned by `copyValue`, or an object of such values with sorted members.
 * @param isDisordered Whether `copy` contains an object whose members JavaScript enumerates in a
 *   different order than RFC 8785 requires.
 */
export function writeJson(copy: JsonValue, isDisordered: boolean): string {
  // Avoid `JSON.stringify` if `Array.prototype` or `Object.prototype` has a `toJSON` method,
  // because `JSON.stringify` would call it.
  return isDisordered || "toJSON" in Array.prototype ? writeSorted(copy) : JSON.stringify(copy);
}

/**
 * Serializes a value with the members of every object sorted, which is slower than
 * `JSON.stringify`.
 */
function writeSorted(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${
    members.map(([name, member]) => `${JSON.stringify(name)}:${writeSorted(member)}`).join(",")
  }}`;
}
