/**
 * Sorts object members.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";

/** Returns a copy of a JSON value in which the members of all objects are sorted by name. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, sortMembers(member)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1));
}
