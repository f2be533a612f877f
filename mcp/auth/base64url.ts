/**
 * Base64url encoding without padding.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc4648#section-5 RFC 4648, section 5}
 * @module
 */

import { encodeBase64 } from "@parley/internal/base64";

/** Encodes bytes as base64url. */
export function toBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Creates a random string: 32 cryptographically secure random bytes in base64url. */
export function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}
