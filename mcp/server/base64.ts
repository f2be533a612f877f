/**
 * Base64 encoding (RFC 4648, section 4).
 *
 * @module
 */

/** Number of bytes per call of `String.fromCharCode`. JavaScript engines limit the number of arguments. */
const SLICE_BYTES = 0x8000;

/** Encodes bytes as base64, with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return btoa(binary);
}

/**
 * Decodes base64.
 *
 * @throws {DOMException} If the string is not valid base64.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
