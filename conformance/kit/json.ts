/**
 * Types and readers of JSON values.
 *
 * @module
 */

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Members of the object. */
  readonly [name: string]: JsonValue;
}

/** Returns true if an unknown value is an object, and neither `null` nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true if a JSON value is an array. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Parses JSON text. Returns `undefined` if the text is not valid JSON. */
export function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The text is not valid JSON.
    return undefined;
  }
}

/**
 * Formats a JSON value as canonical JSON: without whitespace and with sorted members.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8785
 */
export function formatCanonicalJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(formatCanonicalJson).join(",")}]`;
  const members = Object.keys(value).sort().map((name) =>
    `${JSON.stringify(name)}:${formatCanonicalJson(value[name] ?? null)}`
  );
  return `{${members.join(",")}}`;
}
