/**
 * JSON text that is equal for equal values.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";

/** Formats a JSON value without whitespace, with the members of every object sorted by name. */
export function formatSorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatSorted).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) =>
    `${JSON.stringify(name)}:${formatSorted(value[name])}`
  );
  return `{${members.join(",")}}`;
}
