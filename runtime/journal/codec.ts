/**
 * Step values as JSON: messages may hold bytes and URLs, journals hold JSON.
 *
 * @module
 */

import { asRecord, type JsonObject, type JsonValue, type UnknownRecord } from "../shared/json.ts";

const BYTES = "$bytes";
const URL_TEXT = "$url";
/** Wraps an object of the data that happens to look like one of the marks. */
const PLAIN = "$plain";
/** Longer argument lists overflow the stack. */
const CHUNK = 8_192;

/**
 * Writes a step's value as JSON. Fields that are undefined are left out; dates become what JSON makes of them.
 *
 * @throws {TypeError} the value holds something else than JSON, bytes and URLs
 */
export function toStepValue(value: unknown): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map(toStepValue);
  if (value instanceof Uint8Array) return { [BYTES]: toBase64(value) };
  if (value instanceof URL) return { [URL_TEXT]: value.href };
  if (value instanceof Date) return value.toJSON();
  const type = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (type === "Object") return toStepObject(asRecord(value));
  // Maps, promises and the like: as an object without fields they would be something else when the run is resumed.
  throw new TypeError(`Cannot record a step: it holds a value of type ${type}`);
}

/** Reads what {@linkcode toStepValue} has written; other JSON comes out as it is. */
export function fromStepValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromStepValue);
  if (!isObject(value)) return value;
  const fields = asRecord(value);
  const keys = Object.keys(fields);
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) {
    const content = fields[only];
    if (only === BYTES && typeof content === "string") return fromBase64(content);
    if (only === URL_TEXT && typeof content === "string") return new URL(content);
    if (only === PLAIN && isObject(content)) return fromStepObject(asRecord(content));
  }
  return fromStepObject(fields);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toStepObject(value: UnknownRecord): JsonObject {
  const result: JsonObject = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) result[key] = toStepValue(item);
  }
  const [only, ...others] = Object.keys(result);
  const looksMarked = others.length === 0 && only?.startsWith("$") === true;
  return looksMarked ? { [PLAIN]: result } : result;
}

function fromStepObject(value: UnknownRecord): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromStepValue(item)]));
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(text);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
