/**
 * Hashes for names and ids that must be shortened.
 *
 * @module
 */

/**
 * Returns the 32-bit FNV-1a hash as eight hexadecimal digits. FNV-1a is not a cryptographic hash.
 *
 * @param text Text to hash.
 * @param seed Start value. Different start values give independent hashes.
 */
export function shortHash(text: string, seed = 0x811c9dc5): string {
  let value = seed;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, "0");
}
