/**
 * JSON values, as the kit reads and compares them.
 *
 * @module
 */

/** Any value that JSON text can carry. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Its members. */
  readonly [name: string]: JsonValue;
}

/** Whether a value from outside is an object with members: not null, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads JSON text; undefined says that it is none. */
export function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The caller decides what text that is not JSON means.
    return undefined;
  }
}
