/**
 * Serialization of validated JSON values.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";

/**
 * Serializes a copied value as canonical JSON.
 *
 * @param copy A value returned by `copyValue`, or an object of such values with sorted members.
 * @param isDisordered Whether JavaScript enumerates the members of any object in a different order
 *   than RFC 8785 requires.
 */
export function writeJson(copy: JsonValue, isDisordered: boolean): string {
  // `JSON.stringify` would call a `toJSON` method on `Array.prototype` or `Object.prototype`.
  return isDisordered || "toJSON" in Array.prototype ? writeSorted(copy) : JSON.stringify(copy);
}

/** Serializes a value and sorts the members of every object. Slower than `JSON.stringify`. */
function writeSorted(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${
    members.map(([name, member]) => `${JSON.stringify(name)}:${writeSorted(member)}`).join(",")
  }}`;
}
