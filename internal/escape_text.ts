/**
 * Escapes and truncates text from outside, such as text of a peer, a tool or a file.
 *
 * @module
 */

/**
 * Replaces invisible characters with escape sequences such as `\u{202e}`: control and format
 * characters, and the line and paragraph separators. Unescaped, they could manipulate a terminal,
 * add lines to a log, or reorder or hide text.
 */
export function escapeText(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/**
 * Returns at most the given number of UTF-16 code units from the start of a string. A surrogate
 * pair is not split.
 */
export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}

/**
 * Returns a string truncated to a number of UTF-16 code units. The mark `…` follows a truncated
 * string.
 */
export function excerpt(text: string, maxLength: number = 100): string {
  return text.length <= maxLength ? text : `${truncate(text, maxLength)}…`;
}
