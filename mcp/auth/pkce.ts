/**
 * Proof key for code exchange: only who began a login can end it.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636 RFC 7636}
 * @module
 */

import { randomText, toBase64Url } from "./base64url.ts";

/** A secret and what may be shown of it. */
export interface PkceChallenge {
  /** The secret: 32 random bytes in base64url, 43 characters. It goes to the token endpoint alone. */
  readonly verifier: string;
  /** The SHA-256 hash of the verifier's text in base64url, 43 characters. It goes into the address of the login. */
  readonly challenge: string;
  /** How the challenge was made of the verifier. */
  readonly method: "S256";
}

/**
 * Makes a verifier of 32 random bytes and its challenge.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636#section-4.1 RFC 7636, section 4.1}
 *
 * @example A new challenge
 * ```ts
 * import { generatePkceChallenge } from "@parley/mcp/auth";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * const { verifier, challenge, method } = await generatePkceChallenge();
 * assertMatch(verifier, /^[\w-]{43}$/);
 * assertMatch(challenge, /^[\w-]{43}$/);
 * assertEquals(method, "S256");
 * ```
 */
export async function generatePkceChallenge(): Promise<PkceChallenge> {
  const verifier = randomText();
  return { verifier, challenge: await challengeOf(verifier), method: "S256" };
}

/** The challenge of a verifier. */
export async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return toBase64Url(new Uint8Array(hash));
}
