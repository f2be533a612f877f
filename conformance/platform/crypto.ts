/**
 * Hashes and random strings. The only module that imports `node:crypto`.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";

/** Returns the SHA-256 hash of a string's UTF-8 encoding, in hexadecimal. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns the SHA-256 hash of a string's UTF-8 encoding, in base64. */
export function sha256Base64(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/**
 * Creates an unguessable token. The token is hexadecimal, so a command-line parser cannot mistake
 * it for an option.
 */
export function randomToken(): string {
  return randomBytes(18).toString("hex");
}
