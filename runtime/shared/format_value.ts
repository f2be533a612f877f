/**
 * Formats values for error messages.
 *
 * @module
 */

/** Maximum length of a quoted string, in characters. */
const MAX_LENGTH = 100;

/** Formats a value for an error message. Never throws. Strings are quoted and truncated. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value);
  }
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}
