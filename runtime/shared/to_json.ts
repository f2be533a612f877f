/**
 * Conversion of values from tools, models and callers to JSON values that can be stored.
 *
 * @module
 */

import { errorMessageOf } from "./error.ts";
import { copyJsonValue, isJsonValue, type JsonValue, MAX_JSON_DEPTH } from "./json.ts";

/**
 * Copies JSON data. Converts dates, class instances and undefined members as `JSON.stringify` does.
 * Throws if the conversion would lose a value.
 *
 * @throws {TypeError} If the value is not serializable as JSON, or is nested too deeply.
 */
export function toJson(value: unknown): JsonValue {
  const copy = copyJsonValue(value);
  if (copy !== undefined) return copy;
  const text = JSON.stringify(value, refuseLive);
  if (text === undefined) throw new TypeError("no JSON representation");
  // `JSON.stringify` accepts values that are nested more deeply than a stored value can be read.
  return copyJsonValue(JSON.parse(text)) ?? throwTooDeep();
}

function throwTooDeep(): never {
  throw new TypeError(`nested more than ${MAX_JSON_DEPTH} levels deep`);
}

/**
 * Throws on values that `JSON.stringify` would drop or replace, such as functions, promises, maps
 * and `NaN`.
 */
function refuseLive(key: string, value: unknown): unknown {
  const isFunction = typeof value === "function";
  const isKept = value === undefined || isJsonValue(value, 1) ||
    Object.keys(Object(value)).length > 0;
  if (isKept && !isFunction) return value;
  const what = isFunction ? "a function" : errorMessageOf(value);
  throw new TypeError(`${key ? `"${key}" is ` : ""}not a JSON value (${what})`);
}
