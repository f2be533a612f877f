/**
 * Replaces references to captured values and handles in data that the kit sends.
 *
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import type { Captures } from "../kit/match_value.ts";
import { failCase } from "./case_end.ts";

/** Values that can be substituted. */
export interface Names {
  /** Captured values, for `$ref`. */
  readonly captures: Captures;
  /** Handles, for `$handle`. */
  readonly handles?: ReadonlyMap<string, string>;
}

/**
 * Replaces `{"$ref": name}` and `{"$handle": name}` at any depth.
 *
 * @throws {CaseEnd} If a name is unknown.
 */
export function substitute(value: JsonValue, names: Names): JsonValue {
  if (isList(value)) return value.map((each) => substitute(each, names));
  return typeof value === "object" && value !== null ? substituteInObject(value, names) : value;
}

/**
 * Replaces the references in an object's members, but never treats the object itself as a
 * reference.
 */
export function substituteArgs(args: JsonObject, names: Names): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, substitute(value, names)]),
  );
}

function substituteInObject(value: JsonObject, names: Names): JsonValue {
  const { $ref, $handle } = value;
  if (Object.keys(value).length !== 1 || ($ref ?? $handle) === undefined) {
    return substituteArgs(value, names);
  }
  const found = $handle === undefined
    ? names.captures.get(String($ref))
    : names.handles?.get(String($handle));
  if (!isJson(found)) {
    throw failCase({ note: `unknown captured value or handle "${$ref ?? $handle}"` });
  }
  return found;
}

/** Captured values come from parsed JSON, so every value except `undefined` is a JSON value. */
function isJson(value: unknown): value is JsonValue {
  return value === null || isObject(value) || Array.isArray(value) ||
    ["string", "number", "boolean"].includes(typeof value);
}
