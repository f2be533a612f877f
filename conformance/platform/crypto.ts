/**
 * Hashes and random strings. The only module that imports `node:crypto`.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";

/** Returns the SHA-256 hash of a string (in UTF-8) in hexadecimal. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Creates an unguessable token. It is hexadecimal, so that it never starts with `-` as an argument of a command. */
export function randomToken(): string {
  return randomBytes(18).toString("hex");
}
