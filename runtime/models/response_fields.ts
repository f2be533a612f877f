/**
 * Validation of fields in model API responses.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { isRecord } from "@parley/internal/json";
import { escapeText, excerpt } from "@parley/internal/escape-text";

/** A received object whose fields have not been validated. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Creates the error for a malformed response. */
export function malformed(what: string, options?: ErrorOptions): AgentError {
  return AgentError.modelError(`malformed response: ${what}`, options);
}

/** Returns the value if it is a non-empty string, and `undefined` otherwise. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the value if it is an object, and an empty object otherwise. */
export function readRecord(value: unknown): WireObject {
  return isRecord(value) ? value : {};
}

/** Returns the value if it is an object. Throws otherwise. */
export function expectRecord(value: unknown, what: string): WireObject {
  if (isRecord(value)) return value;
  throw unexpected(what, "an object", value);
}

/**
 * Returns the value if it is an array, or an empty array for `undefined` and `null`; otherwise,
 * throws.
 */
export function expectList(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw unexpected(what, "an array", value);
}

/** Parses JSON text that must represent an object. */
export function parseRecord(text: string, what: string): WireObject {
  return expectRecord(parseValue(text, what), what);
}

/**
 * Parses JSON text that must represent an object or an array of objects. Some servers send an
 * error, or the chunks of a stream, as an array.
 */
export function parseRecords(text: string, what: string): readonly WireObject[] {
  const value = parseValue(text, what);
  const isList = Array.isArray(value) && value.length > 0 && value.every(isRecord);
  return isList ? value : [expectRecord(value, what)];
}

function parseValue(text: string, what: string): unknown {
  if (text.trim() === "") throw malformed(`${what} is empty`);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's error message is not used, because it may quote the whole text.
    throw malformed(`${what} is not valid JSON: ${quote(text)}`);
  }
}

/**
 * Serializes a value as JSON. Treats `undefined` as an empty object. Replaces lone surrogates,
 * which some servers reject. Throws if the value is not serializable.
 */
export function toJsonText(value: unknown): string {
  try {
    return withoutLoneSurrogates(JSON.stringify(value) ?? "{}");
  } catch (error) {
    throw AgentError.modelError(
      `the request is not serializable as JSON: ${errorMessageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Replaces the escape sequences of lone surrogates in JSON text with U+FFFD. `JSON.stringify`
 * escapes no other surrogates.
 */
function withoutLoneSurrogates(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(
    /\\(?:ud[89a-f][0-9a-f]{2}|.)/g,
    (escape) => escape.startsWith("\\ud") ? "\ufffd" : escape,
  );
}

/** Returns the fields whose value is not `undefined`. */
export function withoutAbsent(fields: WireObject): WireObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Quotes received text for an error message, truncated and on one line. */
export function quote(text: string, maxLength = 200): string {
  return `"${clip(text, maxLength)}"`;
}

/** Returns received text, truncated, on one line and without invisible characters. */
export function clip(text: string, maxLength: number): string {
  // Truncate the text before replacing whitespace, because the text may be megabytes long.
  const line = excerpt(text, maxLength * 2).replace(/\s+/g, " ").trim();
  return escapeText(excerpt(line, maxLength));
}

function unexpected(what: string, expected: string, value: unknown): AgentError {
  if (value === undefined) return malformed(`${what} is missing`);
  return malformed(`${what} must be ${expected}, got ${describeType(value)}`);
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
