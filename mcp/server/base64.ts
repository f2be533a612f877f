/**
 * Bytes as base64, the alphabet with `+` and `/`, padded.
 *
 * @module
 */

/** How many bytes go into one call of String.fromCharCode: engines limit the number of arguments. */
const SLICE_BYTES = 0x8000;

/** Encodes bytes. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return btoa(binary);
}

/**
 * Decodes bytes.
 *
 * @throws {DOMException} when the text is not base64
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
