/**
 * Filling in what the kit sends: captured values and handles in place of their names.
 *
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import type { Captures } from "../kit/match_value.ts";
import { failCase } from "./case_end.ts";

/** The names that can be filled in. */
export interface Names {
  /** What `$ref` stands for. */
  readonly captures: Captures;
  /** What `$handle` stands for. */
  readonly handles?: ReadonlyMap<string, string>;
}

/** Replaces `{"$ref": name}` and `{"$handle": name}` all through a value. */
export function substitute(value: JsonValue, names: Names): JsonValue {
  if (isList(value)) return value.map((each) => substitute(each, names));
  return typeof value === "object" && value !== null ? substituteInObject(value, names) : value;
}

/** The same for an object that is no placeholder itself. */
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

/** Captures come out of parsed JSON, so that anything but nothing is JSON. */
function isJson(value: unknown): value is JsonValue {
  return value === null || isObject(value) || Array.isArray(value) ||
    ["string", "number", "boolean"].includes(typeof value);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
