/**
 * Hashes that are needed at once: the one door to `node:crypto`.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** The SHA-256 hash of a text's UTF-8, in hex. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
