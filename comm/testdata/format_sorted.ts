/**
 * Compares JSON values, independently of the canonical form that the tests check.
 *
 * @module
 */

/** Formats a JSON value with the members of its objects in the order of their names. */
export function formatSorted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(formatSorted)}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${formatSorted(each)}`)}}`;
}
