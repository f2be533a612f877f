/**
 * Helpers for the checks that engines and storages must pass.
 *
 * @module
 */

import type { JournalEntry } from "../journal/journal.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import type { JsonValue } from "../shared/json.ts";

/**
 * Asserts that two values are equal as JSON. The order of object members is ignored.
 *
 * @throws {Error} If the values differ.
 * @throws {TypeError} If a value is a `Set` or a `Map`, whose content JSON omits.
 */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  for (const value of [actual, expected]) {
    if (value instanceof Set || value instanceof Map) {
      throw new TypeError(
        `${what}: pass an array, because JSON omits the content of sets and maps`,
      );
    }
  }
  const [found, wanted] = [actual, expected].map((value) => formatSorted(value ?? null));
  if (found !== wanted) throw new Error(`${what} must be ${wanted}, got ${found}`);
}

/** Returns a run id that no other check uses. */
export function newId(prefix: string): string {
  return `${prefix}-${crypto.randomUUID()}`;
}

/** Creates a step. */
export function stepOf(key: string, value: JsonValue = null): JournalEntry {
  return { v: 1, key, kind: "tool", value };
}
