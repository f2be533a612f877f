/**
 * Writing JSON values whose members are in order.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";

/**
 * Writes what `copyValue` copied as canonical JSON.
 *
 * @param copy the copy, or an object of copies whose members are in order
 * @param isDisordered whether JavaScript lists the members of an object in it in another order
 */
export function writeJson(copy: JsonValue, isDisordered: boolean): string {
  // A `toJSON` on a shared prototype would let other code rewrite what JSON.stringify emits.
  return isDisordered || "toJSON" in Array.prototype ? writeSorted(copy) : JSON.stringify(copy);
}

/** The slow, exact way. */
function writeSorted(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${
    members.map(([name, member]) => `${JSON.stringify(name)}:${writeSorted(member)}`).join(",")
  }}`;
}
