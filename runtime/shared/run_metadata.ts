/**
 * The metadata of a run.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { isPlainObject } from "@parley/internal/json";
import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "./json.ts";
import { assertSize } from "./json_size.ts";

/** Maximum size of the metadata of a run, in bytes of UTF-8 JSON. */
const MAX_METADATA_BYTES = 65_536;

/**
 * Copies the metadata of a run. The agent that executes the run may be selected by the metadata, so
 * everything that JSON would omit, change or compute is rejected: getters, symbols, hidden members,
 * objects with a prototype, the member `__proto__`, and deeper nesting than that of a JSON value.
 *
 * @throws {TypeError} If the metadata is not a JSON object.
 * @throws {RangeError} If the metadata is too large.
 */
export function toMetadata(value: unknown): JsonObject {
  const copy = readObject(value);
  if (copy === undefined) {
    const requirement = 'a JSON object without getters and without "__proto__"';
    return rejectArgument("metadata", requirement, value);
  }
  assertSize("metadata", copy, MAX_METADATA_BYTES);
  return copy;
}

function readObject(value: unknown): JsonObject | undefined {
  try {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? copyObject(value, MAX_JSON_DEPTH) : undefined;
  } catch {
    // A value that cannot be read, such as a revoked proxy, is not a JSON object.
    return undefined;
  }
}

function copyValue(value: unknown, maxDepth: number): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  // JSON has no negative zero.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value !== "object" || maxDepth <= 0) return undefined;
  return Array.isArray(value) ? copyArray(value, maxDepth) : copyObject(value, maxDepth);
}

function copyObject(value: object, maxDepth: number): JsonObject | undefined {
  if (!isPlainObject(value)) return undefined;
  const members = copyMembers(value, Reflect.ownKeys(value), maxDepth);
  return members && Object.fromEntries(members);
}

function copyArray(items: readonly unknown[], maxDepth: number): JsonValue | undefined {
  const keys = Reflect.ownKeys(items).filter((key) => key !== "length");
  // The keys of an array without holes and other members are its indices, in ascending order.
  if (keys.length !== items.length || keys.some((key, index) => key !== `${index}`)) {
    return undefined;
  }
  return copyMembers(items, keys, maxDepth)?.map(([, item]) => item);
}

/** Copies members without calling getters. */
function copyMembers(
  value: object,
  keys: readonly (string | symbol)[],
  maxDepth: number,
): readonly (readonly [string, JsonValue])[] | undefined {
  const members: (readonly [string, JsonValue])[] = [];
  for (const key of keys) {
    const member = Object.getOwnPropertyDescriptor(value, key);
    const isData = typeof key === "string" && key !== "__proto__" && member?.enumerable === true;
    const copy = isData ? copyValue(member.value, maxDepth - 1) : undefined;
    if (typeof key !== "string" || copy === undefined) return undefined;
    members.push([key, copy]);
  }
  return members;
}
