/**
 * Hashes and random texts: the one door to `node:crypto`.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";

/** The SHA-256 hash of a text's UTF-8, in hex. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A text that nobody guesses, safe as an argument of a command: hexadecimal, so that it never begins with `-`. */
export function randomToken(): string {
  return randomBytes(18).toString("hex");
}
