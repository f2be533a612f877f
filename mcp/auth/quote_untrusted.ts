/**
 * Quotes untrusted strings for error messages.
 *
 * @module
 */

/** Maximum length of a quoted string, in characters. */
const MAX_CHARS = 200;

/**
 * Quotes an untrusted string. Truncates long strings and replaces control characters, such as line breaks. Returns the
 * type name of a value that is not a string.
 */
export function quoteUntrusted(value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  return `"${value.slice(0, MAX_CHARS).replace(/\p{Cc}/gu, " ")}"`;
}
