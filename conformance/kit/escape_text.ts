/**
 * Escapes and truncates text from outside, such as text of a subject or a file. The kit imports no
 * member, so that a fault in a member cannot change what the kit reports.
 *
 * @module
 */

/** Matches control and format characters, and the line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Replaces invisible characters with escape sequences such as `\u{202e}`. Unescaped, they could
 * manipulate a terminal, add lines to a log, or reorder or hide text.
 */
export function escapeText(text: string): string {
  return text.replace(INVISIBLE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/**
 * Returns a string truncated to a number of UTF-16 code units. The mark `…` follows a truncated
 * string. A surrogate pair is not split.
 */
export function excerpt(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
