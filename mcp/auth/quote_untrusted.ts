/**
 * Quotes untrusted strings for error messages.
 *
 * @module
 */

import { escapeText, excerpt } from "@parley/internal/escape-text";

/** Maximum length of a quoted string, in characters. */
const MAX_CHARS = 200;

/**
 * Quotes an untrusted string. Truncates long strings and escapes invisible characters, such as line
 * breaks. Returns the type name of a value that is not a string.
 */
export function quoteUntrusted(value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  return `"${escapeText(excerpt(value, MAX_CHARS))}"`;
}
