/**
 * Removes characters from the end of untrusted text.
 *
 * @module
 */

/**
 * Returns a text without the given characters at its end. Takes linear time, unlike a regular
 * expression for the end of a text, which is tried at each character.
 *
 * @param text Text of any length.
 * @param removed Characters to remove.
 */
export function trimEnd(text: string, removed: string): string {
  let end = text.length;
  while (end > 0 && removed.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
