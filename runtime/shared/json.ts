/**
 * JSON values and type guards for them.
 *
 * @module
 */

import { isPlainJson, isPlainObject } from "@parley/internal/json";

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

/**
 * Copies a JSON value and validates the copy. Each member is read once, so a getter or a proxy
 * cannot return one value for the check and another value for the use.
 *
 * @param value Value to copy.
 * @param maxDepth Maximum nesting depth. Cyclic values exceed every maximum depth.
 * @returns The copy, or `undefined` if the value is not a JSON value.
 */
export function copyJsonValue(
  value: unknown,
  maxDepth: number = MAX_JSON_DEPTH,
): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || maxDepth <= 0) return undefined;
  if (Array.isArray(value)) return copyArray(value, maxDepth - 1);
  return isPlainObject(value) ? copyMembers({ ...value }, maxDepth - 1) : undefined;
}

function copyArray(items: readonly unknown[], maxDepth: number): JsonValue | undefined {
  const copies: JsonValue[] = [];
  for (const item of items) {
    const copy = copyJsonValue(item, maxDepth);
    if (copy === undefined) return undefined;
    copies.push(copy);
  }
  return copies;
}

/** Replaces the members of an object, which is already a copy, with copies. */
function copyMembers(
  members: Record<string, unknown>,
  maxDepth: number,
): JsonValue | undefined {
  for (const name in members) {
    if (!Object.hasOwn(members, name)) continue;
    const member = members[name];
    const copy = copyJsonValue(member, maxDepth);
    if (copy === undefined) return undefined;
    // Each member is an own property, so the assignment never calls a setter of the prototype.
    if (copy !== member) members[name] = copy;
  }
  // The cast is safe because all members have been replaced with JSON values.
  return members as Record<string, JsonValue>;
}

/** Freezes a JSON value and all values in it. */
export function freezeJson<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) if (typeof member === "object") freezeJson(member);
    Object.freeze(value);
  }
  return value;
}
