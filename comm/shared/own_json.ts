/**
 * Sorting and freezing of parsed JSON without a copy.
 *
 * @module
 */

import {
  hasArrayIndex,
  isJsonObject,
  type JsonArray,
  type JsonCopier,
  type JsonObject,
  type JsonValue,
  setMember,
  sortedNames,
} from "./json.ts";
import { tooDeep } from "./json_error.ts";

/** State of {@linkcode ownValue}. The members are described in `JsonCopier`. */
export interface JsonOwner
  extends Pick<JsonCopier, "isDisordered" | "maxDepth" | "size" | "unfrozen"> {
  /** Whether the members of any object were not sorted. */
  isReordered: boolean;
}

/** Creates the initial state for {@linkcode ownValue}. */
export function createOwner(maxDepth: number): JsonOwner {
  return { maxDepth, isDisordered: false, isReordered: false, size: 0, unfrozen: [] };
}

/**
 * Sorts and freezes a parsed value, with the same result as a frozen copy made by `copyValue`. The
 * value must consist of finite numbers and well-formed strings, and nothing else may refer to it:
 * its arrays and the objects whose members are sorted are not copied, which takes half the time.
 * The caller must call `freezeArrays` afterwards.
 */
export function ownValue(value: JsonValue, depth: number, owner: JsonOwner): JsonValue {
  owner.size++;
  if (typeof value === "string") {
    owner.size += value.length;
    return value;
  }
  // Negative zero becomes zero.
  if (typeof value === "number") return value === 0 ? 0 : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= owner.maxDepth) throw tooDeep(owner.maxDepth);
  if (Array.isArray(value)) return ownArray(value, depth, owner);
  return isJsonObject(value) ? ownObject(value, depth, owner) : value;
}

function ownArray(array: JsonValue[], depth: number, owner: JsonOwner): JsonArray {
  for (let index = 0; index < array.length; index++) {
    const item = array[index] ?? null;
    const owned = ownValue(item, depth + 1, owner);
    if (!Object.is(owned, item)) array[index] = owned;
  }
  owner.unfrozen.push(array);
  return array;
}

function ownObject(
  object: Record<string, JsonValue>,
  depth: number,
  owner: JsonOwner,
): JsonObject {
  const names = Object.keys(object);
  if (hasArrayIndex(names)) owner.isDisordered = true;
  if (!isSorted(names)) return sortMembers(object, depth, owner);
  for (const name of names) {
    const member = object[name] ?? null;
    const owned = ownValue(member, depth + 1, owner);
    if (!Object.is(owned, member)) object[name] = owned;
  }
  return Object.freeze(object);
}

function sortMembers(object: JsonObject, depth: number, owner: JsonOwner): JsonObject {
  owner.isReordered = true;
  const sorted: Record<string, JsonValue> = {};
  for (const name of sortedNames(object)) {
    setMember(sorted, name, ownValue(object[name] ?? null, depth + 1, owner));
  }
  return Object.freeze(sorted);
}

/** Returns `true` if names are sorted by UTF-16 code units. */
function isSorted(names: readonly string[]): boolean {
  for (let index = 1; index < names.length; index++) {
    if ((names[index - 1] ?? "") > (names[index] ?? "")) return false;
  }
  return true;
}
