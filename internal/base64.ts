/**
 * Base64 encoding (RFC 4648, section 4).
 *
 * @module
 */

/**
 * Number of bytes per call to `String.fromCharCode`, which takes one argument per byte. A call with
 * hundreds of thousands of arguments can overflow the stack.
 */
const CHUNK_BYTES = 8192;

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES));
  }
  return btoa(binary);
}

/**
 * Decodes base64.
 *
 * @throws {DOMException} If the text is not valid base64.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
