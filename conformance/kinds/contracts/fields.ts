/**
 * Readers of unvalidated request bodies.
 *
 * @module
 */

import { isObject } from "../../kit/json.ts";

/** An object from a request or a response, unvalidated. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the objects in a list; an empty array if the value is not a list. */
export function objectsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns a member that is an object, or an object without members. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isObject(value) ? value : {};
}

/** Returns a member that is a string, or an empty string. */
export function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Returns true if two JSON values are equal; the order of members is irrelevant. */
export function isSameValue(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length &&
      left.every((each, index) => isSameValue(each, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return left === right;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSameValue(left[name], right[name]));
}
