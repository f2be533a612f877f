/**
 * Foreign text in our own sentences.
 *
 * @module
 */

/** How much of a foreign text is shown, in characters. */
const MAX_CHARS = 200;

/** A foreign value for a sentence: cut, without line ends and other control characters. */
export function quoteUntrusted(value: unknown): string {
  if (typeof value !== "string") return "nothing";
  return `"${value.slice(0, MAX_CHARS).replace(/\p{Cc}/gu, " ")}"`;
}
