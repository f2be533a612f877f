/**
 * Text from servers for a terminal. A server must not be able to move the cursor, to hide text or
 * to print lines that look like those of the command.
 *
 * @module
 */

import { escapeText } from "@parley/internal/escape-text";

/** Escapes text that may have several lines. Line breaks and tabs are kept. */
export function escapeLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\n\t]+/g, escapeText);
}

/**
 * Converts a value to one line of JSON. `JSON.stringify` escapes only the control characters below
 * U+0020, so the other control characters, format characters such as bidirectional marks, and the
 * line and paragraph separators are escaped here.
 */
export function formatJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => character.split("").map(escapeUnit).join(""),
  );
}

/** JSON escapes UTF-16 code units (RFC 8259, section 7). */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
