/**
 * The size of values that are stored.
 *
 * @module
 */

import type { JsonValue } from "./json.ts";

const encoder = new TextEncoder();

/** Returns the size of a value, in bytes of UTF-8 JSON. */
export function sizeOfJson(value: JsonValue): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/**
 * Asserts that a value is small enough to be stored.
 *
 * @throws {RangeError} If the value has more than `maxBytes` bytes of UTF-8 JSON.
 */
export function assertSize(name: string, value: JsonValue, maxBytes: number): void {
  const bytes = sizeOfJson(value);
  if (bytes <= maxBytes) return;
  throw new RangeError(`"${name}" must have at most ${maxBytes} bytes, got ${bytes}`);
}
