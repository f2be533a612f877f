/**
 * Names of tools and prompts that belong to one of several servers.
 *
 * @module
 */

/** Maximum length of a tool name that model providers accept. */
const MAX_LENGTH = 64;

const VALID_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Number of hexadecimal digits of the SHA-256 digest at the end of a converted name. */
const DIGEST_LENGTH = 6;

/**
 * Adds a prefix to a name. A result with at most 64 characters, all of them `A-Z a-z 0-9 _ -`, is
 * returned unchanged. A prefixed name that is longer or contains other characters is truncated to
 * 57 characters, invalid characters are replaced with `_`, and `_` and the first 6 hexadecimal
 * digits of the SHA-256 digest of the prefix and the name are appended. The digest distinguishes
 * names that differ only in removed or replaced characters.
 *
 * @param prefix Text before the name, such as `files_`, or `""`.
 * @param name Name that the server uses.
 */
export async function prefixedName(prefix: string, name: string): Promise<string> {
  const full = prefix + name;
  if (VALID_NAME.test(full)) return full;
  const start = prefixInNames(full);
  return `${start}_${await digestOf(full)}`;
}

/**
 * Returns the text that all names with a prefix start with, which is the prefix after the
 * conversion of {@linkcode prefixedName}.
 */
export function prefixInNames(prefix: string): string {
  return prefix.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1).replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

async function digestOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("").slice(0, DIGEST_LENGTH);
}
