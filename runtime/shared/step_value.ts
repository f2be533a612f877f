/**
 * Converts the values of steps and of recorded model calls, which may contain bytes and URLs, to
 * JSON and back.
 *
 * @module
 */

import { decodeBase64, encodeBase64 } from "@parley/internal/base64";
import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "./json.ts";
import { asRecord, type UnknownRecord } from "@parley/internal/json";

const BYTES = "$bytes";
const URL_TEXT = "$url";
/**
 * Key of a wrapper around an object whose only key starts with `$`, so that the object is not
 * mistaken for encoded bytes or an encoded URL.
 */
const PLAIN = "$plain";

/**
 * Maximum nesting depth of the value of a step. A step adds less than 50 levels to the values of
 * models, tools and callers in it.
 */
const MAX_STEP_DEPTH = MAX_JSON_DEPTH + 50;

/**
 * Converts the value of a step to JSON. Omits properties whose value is `undefined`, and converts
 * dates to strings.
 *
 * @param maxDepth Maximum nesting depth.
 * @throws {TypeError} If the value contains anything other than JSON, dates, bytes and URLs, or is
 * nested too deeply.
 */
export function toStepValue(value: unknown, maxDepth: number = MAX_STEP_DEPTH): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "object" && maxDepth <= 0) {
    throw new TypeError("Cannot record a step: the value is nested too deeply");
  }
  if (Array.isArray(value)) return value.map((item) => toStepValue(item, maxDepth - 1));
  if (value instanceof Uint8Array) return { [BYTES]: encodeBase64(value) };
  if (value instanceof URL) return { [URL_TEXT]: value.href };
  if (value instanceof Date) return formatDate(value);
  const type = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (type === "Object") return toStepObject(asRecord(value), maxDepth - 1);
  // In JSON, maps, promises and other objects without own enumerable properties would become empty
  // objects.
  throw new TypeError(`Cannot record a step: values of type ${type} are not serializable`);
}

/** Formats a date. Does not call methods of a subclass, which could return any value. */
function formatDate(date: Date): string | null {
  const isValid = !Number.isNaN(Date.prototype.getTime.call(date));
  return isValid ? Date.prototype.toISOString.call(date) : null;
}

/**
 * Restores the value from the result of {@linkcode toStepValue}. JSON values that contain no
 * encoded bytes or URLs are returned unchanged.
 */
export function fromStepValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromStepValue);
  if (!isObject(value)) return value;
  const fields = asRecord(value);
  const keys = Object.keys(fields);
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) {
    const content = fields[only];
    if (only === BYTES && typeof content === "string") return decodeBase64(content);
    if (only === URL_TEXT && typeof content === "string") return new URL(content);
    if (only === PLAIN && isObject(content)) return fromStepObject(asRecord(content));
  }
  return fromStepObject(fields);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toStepObject(value: UnknownRecord, maxDepth: number): JsonObject {
  const result: Record<string, JsonValue> = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) result[key] = toStepValue(item, maxDepth);
  }
  const [only, ...others] = Object.keys(result);
  const looksMarked = others.length === 0 && only?.startsWith("$") === true;
  return looksMarked ? { [PLAIN]: result } : result;
}

function fromStepObject(value: UnknownRecord): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromStepValue(item)]));
}
