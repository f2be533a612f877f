/**
 * Formats counts.
 *
 * @module
 */

/** Formats a count with its noun: `1 case`, `2 cases`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
