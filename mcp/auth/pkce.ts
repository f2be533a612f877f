/**
 * Proof Key for Code Exchange (PKCE) with S256.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636 RFC 7636}
 * @module
 */

import { randomText, toBase64Url } from "./base64url.ts";

/** A PKCE code verifier and its challenge. */
export interface PkceChallenge {
  /**
   * Code verifier: 32 random bytes in base64url, 43 characters. The verifier is secret and is sent
   * only to the token endpoint.
   */
  readonly verifier: string;
  /**
   * Code challenge: the SHA-256 hash of the verifier in base64url, 43 characters. The challenge is
   * sent in the authorization URL.
   */
  readonly challenge: string;
  /** Code challenge method. */
  readonly method: "S256";
}

/**
 * Generates a code verifier and its challenge.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636#section-4.1 RFC 7636, section 4.1}
 *
 * @example Generate a challenge
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

/** Computes the code challenge for a code verifier. */
export async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return toBase64Url(new Uint8Array(hash));
}
