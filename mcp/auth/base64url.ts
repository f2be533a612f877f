/**
 * Bytes as base64url without padding, the alphabet of OAuth.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc4648#section-5 RFC 4648, section 5}
 * @module
 */

/** Encodes a few bytes, such as a hash. */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")
    .replaceAll("=", "");
}

/** 32 random bytes that nobody can guess, as text. */
export function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}
